/* SPDX-License-Identifier: MIT */
/*
 * sender - send requests to a collector from a thread of its own, in order. If
 * the collector does not answer a request, or answers with 429, 502, 503 or
 * 504, the request is sent again. The sender waits as long as the answer says,
 * or 1, 2, 4 and up to 30 seconds less a random part. Later requests wait in a
 * queue of limited size; when the queue is full, the oldest requests are
 * dropped and counted.
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
	uint64_t waiting_trees; /* unsent trees, including those of the present
				 * request */
	uint64_t rejected_spans; /* spans that the collector rejected, in
				  * requests that it accepted */
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
	/* The lock protects the members below. */
	pthread_mutex_t lock;
	pthread_cond_t more, done;
	struct tr2_request *first, *last;
	size_t bytes; /* size of the queue and of the request that is being
		       * sent */
	bool ending, ended;
	struct tr2_sender_counts counts;
	/* Only the thread uses the members below. */
	bool failing, warned_refused, warned_rejected;
	unsigned int tries;
};

/* Start the thread. post must live as long as the thread. Return 0, or an error
 * number. */
int tr2_sender_start(struct tr2_sender *s, struct tr2_post *post, bool quiet);
/* Queue a request, without waiting. */
void tr2_sender_add(struct tr2_sender *s, const char *body, size_t len,
		    uint32_t nr_spans, uint32_t nr_trees);
void tr2_sender_count(struct tr2_sender *s, struct tr2_sender_counts *counts);
/* Send the queued requests, until `until` or until the collector does not
 * answer. Return false if the thread did not end: *s must then live until
 * exit. */
bool tr2_sender_finish(struct tr2_sender *s, const struct timespec *until);

/* Start a thread without real-time priority. Return 0, or an error number. */
int tr2_thread_start(pthread_t *thread, void *(*run)(void *), void *data);
/* Initialise a condition variable that uses the monotonic clock. */
void tr2_cond_init(pthread_cond_t *cond);
