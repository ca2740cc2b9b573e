/* SPDX-License-Identifier: MIT */
/*
 * memory_use - compute how much memory processes had when the observer looked.
 * A value lasts from one look to the next: a peak between two looks is unknown.
 *
 * The memory of a process is its own memory, plus its share of the memory that
 * it has in common with others. In the total of all processes, each shared page
 * counts once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/model.h"

/* Find the peak of all processes together, and its time. false: memory was not
 * observed. */
bool tr2_memory_peak(const struct tr2_model *m,
		     struct tr2_observed_memory_point *out);

/* Is it certain that the point is about its process? Before the process began,
 * or after it ended, the observer may have seen another process with the same
 * pid. A point about all processes is always certain. */
bool tr2_memory_is_certain(const struct tr2_model *m,
			   const struct tr2_observed_memory_point *p);
/* Return a process's own memory, plus its share of the memory that it has in
 * common with others. */
static inline uint64_t
tr2_memory_share(const struct tr2_observed_memory_point *p)
{
	return p->pss_bytes ? p->pss_bytes : p->rss_bytes;
}

/* The memory of all processes at one time. The time moves forward. */
struct tr2_memory {
	const struct tr2_model *m;
	uint32_t next;       /* index of the first later point */
	uint64_t tree_bytes; /* memory of all processes together */
	/* by task: the task's last point until now; 0: none */
	uint32_t *point;
};

void tr2_memory_init(struct tr2_memory *memory, const struct tr2_model *m);
void tr2_memory_release(struct tr2_memory *memory);
/* Move forward to at_ns, which must not be earlier than in the last call. */
void tr2_memory_go_to(struct tr2_memory *memory, int64_t at_ns);
/* Return the memory of a task at at_ns, which must not be earlier than the time
 * of the last tr2_memory_go_to(). */
uint64_t tr2_memory_of(const struct tr2_memory *memory, uint32_t task,
		       int64_t at_ns);

/* The processes of a kind (model/kind.h). */
struct tr2_memory_kind {
	tr2_str kind;
	uint32_t nr;    /* number of the kind's processes at the peak of all
			 * processes */
	uint64_t bytes; /* memory of these processes at the peak */
	/* The largest RSS of one process of the kind at any time, with that
	 * time and process. */
	uint64_t largest_bytes;
	int64_t largest_ns;
	uint32_t largest_node;
};

/* Return the factor (1/1.15 to 1.15) by which the memory of single processes at
 * this time must be multiplied, so that the sum is the total. Sum and total
 * differ: a process's memory is recorded after a change of an eighth, the total
 * after a change of a hundredth. */
double tr2_memory_scale(const struct tr2_memory *memory, int64_t at_ns);

/* Set *out to the kinds that had memory, those with the most memory at the peak
 * first; from malloc(). takes: selects processes; NULL: all. Return the number
 * of kinds. */
size_t tr2_memory_kinds(struct tr2_model *m,
			bool (*takes)(const void *data, uint32_t node),
			const void *data, struct tr2_memory_kind **out);

/* Divide the time from from_ns to to_ns into `nr` equal parts. Return an array
 * from malloc() with the point of the most memory in each part; 0: none yet. */
uint32_t *tr2_memory_curve(const struct tr2_model *m, int64_t from_ns,
			   int64_t to_ns, size_t nr);

/* Did the kernel end the process because memory was short? Return
 * TR2_TASK_OOM_KILLED or TR2_TASK_OOM_COUNTED; 0: unknown. */
unsigned int tr2_node_oom(const struct tr2_model *m, const struct tr2_node *n);
/* Return " (OOM)", " (OOM?)" or "". */
const char *tr2_node_oom_text(const struct tr2_model *m,
			      const struct tr2_node *n);
