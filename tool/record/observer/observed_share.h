/* SPDX-License-Identifier: MIT */
/*
 * observed_share - what of its memory each process has alone, and what with
 * others.
 *
 * A process and those that it forked are a group until they call exec. What was
 * there at a fork is shared by the group, and is counted once; what a member's
 * anonymous memory grows by is its own. Pages of files: observed_programs.h.
 *
 * The kernel knows more: smaps_rollup has the private memory of a process, and
 * its share of each page that others have, too (PSS). It takes a walk through all
 * pages (10 ms a GB), so it is read only where the sum is in doubt, of all
 * members of a group at once, and for a two-hundredth of a CPU at most: until
 * then, memory that a forked process writes to counts as shared still.
 */
#pragma once

#include <stdint.h>

struct tr2_observer;
struct tr2_observed;
struct tr2_observed_group;

struct tr2_observed_share {
	struct tr2_observed_group *group; /* NULL: not yet; no memory */
	/* Its own memory when its anonymous memory was `at_bytes`. */
	uint64_t own_bytes, at_bytes;
	uint64_t exec_ns; /* of the program to which this applies */
};

/* The numbers that are read from smaps_rollup. */
struct tr2_smaps {
	uint64_t private_bytes, anon_pss_bytes, file_pss_bytes;
};

/* Take the memory of a process: after a fork or an exec its group changes. */
void tr2_share_look(struct tr2_observer *o, struct tr2_observed *p);
/* After all processes: measure memory that is in doubt. Return the sum of all memory,
 * each shared page once. */
uint64_t tr2_share_sum(struct tr2_observer *o);
/* Return the memory that a process has alone, and its part of what it shares. */
uint64_t tr2_share_bytes(const struct tr2_observer *o,
			 const struct tr2_observed *p);
void tr2_share_release(struct tr2_observed_share *share);
