/* SPDX-License-Identifier: MIT */
/* Read /proc/kallsyms in a thread. */
#include "record/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP_BYTES 65536u /* read at once */
#define FIRST_NAME " _text\n"

/* ADDRESS TYPE NAME [MODULE]: return the address; 0: not a function. */
static uint64_t parse(const char *line)
{
	uint64_t addr = 0;
	unsigned int digit;

	for (; *line != ' '; line++) {
		digit = *line >= 'a' ? (unsigned int)(*line - 'a') + 10 :
				       (unsigned int)(*line - '0');
		if (digit > 15)
			return 0;
		addr = addr << 4 | digit;
	}
	return strchr("tTwW", line[1]) ? addr : 0;
}

static bool add_symbol(struct tr2_kallsyms *k, uint64_t addr, size_t line,
		       size_t len)
{
	uint32_t alloc = k->alloc ? k->alloc * 2 : 1u << 16;
	struct tr2_kallsym *symbol;

	if (k->nr == k->alloc) {
		symbol = realloc(k->symbol, alloc * sizeof(*symbol));
		if (!symbol)
			return false;
		k->symbol = symbol;
		k->alloc = alloc;
	}
	k->symbol[k->nr++] = (struct tr2_kallsym){ addr, (uint32_t)line,
						   (uint32_t)len };
	return true;
}

/* Add the lines from position `at` of the text. Return the position behind the
 * last newline. */
static size_t add_lines(struct tr2_kallsyms *k, size_t at)
{
	const char *end;
	uint64_t addr;
	size_t len;

	while ((end = memchr(k->text.p + at, '\n', k->text.len - at))) {
		len = (size_t)(end + 1 - (k->text.p + at));
		addr = parse(k->text.p + at);
		if (addr && !add_symbol(k, addr, at, len))
			k->text.failed = true;
		at += len;
	}
	return at;
}

static int by_addr(const void *a, const void *b)
{
	const struct tr2_kallsym *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem) && errno == EINTR)
		;
}

static void *read_symbols(void *data)
{
	struct tr2_kallsyms *k = data;
	struct tr2_buf *text = &k->text;
	size_t done = 0;
	ssize_t n;

	while (!atomic_load(&k->cancel) && tr2_buf_room(text, STEP_BYTES)) {
		n = read(k->fd, text->p + text->len, STEP_BYTES);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || text->len + (size_t)n > UINT32_MAX)
			break;
		text->len += (size_t)n;
		done = add_lines(k, done);
	}
	/* Those of modules follow the kernel's own. */
	if (k->nr && !atomic_load(&k->cancel))
		qsort(k->symbol, k->nr, sizeof(*k->symbol), by_addr);
	sem_post(&k->done);
	wait_for(&k->quit);
	return NULL;
}

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
	k->start = parse(line ? line + 1 : text->p);
	return k->start != 0;
}

bool tr2_kallsyms_open(struct tr2_kallsyms *k)
{
	memset(k, 0, sizeof(*k));
	k->fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	if (k->fd >= 0 && read_start(k))
		return true;
	tr2_kallsyms_release(k);
	return false;
}

void tr2_kallsyms_start(struct tr2_kallsyms *k)
{
	sigset_t all, before;

	if (k->fd < 0)
		return;
	sem_init(&k->done, 0, 0);
	sem_init(&k->quit, 0, 0);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	k->running = !pthread_create(&k->thread, NULL, read_symbols, k);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void tr2_kallsyms_release(struct tr2_kallsyms *k)
{
	if (k->running) {
		atomic_store(&k->cancel, true);
		sem_post(&k->quit);
		pthread_join(k->thread, NULL);
		sem_destroy(&k->done);
		sem_destroy(&k->quit);
		k->running = false;
	}
	if (k->fd >= 0)
		close(k->fd);
	k->fd = -1;
	tr2_buf_release(&k->text);
	free(k->symbol);
	k->symbol = NULL;
	k->nr = k->alloc = 0;
}

/* Return the first symbol behind `addr`, not before `from`. */
static uint32_t find_behind(const struct tr2_kallsyms *k, uint32_t from,
			    uint64_t addr)
{
	uint32_t low = from, high = k->nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (k->symbol[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Append the lines of the symbols from `first` on that have the address of
 * `last`, and of those between. Return the next symbol. */
static uint32_t add_range(const struct tr2_kallsyms *k, struct tr2_buf *out,
			  uint32_t first, uint32_t last)
{
	uint64_t end = last < k->nr ? k->symbol[last].addr : UINT64_MAX;

	for (; first < k->nr && k->symbol[first].addr <= end; first++)
		tr2_buf_add(out, k->text.p + k->symbol[first].line,
			    k->symbol[first].len);
	return first;
}

bool tr2_kallsyms_add(struct tr2_kallsyms *k, struct tr2_buf *out,
		      const uint64_t *addrs, uint32_t nr)
{
	uint32_t done = 0, behind = 0, first, i;

	if (!k->running)
		return false;
	wait_for(&k->done);
	for (i = 0; i < nr; i++) {
		/* The call is before the address. */
		behind = find_behind(k, behind, addrs[i] - 1);
		if (!behind)
			continue;
		for (first = behind - 1;
		     first && k->symbol[first - 1].addr ==
				      k->symbol[behind - 1].addr;)
			first--;
		if (first < done)
			first = done;
		done = add_range(k, out, first, behind);
	}
	return !k->text.failed && !out->failed;
}
