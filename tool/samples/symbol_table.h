/* SPDX-License-Identifier: MIT */
/*
 * symbol_table - find the function of a file at an address, among tens of
 * thousands.
 *
 *	struct tr2_symbol_table t = { .list = NULL };
 *
 *	tr2_symbol_table_add(&t, &symbol);  …
 *	tr2_symbol_table_sort(&t);
 *	name = tr2_symbol_table_find(&t, address);
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* From the weakest to the strongest. */
enum tr2_binding { TR2_BINDING_LOCAL, TR2_BINDING_WEAK, TR2_BINDING_GLOBAL };

struct tr2_elf_symbol {
	uint64_t start, end; /* a label ends at the end of its section */
	const char *name;    /* lives as long as the table */
	enum tr2_binding binding;
	bool is_label; /* the symbol has no size */
	/* The table sets: */
	uint32_t nr;    /* position in the file */
	uint64_t reach; /* the largest end of functions up to this one */
};

/* Initialize it with zeros. */
struct tr2_symbol_table {
	struct tr2_elf_symbol *list;
	uint32_t nr, alloc;
};

void tr2_symbol_table_add(struct tr2_symbol_table *t,
			  const struct tr2_elf_symbol *symbol);
/* Sort the table, once all symbols are added. */
void tr2_symbol_table_sort(struct tr2_symbol_table *t);
void tr2_symbol_table_release(struct tr2_symbol_table *t);

/*
 * Return the name of the function that contains an address. Of several, choose
 * a function that other files see before a local one, then the one that begins
 * last. Of those that begin at one place, choose the strongest, then the
 * shortest, then the first of the file. Without a function, return the last
 * label, unless a function follows the label. NULL: neither exists.
 */
const char *tr2_symbol_table_find(const struct tr2_symbol_table *t,
				  uint64_t address);
