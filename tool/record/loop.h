/* SPDX-License-Identifier: MIT */
/*
 * loop - wait for many descriptors at once, and call the owner of each that is
 * ready. The loop is single-threaded. A callback may remove any source,
 * including its own.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The first member of the owner's struct. */
struct tr2_source {
	int fd; /* -1: not open */
	void (*ready)(struct tr2_source *source, uint32_t epoll_events);
};

#define TR2_LOOP_BATCH 64

struct tr2_loop {
	int epoll_fd;
	bool stop;
	/* Sources of the last epoll_wait() that were not handled yet. A source
	 * that a callback removes is removed here, too. */
	struct tr2_source *batch[TR2_LOOP_BATCH];
	int nr_batch;
};

int tr2_loop_init(struct tr2_loop *loop); /* -1: errno */
void tr2_loop_release(struct tr2_loop *loop);

/* Call source->ready() whenever one of epoll_events occurs on source->fd.
 * Return -1 with errno. */
int tr2_loop_add(struct tr2_loop *loop, struct tr2_source *source,
		 uint32_t epoll_events);
/* Stop watching a source. */
void tr2_loop_remove(struct tr2_loop *loop, struct tr2_source *source);
/* Stop watching and close the descriptor. Does nothing if fd is -1. */
void tr2_loop_close(struct tr2_loop *loop, struct tr2_source *source);
/* Change the events to wait for. Hang-ups and errors are always reported. */
void tr2_loop_change(struct tr2_loop *loop, struct tr2_source *source,
		     uint32_t epoll_events);

/* Run until loop->stop is set. Return -1, with errno, if epoll failed. */
int tr2_loop_run(struct tr2_loop *loop);
/* Wait at most `ms` milliseconds, and handle at most one batch of ready
 * sources. Return the number of ready sources. */
int tr2_loop_once(struct tr2_loop *loop, int ms);

/* Add a source that becomes ready after `ns`, and then every `ns_again` (0:
 * never again). source->ready must be set, and must read 8 bytes. -1: errno. */
int tr2_loop_add_timer(struct tr2_loop *loop, struct tr2_source *source,
		       uint64_t ns, uint64_t ns_again);
