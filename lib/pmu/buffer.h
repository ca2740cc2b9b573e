/* SPDX-License-Identifier: MIT */
/*
 * buffer - records of one event on their way to the reader. A buffer is a page
 * with both ends, followed by a ring of bytes, as the kernel maps it for its
 * events. The library's own buffers have the same layout, so that one reader
 * serves both.
 *
 *	tail <= head <= tail + size	both only grow, modulo 2^64
 *
 * A record begins at a multiple of 8, its size is a multiple of 8, and it wraps
 * around at the ring's end. A record for which there is no room is dropped; no
 * record is overwritten.
 *
 * Not thread-safe by itself: reader and writer hold the process's lock, except
 * the kernel, which may write at any time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace2_perf.h"

struct tr2_buffer {
	char *base; /* the page and the ring after it; NULL: not mapped */
	size_t page_size, size; /* in bytes */
};

/* Map a buffer. fd: an event of the kernel; -1: map memory, for the library's
 * own records. Return 0 or a negative errno. */
int tr2_buffer_map(struct tr2_buffer *buffer, int fd, size_t pages);
void tr2_buffer_unmap(struct tr2_buffer *buffer);

/* Return whether the buffer has no record. Any thread may call this. */
bool tr2_buffer_is_empty(const struct tr2_buffer *buffer);

/* Copy the head of the oldest record and return its size; 0: no record. */
size_t tr2_buffer_peek(struct tr2_buffer *buffer,
		       struct trace2_perf_record *head);
/* Copy bytes of the oldest record, from its offset `at` on. */
void tr2_buffer_copy(const struct tr2_buffer *buffer, size_t at, void *to,
		     size_t bytes);
void tr2_buffer_consume(struct tr2_buffer *buffer, size_t bytes);

/* For the library's own records: return the number of bytes ever written;
 * return the number of free bytes; append a record, for which the caller has
 * checked the room. */
uint64_t tr2_buffer_head(const struct tr2_buffer *buffer);
size_t tr2_buffer_room(const struct tr2_buffer *buffer);
void tr2_buffer_put(struct tr2_buffer *buffer,
		    const struct trace2_perf_record *record);
