/* SPDX-License-Identifier: MIT */
/*
 * top - what the parts of `trace2 top` share: one process that is watched.
 */
#ifndef TR2_CMD_TOP_H
#define TR2_CMD_TOP_H

#include "common/format.h"
#include "read/ring_cells.h"

/* What the metrics stood at, at one moment. */
struct tr2_top_sample {
	uint64_t at_ns; /* CLOCK_MONOTONIC */
	struct tr2_ring_value *values;
	uint32_t nr;
};

struct tr2_top {
	const char *path;
	struct tr2_ring_file file;
	struct tr2_top_sample now, before;
	bool alive;
};

/* Opens the ring's file. false: it was said why not. */
bool tr2_top_open(struct tr2_top *top, const char *path);
void tr2_top_close(struct tr2_top *top);

/*
 * Looks at the process and prints what it found; `sort` is a column, or NULL.
 * false: it was said what is wrong.
 */
bool tr2_top_show(struct tr2_top *top, enum tr2_format format,
		  const char *sort);

/* The file of a running process's ring, by what the process has mapped; NULL:
 * it has none, or that may not be seen, and *error says so (errno or 0). */
char *tr2_top_ring_of(int64_t pid, int *error);

/* The rings in a directory whose processes run. NULL when there are none;
 * ended by NULL, and freed with tr2_top_free_list(). *nr_rings: with those of
 * ended ones. */
char **tr2_top_running(const char *dir, size_t *nr_rings);
void tr2_top_free_list(char **list);

#endif
