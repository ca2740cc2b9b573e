/* SPDX-License-Identifier: MIT */
/*
 * memory_use - how much memory processes had, as the observer saw it. Each value
 * lasts from one look to the next: a peak between two looks is not known.
 *
 * The memory of a process is what it had alone, and its share of what it had
 * with others. For all together each shared page counts once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/model.h"

/* Find the most that all processes had together, and when. false: it was not
 * observed. */
bool tr2_memory_peak(const struct tr2_model *m,
		     struct tr2_observed_memory_point *out);

/* Is it of its process, or of all? A stranger with the same pid may have been
 * seen before or after. */
bool tr2_memory_is_certain(const struct tr2_model *m,
			   const struct tr2_observed_memory_point *p);
/* Return what a process has alone, and its share of the rest. */
static inline uint64_t
tr2_memory_share(const struct tr2_observed_memory_point *p)
{
	return p->pss_bytes ? p->pss_bytes : p->rss_bytes;
}

/* The memory of all processes at a moment that goes on. */
struct tr2_memory {
	const struct tr2_model *m;
	uint32_t next;       /* the first point that is later */
	uint64_t tree_bytes; /* of all together */
	/* The last point of each task; 0: none. */
	uint32_t *point;
};

void tr2_memory_init(struct tr2_memory *memory, const struct tr2_model *m);
void tr2_memory_release(struct tr2_memory *memory);
/* Go on to a time that is not before the last one. */
void tr2_memory_go_to(struct tr2_memory *memory, int64_t at_ns);
/* Return the memory of a task at a time, not before the one to which it went. */
uint64_t tr2_memory_of(const struct tr2_memory *memory, uint32_t task,
		       int64_t at_ns);

/* Processes of a kind (model/kind.h). */
struct tr2_memory_kind {
	tr2_str kind;
	uint32_t nr;    /* at the peak of all processes */
	uint64_t bytes; /* of these together, at that time */
	/* The one with the largest RSS at any time. */
	uint64_t largest_bytes;
	int64_t largest_ns;
	uint32_t largest_node;
};

/* Return the factor by which memory of single processes is to be multiplied at
 * this time: shares are recorded when they changed by an eighth, the sum of all
 * by a hundredth. */
double tr2_memory_scale(const struct tr2_memory *memory, int64_t at_ns);

/* Return the number of kinds that had memory, those with the most at the peak
 * first; the array is from malloc(). `takes`: of these processes; NULL: of
 * all. */
size_t tr2_memory_kinds(struct tr2_model *m,
			bool (*takes)(const void *data, uint32_t node),
			const void *data, struct tr2_memory_kind **out);

/* Divide a time into `nr` parts of equal length, and return the point with the
 * most in each, 0: none yet. The array is from malloc(). */
uint32_t *tr2_memory_curve(const struct tr2_model *m, int64_t from_ns,
			   int64_t to_ns, size_t nr);

/* Did the kernel end a process because memory was short? Return
 * TR2_TASK_OOM_KILLED, or _COUNTED; 0: not known. */
unsigned int tr2_node_oom(const struct tr2_model *m, const struct tr2_node *n);
/* Return " (OOM)", " (OOM?)" or "". */
const char *tr2_node_oom_text(const struct tr2_model *m,
			      const struct tr2_node *n);
