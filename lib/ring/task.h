/* SPDX-License-Identifier: MIT */
/*
 * task - records of threads and mappings, in the ring of slot 0. That ring
 * belongs to no thread, so later records of threads do not overwrite them.
 * Without a mapped arena the functions do nothing. The caller holds the
 * process's lock, or is the only thread.
 */
#pragma once

#include <stdint.h>

struct tr2_task {
	uint32_t pid, ppid, tid, ptid; /* ptid 0: unknown */
};

void tr2_task_fork(const struct tr2_task *task, uint64_t time_ns);
void tr2_task_exit(const struct tr2_task *task, uint64_t time_ns);
void tr2_task_comm(const struct tr2_task *task, const char *name);

/* Record new executable mappings of /proc/self/maps. */
void tr2_task_mmaps(const struct tr2_task *task, uint64_t now_ns);
/* Record new mappings if an address of a sample lies in no recorded mapping,
 * and the mappings were not scanned since the sample. The rate of these scans
 * is limited. Signal-safe. */
void tr2_task_mmaps_of(const struct tr2_task *task, const uint64_t *address,
		       unsigned int nr, uint64_t sampled_ns);
/* Forget which mappings were recorded: for a new file. */
void tr2_task_mmaps_reset(void);
