/* SPDX-License-Identifier: MIT */
/*
 * kernel_rings - read the rings into which the kernel writes its records. Each
 * CPU has one ring, with the records of all events on that CPU.
 *
 * Records stay in a ring until they are copied to kernel.data. Records of tasks
 * are needed earlier: scanning passes new records of tasks to `tasks`, and
 * callchains to `chains`. Scanning leaves the records in the ring, from which
 * they are later copied in large pieces.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/map.h"
#include "record/kernel/callchains.h"
#include "record/kernel/kernel_file.h"
#include "record/kernel/machine_filter.h"
#include "record/loop.h"
#include "record/task_table.h"

struct tr2_kernel_ring {
	struct tr2_source source;
	int cpu;
	uint64_t args_id; /* identifier of the event whose samples have
			   * arguments; 0: none */
	struct tr2_kernel_rings *rings;
	void *map; /* the control page, then the data */
	char *data;
	/* Positions in the ring. Records of tasks before `scanned` were passed
	 * to `tasks`. The records from data_tail to `whole`, nr_whole in
	 * number, must still be copied. After an invalid record, `whole` no
	 * longer advances. */
	uint64_t scanned, whole, nr_whole;
	uint64_t bound; /* position at which this pass of the filter ends */
};

enum tr2_chain { TR2_CHAIN_OF_WAIT = 1, TR2_CHAIN_OF_CPU };

struct tr2_kernel_rings {
	struct tr2_kernel_ring *ring;
	size_t nr;
	/* Size of each ring's data, a power of 2; 0: not mapped. */
	size_t size_bytes;
	bool is_checked;   /* tr2_kernel_rings_check() checks the rings; the
			    * loop does not poll them */
	struct tr2_loop *loop;
	struct tr2_tasks *tasks;
	struct tr2_callchains *chains;
	/* Maps an event's identifier + 1 to the kind of callchain in its
	 * samples: enum tr2_chain. */
	struct tr2_map chain_ids;
	struct tr2_machine_filter filter;
	struct tr2_buf kept; /* records of a ring that the filter keeps */
	struct tr2_kernel_file *file; /* NULL: nothing is copied */
	void (*ready)(void *data);
	void *data;
};

/* Add the ring of an event on a CPU. rings->ring must have room for it. */
void tr2_kernel_rings_add(struct tr2_kernel_rings *rings, int fd, int cpu);
/*
 * Map all rings; make them smaller near the limit of locked memory. large: the
 * rings get more than records of tasks. rings->ready() is called when a ring is
 * half full, and should copy the records. Large rings must be checked, as
 * described below. On failure, return -1 with errno, and map no ring.
 */
int tr2_kernel_rings_map(struct tr2_kernel_rings *rings, bool large);
/* If rings->is_checked, call this every TR2_KERNEL_RINGS_CHECK_NS. It calls
 * rings->ready() if a ring is a quarter full. */
#define TR2_KERNEL_RINGS_CHECK_NS 10000000u
void tr2_kernel_rings_check(struct tr2_kernel_rings *rings);
/* Unmap the rings. The events stay open. */
void tr2_kernel_rings_release(struct tr2_kernel_rings *rings);

/* Deliver all records of tasks that are available. */
void tr2_kernel_rings_scan(struct tr2_kernel_rings *rings);
/* Scan the rings, and copy all records to the file. */
void tr2_kernel_rings_copy(struct tr2_kernel_rings *rings);
