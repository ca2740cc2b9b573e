/* SPDX-License-Identifier: MIT */
/* generated - sort and search generated functions. */
#include "samples/generated.h"

#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "common/memory.h"
#include "common/order.h"

/* Search this number of functions that begin before the address: replaced
 * functions overlap. */
#define MOST_BEFORE 64

static const struct tr2_model *sorted_model;

static int compare_code(const void *va, const void *vb)
{
	uint32_t ia = *(const uint32_t *)va, ib = *(const uint32_t *)vb;
	const struct tr2_code_function *a = &sorted_model->code_functions[ia];
	const struct tr2_code_function *b = &sorted_model->code_functions[ib];

	return TR2_UP(task) ?: TR2_UP(addr) ?: tr2_order(ia, ib);
}

static void sort_code(struct tr2_generated *g, const struct tr2_model *m)
{
	uint32_t i;

	g->by_address = tr2_calloc(m->nr_code_functions,
				   sizeof(*g->by_address));
	for (i = 1; i < m->nr_code_functions; i++)
		g->by_address[i - 1] = i;
	sorted_model = m;
	qsort(g->by_address, m->nr_code_functions - 1, sizeof(*g->by_address),
	      compare_code);
}

void tr2_generated_release(struct tr2_generated *g)
{
	free(g->by_address);
	g->by_address = NULL;
}

const struct tr2_code_function *
tr2_generated_find(struct tr2_generated *g, const struct tr2_model *m,
		   uint32_t task, uint64_t address)
{
	const struct tr2_code_function *list = m->code_functions, *f;
	uint32_t low = 0, high = m->nr_code_functions - 1, middle, best = 0, i;

	if (!high)
		return NULL;
	if (!g->by_address)
		sort_code(g, m);
	while (low < high) {
		middle = low + (high - low) / 2;
		f = &list[g->by_address[middle]];
		if (f->task < task || (f->task == task && f->addr <= address))
			low = middle + 1;
		else
			high = middle;
	}
	for (i = 0; i < MOST_BEFORE && i < low; i++) {
		f = &list[g->by_address[low - 1 - i]];
		if (f->task != task)
			break;
		if (address - f->addr < f->len &&
		    g->by_address[low - 1 - i] > best)
			best = g->by_address[low - 1 - i];
	}
	return best ? &list[best] : NULL;
}

#define WITH(name, text)                                                  \
	{ name, "generated at run time (with " text ", " name \
		" names them)" }

const char *tr2_generated_why(const char *program)
{
	static const struct {
		const char *program, *why;
	} list[] = {
		WITH("node", "NODE_OPTIONS=--perf-basic-prof"),
		WITH("java", "JAVA_TOOL_OPTIONS='-XX:+UnlockDiagnosticVMOptions"
			     " -XX:+DumpPerfMapAtExit'"),
		WITH("dotnet", "DOTNET_PerfMapEnabled=1"),
		WITH("php", "-d opcache.jit_debug=16"),
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(list); i++)
		if (!strcmp(program, list[i].program))
			return list[i].why;
	return NULL;
}
