/* SPDX-License-Identifier: MIT */
/* top - shared by the parts of `trace2 top`: the watched process. */
#ifndef TR2_CMD_TOP_H
#define TR2_CMD_TOP_H

#include "common/format.h"
#include "read/ring_cells.h"

/* The values of the metrics at one time. */
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

/* Open the ring's file. false: an error was printed. */
bool tr2_top_open(struct tr2_top *top, const char *path);
void tr2_top_close(struct tr2_top *top);

/*
 * Read the process's state and print it; `sort` is a column, or NULL. false: an
 * error was printed.
 */
bool tr2_top_show(struct tr2_top *top, enum tr2_format format,
		  const char *sort);

/* Return the file of a running process's ring, from its mappings; NULL: it has
 * none, or they cannot be read: *error (errno or 0). */
char *tr2_top_ring_of(int64_t pid, int *error);

/* Return the rings in a directory whose processes run; NULL: none. Ended by
 * NULL, and freed with tr2_top_free_list(). *nr_rings: including those of ended
 * ones. */
char **tr2_top_running(const char *dir, size_t *nr_rings);
void tr2_top_free_list(char **list);

#endif
