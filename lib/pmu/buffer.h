/* SPDX-License-Identifier: MIT */
/*
 * buffer - records of one event on their way to who reads them: a page with
 * the two ends, and behind it a ring of bytes, as the kernel maps it for its
 * events. Ours are laid out the same, so that one reader serves both.
 *
 *	tail <= head <= tail + size	both only grow, modulo 2^64
 *
 * A record begins at a multiple of 8, is as long as one, and goes on at the
 * beginning where the ring ends. Those that find no room are not written:
 * nobody's records are overwritten.
 *
 * Not thread-safe by itself: reader and writer hold the process's lock, but for
 * the kernel, which writes when it likes.
 */
#ifndef TR2_PMU_BUFFER_H
#define TR2_PMU_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace2_perf.h"

struct tr2_buffer {
	char *base; /* NULL: not mapped */
	size_t page_size, size; /* of the page, of the ring */
};

/* fd: an event of the kernel, or -1 for memory of our own. 0, or a negative
 * errno. */
int tr2_buffer_map(struct tr2_buffer *buffer, int fd, size_t pages);
void tr2_buffer_unmap(struct tr2_buffer *buffer);

/* Any thread may ask. */
bool tr2_buffer_is_empty(const struct tr2_buffer *buffer);

/* The size of the oldest record, whose head is copied; 0: there is none. */
size_t tr2_buffer_peek(struct tr2_buffer *buffer,
		       struct trace2_perf_record *head);
/* From `at` behind the oldest record's begin on. */
void tr2_buffer_copy(const struct tr2_buffer *buffer, size_t at, void *to,
		     size_t bytes);
void tr2_buffer_consume(struct tr2_buffer *buffer, size_t bytes);

/* Ours: how much was ever written, how much room there is, and a record, for
 * which there is room. */
uint64_t tr2_buffer_head(const struct tr2_buffer *buffer);
size_t tr2_buffer_room(const struct tr2_buffer *buffer);
void tr2_buffer_put(struct tr2_buffer *buffer,
		    const struct trace2_perf_record *record);

#endif
