/* SPDX-License-Identifier: MIT */
/*
 * frame - from the registers of a function to those of its caller, by the rules
 * that an ELF file has for each instruction (call frame information).
 */
#ifndef TR2_SAMPLES_FRAME_H
#define TR2_SAMPLES_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "samples/elf.h"

/* Those that DWARF numbers on x86-64 and arm64, where 31 is the largest. */
#define TR2_FRAME_REGISTERS 33

struct tr2_frame_state {
	uint64_t value[TR2_FRAME_REGISTERS];
	uint64_t known; /* a bit for each */
	uint64_t pc;    /* a return address, unless is_exact */
	bool is_exact;
	/* The copy of the stack. */
	uint64_t stack;
	const unsigned char *copy;
	uint32_t len;
};

/* Set the state from registers of perf_event_open; their numbers are bits of
 * `mask`, their values follow each other. false: pc or the stack is missing. */
bool tr2_frame_begin(struct tr2_frame_state *state, uint64_t mask,
		     const unsigned char *values);

/* Change the state to that of the caller; place: of state->pc, or if that is a
 * return address of the instruction before. false: there is none, or it is not
 * known. */
bool tr2_frame_up(struct tr2_frame_state *state, struct tr2_elf *e,
		  struct tr2_elf_place place);

#endif
