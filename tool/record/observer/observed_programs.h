/* SPDX-License-Identifier: MIT */
/*
 * observed_programs - the pages of files, and of shared memory, that processes
 * have. Processes of one program mostly have the same pages.
 *
 * All processes with one name are taken to have as many pages as the largest of
 * them, times a factor that was measured: with the largest, if all have about
 * equally many, else with each. The factor is below 1 if other programs have the
 * pages, too, such as libc's. It is above 1 if each process has pages of its own,
 * such as files of data. What the largest got since then counts once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/recording/tasklog.h"

struct tr2_observer;
struct tr2_observed;

struct tr2_observed_program {
	char name[TR2_COMM_SIZE];
	double factor; /* 0: not measured */
	bool is_refused; /* the kernel does not permit that */
	bool is_whole; /* each process was measured */
	/* When it was measured. */
	uint64_t since_ns, at_bytes, at_most_bytes;
	uint32_t at_nr;
	/* In the look before: those that grow are measured afterwards. */
	uint64_t look_ns, before_bytes;
	/* In this look: its processes, and the one with the most. */
	uint32_t nr;
	uint64_t sum_bytes;
	struct tr2_observed *largest;
};

struct tr2_observed_programs {
	struct tr2_observed_program *program; /* [0] is none */
	uint32_t nr, alloc;
};

/* Sum up the processes of each. Return the sum of all. */
uint64_t tr2_programs_sum(struct tr2_observer *o);
/* Return by how much the sum of its processes may be wrong. */
uint64_t tr2_program_doubt(const struct tr2_observer *o,
			   const struct tr2_observed_program *program);
/* Do its processes have about equally many, so that the largest tells of all? */
bool tr2_program_is_alike(const struct tr2_observed_program *program);
/* Take their part of these pages, as it was measured of those processes. */
void tr2_program_measured(struct tr2_observer *o,
			  struct tr2_observed_program *program,
			  uint64_t pss_bytes);
/* Return the part of a process. */
uint64_t tr2_program_share(const struct tr2_observer *o,
			   const struct tr2_observed *p);
