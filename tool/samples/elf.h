/* SPDX-License-Identifier: MIT */
/*
 * elf - look up the functions of an ELF file with libdw. The debugging
 * information may be in another file, which libdw finds by the build id below
 * /usr/lib/debug, by the debuglink, or on a server of DEBUGINFOD_URLS. Files
 * are not trusted; libdw is trusted.
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

/* Open a file. Return NULL, with the reason in *why, if it cannot be read. */
struct tr2_elf *tr2_elf_open(const char *path, const char **why);
/* Open a substitute for a removed file: its debugging information, or the file
 * itself from a server. NULL: there is no substitute. */
struct tr2_elf *tr2_elf_open_build(const struct tr2_build_id *id);
void tr2_elf_close(struct tr2_elf *e); /* e may be NULL */

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

/* Find the call frame information that contains a place. for_debugger: from
 * .debug_frame, else from .eh_frame. Set *address to the place's address in
 * this information. NULL: no information. */
struct Dwarf_CFI_s;
struct Dwarf_CFI_s *tr2_elf_cfi(struct tr2_elf *e, struct tr2_elf_place place,
				bool for_debugger, uint64_t *address);

/*
 * Return the name of the function at this place. If the place is in an inlined
 * function, return the name of the function into which it was inlined. NULL:
 * unknown; *why is set if the reason lies in the file. The name is valid until
 * the next call.
 */
const char *tr2_elf_function(struct tr2_elf *e, struct tr2_elf_place place,
			     const char **why);

#define TR2_ELF_INLINED 31

/* Find the functions that were inlined at this place, the innermost first.
 * Return their number. Names are valid until the next call. The first call
 * takes long: it reads debugging information. */
unsigned int tr2_elf_inlined(struct tr2_elf *e, struct tr2_elf_place place,
			     const char *name[TR2_ELF_INLINED]);
