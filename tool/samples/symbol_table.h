/* SPDX-License-Identifier: MIT */
/*
 * symbol_table - find a function of a file by an address, among tens of
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

/* The strongest is the last. */
enum tr2_binding { TR2_BINDING_LOCAL, TR2_BINDING_WEAK, TR2_BINDING_GLOBAL };

struct tr2_elf_symbol {
	uint64_t start, end; /* a label ends where its section does */
	const char *name;    /* lives as long as the table */
	enum tr2_binding binding;
	bool is_label; /* it has no size */
	/* Set by the table: */
	uint32_t nr;    /* in the order of the file */
	uint64_t reach; /* the largest end of functions up to this one */
};

/* Zeroed means initialised. */
struct tr2_symbol_table {
	struct tr2_elf_symbol *list;
	uint32_t nr, alloc;
};

void tr2_symbol_table_add(struct tr2_symbol_table *t,
			  const struct tr2_elf_symbol *symbol);
/* Call it after all are added. */
void tr2_symbol_table_sort(struct tr2_symbol_table *t);
void tr2_symbol_table_release(struct tr2_symbol_table *t);

/*
 * Return the name of the function that contains an address. Of several, the one
 * that begins last, but one that other files see before a local one; of those
 * that begin at one place the strongest, then the shortest, then the first of
 * the file. Where there is none, the last label, unless a function follows it.
 * NULL: none.
 */
const char *tr2_symbol_table_find(const struct tr2_symbol_table *t,
				  uint64_t address);
