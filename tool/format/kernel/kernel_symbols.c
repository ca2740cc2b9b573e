/* SPDX-License-Identifier: MIT */
/* kernel_symbols - functions of the kernel, by address. */
#include "format/kernel/kernel_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "common/lines.h"
#include "common/memory.h"

/* Markers in a call path, such as that of the user's part, are above. */
#define FIRST_MARKER ((uint64_t)-4095)
#define USER_MARKER ((uint64_t)-512)

/* ADDRESS TYPE NAME [MODULE] */
static void pass_line(const char *line, size_t len, tr2_kernel_symbol_fn *fn,
		      void *data)
{
	const char *end = line + len, *name, *module;
	uint64_t addr = 0;
	unsigned int digit;

	for (; line < end && *line != ' '; line++) {
		digit = *line >= 'a' ? (unsigned int)(*line - 'a' + 10) :
				       (unsigned int)(*line - '0');
		if (digit > 15)
			return;
		addr = addr << 4 | digit;
	}
	/* Without permission, all addresses are 0. */
	if (end - line < 4 || line[2] != ' ' || !addr)
		return;
	name = line + 3;
	len = (size_t)(end - name);
	module = memchr(name, '\t', len);
	if (!module)
		module = memchr(name, ' ', len);
	if (module)
		len = (size_t)(module++ - name);
	else
		module = end;
	fn(data, addr, name, len, module, (size_t)(end - module));
}

void tr2_kernel_symbols_each(int fd, tr2_kernel_symbol_fn *fn, void *data)
{
	struct tr2_lines lines = { 0 };
	enum tr2_lines_result got;
	const char *line;
	size_t len;

	tr2_lines_start(&lines, fd);
	while ((got = tr2_lines_next(&lines, &line, &len)) == TR2_LINES_LINE ||
	       got == TR2_LINES_LAST)
		pass_line(line, len, fn, data);
	tr2_lines_release(&lines);
}

static void add_symbol(void *data, uint64_t addr, const char *name, size_t len,
		       const char *module, size_t module_len)
{
	struct tr2_kernel_symbols *s = data;

	(void)module;
	(void)module_len;
	tr2_grow(s->list, s->nr, s->alloc);
	s->list[s->nr++] = (struct tr2_kernel_symbol){
		addr, tr2_wait_function(name, len)
	};
}

static int by_addr(const void *va, const void *vb)
{
	const struct tr2_kernel_symbol *a = va, *b = vb;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

void tr2_kernel_symbols_read(struct tr2_kernel_symbols *s, int fd)
{
	tr2_kernel_symbols_each(fd, add_symbol, s);
	if (s->nr)
		qsort(s->list, s->nr, sizeof(*s->list), by_addr);
}

void tr2_kernel_symbols_release(struct tr2_kernel_symbols *s)
{
	free(s->list);
}

/* Return the function that has this address; NULL: unknown. */
static const struct tr2_wait_function *
find(const struct tr2_kernel_symbols *s, uint64_t addr)
{
	uint32_t low = 0, high = s->nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (s->list[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &s->list[low - 1].function : NULL;
}

enum tr2_cause tr2_kernel_symbols_cause(const struct tr2_kernel_symbols *s,
					const unsigned char *calls, uint32_t nr, bool *futex)
{
	enum tr2_cause cause = TR2_CAUSE_unknown;
	const struct tr2_wait_function *f;
	bool found = false;
	uint64_t addr;
	uint32_t i;

	for (i = 0; s->nr && i < nr; i++) {
		memcpy(&addr, calls + i * sizeof(addr), sizeof(addr));
		if (addr == USER_MARKER)
			break;
		if (addr >= FIRST_MARKER)
			continue;
		/* The call is before the address to which it returns. */
		f = find(s, addr - 1);
		if (f && f->page_fault && cause == TR2_CAUSE_disk)
			return TR2_CAUSE_page;
		if (f && f->listed && !found) {
			cause = f->cause;
			*futex = f->futex;
			found = true;
			if (cause != TR2_CAUSE_disk)
				return cause;
		}
		if (f && cause == TR2_CAUSE_unknown)
			cause = TR2_CAUSE_other;
	}
	return cause;
}
