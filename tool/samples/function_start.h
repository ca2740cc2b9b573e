/* SPDX-License-Identifier: MIT */
/*
 * function_start - where the function around an address begins, in a file that
 * has no name for it: the table for exceptions (.eh_frame_hdr) has the starts of
 * all functions, sorted.
 */
#ifndef TR2_SAMPLES_FUNCTION_START_H
#define TR2_SAMPLES_FUNCTION_START_H

#include <gelf.h>
#include <stdbool.h>

/* Addresses are those of the file. false: unknown. */
bool tr2_function_start(Elf *elf, GElf_Addr address, GElf_Addr *start);

#endif
