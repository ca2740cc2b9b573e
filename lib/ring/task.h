/* SPDX-License-Identifier: MIT */
/*
 * task - records of threads and mappings, in the ring of slot 0, which belongs
 * to no thread: there they outlast what threads write. Without a mapped arena
 * they are nothing. The caller holds the process's lock, or is alone.
 */
#ifndef TR2_RING_TASK_H
#define TR2_RING_TASK_H

#include <stdint.h>

struct tr2_task {
	uint32_t pid, ppid, tid, ptid; /* ptid 0: not known */
};

void tr2_task_fork(const struct tr2_task *task, uint64_t time_ns);
void tr2_task_exit(const struct tr2_task *task, uint64_t time_ns);
void tr2_task_comm(const struct tr2_task *task, const char *name);

/* Executable mappings that were not told yet, from /proc/self/maps. */
void tr2_task_mmaps(const struct tr2_task *task, uint64_t now_ns);
/* The same, if one of a sample's addresses of code lies in none that was told
 * and nobody looked since it was taken; not all the time. Signal-safe. */
void tr2_task_mmaps_of(const struct tr2_task *task, const uint64_t *address,
		       unsigned int nr, uint64_t sampled_ns);
/* All of them are new again: for a new file. */
void tr2_task_mmaps_reset(void);

#endif
