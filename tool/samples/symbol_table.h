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

/* The bindings of symbols, from the weakest to the strongest. */
enum tr2_binding { TR2_BINDING_LOCAL, TR2_BINDING_WEAK, TR2_BINDING_GLOBAL };

struct tr2_elf_symbol {
	uint64_t start, end; /* a label ends at the end of its section */
	const char *name;    /* name of the symbol, which must live as long as
			      * the table */
	enum tr2_binding binding;
	bool is_label; /* the symbol has no size */
	/* The table sets the members below. */
	uint32_t nr;    /* position in the file */
	uint64_t reach; /* the largest end of this function and the functions
			 * before it */
};

/* Initialize the struct with zeros. */
struct tr2_symbol_table {
	struct tr2_elf_symbol *list;
	uint32_t nr, alloc;
};

void tr2_symbol_table_add(struct tr2_symbol_table *t,
			  const struct tr2_elf_symbol *symbol);
/* Sort the table, when all symbols were added. */
void tr2_symbol_table_sort(struct tr2_symbol_table *t);
void tr2_symbol_table_release(struct tr2_symbol_table *t);

/*
 * Return the name of the function that contains an address. Of several, prefer
 * functions that other files see to local ones, then the function that begins
 * last. Of functions that begin at one place, choose the strongest, then the
 * shortest, then the first in the file. Without a function, return the last
 * label before the address, unless a function is between them. NULL: no
 * function and no label.
 */
const char *tr2_symbol_table_find(const struct tr2_symbol_table *t,
				  uint64_t address);
