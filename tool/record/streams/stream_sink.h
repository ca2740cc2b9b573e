/* SPDX-License-Identifier: MIT */
/*
 * stream_sink - write collected lines to files from a thread of its own, so
 * that a slow disk does not delay reading from the sockets. The queue is
 * bounded; if it is full, lines are dropped and counted. Losses are counted by
 * cause.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/streams/rotate.h"

/* Limits: bytes in the queue, and files that stay open between writes. */
#define TR2_SINK_QUEUE_BYTES (64u << 20)
#define TR2_SINK_FILES 64

/* Size of the longest name of a file, including its NUL. */
#define TR2_SINK_NAME 136

enum tr2_loss {
	TR2_LOSS_QUEUE_FULL,
	TR2_LOSS_TOO_LONG,
	TR2_LOSS_NO_MEMORY,
	TR2_LOSS_WRITE_FAILED,
	TR2_LOSS_OVER_MAX_SIZE,
	TR2_LOSS_NR
};

struct tr2_sink_file {
	int fd; /* -1: free */
	uint64_t used; /* number of the write that used the file last */
	char name[TR2_SINK_NAME];
};

struct tr2_sink_chunk {
	struct tr2_sink_chunk *next;
	uint64_t nr_lines;
	size_t len;
	char name[TR2_SINK_NAME];
	char text[];
};

struct tr2_sink {
	uint64_t max_bytes; /* 0: no limit */
	uint64_t bytes, lines; /* bytes and lines that were accepted so far */
	pthread_t thread;
	bool started;
	/* The lock protects the members below. */
	pthread_mutex_t lock;
	pthread_cond_t more, done;
	struct tr2_sink_chunk *first, *last;
	size_t queued_bytes;
	uint64_t queued_lines; /* number of queued lines, including those being
				* written */
	bool ending, ended;
	uint64_t lost[TR2_LOSS_NR]; /* number of lost lines by cause */
	int write_errno; /* errno of the first write that failed */
	unsigned int removed; /* counts of removed directories; see rotate.h */
	/* Only the thread uses the members below. */
	struct tr2_rotate rotate;
	struct tr2_sink_file files[TR2_SINK_FILES];
	uint64_t clock;
};

/* Start the thread. In `rotate`, only both descriptors, max_bytes and keep must
 * be set. Return -1 with errno. */
int tr2_sink_start(struct tr2_sink *sink, const struct tr2_rotate *rotate,
		   uint64_t max_bytes);

/* Queue nr_lines whole lines for the file `name`, without waiting. */
void tr2_sink_add(struct tr2_sink *sink, const char *name, const char *text,
		  size_t len, uint64_t nr_lines);
void tr2_sink_lose(struct tr2_sink *sink, enum tr2_loss cause,
		   uint64_t nr_lines);

/* Wait until everything is written. If a disk hangs, give up after `seconds`,
 * and count queued lines as lost. Then *sink must live until exit. */
void tr2_sink_finish(struct tr2_sink *sink, unsigned int seconds);

extern const char *const tr2_loss_names[TR2_LOSS_NR];
