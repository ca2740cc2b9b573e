/* SPDX-License-Identifier: MIT */
/*
 * loop - waits for many descriptors at once and calls whoever owns the one
 * that is ready. One thread; a callback may remove any source, its own too.
 */
#ifndef TR2_RECORD_LOOP_H
#define TR2_RECORD_LOOP_H

#include <stdbool.h>
#include <stdint.h>

/* Stands at the start of a caller's own structure. */
struct tr2_source {
	int fd; /* -1: not open */
	void (*ready)(struct tr2_source *source, uint32_t epoll_events);
};

#define TR2_LOOP_BATCH 64

struct tr2_loop {
	int epoll_fd;
	bool stop;
	/* What epoll said last and was not yet handled: a source that is
	 * removed meanwhile is taken out of it. */
	struct tr2_source *batch[TR2_LOOP_BATCH];
	int nr_batch;
};

int tr2_loop_init(struct tr2_loop *loop); /* -1: errno */
void tr2_loop_release(struct tr2_loop *loop);

/* Calls source->ready() whenever its fd has one of epoll_events. -1: errno. */
int tr2_loop_add(struct tr2_loop *loop, struct tr2_source *source,
		 uint32_t epoll_events);
/* Stops watching. */
void tr2_loop_remove(struct tr2_loop *loop, struct tr2_source *source);
/* Stops watching and closes the descriptor. Nothing when fd is -1. */
void tr2_loop_close(struct tr2_loop *loop, struct tr2_source *source);
/* Changes what a source waits for. Hang-ups and errors always count. */
void tr2_loop_change(struct tr2_loop *loop, struct tr2_source *source,
		     uint32_t epoll_events);

/* Until loop->stop is set. -1: epoll failed, errno. */
int tr2_loop_run(struct tr2_loop *loop);
/* What is ready now, at most one batch; waits at most ms. Returns how many. */
int tr2_loop_once(struct tr2_loop *loop, int ms);

/* A source that becomes ready after `ns`, and every `ns_again` from then
 * (0: never again). source->ready must be set; it has to read 8 bytes. -1:
 * errno. */
int tr2_loop_add_timer(struct tr2_loop *loop, struct tr2_source *source,
		       uint64_t ns, uint64_t ns_again);

#endif
