/* SPDX-License-Identifier: MIT */
/* Read /proc/kallsyms, or the cache. */
#include "record/kernel/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/order.h"
#include "record/elevate.h"
#include "record/store.h"

/*
 * Cache of the kernel's own functions: the lines of /proc/kallsyms, written
 * once after each start of the machine to $XDG_CACHE_HOME/trace2/kallsyms.
 * Reading /proc/kallsyms takes the kernel longer than many commands run.
 *
 * The file begins with the boot's id and ends with a NUL. It leaves out
 * functions of modules, which come and go.
 */
struct kallsyms_cache {
	char *map; /* the file */
	size_t map_bytes;
	const char *begin, *end; /* its lines */
};

#define NAME "kallsyms"
#define NEW_NAME "kallsyms.tmp"
#define BOOT_ID_BYTES 37 /* length of the boot's id, including the newline */

static bool read_boot_id(char id[BOOT_ID_BYTES])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, id, BOOT_ID_BYTES);

	if (fd >= 0)
		close(fd);
	return n == BOOT_ID_BYTES;
}

/* Open, or create, a directory that belongs to this user. Refuse another user's
 * directory, which the environment may name under sudo. Return -1 without a
 * directory. */
static int open_dir(int at, const char *path)
{
	struct stat st;
	int fd;

	(void)mkdirat(at, path, 0700);
	fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || (!fstat(fd, &st) && st.st_uid == geteuid()))
		return fd;
	close(fd);
	return -1;
}

/* Open the cache. Return -1 if there is no cache. */
static int open_cache(void)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char path[4096];
	int fd, own;

	if (xdg && *xdg == '/')
		snprintf(path, sizeof(path), "%s", xdg);
	else if (home && *home == '/')
		snprintf(path, sizeof(path), "%s/.cache", home);
	else
		return -1;
	fd = open_dir(AT_FDCWD, path);
	if (fd < 0)
		return -1;
	own = open_dir(fd, "trace2");
	close(fd);
	return own;
}

static bool map_file(struct kallsyms_cache *c, int fd)
{
	struct stat st;
	void *map;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    st.st_size <= BOOT_ID_BYTES)
		return false;
	c->map_bytes = (size_t)st.st_size;
	map = mmap(NULL, c->map_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return false;
	c->map = map;
	c->begin = c->map + BOOT_ID_BYTES;
	c->end = c->map + c->map_bytes - 1;
	return true;
}

static void kallsyms_cache_close(struct kallsyms_cache *c)
{
	if (c->map)
		munmap(c->map, c->map_bytes);
	c->map = NULL;
}

/* Return false, with nothing open, if there is no cache of this boot. */
static bool kallsyms_cache_open(struct kallsyms_cache *c)
{
	char id[BOOT_ID_BYTES];
	int dir = open_cache(), fd = -1;
	bool ok;

	memset(c, 0, sizeof(*c));
	if (dir >= 0) {
		fd = openat(dir, NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		close(dir);
	}
	ok = fd >= 0 && map_file(c, fd) && read_boot_id(id) &&
	     !memcmp(c->map, id, sizeof(id)) && c->end > c->begin &&
	     c->end[0] == '\0' && c->end[-1] == '\n';
	if (fd >= 0)
		close(fd);
	if (!ok)
		kallsyms_cache_close(c);
	return ok;
}

/* Replace the cache by these lines. If they cannot be written, there is no
 * cache. */
static void kallsyms_cache_write(const char *begin, const char *end)
{
	char id[BOOT_ID_BYTES];
	int dir = open_cache(), fd;
	bool ok;

	if (dir < 0)
		return;
	(void)unlinkat(dir, NEW_NAME, 0);
	fd = openat(dir, NEW_NAME,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	ok = fd >= 0 && read_boot_id(id) &&
	     !tr2_store_write(fd, id, sizeof(id)) &&
	     !tr2_store_write(fd, begin, (size_t)(end - begin)) &&
	     !tr2_store_write(fd, "", 1);
	if (fd >= 0)
		close(fd);
	if (!ok || renameat(dir, NEW_NAME, dir, NAME))
		(void)unlinkat(dir, NEW_NAME, 0);
	close(dir);
}

#define STEP_BYTES 65536u /* size of a read */
#define FIRST_NAME " _text\n"

/* Read the symbols up to the kernel's first function. Return false if this
 * function is missing, or if addresses are hidden. */
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
 * Lines of the text from `begin` to `end`, sorted by address. The kernel lists
 * its own functions in that order; functions of modules and generated code are
 * sorted here.
 */
struct lines {
	const char *begin, *end;
	const char *done; /* all lines before this place were added */
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

/* Return the first line after `addr`, or l->end. */
static const char *find_after(const struct lines *l, uint64_t addr)
{
	const char *low = l->begin, *high = l->end, *mid;

	/* `low` and `high` are always beginnings of lines. */
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

/* Append the lines of the functions at `addr`, if there are any, and of the
 * next address. */
static void add_function(struct lines *l, struct tr2_buf *out, uint64_t addr)
{
	const char *behind = find_after(l, addr), *line;
	uint64_t start;

	if (behind == l->begin || behind == l->end)
		return;
	line = memrchr(l->begin, '\n', (size_t)(behind - 1 - l->begin));
	start = addr_of(line ? line + 1 : l->begin);
	for (line = find_after(l, start - 1); line < behind;
	     line = next_line(l, line))
		add_line(l, out, line);
	start = addr_of(behind);
	for (; line < l->end && addr_of(line) == start;
	     line = next_line(l, line))
		add_line(l, out, line);
}

TR2_ORDER(by_addr, char *const, tr2_order(addr_of(*a), addr_of(*b)))

/* Append the lines, sorted by address. */
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

/* Return the first line that belongs to a module; `end`: there is none. */
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

	/* Each address is a return address: the call is before it. */
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

/* Return false if the cache is missing or lacks one of the addresses. */
static bool add_cached(struct kallsyms_cache *cache, struct tr2_buf *out,
		       const uint64_t *addrs, uint32_t nr)
{
	struct lines l = { cache->begin, cache->end, cache->begin };

	if (!cache->map || !has_all(&l, addrs, nr))
		return false;
	add_functions(&l, out, addrs, nr);
	return true;
}

/* Return false without memory. */
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
		kallsyms_cache_write(own.begin, own.end);
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
	struct kallsyms_cache cache;
	bool has_cache = kallsyms_cache_open(&cache);
	bool ok = add_cached(&cache, out, addrs, nr) ||
		  add_read(k, out, addrs, nr, !has_cache);

	kallsyms_cache_close(&cache);
	return ok && !out->failed;
}
