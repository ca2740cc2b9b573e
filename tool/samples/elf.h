/* SPDX-License-Identifier: MIT */
/*
 * elf - the functions of an ELF file by libdw, with what separate debugging
 * information knows beside: by its build id below /usr/lib/debug, by its
 * debuglink, and of a server where DEBUGINFOD_URLS names one. Files are not
 * trusted, but libdw is.
 */
#ifndef TR2_SAMPLES_ELF_H
#define TR2_SAMPLES_ELF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/build_id.h"

struct tr2_elf;

struct tr2_build_id {
	unsigned int size; /* 0: none */
	uint8_t id[TR2_BUILD_ID_MAX];
};

/* NULL: *why says why. */
struct tr2_elf *tr2_elf_open(const char *path, const char **why);
/* What is left of a file that is gone: its debugging information, or, of a
 * server, itself. NULL: nothing. */
struct tr2_elf *tr2_elf_open_build(const struct tr2_build_id *id);
void tr2_elf_close(struct tr2_elf *e); /* NULL is nothing */

/* Whether it is that build. */
bool tr2_elf_is(const struct tr2_elf *e, const struct tr2_build_id *id);

/* Where an instruction is: in the file, and in the executable segment. */
struct tr2_elf_place {
	uint64_t in_file, in_segment;
};

#define TR2_ELF_FUNCTIONS 32

struct tr2_elf_function {
	const char *name;
	bool is_inlined; /* into the next one */
};

/*
 * The functions at this place, the innermost first: the last of them has a
 * place of its own. 0: none is known; *why is set where the file is to blame.
 * Names are valid until the next call.
 */
unsigned int
tr2_elf_functions(struct tr2_elf *e, struct tr2_elf_place place,
		  struct tr2_elf_function function[TR2_ELF_FUNCTIONS],
		  const char **why);

#endif
