/* SPDX-License-Identifier: MIT */
/* The slow paths of buf: growing, going home, and formatted text. */
#include "base/buf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/format.h"
#include "base/mask.h"
#include "base/put.h"

#define FIRST_BYTES 4096u

void tr2_buf_init_home(struct tr2_buf *b, char *memory, size_t size_bytes)
{
	b->p = b->home = memory;
	b->len = 0;
	b->alloc = b->home_bytes = size_bytes;
	b->failed = false;
	b->fixed = false;
}

void tr2_buf_init_fixed(struct tr2_buf *b, char *memory, size_t size_bytes)
{
	tr2_buf_init_home(b, memory, size_bytes);
	b->fixed = true;
}

static void go_home(struct tr2_buf *b)
{
	if (tr2_buf_has_grown(b))
		munmap(b->p, b->alloc);
	b->p = b->home;
	b->alloc = b->home_bytes;
}

static void *move_text(struct tr2_buf *b, size_t alloc)
{
	void *p;

	if (tr2_buf_has_grown(b))
		return mremap(b->p, b->alloc, alloc, MREMAP_MAYMOVE);
	p = mmap(NULL, alloc, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p != MAP_FAILED && b->len)
		memcpy(p, b->p, b->len);
	return p;
}

static bool set_size(struct tr2_buf *b, size_t alloc)
{
	void *p;

	if (!alloc) {
		go_home(b);
		return true;
	}
	p = move_text(b, alloc);
	if (p == MAP_FAILED)
		return false;
	b->p = p;
	b->alloc = alloc;
	return true;
}

/* Resize the buffer with signals blocked if it has a home, so that no handler
 * leaves it half moved. alloc 0: go back to the home. */
static bool set_size_at_once(struct tr2_buf *b, size_t alloc)
{
	struct tr2_mask before;
	bool ok;

	if (!b->home)
		return set_size(b, alloc);
	tr2_mask_begin(&before);
	ok = set_size(b, alloc);
	tr2_mask_end(&before);
	return ok;
}

void tr2_buf_release(struct tr2_buf *b)
{
	b->len = 0;
	b->failed = false;
	if (tr2_buf_has_grown(b))
		set_size_at_once(b, 0);
}

bool tr2_buf_grow(struct tr2_buf *b, size_t more_bytes)
{
	size_t alloc = b->alloc ? b->alloc : FIRST_BYTES;
	size_t need;

	if (b->fixed || __builtin_add_overflow(b->len, more_bytes, &need) ||
	    need >= SIZE_MAX / 4) {
		b->failed = true;
		return false;
	}
	while (alloc <= need)
		alloc *= 2;
	if (!set_size_at_once(b, alloc)) {
		b->failed = true;
		return false;
	}
	return true;
}

void tr2_buf_addchars(struct tr2_buf *b, char c, size_t n)
{
	if (!tr2_buf_room(b, n))
		return;
	memset(b->p + b->len, c, n);
	b->len += n;
}

const char *tr2_buf_str(struct tr2_buf *b)
{
	if (!tr2_buf_room(b, 0))
		return "";
	b->p[b->len] = '\0';
	return b->p;
}

/* The digits "00" to "99": decimal numbers are written two digits at a time. */
const char tr2_two_digits[200] =
	"00010203040506070809101112131415161718192021222324252627282930313233"
	"34353637383940414243444546474849505152535455565758596061626364656667"
	"6869707172737475767778798081828384858687888990919293949596979899";

char *tr2_put_u64_slow(char *p, uint64_t value)
{
	char text[20];
	char *end = text + sizeof(text), *start = end;

	for (; value >= 100; value /= 100) {
		start -= 2;
		tr2_put_2(start, (unsigned int)(value % 100));
	}
	if (value >= 10)
		tr2_put_2(start -= 2, (unsigned int)value);
	else
		*--start = (char)('0' + value);
	return tr2_put(p, start, (size_t)(end - start));
}

void tr2_buf_add_u64(struct tr2_buf *b, uint64_t value)
{
	if (tr2_buf_room(b, 20))
		b->len = (size_t)(tr2_put_u64(b->p + b->len, value) - b->p);
}

void tr2_buf_add_i64(struct tr2_buf *b, int64_t value)
{
	if (tr2_buf_room(b, 20))
		b->len = (size_t)(tr2_put_i64(b->p + b->len, value) - b->p);
}

void tr2_buf_add_digits(struct tr2_buf *b, uint64_t value, unsigned int width)
{
	char *p;

	if (!tr2_buf_room(b, width))
		return;
	p = b->p + b->len + width;
	b->len += width;
	while (width--) {
		*--p = (char)('0' + value % 10);
		value /= 10;
	}
}

void tr2_buf_add_seconds(struct tr2_buf *b, uint64_t ns, unsigned int width)
{
	char text[32];
	size_t len = (size_t)(tr2_put_seconds(text, ns) - text);

	if (len < width)
		tr2_buf_addchars(b, ' ', width - len);
	tr2_buf_add(b, text, len);
}

void tr2_buf_add_seconds9(struct tr2_buf *b, uint64_t ns)
{
	if (tr2_buf_room(b, 21))
		b->len = (size_t)(tr2_put_seconds9(b->p + b->len, ns) - b->p);
}

bool tr2_buf_is_format(const char *fmt)
{
	return strchr(fmt, '%');
}

bool tr2_buf_vaddf(struct tr2_buf *b, const char *fmt, va_list ap)
{
	int saved_errno = errno, n;
	va_list again;
	size_t room;

	if (!tr2_format_is_safe(fmt, ap) || !tr2_buf_room(b, 255))
		return false;
	errno = saved_errno; /* for %m */
	room = b->alloc - b->len;
	va_copy(again, ap);
	n = vsnprintf(b->p + b->len, room, fmt, again);
	va_end(again);
	if (n < 0)
		return false;
	if ((size_t)n >= room) {
		if (!tr2_buf_room(b, (size_t)n))
			return false;
		errno = saved_errno;
		va_copy(again, ap);
		n = vsnprintf(b->p + b->len, (size_t)n + 1, fmt, again);
		va_end(again);
		if (n < 0)
			return false;
	}
	b->len += (size_t)n;
	return true;
}
