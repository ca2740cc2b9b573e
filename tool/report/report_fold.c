/* SPDX-License-Identifier: MIT */
/* report_fold - fold the tree of processes into few rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "common/memory.h"
#include "common/order.h"
#include "model/kind.h"
#include "model/stats.h"
#include "report/report_fold.h"

/* A process of a row: how long it ran, and the times between which both the
 * process and its root ran. */
struct piece {
	uint32_t row;
	int64_t wall_ns, from_ns, to_ns;
};

/* Scripts of one interpreter that have the same parent row. */
struct scripts {
	uint32_t nr, nr_longer;
	tr2_str first, kind; /* kind: the kind of the row that some of the
			      * scripts share; 0: no scripts share a row */
	size_t prefix, suffix; /* lengths of the prefix and suffix that the
				* kinds of these scripts have in common */
};

struct folding {
	const struct tr2_report *r;
	struct tr2_fold *fold;
	struct tr2_map map;  /* maps a parent row and a kind to a row */
	uint32_t *row_of;    /* the row of each node; for a node that is not
			      * selected, the row of its nearest selected
			      * ancestor */
	struct piece *pieces;
	uint32_t nr_pieces;
	struct tr2_map by_interpreter; /* maps a row and an interpreter to 1 +
					* the index of their scripts */
	struct scripts *scripts;
	uint32_t nr_scripts, alloc_scripts;
};

int64_t tr2_report_time_within(const struct tr2_node *n,
			       const struct tr2_node *root)
{
	int64_t start = n->start_ns > root->start_ns ? n->start_ns :
						       root->start_ns;
	int64_t end = n->end_ns < root->end_ns ? n->end_ns : root->end_ns;

	return end > start ? end - start : 0;
}

static bool fits_unfolded(const struct tr2_report *r)
{
	uint32_t i, nr = 0;

	for (i = r->m->first_root; i && nr <= TR2_REPORT_ROWS;
	     i = tr2_node_after(r->m, i))
		nr += tr2_filter_node(r->filter, r->m, i);
	return nr <= TR2_REPORT_ROWS;
}

static void add_ns(int64_t *total, int64_t ns)
{
	if (ns == TR2_NO_TIME)
		return;
	if (*total == TR2_NO_TIME)
		*total = 0;
	tr2_ns_add(total, ns);
}

/* Add the processes of one row to another row. */
static void add_row_to(struct tr2_fold_row *to, const struct tr2_fold_row *row)
{
	to->nr += row->nr;
	to->at_least |= row->at_least;
	tr2_ns_add(&to->wall_ns, row->wall_ns);
	tr2_ns_add(&to->self_ns, row->self_ns);
	add_ns(&to->cpu_ns, row->cpu_ns);
	add_ns(&to->wait_ns, row->wait_ns);
	add_ns(&to->ready_ns, row->ready_ns);
	add_ns(&to->spawn_ns, row->spawn_ns);
}

static const struct tr2_fold_row empty = {
	.cpu_ns = TR2_NO_TIME,
	.wait_ns = TR2_NO_TIME,
	.ready_ns = TR2_NO_TIME,
	.spawn_ns = TR2_NO_TIME,
};

static uint32_t add_row(struct tr2_fold *fold, uint32_t parent, tr2_str kind,
			uint32_t node)
{
	struct tr2_fold_row *above;
	uint32_t i = fold->nr++;

	tr2_grow(fold->row, i, fold->alloc);
	fold->row[i] = empty;
	fold->row[i].kind = kind;
	fold->row[i].node = node;
	fold->row[i].parent = parent;
	if (!i)
		return 0;
	above = &fold->row[parent];
	*(above->last ? &fold->row[above->last].next : &above->first) = i;
	above->last = i;
	return i;
}

static void add_node(struct folding *f, uint32_t node, uint32_t root)
{
	const struct tr2_node *n = &f->r->m->nodes[node];
	const struct tr2_node *top = &f->r->m->nodes[root];
	const struct tr2_times *times = tr2_times(f->r->m, n);
	tr2_str kind = tr2_kind(f->r->m, node, 0);
	uint32_t above = f->row_of[n->parent];
	uint32_t *slot = tr2_map_slot(&f->map, tr2_key(above, kind));
	int64_t within = tr2_report_time_within(n, top);
	int64_t from = n->start_ns > top->start_ns ? n->start_ns :
						     top->start_ns;
	struct tr2_fold_row *row;

	if (!*slot)
		*slot = add_row(f->fold, above, kind, node);
	f->row_of[node] = *slot;
	row = &f->fold->row[*slot];
	row->nr++;
	row->at_least |= n->at_least;
	tr2_ns_add(&row->wall_ns, n->end_ns - n->start_ns);
	tr2_ns_add(&row->self_ns, n->self_ns);
	add_ns(&row->cpu_ns, times->cpu_ns);
	add_ns(&row->wait_ns, times->wait_ns);
	add_ns(&row->ready_ns, times->ready_ns);
	add_ns(&row->spawn_ns, n->spawn_ns);
	f->pieces[f->nr_pieces++] = (struct piece){ *slot,
						    n->end_ns - n->start_ns,
						    from, from + within };
}

TR2_ORDER(by_wall, struct piece, TR2_UP(row) ?: TR2_UP(wall_ns))
TR2_ORDER(by_start, struct piece, TR2_UP(row) ?: TR2_UP(from_ns))

/* Sum up the time of each row, and find its median and its largest time. */
static void measure_rows(struct folding *f)
{
	struct tr2_fold_row *rows = f->fold->row;
	int64_t until = 0;
	uint32_t i, first;

	qsort(f->pieces, f->nr_pieces, sizeof(*f->pieces), by_wall);
	for (i = 0; i < f->nr_pieces; i += rows[f->pieces[first].row].nr) {
		struct tr2_fold_row *row = &rows[f->pieces[first = i].row];

		row->median_ns =
			f->pieces[first + tr2_rank(row->nr, 0.5)].wall_ns;
		row->max_ns = f->pieces[first + row->nr - 1].wall_ns;
	}
	qsort(f->pieces, f->nr_pieces, sizeof(*f->pieces), by_start);
	for (i = 0; i < f->nr_pieces; i++) {
		const struct piece *p = &f->pieces[i];
		int64_t from = p->from_ns;

		if (i && p[-1].row == p->row && from < until)
			from = until;
		else if (!i || p[-1].row != p->row)
			until = from;
		if (p->to_ns > from)
			rows[p->row].once_ns += p->to_ns - from;
		if (p->to_ns > until)
			until = p->to_ns;
	}
}

static const struct tr2_fold_row *sorted_rows;

static int by_time(const void *va, const void *vb)
{
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;

	return tr2_order(sorted_rows[b].once_ns, sorted_rows[a].once_ns) ?:
	       tr2_order(a, b);
}

/* Return the rows in order of their time, the longest first. The caller frees
 * the array. */
static uint32_t *by_time_of(const struct tr2_fold *fold)
{
	uint32_t *order = tr2_calloc(fold->nr, sizeof(*order)), i;

	for (i = 1; i < fold->nr; i++)
		order[i - 1] = i;
	sorted_rows = fold->row;
	qsort(order, fold->nr - 1, sizeof(*order), by_time);
	return order;
}

/* The number of scripts of one interpreter and one parent row that keep rows of
 * their own. The other scripts share a row, if there are at least two. */
#define NR_SCRIPTS 8

/* Return the group of scripts to which a row belongs; NULL: the row is not a
 * script. */
static struct scripts *scripts_of(struct folding *f, uint32_t row)
{
	struct tr2_model *m = f->r->m;
	const struct tr2_fold_row *r = &f->fold->row[row];
	size_t len = tr2_kind_interpreter(tr2_s(m, r->kind));
	uint32_t *slot;

	if (!len)
		return NULL;
	slot = tr2_map_slot(&f->by_interpreter,
			    tr2_key(r->parent, tr2_intern(m, tr2_s(m, r->kind),
							  len)));
	if (!*slot) {
		tr2_grow(f->scripts, f->nr_scripts, f->alloc_scripts);
		f->scripts[f->nr_scripts] = (struct scripts){ 0 };
		*slot = ++f->nr_scripts;
	}
	return &f->scripts[*slot - 1];
}

static bool is_inside_character(const char *at)
{
	return ((unsigned char)*at & 0xc0) == 0x80;
}

/* Shorten the common prefix and suffix to those that another kind shares with
 * the first kind. */
static void find_common(struct scripts *s, const char *first, const char *kind)
{
	size_t a = strlen(first), b = strlen(kind), i = 0, k = 0;
	size_t least = a < b ? a : b;

	while (i < s->prefix && i < least && first[i] == kind[i])
		i++;
	while (i && is_inside_character(first + i))
		i--;
	while (k < s->suffix && k < least - i &&
	       first[a - 1 - k] == kind[b - 1 - k])
		k++;
	while (k && is_inside_character(first + a - k))
		k--;
	s->prefix = i;
	s->suffix = k;
}

/* Name the row that the scripts share, for example: sh t*.sh */
static void name_scripts(struct tr2_model *m, struct scripts *s)
{
	struct tr2_buf b = TR2_BUF_INIT;
	const char *first = tr2_s(m, s->first);

	if (!s->first)
		return;
	tr2_buf_add(&b, first, s->prefix);
	tr2_buf_addch(&b, '*');
	tr2_buf_addstr(&b, first + strlen(first) - s->suffix);
	s->kind = tr2_intern(m, b.p, b.len);
	tr2_buf_release(&b);
}

/* Choose the scripts that share a row: all except those that took longest.
 * `order`: rows by their time. */
static void choose_scripts(struct folding *f, const uint32_t *order)
{
	struct tr2_fold_row *rows = f->fold->row;
	struct scripts *s;
	uint32_t i, k;

	for (i = 1; i < f->fold->nr; i++)
		if ((s = scripts_of(f, i)))
			s->nr++;
	for (k = 0; k + 1 < f->fold->nr; k++) {
		s = scripts_of(f, order[k]);
		if (!s || s->nr <= NR_SCRIPTS + 1 ||
		    s->nr_longer++ < NR_SCRIPTS)
			continue;
		if (!s->first) {
			s->first = rows[order[k]].kind;
			s->prefix = s->suffix = SIZE_MAX;
			continue;
		}
		find_common(s, tr2_s(f->r->m, s->first),
			    tr2_s(f->r->m, rows[order[k]].kind));
	}
	for (i = 0; i < f->nr_scripts; i++)
		name_scripts(f->r->m, &f->scripts[i]);
	for (i = 0; i < f->nr_scripts; i++)
		f->scripts[i].nr_longer = 0;
}

/* Merge rows of one kind and one parent row. */
static void merge_rows(struct folding *f)
{
	struct tr2_fold *fold = f->fold, old = *fold;
	uint32_t *now = tr2_calloc(old.nr, sizeof(*now)), i, *slot;

	*fold = (struct tr2_fold){ 0 };
	tr2_map_release(&f->map);
	add_row(fold, 0, 0, 0);
	for (i = 1; i < old.nr; i++) {
		const struct tr2_fold_row *row = &old.row[i];
		uint32_t above = now[row->parent];

		slot = tr2_map_slot(&f->map, tr2_key(above, row->kind));
		if (!*slot)
			*slot = add_row(fold, above, row->kind, row->node);
		now[i] = *slot;
		add_row_to(&fold->row[now[i]], row);
	}
	for (i = 0; i < f->nr_pieces; i++)
		f->pieces[i].row = now[f->pieces[i].row];
	tr2_fold_release(&old);
	free(now);
}

/* Fold most of the scripts that one process ran with one interpreter. */
static void fold_scripts(struct folding *f)
{
	uint32_t *order = by_time_of(f->fold), k;
	struct scripts *s;

	choose_scripts(f, order);
	for (k = 0; k + 1 < f->fold->nr; k++) {
		s = scripts_of(f, order[k]);
		if (s && s->kind && s->nr_longer++ >= NR_SCRIPTS)
			f->fold->row[order[k]].kind = s->kind;
	}
	merge_rows(f);
	measure_rows(f);
	free(order);
	tr2_map_release(&f->by_interpreter);
	free(f->scripts);
}

/* Show a row and all rows above it, if there is room for all of them. */
static void show_row(struct tr2_fold *fold, uint32_t row, uint32_t *room)
{
	uint32_t i, need = 0;

	for (i = row; i && !fold->row[i].shown && need <= *room;
	     i = fold->row[i].parent)
		need++;
	if (need > *room)
		return;
	*room -= need;
	for (i = row; i && !fold->row[i].shown; i = fold->row[i].parent)
		fold->row[i].shown = true;
}

static void leave_out(struct tr2_fold *fold, const struct tr2_fold_row *row)
{
	fold->nr_rest++;
	if (row->once_ns > fold->most_rest_ns)
		fold->most_rest_ns = row->once_ns;
	add_row_to(&fold->rest, row);
}

/* Choose the rows with most of the time. */
static void choose_rows(struct tr2_fold *fold, int64_t whole)
{
	uint32_t *order = by_time_of(fold);
	uint32_t i, room = TR2_REPORT_ROWS - 1; /* one row is for the processes
						 * that are left out */

	for (i = 0; i + 1 < fold->nr; i++)
		if (tr2_report_share(fold->row[order[i]].once_ns, whole) >=
		    TR2_REPORT_SHARE)
			show_row(fold, order[i], &room);
	fold->rest = empty;
	for (i = 1; i < fold->nr; i++)
		if (!fold->row[i].shown)
			leave_out(fold, &fold->row[i]);
		else if (fold->row[i].nr == 1)
			fold->single[fold->nr_singles++] = fold->row[i].node;
	free(order);
}

bool tr2_report_fold(struct tr2_fold *fold, const struct tr2_report *r)
{
	struct tr2_model *m = r->m;
	struct folding f = { .r = r, .fold = fold };
	uint32_t i, root = 0;

	*fold = (struct tr2_fold){ 0 };
	if (fits_unfolded(r))
		return false;
	f.row_of = tr2_calloc(m->nr_nodes, sizeof(*f.row_of));
	f.pieces = tr2_calloc(m->nr_nodes, sizeof(*f.pieces));
	add_row(fold, 0, 0, 0);
	for (i = m->first_root; i; i = tr2_node_after(m, i)) {
		if (!m->nodes[i].parent)
			root = i;
		if (tr2_filter_node(r->filter, m, i))
			add_node(&f, i, root);
		else
			f.row_of[i] = f.row_of[m->nodes[i].parent];
	}
	measure_rows(&f);
	fold_scripts(&f);
	choose_rows(fold, tr2_report_whole_ns(m));
	tr2_map_release(&f.map);
	free(f.row_of);
	free(f.pieces);
	return true;
}

void tr2_fold_release(struct tr2_fold *fold)
{
	free(fold->row);
}

/* Return the next row of the tree, shown or not. */
static uint32_t row_after(const struct tr2_fold *fold, uint32_t row, int *depth)
{
	if (fold->row[row].first) {
		++*depth;
		return fold->row[row].first;
	}
	for (; row && !fold->row[row].next; row = fold->row[row].parent)
		--*depth;
	return fold->row[row].next;
}

uint32_t tr2_fold_after(const struct tr2_fold *fold, uint32_t row, int *depth)
{
	/* Keep the rows above a shown row, too. */
	do
		row = row_after(fold, row, depth);
	while (row && !fold->row[row].shown);
	return row;
}

const char *tr2_report_bound(int64_t most_ns, int64_t whole_ns)
{
	double share = tr2_report_share(most_ns, whole_ns);

	if (share < TR2_REPORT_SHARE)
		share = TR2_REPORT_SHARE;
	else
		share = floor(share * 1000 + 1) / 1000;
	return tr2_share_text(share);
}
