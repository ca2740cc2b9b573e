/* SPDX-License-Identifier: MIT */
/*
 * ring - load the file of a process's ring into the model: the events of all
 * its threads by time, and the values of its timers and counters if the process
 * ended without reporting them.
 */
#pragma once

#include "format/read.h"

struct tr2_ring_reader;

struct tr2_ring_reader *tr2_ring_reader_new(struct tr2_model *m,
					    tr2_event_fn *fn, void *data);
void tr2_ring_reader_free(struct tr2_ring_reader *r);

enum tr2_ring_load {
	TR2_RING_LOADED,
	TR2_RING_EMPTY,  /* the process wrote nothing */
	TR2_RING_REFUSED /* *why is the reason */
};

/*
 * Load the file `fd`. records_fd: the records that `trace2 record` took out of
 * it while the process ran (format/ring/ring_spill.h), or -1.
 */
enum tr2_ring_load tr2_ring_reader_load(struct tr2_ring_reader *r, int fd,
					int records_fd, tr2_str source,
					const char **why);
