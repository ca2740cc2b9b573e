/* SPDX-License-Identifier: MIT */
/*
 * elf - look up the functions of an ELF file with libdw, including separate
 * debugging information: by its build id below /usr/lib/debug, by its
 * debuglink, and from a server that DEBUGINFOD_URLS names. Files are not
 * trusted, but libdw is.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/build_id.h"

struct tr2_elf;

struct tr2_build_id {
	unsigned int size; /* 0: none */
	uint8_t id[TR2_BUILD_ID_MAX];
};

/* false: do not ask the servers of DEBUGINFOD_URLS. */
void tr2_elf_ask_servers(bool ask);

/* Open a file. NULL: *why is the reason. */
struct tr2_elf *tr2_elf_open(const char *path, const char **why);
/* Open a substitute for a file that was removed: its debugging information, or
 * the file itself from a server. NULL: none. */
struct tr2_elf *tr2_elf_open_build(const struct tr2_build_id *id);
void tr2_elf_close(struct tr2_elf *e); /* NULL is allowed */

/* Does the file have this build id? */
bool tr2_elf_is(const struct tr2_elf *e, const struct tr2_build_id *id);

/* The position of an instruction: in the file, and in the executable
 * segment. */
struct tr2_elf_place {
	uint64_t in_file, in_segment;
};

/* Return the offset in the file at which the function around a place begins; the
 * place itself, if that is not known. */
uint64_t tr2_elf_start(struct tr2_elf *e, struct tr2_elf_place place);

/* Find the call frame information that covers a place: that for exceptions, or
 * that for a debugger. NULL: none. *address: of the place in it. */
struct Dwarf_CFI_s;
struct Dwarf_CFI_s *tr2_elf_cfi(struct tr2_elf *e, struct tr2_elf_place place,
				bool for_debugger, uint64_t *address);

/*
 * Return the name of the function at this place, into which others may be
 * inlined. NULL: none is known; *why is set if that is due to the file. Names
 * are valid until the next call.
 */
const char *tr2_elf_function(struct tr2_elf *e, struct tr2_elf_place place,
			     const char **why);

#define TR2_ELF_INLINED 31

/* Find the functions that were inlined there, the innermost first. Return their
 * number. Names are valid until the next call. It reads debugging information,
 * which takes long the first time. */
unsigned int tr2_elf_inlined(struct tr2_elf *e, struct tr2_elf_place place,
			     const char *name[TR2_ELF_INLINED]);
