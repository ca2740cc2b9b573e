/* SPDX-License-Identifier: MIT */
/*
 * observed_programs - the pages of files, and of shared memory, that processes
 * have. Processes of one program mostly have the same pages.
 *
 * The pages of all processes with one name are estimated: a measured factor,
 * times the pages of the largest process. The factor was measured with the
 * largest process if all have about equally many pages, else with each process.
 * It is below 1 if other programs have the pages, too, such as libc's. It is
 * above 1 if each process has pages of its own, such as files of data. Pages
 * that the largest process got since then count once.
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
	bool is_refused; /* the kernel does not permit measuring */
	bool is_whole; /* the factor comes from every process, not only from the
			* largest */
	/* Time and values of the last measurement: the sum, the largest
	 * process's bytes, and the number of processes. */
	uint64_t since_ns, at_bytes, at_most_bytes;
	uint32_t at_nr;
	/* look_ns: the last look; before_bytes: the sum in the look before it.
	 * Growing programs are measured later. */
	uint64_t look_ns, before_bytes;
	/* Values of this look: the number of the program's processes, the sum
	 * of their file pages, and the process with the most pages. */
	uint32_t nr;
	uint64_t sum_bytes;
	struct tr2_observed *largest;
};

struct tr2_observed_programs {
	struct tr2_observed_program *program; /* entry 0 stands for no
					       * program */
	uint32_t nr, alloc;
};

/* Sum up the file pages of each program's processes. Return the sum of all
 * programs. */
uint64_t tr2_programs_sum(struct tr2_observer *o);
/* Return by how many bytes the sum of a program's processes may be wrong. */
uint64_t tr2_program_doubt(const struct tr2_observer *o,
			   const struct tr2_observed_program *program);
/* Do the program's processes have about equally many pages, so that the largest
 * process stands for all? */
bool tr2_program_is_alike(const struct tr2_observed_program *program);
/* Set the factor from the PSS of the measured processes' file pages. */
void tr2_program_measured(struct tr2_observer *o,
			  struct tr2_observed_program *program,
			  uint64_t pss_bytes);
/* Return a process's part of its program's pages. */
uint64_t tr2_program_share(const struct tr2_observer *o,
			   const struct tr2_observed *p);
