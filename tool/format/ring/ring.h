/* SPDX-License-Identifier: MIT */
/*
 * ring - load the file of a process's ring into the model: the events of all
 * threads, by time. If the process ended without reporting its timers and
 * counters, load their values, too.
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
	TR2_RING_REFUSED /* the file cannot be read; *why has the reason */
};

enum tr2_ring_news {
	TR2_RING_GOES_ON, /* the process may write more records */
	TR2_RING_MISSED,  /* the process may write more records, and some older
			   * records were overwritten */
	TR2_RING_OVER     /* the process has ended, or the file is damaged */
};

/*
 * Load the records that the process has written to the file `fd` since the last
 * call. The reader cannot be used for another file. fd must stay open until the
 * reader is freed. records_fd: see tr2_ring_reader_load().
 */
enum tr2_ring_news tr2_ring_reader_follow(struct tr2_ring_reader *r, int fd,
					  int records_fd, tr2_str source);

/*
 * Load the file `fd`. records_fd: the file of the records that `trace2 record`
 * took out of the ring while the process ran (format/ring/ring_spill.h), or -1.
 */
enum tr2_ring_load tr2_ring_reader_load(struct tr2_ring_reader *r, int fd,
					int records_fd, tr2_str source,
					const char **why);

/* Open the file of the records that were taken out of a ring. -1: it does not
 * exist. */
int tr2_ring_open_pieces(const char *path);
