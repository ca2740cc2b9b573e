/* SPDX-License-Identifier: MIT */
/*
 * sender - send requests to a collector from a thread of its own, in order. A
 * request that the collector does not answer, or answers with 429, 502, 503 or
 * 504, is sent again: after the time that the answer names, or after 1, 2, 4
 * and up to 30 seconds, a random part less. Later requests wait in a queue of
 * limited size; when it is full, the oldest are dropped and counted.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "export/otlp/otlp_post.h"

#define TR2_SENDER_BYTES (16u << 20)

struct tr2_request {
	struct tr2_request *next;
	uint32_t nr_spans, nr_trees; /* spans, and trees that begin in this
				      * request */
	size_t len;
	char body[];
};

struct tr2_sender_counts {
	uint64_t sent_trees, sent_spans;
	uint64_t waiting_trees; /* includes trees that are being sent */
	uint64_t rejected_spans; /* of requests that were accepted */
	/* Lost trees, by cause: the queue was full, the collector refused them,
	 * or it did not accept them before the end. */
	uint64_t queue_full, refused, unsent;
};

struct tr2_sender {
	struct tr2_post *post;
	bool quiet; /* print errors only */
	pthread_t thread;
	bool started;
	atomic_bool stop; /* give up now */
	/* Under the lock: */
	pthread_mutex_t lock;
	pthread_cond_t more, done;
	struct tr2_request *first, *last;
	size_t bytes; /* of the queue, and of the request that is being sent */
	bool ending, ended;
	struct tr2_sender_counts counts;
	/* Used by the thread alone: */
	bool failing, warned_refused, warned_rejected;
	unsigned int tries;
};

/* post must live as long as the thread. 0, or an error number. */
int tr2_sender_start(struct tr2_sender *s, struct tr2_post *post, bool quiet);
/* Queue a request. It never waits. */
void tr2_sender_add(struct tr2_sender *s, const char *body, size_t len,
		    uint32_t nr_spans, uint32_t nr_trees);
void tr2_sender_count(struct tr2_sender *s, struct tr2_sender_counts *counts);
/* Send the queued requests until that time, or until the collector does not
 * answer. Return false if the thread did not end: then *s must live until
 * exit. */
bool tr2_sender_finish(struct tr2_sender *s, const struct timespec *until);

/* Start a thread that has no real-time priority. 0, or an error number. */
int tr2_thread_start(pthread_t *thread, void *(*run)(void *), void *data);
/* Initialise a condition for waits by the monotonic clock. */
void tr2_cond_init(pthread_cond_t *cond);
