/* SPDX-License-Identifier: MIT */
/* symbol_table - symbols sorted by the starts of functions, which may
 * overlap. */
#include "samples/symbol_table.h"

#include <stdlib.h>

#include "common/memory.h"
#include "common/order.h"

void tr2_symbol_table_add(struct tr2_symbol_table *t,
			  const struct tr2_elf_symbol *symbol)
{
	tr2_grow(t->list, t->nr, t->alloc);
	t->list[t->nr] = *symbol;
	t->list[t->nr].nr = t->nr;
	t->nr++;
}

/* Sort symbols so that a search from the end first meets the best symbol of
 * each start. */
TR2_ORDER(compare, struct tr2_elf_symbol,
	  TR2_UP(start) ?: TR2_UP(binding) ?: TR2_DOWN(end) ?: TR2_DOWN(nr))

void tr2_symbol_table_sort(struct tr2_symbol_table *t)
{
	uint64_t reach = 0;
	uint32_t i;

	if (t->nr)
		qsort(t->list, t->nr, sizeof(*t->list), compare);
	for (i = 0; i < t->nr; i++) {
		if (!t->list[i].is_label && t->list[i].end > reach)
			reach = t->list[i].end;
		t->list[i].reach = reach;
	}
}

void tr2_symbol_table_release(struct tr2_symbol_table *t)
{
	free(t->list);
	*t = (struct tr2_symbol_table){ .list = NULL };
}

/* Count the symbols that begin at or before an address. */
static uint32_t count_until(const struct tr2_symbol_table *t, uint64_t address)
{
	uint32_t low = 0, high = t->nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (t->list[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Find the label for an address among the first `nr` symbols. */
static const char *find_label(const struct tr2_symbol_table *t, uint32_t nr,
			      uint64_t address)
{
	uint64_t reach = nr ? t->list[nr - 1].reach : 0;

	for (; nr && t->list[nr - 1].start >= reach; nr--)
		if (t->list[nr - 1].end > address)
			return t->list[nr - 1].name;
	return NULL;
}

const char *tr2_symbol_table_find(const struct tr2_symbol_table *t,
				  uint64_t address)
{
	uint32_t nr = count_until(t, address), i;
	const struct tr2_elf_symbol *symbol;
	const char *local = NULL;

	for (i = nr; i && t->list[i - 1].reach > address; i--) {
		symbol = &t->list[i - 1];
		if (symbol->is_label || symbol->end <= address)
			continue;
		if (symbol->binding != TR2_BINDING_LOCAL)
			return symbol->name;
		if (!local)
			local = symbol->name;
	}
	return local ? local : find_label(t, nr, address);
}
