/* SPDX-License-Identifier: MIT */
/*
 * top_rows - make rows of processes, as many as fit on a screen. If there are
 * more processes, processes of one name share a row if their parents share one.
 * If there are still more rows, only the busiest are shown.
 */
#include <stdlib.h>

#include "common/memory.h"
#include "common/order.h"
#include "top/top.h"

static bool is_shown(const struct tr2_top *top, const struct tr2_top_process *p)
{
	return !p->is_recorder && (p->state != TR2_TOP_ENDED || !top->nr_live);
}

static void add_up(struct tr2_top_row *row, const struct tr2_top *top,
		   uint32_t process)
{
	const struct tr2_top_process *p = &top->process[process];
	const struct tr2_top_process *first = &top->process[row->first];
	int64_t wall_ns = tr2_top_wall_ns(p);

	row->nr++;
	row->nr_run += p->state == TR2_TOP_RUN;
	row->nr_threads += p->nr_threads;
	row->is_mixed |= p->state != first->state || p->cause != first->cause;
	row->cpu += tr2_top_cpu(p);
	row->ready += tr2_top_ready(p);
	row->cpu_ns += p->now.cpu_ns;
	if (row->wall_ns < wall_ns)
		row->wall_ns = wall_ns;
}

/* Return a row below `parent` for a process with this name. */
static uint32_t row_for(struct tr2_top_rows *rows, const struct tr2_top *top,
			uint32_t parent, const char *comm, bool folds)
{
	uint32_t i = folds ? rows->row[parent].first_child : 0;
	struct tr2_top_row *row;

	while (i && strcmp(top->process[rows->row[i].first].comm, comm) != 0)
		i = rows->row[i].next;
	if (i)
		return i;
	tr2_grow(rows->row, rows->nr, rows->alloc);
	i = rows->nr++;
	row = &rows->row[i];
	memset(row, 0, sizeof(*row));
	row->parent = parent;
	row->depth = rows->row[parent].depth + 1;
	row->is_shown = true;
	row = &rows->row[parent];
	if (row->last_child)
		rows->row[row->last_child].next = i;
	else
		row->first_child = i;
	row->last_child = i;
	return i;
}

static void add_process(struct tr2_top_rows *rows, const struct tr2_top *top,
			uint32_t parent, uint32_t process, bool folds)
{
	uint32_t i;

	if (!is_shown(top, &top->process[process]))
		return;
	i = row_for(rows, top, parent, top->process[process].comm, folds);
	if (rows->row[i].first)
		rows->next_in_row[rows->row[i].last_process] = process;
	else
		rows->row[i].first = process;
	rows->row[i].last_process = process;
	rows->next_in_row[process] = 0;
	add_up(&rows->row[i], top, process);
}

/* Make all rows. The children of a row are added when the row is complete. */
static void make_all(struct tr2_top_rows *rows, const struct tr2_top *top,
		     bool folds)
{
	uint32_t i, p, child;

	rows->nr = 0;
	tr2_grow(rows->row, rows->nr, rows->alloc);
	memset(&rows->row[rows->nr++], 0, sizeof(*rows->row));
	rows->row[0].depth = -1;
	for (i = 0; i < rows->nr; i++) {
		p = rows->row[i].first;
		do {
			for (child = top->process[p].first; child;
			     child = top->process[child].next)
				add_process(rows, top, i, child, folds);
			p = p ? rows->next_in_row[p] : 0;
		} while (p);
	}
}

struct order {
	const struct tr2_top_row *row;
	uint32_t i;
};

/* Put the busiest rows first, and of idle rows the newest, which are the
 * innermost. */
static int compare_rows(const void *va, const void *vb)
{
	const struct order *a = va, *b = vb;
	const struct tr2_top_row *x = &a->row[a->i], *y = &b->row[b->i];

	return tr2_order(y->cpu + y->ready, x->cpu + x->ready) ?: TR2_DOWN(i);
}

/* Show a row and the rows above it, if all of them fit. Return the number of
 * rows that became visible. */
static uint32_t show_row(struct tr2_top_rows *rows, uint32_t i, uint32_t room)
{
	uint32_t nr = 0, at;

	for (at = i; at && !rows->row[at].is_shown; at = rows->row[at].parent)
		nr++;
	if (nr > room)
		return 0;
	for (at = i; at && !rows->row[at].is_shown; at = rows->row[at].parent)
		rows->row[at].is_shown = true;
	return nr;
}

/* Add a last row for the processes that are not shown. */
static void add_rest(struct tr2_top_rows *rows, const struct tr2_top *top)
{
	uint32_t rest = row_for(rows, top, 0, "", false), i;
	struct tr2_top_row *row = &rows->row[rest];

	for (i = 1; i < rest; i++) {
		if (rows->row[i].is_shown)
			continue;
		row->nr += rows->row[i].nr;
		row->nr_run += rows->row[i].nr_run;
		row->nr_threads += rows->row[i].nr_threads;
		row->cpu += rows->row[i].cpu;
		row->ready += rows->row[i].ready;
		row->cpu_ns += rows->row[i].cpu_ns;
	}
}

static void show_busiest(struct tr2_top_rows *rows, const struct tr2_top *top,
			 uint32_t max)
{
	struct order *order = tr2_calloc(rows->nr, sizeof(*order));
	uint32_t i, room = max - 1;

	for (i = 1; i < rows->nr; i++) {
		rows->row[i].is_shown = false;
		order[i - 1] = (struct order){ rows->row, i };
	}
	qsort(order, rows->nr - 1, sizeof(*order), compare_rows);
	for (i = 0; i + 1 < rows->nr && room; i++)
		room -= show_row(rows, order[i].i, room);
	free(order);
	add_rest(rows, top);
}

void tr2_top_rows_make(struct tr2_top_rows *rows, const struct tr2_top *top,
		       uint32_t max)
{
	memset(rows, 0, sizeof(*rows));
	rows->next_in_row = tr2_calloc(top->nr, sizeof(*rows->next_in_row));
	make_all(rows, top, false);
	if (max && rows->nr - 1 > max)
		make_all(rows, top, true);
	if (max && rows->nr - 1 > max)
		show_busiest(rows, top, max);
}

static uint32_t row_after(const struct tr2_top_rows *rows, uint32_t row)
{
	if (rows->row[row].first_child)
		return rows->row[row].first_child;
	while (row && !rows->row[row].next)
		row = rows->row[row].parent;
	return row ? rows->row[row].next : 0;
}

uint32_t tr2_top_rows_after(const struct tr2_top_rows *rows, uint32_t row)
{
	do {
		row = row_after(rows, row);
	} while (row && !rows->row[row].is_shown);
	return row;
}

void tr2_top_rows_release(struct tr2_top_rows *rows)
{
	free(rows->row);
	free(rows->next_in_row);
}
