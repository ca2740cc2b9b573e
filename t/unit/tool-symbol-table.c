/* SPDX-License-Identifier: MIT */
/* tool-symbol-table - which of several functions an address belongs to. */
#include "samples/symbol_table.h"
#include "tap.h"

static struct tr2_symbol_table table;

static void add(const char *name, uint64_t start, uint64_t end,
		enum tr2_binding binding)
{
	tr2_symbol_table_add(&table, &(struct tr2_elf_symbol){
		.start = start, .end = end, .name = name, .binding = binding });
}

static void add_label(const char *name, uint64_t start, uint64_t end)
{
	tr2_symbol_table_add(&table, &(struct tr2_elf_symbol){
		.start = start, .end = end, .name = name,
		.binding = TR2_BINDING_GLOBAL, .is_label = true });
}

static void finds(uint64_t address, const char *want, const char *what)
{
	const char *got = tr2_symbol_table_find(&table, address);

	if (!got)
		got = "none";
	is_text(got, strlen(got), want, what);
}

static void test_functions(void)
{
	add("second", 200, 300, TR2_BINDING_GLOBAL);
	add("first", 100, 150, TR2_BINDING_GLOBAL);
	add("outer", 300, 400, TR2_BINDING_WEAK);
	add("inner", 320, 340, TR2_BINDING_GLOBAL);
	add("alone", 500, 600, TR2_BINDING_LOCAL);
	add("to_the_end", UINT64_MAX - 5, UINT64_MAX, TR2_BINDING_GLOBAL);
	tr2_symbol_table_sort(&table);
	finds(99, "none", "nothing is before the first function");
	finds(100, "first", "a function begins at its first byte");
	finds(149, "first", "it reaches to its last byte");
	finds(150, "none", "it ends there");
	finds(250, "second", "functions need not be sorted in the file");
	finds(330, "inner", "a function inside another one");
	finds(340, "outer", "the outer one goes on after it");
	finds(550, "alone", "a local function");
	finds(UINT64_MAX - 1, "to_the_end", "the last addresses");
	tr2_symbol_table_release(&table);
	finds(100, "none", "an empty table has no functions");
}

static void test_aliases(void)
{
	add("local", 100, 200, TR2_BINDING_LOCAL);
	add("weak", 100, 200, TR2_BINDING_WEAK);
	add("global", 100, 200, TR2_BINDING_GLOBAL);
	add("global_too", 100, 200, TR2_BINDING_GLOBAL);
	add("piece", 110, 120, TR2_BINDING_LOCAL);
	add("long", 300, 400, TR2_BINDING_GLOBAL);
	add("short", 300, 350, TR2_BINDING_GLOBAL);
	tr2_symbol_table_sort(&table);
	finds(150, "global", "the strongest of equals, the first of the file");
	finds(115, "global", "a global one before a local one inside it");
	finds(320, "short", "the shorter of two that begin together");
	finds(360, "long", "the longer one goes on after it");
	tr2_symbol_table_release(&table);
}

static void test_labels(void)
{
	add("before", 100, 200, TR2_BINDING_GLOBAL);
	add_label("inside", 150, 1000);
	add_label("after", 200, 1000);
	add("next", 300, 400, TR2_BINDING_GLOBAL);
	add_label("last", 500, 600);
	tr2_symbol_table_sort(&table);
	finds(160, "before", "a label inside a function is no function");
	finds(250, "after", "code after a label has its name");
	finds(450, "none", "but not where a function has come between");
	finds(599, "last", "up to the end of the label's section");
	finds(600, "none", "and no further");
	tr2_symbol_table_release(&table);
}

int main(void)
{
	test_functions();
	test_aliases();
	test_labels();
	return done_testing();
}
