/* SPDX-License-Identifier: MIT */
/*
 * kernel_rings - the rings into which the kernel writes its records, one for
 * each CPU, with the records of all events there.
 *
 * Records stay in a ring until they are copied to kernel.data. Records of tasks
 * are needed earlier: scanning passes those that are new to `tasks`, and
 * callchains to `chains`. It leaves all in the ring, so that they are copied in
 * large pieces.
 */
#ifndef TR2_RECORD_KERNEL_RINGS_H
#define TR2_RECORD_KERNEL_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/callchains.h"
#include "record/kernel_file.h"
#include "record/loop.h"
#include "record/tasks.h"

struct tr2_kernel_ring {
	struct tr2_source source;
	int cpu;
	uint64_t chain_id; /* samples of this event have callchains; 0: none */
	struct tr2_kernel_rings *rings;
	void *map; /* the control page, then size_bytes of data */
	size_t size_bytes;
	/* Positions: tasks has the records before `scanned`; those from
	 * data_tail to `whole` are to be copied, nr_whole records. After an
	 * invalid record, `whole` stays behind. */
	uint64_t scanned, whole, nr_whole;
};

struct tr2_kernel_rings {
	struct tr2_kernel_ring *ring;
	size_t nr;
	struct tr2_loop *loop;
	struct tr2_tasks *tasks;
	struct tr2_callchains *chains; /* may be NULL if there are none */
	struct tr2_kernel_file *file; /* NULL: nothing is copied */
	void (*ready)(void *data);
	void *data;
};

/* Return the size of a ring when there is one for each of nr_cpus. */
size_t tr2_kernel_ring_bytes(long nr_cpus, bool states);

/*
 * Map the ring of an event on a CPU, which is closed with it. It may be smaller than
 * size_bytes if the limit of locked memory is near. rings->ready() is called
 * when a ring is half full, and should copy. There must be room in rings->ring.
 * -1: errno.
 */
int tr2_kernel_rings_add(struct tr2_kernel_rings *rings, int fd, int cpu,
			 size_t size_bytes);
void tr2_kernel_rings_release(struct tr2_kernel_rings *rings);

/* Deliver all records of tasks that are available. */
void tr2_kernel_rings_scan(struct tr2_kernel_rings *rings);
/* Do so, and copy all records to the file. */
void tr2_kernel_rings_copy(struct tr2_kernel_rings *rings);

#endif
