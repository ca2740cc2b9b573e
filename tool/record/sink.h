/* SPDX-License-Identifier: MIT */
/*
 * sink - writes collected lines to files from a thread of its own, so that a
 * slow disk never keeps a socket from being drained. What waits to be written
 * is bounded; beyond that, lines are dropped and counted by cause.
 */
#ifndef TR2_RECORD_SINK_H
#define TR2_RECORD_SINK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/rotate.h"

/* Bytes that may wait, and files that stay open between writes. */
#define TR2_SINK_QUEUE_BYTES (64u << 20)
#define TR2_SINK_FILES 64

/* The longest name of a file, with its NUL. */
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
	uint64_t used; /* when, in writes */
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
	uint64_t max_bytes; /* 0: any number */
	uint64_t bytes, lines; /* taken in so far */
	pthread_t thread;
	bool started;
	/* Under the lock: */
	pthread_mutex_t lock;
	pthread_cond_t more, done;
	struct tr2_sink_chunk *first, *last;
	size_t queued_bytes;
	uint64_t queued_lines; /* with those being written */
	bool ending, ended;
	uint64_t lost[TR2_LOSS_NR]; /* in lines */
	int write_errno; /* of the first write that failed */
	unsigned int removed; /* directories; see rotate.h */
	/* The thread's own: */
	struct tr2_rotate rotate;
	struct tr2_sink_file files[TR2_SINK_FILES];
	uint64_t clock;
};

/* rotate: both descriptors, its max_bytes and keep. -1: errno. */
int tr2_sink_start(struct tr2_sink *sink, const struct tr2_rotate *rotate,
		   uint64_t max_bytes);

/* Appends nr_lines whole lines to the file `name`, some time. Never waits. */
void tr2_sink_add(struct tr2_sink *sink, const char *name, const char *text,
		  size_t len, uint64_t nr_lines);
void tr2_sink_lose(struct tr2_sink *sink, enum tr2_loss cause,
		   uint64_t nr_lines);

/* Until everything is written; a disk that hangs is given up after `seconds`,
 * and what waits for it counted as lost. sink must then live until exit. */
void tr2_sink_finish(struct tr2_sink *sink, unsigned int seconds);

extern const char *const tr2_loss_names[TR2_LOSS_NR];

#endif
