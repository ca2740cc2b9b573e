/* SPDX-License-Identifier: MIT */
/* sender - implements forward/sender.h. */
#include "record/forward/sender.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/say.h"
#include "common/time.h"

#define NS_PER_S 1000000000
#define MAX_BACKOFF_SECONDS 30
#define MAX_RETRY_AFTER_SECONDS 300
/* wait at most this long for the thread's end after `stop` was set */
#define STOP_NS (2ll * NS_PER_S)

int tr2_thread_start(pthread_t *thread, void *(*run)(void *), void *data)
{
	pthread_attr_t attr;
	int err = pthread_attr_init(&attr);

	if (err)
		return err;
	/* Give threads the default policy: the recorder may have another
	 * one. */
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	err = pthread_create(thread, &attr, run, data);
	pthread_attr_destroy(&attr);
	return err;
}

void tr2_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}

static void time_after(struct timespec *ts, int64_t ns)
{
	ns += ts->tv_nsec;
	ts->tv_sec += (time_t)(ns / NS_PER_S);
	ts->tv_nsec = (long)(ns % NS_PER_S);
}

/* Pause before the next try. While the sender ends, wait only for a collector
 * that answered that it is busy. Call it with the lock held. */
static void pause_for(struct tr2_sender *s, int64_t ns,
		      enum tr2_post_result result)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	time_after(&until, ns);
	while (!atomic_load(&s->stop) &&
	       (result == TR2_POST_BUSY || !s->ending) &&
	       !pthread_cond_timedwait(&s->more, &s->lock, &until))
		;
}

/* Return the time until the next try: the collector's Retry-After, or twice the
 * time before the last try. Subtract a random part of up to a half, so that
 * many senders do not send at once. */
static int64_t backoff_ns(struct tr2_sender *s, enum tr2_post_result result)
{
	int64_t after = result == TR2_POST_BUSY ?
		tr2_http_retry_after(tr2_post_http(s->post)) : 0;
	int64_t ns = MAX_BACKOFF_SECONDS;
	struct timespec now;

	if (after)
		return NS_PER_S * (after < MAX_RETRY_AFTER_SECONDS ?
				   after : MAX_RETRY_AFTER_SECONDS);
	if (s->tries < 6 && (1 << (s->tries - 1)) < ns)
		ns = 1 << (s->tries - 1);
	ns *= NS_PER_S;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return ns - ns / 2 * (now.tv_nsec / 1000 % 1000) / 1000;
}

/* Print one message for many failures. */
static void say_failed(struct tr2_sender *s, enum tr2_post_result result)
{
	bool *said = result == TR2_POST_REFUSED ? &s->warned_refused :
						  &s->failing;

	if (!*said && !s->quiet)
		tr2_warning("%s%s", tr2_post_why(s->post),
			    result == TR2_POST_REFUSED ?
			    " (these spans are lost)" : " (trying again)");
	*said = true;
}

static void say_accepted(struct tr2_sender *s)
{
	if (s->failing && !s->quiet)
		fprintf(stderr, "trace2 record: the collector accepts spans "
				"again\n");
	s->failing = s->warned_refused = false;
	if (*tr2_post_why(s->post) && !s->warned_rejected && !s->quiet) {
		tr2_warning("%s", tr2_post_why(s->post));
		s->warned_rejected = true;
	}
}

/* Count a finished request. Call it with the lock held. */
static void count_request(struct tr2_sender *s, const struct tr2_request *r,
			  enum tr2_post_result result)
{
	struct tr2_sender_counts *c = &s->counts;
	uint64_t rejected = tr2_post_rejected(s->post);

	s->bytes -= sizeof(*r) + r->len;
	c->waiting_trees -= r->nr_trees;
	if (result == TR2_POST_REFUSED) {
		c->refused += r->nr_trees;
	} else if (result != TR2_POST_ACCEPTED) {
		c->unsent += r->nr_trees;
	} else {
		c->sent_trees += r->nr_trees;
		c->rejected_spans += rejected;
		c->sent_spans += r->nr_spans -
			(rejected < r->nr_spans ? rejected : r->nr_spans);
	}
}

/* Is the request finished, with or without success? Call it with the lock
 * held. */
static bool is_over(const struct tr2_sender *s, enum tr2_post_result result)
{
	return result == TR2_POST_ACCEPTED || result == TR2_POST_REFUSED ||
	       atomic_load(&s->stop) ||
	       (s->ending && result == TR2_POST_NO_ANSWER);
}

/* Send a request until the collector accepts or refuses it, or the time is
 * over. Call it with the lock held. */
static void send_request(struct tr2_sender *s, const struct tr2_request *r)
{
	enum tr2_post_result result;

	for (s->tries = 1;; s->tries++) {
		pthread_mutex_unlock(&s->lock);
		result = tr2_post_try(s->post, r->body, r->len);
		if (result == TR2_POST_ACCEPTED)
			say_accepted(s);
		else
			say_failed(s, result);
		pthread_mutex_lock(&s->lock);
		if (is_over(s, result))
			break;
		pause_for(s, backoff_ns(s, result), result);
	}
	/* Do not send the remaining requests: they would fail in the same
	 * way. */
	if (result == TR2_POST_BUSY || result == TR2_POST_NO_ANSWER)
		atomic_store(&s->stop, true);
	count_request(s, r, result);
}

static struct tr2_request *take_request(struct tr2_sender *s)
{
	struct tr2_request *r = s->first;

	if (!r)
		return NULL;
	s->first = r->next;
	if (!s->first)
		s->last = NULL;
	return r;
}

static void *sender_main(void *data)
{
	struct tr2_sender *s = data;
	struct tr2_request *r;

	pthread_mutex_lock(&s->lock);
	for (;;) {
		while (!s->first && !s->ending)
			pthread_cond_wait(&s->more, &s->lock);
		r = take_request(s);
		if (!r)
			break;
		if (atomic_load(&s->stop))
			count_request(s, r, TR2_POST_NO_ANSWER);
		else
			send_request(s, r);
		free(r);
	}
	s->ended = true;
	pthread_cond_signal(&s->done);
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

int tr2_sender_start(struct tr2_sender *s, struct tr2_post *post, bool quiet)
{
	int err;

	memset(s, 0, sizeof(*s));
	s->post = post;
	s->quiet = quiet;
	atomic_init(&s->stop, false);
	tr2_http_stop_by(tr2_post_http(post), &s->stop);
	pthread_mutex_init(&s->lock, NULL);
	tr2_cond_init(&s->more);
	tr2_cond_init(&s->done);
	err = tr2_thread_start(&s->thread, sender_main, s);
	s->started = !err;
	return err;
}

/* Drop the oldest requests until this many bytes fit. Call it with the lock
 * held. */
static void make_room(struct tr2_sender *s, size_t bytes)
{
	struct tr2_request *r;

	while (s->bytes + bytes > TR2_SENDER_BYTES && (r = take_request(s))) {
		s->counts.queue_full += r->nr_trees;
		s->counts.waiting_trees -= r->nr_trees;
		s->bytes -= sizeof(*r) + r->len;
		free(r);
	}
}

void tr2_sender_add(struct tr2_sender *s, const char *body, size_t len,
		    uint32_t nr_spans, uint32_t nr_trees)
{
	struct tr2_request *r = malloc(sizeof(*r) + len);

	pthread_mutex_lock(&s->lock);
	make_room(s, sizeof(*r) + len);
	if (!r || s->bytes + sizeof(*r) + len > TR2_SENDER_BYTES) {
		s->counts.queue_full += nr_trees;
		free(r);
		r = NULL;
	}
	if (r) {
		r->next = NULL;
		r->nr_trees = nr_trees;
		r->nr_spans = nr_spans;
		r->len = len;
		memcpy(r->body, body, len);
		if (s->last)
			s->last->next = r;
		else
			s->first = r;
		s->last = r;
		s->bytes += sizeof(*r) + len;
		s->counts.waiting_trees += nr_trees;
		pthread_cond_signal(&s->more);
	}
	pthread_mutex_unlock(&s->lock);
}

void tr2_sender_count(struct tr2_sender *s, struct tr2_sender_counts *counts)
{
	pthread_mutex_lock(&s->lock);
	*counts = s->counts;
	pthread_mutex_unlock(&s->lock);
}

/* Wait for the thread's end until a time. Return whether the thread has ended.
 * Call it with the lock held. */
static bool await_end(struct tr2_sender *s, const struct timespec *until)
{
	while (!s->ended)
		if (pthread_cond_timedwait(&s->done, &s->lock, until))
			break;
	return s->ended;
}

bool tr2_sender_finish(struct tr2_sender *s, const struct timespec *until)
{
	struct timespec last = *until;
	bool ended;

	if (!s->started)
		return true;
	time_after(&last, STOP_NS);
	pthread_mutex_lock(&s->lock);
	s->ending = true;
	pthread_cond_signal(&s->more);
	if (!await_end(s, until)) {
		atomic_store(&s->stop, true);
		pthread_cond_signal(&s->more);
		await_end(s, &last);
	}
	ended = s->ended;
	if (!ended) {
		s->counts.unsent += s->counts.waiting_trees;
		s->counts.waiting_trees = 0;
	}
	pthread_mutex_unlock(&s->lock);
	if (ended)
		pthread_join(s->thread, NULL);
	else
		pthread_detach(s->thread);
	s->started = false;
	return ended;
}
