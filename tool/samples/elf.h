/* SPDX-License-Identifier: MIT */
/*
 * elf - the functions of an ELF file by libdw, with what separate debugging
 * information knows beside. Files are not trusted, but libdw is.
 */
#ifndef TR2_SAMPLES_ELF_H
#define TR2_SAMPLES_ELF_H

#include <stdint.h>

struct tr2_elf;

/* NULL: *why says why. */
struct tr2_elf *tr2_elf_open(const char *path, const char **why);
void tr2_elf_close(struct tr2_elf *elf); /* NULL is nothing */

/* The function at this offset of the file. NULL: none; *why is set where the
 * file is to blame. Valid until tr2_elf_close(). */
const char *tr2_elf_function(struct tr2_elf *elf, uint64_t offset,
			     const char **why);

#endif
