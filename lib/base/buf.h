/* SPDX-License-Identifier: MIT */
/*
 * buf - a growing piece of text.
 *
 * Invariants: p[0..len) is the text, len < alloc or alloc == 0, and the text
 * ends with no NUL until tr2_buf_str() is called. If memory is short, `failed`
 * is set, the appended text is dropped, and the buffer stays usable: callers
 * check `failed` once at the end.
 *
 * Memory comes from mmap, never from malloc: a signal handler that interrupted
 * the host's malloc may still write an event. A buffer may also begin in memory
 * of the caller: then it either never grows (tr2_buf_init_fixed), or returns
 * there when it is released (tr2_buf_init_home). A buffer with a home belongs
 * to a thread, and persists over its calls: a signal handler that jumps out of
 * a call does not leave it half moved.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/macros.h"

struct tr2_buf {
	char *p;
	size_t len, alloc;
	bool failed, fixed;
	char *home; /* memory of the caller; NULL: none */
	size_t home_bytes;
};

#define TR2_BUF_INIT { NULL, 0, 0, false, false, NULL, 0 }

void tr2_buf_init_fixed(struct tr2_buf *b, char *memory, size_t size_bytes);
void tr2_buf_init_home(struct tr2_buf *b, char *memory, size_t size_bytes);
/* Empty the buffer, and unmap its own memory. A buffer that began in memory of
 * the caller returns there. */
void tr2_buf_release(struct tr2_buf *b);

/* Return whether the buffer has memory of its own. */
static inline bool tr2_buf_has_grown(const struct tr2_buf *b)
{
	return b->alloc > b->home_bytes;
}

/* The slow path of tr2_buf_room(). */
bool tr2_buf_grow(struct tr2_buf *b, size_t more_bytes);

static inline void tr2_buf_reset(struct tr2_buf *b)
{
	b->len = 0;
	b->failed = false;
}

/* Make room for n bytes and a NUL. false: failed is set. */
static inline bool tr2_buf_room(struct tr2_buf *b, size_t n)
{
	if (likely(n < b->alloc - b->len && b->alloc))
		return true;
	return tr2_buf_grow(b, n);
}

static inline void tr2_buf_add(struct tr2_buf *b, const void *data, size_t n)
{
	if (!tr2_buf_room(b, n))
		return;
	memcpy(b->p + b->len, data, n);
	b->len += n;
}

static inline void tr2_buf_addch(struct tr2_buf *b, char c)
{
	if (!tr2_buf_room(b, 1))
		return;
	b->p[b->len++] = c;
}

static inline void tr2_buf_addstr(struct tr2_buf *b, const char *s)
{
	tr2_buf_add(b, s, strlen(s));
}

/* Append a string literal. */
#define tr2_buf_addlit(b, literal) \
	tr2_buf_add(b, "" literal, sizeof(literal) - 1)

/* Append all strings in turn. No string may be NULL. */
#define tr2_buf_addall(b, ...) \
	tr2_buf_add_strings(b, (const char *const[]){ __VA_ARGS__, NULL })

static inline void tr2_buf_add_strings(struct tr2_buf *b, const char *const *s)
{
	while (*s)
		tr2_buf_addstr(b, *s++);
}

void tr2_buf_addchars(struct tr2_buf *b, char c, size_t n);

/* Return the text as a string; "" if memory was always short. */
const char *tr2_buf_str(struct tr2_buf *b);

void tr2_buf_add_u64(struct tr2_buf *b, uint64_t value);
void tr2_buf_add_i64(struct tr2_buf *b, int64_t value);

/* Append exactly `width` digits, with leading zeros. */
void tr2_buf_add_digits(struct tr2_buf *b, uint64_t value, unsigned int width);

/* Append nanoseconds as seconds with 6 decimals, at least `width` wide.
 * tr2_buf_add_seconds9(): with all 9 decimals. */
void tr2_buf_add_seconds(struct tr2_buf *b, uint64_t ns, unsigned int width);
void tr2_buf_add_seconds9(struct tr2_buf *b, uint64_t ns);

/* Return whether fmt contains anything to format. */
bool tr2_buf_is_format(const char *fmt);

/* Append like vsnprintf(), at any length; leave ap usable. false: nothing is
 * appended, because memory is short, or the format is unsafe or invalid. */
bool tr2_buf_vaddf(struct tr2_buf *b, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
