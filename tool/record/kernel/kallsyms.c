/* SPDX-License-Identifier: MIT */
/* Read /proc/kallsyms, or the cache. */
#include "record/kernel/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/elevate.h"
#include "record/kernel/kallsyms_cache.h"

#define STEP_BYTES 65536u /* read at once */
#define FIRST_NAME " _text\n"

/* Read the first symbols, up to that with which the kernel begins. false: it is
 * not among them, or addresses are hidden. */
static bool read_start(struct tr2_kallsyms *k)
{
	struct tr2_buf *text = &k->text;
	const char *name = NULL, *line;
	ssize_t n = 1;

	while (!name && n > 0 && text->len < STEP_BYTES &&
	       tr2_buf_room(text, STEP_BYTES)) {
		n = read(k->fd, text->p + text->len, STEP_BYTES);
		text->len += n > 0 ? (size_t)n : 0;
		name = strstr(tr2_buf_str(text), FIRST_NAME);
	}
	if (!name)
		return false;
	line = memrchr(text->p, '\n', (size_t)(name - text->p));
	k->start = strtoull(line ? line + 1 : text->p, NULL, 16);
	return k->start != 0;
}

bool tr2_kallsyms_open(struct tr2_kallsyms *k)
{
	memset(k, 0, sizeof(*k));
	k->fd = tr2_elevate_runs() ?
			tr2_elevate_file(TR2_ELEVATED_KALLSYMS, "") :
			open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	if (k->fd >= 0 && read_start(k))
		return true;
	tr2_kallsyms_release(k);
	return false;
}

void tr2_kallsyms_release(struct tr2_kallsyms *k)
{
	if (k->fd >= 0)
		close(k->fd);
	k->fd = -1;
	tr2_buf_release(&k->text);
}

static void read_rest(struct tr2_kallsyms *k)
{
	struct tr2_buf *text = &k->text;
	ssize_t n = 1;

	while (n && tr2_buf_room(text, STEP_BYTES)) {
		n = read(k->fd, text->p + text->len, STEP_BYTES);
		if (n > 0)
			text->len += (size_t)n;
		else if (errno != EINTR)
			break;
	}
}

/*
 * Lines of the text, from `begin` to `end`, in order of their addresses: the
 * kernel's own, which the kernel lists in this order, or those of modules and
 * generated code, which are sorted here.
 */
struct lines {
	const char *begin, *end;
	const char *done; /* what precedes it was added */
};

static const char *next_line(const struct lines *l, const char *line)
{
	const char *end = memchr(line, '\n', (size_t)(l->end - line));

	return end ? end + 1 : l->end;
}

static uint64_t addr_of(const char *line)
{
	return strtoull(line, NULL, 16);
}

/* Return the first line behind `addr`, or l->end. */
static const char *find_behind(const struct lines *l, uint64_t addr)
{
	const char *low = l->begin, *high = l->end, *mid;

	/* Both are the beginning of a line. */
	while (low < high) {
		mid = low + (high - low) / 2;
		mid = memrchr(low, '\n', (size_t)(mid - low));
		mid = mid ? mid + 1 : low;
		if (addr_of(mid) <= addr)
			low = next_line(l, mid);
		else
			high = mid;
	}
	return low;
}

static void add_line(struct lines *l, struct tr2_buf *out, const char *line)
{
	const char *end = next_line(l, line);

	if (line >= l->done) {
		tr2_buf_add(out, line, (size_t)(end - line));
		l->done = end;
	}
}

/* Append the lines of the functions at `addr`, if there are any, and of those
 * behind. */
static void add_function(struct lines *l, struct tr2_buf *out, uint64_t addr)
{
	const char *behind = find_behind(l, addr), *line;
	uint64_t start;

	if (behind == l->begin || behind == l->end)
		return;
	line = memrchr(l->begin, '\n', (size_t)(behind - 1 - l->begin));
	start = addr_of(line ? line + 1 : l->begin);
	for (line = find_behind(l, start - 1); line < behind;
	     line = next_line(l, line))
		add_line(l, out, line);
	start = addr_of(behind);
	for (; line < l->end && addr_of(line) == start;
	     line = next_line(l, line))
		add_line(l, out, line);
}

static int by_addr(const void *a, const void *b)
{
	uint64_t x = addr_of(*(const char *const *)a);
	uint64_t y = addr_of(*(const char *const *)b);

	return x < y ? -1 : x > y;
}

/* Write the lines in order of their addresses. */
static bool sort_lines(const struct lines *from, struct tr2_buf *out)
{
	size_t nr = 0, i;
	const char **list, *p;

	for (p = from->begin; p < from->end; p = next_line(from, p))
		nr++;
	list = calloc(nr + 1, sizeof(*list));
	if (!list)
		return false;
	for (nr = 0, p = from->begin; p < from->end; p = next_line(from, p))
		list[nr++] = p;
	qsort(list, nr, sizeof(*list), by_addr);
	for (i = 0; i < nr; i++)
		tr2_buf_add(out, list[i],
			    (size_t)(next_line(from, list[i]) - list[i]));
	free(list);
	return !out->failed;
}

/* Return the first line of a module, or the end. */
static const char *find_modules(const char *begin, const char *end)
{
	const char *p = memmem(begin, (size_t)(end - begin), "\t[", 2);

	if (p)
		p = memrchr(begin, '\n', (size_t)(p - begin));
	return p ? p + 1 : end;
}

static void add_functions(struct lines *l, struct tr2_buf *out,
			  const uint64_t *addrs, uint32_t nr)
{
	uint32_t i;

	/* The call is before the address. */
	for (i = 0; i < nr; i++)
		add_function(l, out, addrs[i] - 1);
}

static bool has_all(const struct lines *l, const uint64_t *addrs, uint32_t nr)
{
	const char *last = memrchr(l->begin, '\n',
				   (size_t)(l->end - 1 - l->begin));

	return last && addrs[0] > addr_of(l->begin) &&
	       addrs[nr - 1] <= addr_of(last + 1);
}

/* false: there is no cache that has all of them. */
static bool add_cached(struct tr2_kallsyms_cache *cache, struct tr2_buf *out,
		       const uint64_t *addrs, uint32_t nr)
{
	struct lines l = { cache->begin, cache->end, cache->begin };

	if (!cache->map || !has_all(&l, addrs, nr))
		return false;
	add_functions(&l, out, addrs, nr);
	return true;
}

/* false: no memory. */
static bool add_read(struct tr2_kallsyms *k, struct tr2_buf *out,
		     const uint64_t *addrs, uint32_t nr, bool cache)
{
	struct tr2_buf sorted = TR2_BUF_INIT;
	struct lines own, others;
	bool ok;

	read_rest(k);
	own.begin = own.done = k->text.p;
	own.end = find_modules(k->text.p, k->text.p + k->text.len);
	others.begin = others.done = own.end;
	others.end = k->text.p + k->text.len;
	ok = sort_lines(&others, &sorted) && !k->text.failed;
	if (ok && cache)
		tr2_kallsyms_cache_write(own.begin, own.end);
	others.begin = others.done = sorted.p;
	others.end = sorted.p + sorted.len;
	add_functions(&own, out, addrs, nr);
	add_functions(&others, out, addrs, nr);
	tr2_buf_release(&sorted);
	return ok;
}

bool tr2_kallsyms_add(struct tr2_kallsyms *k, struct tr2_buf *out,
		      const uint64_t *addrs, uint32_t nr)
{
	struct tr2_kallsyms_cache cache;
	bool has_cache = tr2_kallsyms_cache_open(&cache);
	bool ok = add_cached(&cache, out, addrs, nr) ||
		  add_read(k, out, addrs, nr, !has_cache);

	tr2_kallsyms_cache_close(&cache);
	return ok && !out->failed;
}
