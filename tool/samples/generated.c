/* SPDX-License-Identifier: MIT */
/* generated - sort and search generated functions. */
#include "samples/generated.h"

#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "common/memory.h"
#include "common/order.h"
#include "common/words.h"

/* Search at most this many functions that begin before the address: replaced
 * functions overlap. Only a damaged list has more. */
#define MOST_BEFORE 4096

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
	const struct tr2_code_function *f;
	uint64_t reach = 0;
	uint32_t i, task = 0;

	g->by_address = tr2_calloc(m->nr_code_functions,
				   sizeof(*g->by_address));
	for (i = 1; i < m->nr_code_functions; i++)
		g->by_address[i - 1] = i;
	sorted_model = m;
	qsort(g->by_address, m->nr_code_functions - 1, sizeof(*g->by_address),
	      compare_code);
	g->reach = tr2_calloc(m->nr_code_functions, sizeof(*g->reach));
	for (i = 0; i < m->nr_code_functions - 1; i++) {
		f = &m->code_functions[g->by_address[i]];
		if (f->task != task || f->addr + f->len > reach)
			reach = f->addr + f->len;
		task = f->task;
		g->reach[i] = reach;
	}
}

void tr2_generated_release(struct tr2_generated *g)
{
	free(g->by_address);
	free(g->reach);
	g->by_address = NULL;
	g->reach = NULL;
}

/* Count the functions that begin at or before this address of the task, or
 * belong to an earlier task. */
static uint32_t count_until(const struct tr2_generated *g,
			    const struct tr2_model *m, uint32_t task,
			    uint64_t address)
{
	uint32_t low = 0, high = m->nr_code_functions - 1, middle;
	const struct tr2_code_function *f;

	while (low < high) {
		middle = low + (high - low) / 2;
		f = &m->code_functions[g->by_address[middle]];
		if (f->task < task || (f->task == task && f->addr <= address))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* If two functions contain an address, is `a` the better one for that time? */
static bool is_better(const struct tr2_model *m, uint32_t a, uint32_t b,
		      int64_t at_ns)
{
	int64_t a_ns = m->code_functions[a].from_ns;
	int64_t b_ns = m->code_functions[b].from_ns;

	if ((a_ns <= at_ns) != (b_ns <= at_ns))
		return a_ns <= at_ns;
	if (a_ns != b_ns)
		return (a_ns > b_ns) == (a_ns <= at_ns);
	return a > b;
}

uint32_t tr2_generated_find(struct tr2_generated *g, const struct tr2_model *m,
			    uint32_t task, uint64_t address, int64_t at_ns,
			    bool *always)
{
	const struct tr2_code_function *f;
	uint32_t best = 0, at, nr, i;

	if (m->nr_code_functions == 1)
		return 0;
	if (!g->by_address)
		sort_code(g, m);
	at = count_until(g, m, task, address);
	for (nr = 0; at && nr < MOST_BEFORE; nr++) {
		i = g->by_address[--at];
		f = &m->code_functions[i];
		if (f->task != task || g->reach[at] <= address)
			break;
		if (address - f->addr >= f->len)
			continue;
		*always &= !best;
		if (!best || is_better(m, i, best, at_ns))
			best = i;
	}
	return best;
}

bool tr2_generated_any(struct tr2_generated *g, const struct tr2_model *m,
		       uint32_t task)
{
	uint32_t nr;

	if (m->nr_code_functions == 1)
		return false;
	if (!g->by_address)
		sort_code(g, m);
	nr = count_until(g, m, task, UINT64_MAX);
	return nr && m->code_functions[g->by_address[nr - 1]].task == task;
}

bool tr2_generated_is_python(const char *file, const char *function)
{
	const char *version = strstr(tr2_base_name(file), "python3.");

	return version && atoi(version + strlen("python3.")) >= 12 &&
	       !strcmp(function, "_PyEval_EvalFrameDefault");
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
