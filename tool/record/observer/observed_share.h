/* SPDX-License-Identifier: MIT */
/*
 * observed_share - find out how much of its memory each process has for itself,
 * and how much it shares.
 *
 * A process and the processes that it forked are a group until they call
 * exec. The group shares the memory that existed at a fork; this memory is
 * counted once. Later growth of a member's anonymous memory belongs to that
 * member. For pages of files, see observed_programs.h.
 *
 * The kernel's file smaps_rollup is exact: it has the private memory of a
 * process, and the process's share of other pages (PSS). But the kernel walks
 * through all pages to make this file (10 ms a GB). So read it only if the sum
 * is in doubt, for all members of a group at once, and for at most a
 * two-hundredth of a CPU. Until then, memory that a forked process has written
 * to still counts as shared.
 */
#pragma once

#include <stdint.h>

struct tr2_observer;
struct tr2_observed;
struct tr2_observed_group;

struct tr2_observed_share {
	struct tr2_observed_group *group; /* group of the process; NULL: not yet
					   * known, or memory is short */
	/* own_bytes: the process's own memory when its anonymous memory was
	 * at_bytes. */
	uint64_t own_bytes, at_bytes;
	uint64_t exec_ns; /* time of the process's last exec when it joined this
			   * group */
};

/* The numbers that are read from smaps_rollup. */
struct tr2_smaps {
	uint64_t private_bytes, anon_pss_bytes, file_pss_bytes;
};

/* Look at the memory of a process: after a fork or an exec its group
 * changes. */
void tr2_share_look(struct tr2_observer *o, struct tr2_observed *p);
/* Call this after all processes: measure memory that is in doubt. Return the
 * sum of all memory, each shared page counted once. */
uint64_t tr2_share_sum(struct tr2_observer *o);
/* Return the memory that a process has alone, plus its part of the memory that
 * it shares. */
uint64_t tr2_share_bytes(const struct tr2_observer *o,
			 const struct tr2_observed *p);
void tr2_share_release(struct tr2_observed_share *share);
