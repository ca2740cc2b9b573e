/* SPDX-License-Identifier: MIT */
/*
 * elf - look up the functions of an ELF file with libdw. Its debugging
 * information may be in another file: libdw finds that by the build id below
 * /usr/lib/debug, by the debuglink, or on a server of DEBUGINFOD_URLS. Files
 * are not trusted, but libdw is.
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

/* Allow or forbid queries to the servers of DEBUGINFOD_URLS. */
void tr2_elf_ask_servers(bool ask);

/* Open a file. NULL: it cannot be read; *why is the reason. */
struct tr2_elf *tr2_elf_open(const char *path, const char **why);
/* Open a substitute for a removed file: its debugging information, or the file
 * itself from a server. NULL: there is no substitute. */
struct tr2_elf *tr2_elf_open_build(const struct tr2_build_id *id);
void tr2_elf_close(struct tr2_elf *e); /* NULL is allowed */

/* Does the file have this build id? */
bool tr2_elf_is(const struct tr2_elf *e, const struct tr2_build_id *id);

/* The place of an instruction, as an offset in the file and in the executable
 * segment. */
struct tr2_elf_place {
	uint64_t in_file, in_segment;
};

/* Return the offset in the file at which the function around a place begins; if
 * the function is unknown, return the place itself. */
uint64_t tr2_elf_start(struct tr2_elf *e, struct tr2_elf_place place);

/* Find the call frame information for a place: for exceptions, or for a
 * debugger. NULL: no information. Set *address to the place's address in the
 * information. */
struct Dwarf_CFI_s;
struct Dwarf_CFI_s *tr2_elf_cfi(struct tr2_elf *e, struct tr2_elf_place place,
				bool for_debugger, uint64_t *address);

/*
 * Return the name of the function at this place, even if the place is in a
 * function that was inlined into it. NULL: the name is unknown; *why is set if
 * the file is the reason. Names are valid until the next call.
 */
const char *tr2_elf_function(struct tr2_elf *e, struct tr2_elf_place place,
			     const char **why);

#define TR2_ELF_INLINED 31

/* Find the functions that were inlined at this place, the innermost first.
 * Return their number. Names are valid until the next call. The first call
 * takes long: it reads debugging information. */
unsigned int tr2_elf_inlined(struct tr2_elf *e, struct tr2_elf_place place,
			     const char *name[TR2_ELF_INLINED]);
