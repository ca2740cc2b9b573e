/* SPDX-License-Identifier: MIT */
/*
 * report_memory - trace2 report --memory: the peak of all processes together,
 * which processes had the memory, and how it grew and shrank.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/say.h"
#include "model/memory_use.h"
#include "report/node.h"
#include "report/report.h"

/* The number of parts of the time for which the curve has a row. */
#define CURVE_PARTS 64

/* Set the times from the start of the first root to the end of the last. */
static void whole_time(const struct tr2_model *m, int64_t *from_ns,
		       int64_t *to_ns)
{
	uint32_t i;

	*from_ns = INT64_MAX;
	*to_ns = INT64_MIN;
	tr2_for_each_root(m, i) {
		const struct tr2_node *n = &m->nodes[i];

		*from_ns = n->start_ns < *from_ns ? n->start_ns : *from_ns;
		*to_ns = n->end_ns > *to_ns ? n->end_ns : *to_ns;
	}
}

bool tr2_report_peak(const struct tr2_model *m, uint64_t *bytes, int64_t *at_ns)
{
	struct tr2_observed_memory_point peak;
	int64_t from_ns, to_ns;

	*bytes = 0;
	*at_ns = TR2_NO_TIME;
	if (!m->first_root || !tr2_memory_peak(m, &peak))
		return false;
	whole_time(m, &from_ns, &to_ns);
	*bytes = peak.tree_bytes;
	*at_ns = peak.at_ns > from_ns ? peak.at_ns - from_ns : 0;
	return true;
}

const char *tr2_report_peak_text(uint64_t bytes, int64_t at_ns)
{
	struct tr2_buf *b = tr2_next_text();

	tr2_addf(b, "peak memory %s at %s", tr2_bytes_text(bytes),
		 tr2_ns_text(at_ns));
	return tr2_buf_str(b);
}

void tr2_report_add_oom(struct tr2_buf *b, const struct tr2_model *m)
{
	const struct tr2_node *first = NULL;
	uint32_t i, nr = 0;

	for (i = m->first_root; i; i = tr2_node_after(m, i))
		if (tr2_node_oom(m, &m->nodes[i]) && !nr++)
			first = &m->nodes[i];
	if (!nr)
		return;
	if (nr == 1)
		tr2_addf(b, "; %s",
			 tr2_node_name(m, (uint32_t)(first - m->nodes)));
	else
		tr2_addf(b, "; %u processes", nr);
	tr2_buf_addall(b, " killed", tr2_node_oom_text(m, first));
}

struct curve_row {
	const struct tr2_model *m;
	int64_t from_ns, part_ns; /* start and length of this part of the
				   * curve */
	uint32_t most;
};

#define CURVE_COLUMNS(COLUMN, DATA, TEXT) \
	DATA(from_ns, tr2_cell_ns(t, r->from_ns)) \
	DATA(length_ns, tr2_cell_ns(t, r->part_ns)) \
	DATA(most_bytes, tr2_cell_bytes(t, r->m->memory[r->most].tree_bytes))

TR2_COLUMN_LIST(curve_columns, struct curve_row, CURVE_COLUMNS)

static void print_curve_data(const struct tr2_report *r, const uint32_t *most,
			     int64_t part_ns)
{
	struct tr2_table t = TR2_TABLE_OF(r->out, "memory_curve",
					  curve_columns);
	struct curve_row row = { .m = r->m, .part_ns = part_ns };
	size_t i;

	for (i = 0; i < CURVE_PARTS; i++, row.from_ns += part_ns) {
		row.most = most[i];
		tr2_table_add(&t, &row);
	}
	tr2_table_finish(&t);
}

static void print_curve_text(const struct tr2_report *r, const uint32_t *most,
			     uint64_t peak_bytes)
{
	static const char *const blocks[] = { "▁", "▂", "▃", "▄",
					      "▅", "▆", "▇", "█" };
	static const char *const ascii[] = { "_", ".", "-", "=",
					     "+", "*", "%", "#" };
	uint64_t bytes;
	size_t i, level;

	for (i = 0; i < CURVE_PARTS; i++) {
		bytes = r->m->memory[most[i]].tree_bytes;
		level = (size_t)((double)bytes / (double)peak_bytes * 7.999);
		fputs(bytes ? tr2_term_text(blocks[level], ascii[level]) : " ",
		      stdout);
	}
	puts("\n");
}

struct peak_row {
	uint64_t bytes;
	int64_t at_ns;
};

#define PEAK_COLUMNS(COLUMN, DATA, TEXT) \
	DATA(peak_bytes, tr2_cell_bytes(t, r->bytes)) \
	DATA(at_ns, tr2_cell_ns(t, r->at_ns))

TR2_COLUMN_LIST(peak_columns, struct peak_row, PEAK_COLUMNS)

static void print_peak(const struct tr2_model *m, uint64_t bytes, int64_t at_ns)
{
	struct tr2_buf b = TR2_BUF_INIT;

	tr2_report_add_oom(&b, m);
	printf("%s%s\n", tr2_report_peak_text(bytes, at_ns), tr2_buf_str(&b));
	tr2_buf_release(&b);
}

/* Leave the sums out of CSV, which has one table a file, and of a page, which
 * draws the curve. */
static void print_whole(const struct tr2_report *r, const struct peak_row *peak)
{
	int64_t from_ns, to_ns;
	uint32_t *most;

	if (r->out->format == TR2_FORMAT_CSV ||
	    r->out->format == TR2_FORMAT_PAGE)
		return;
	whole_time(r->m, &from_ns, &to_ns);
	most = tr2_memory_curve(r->m, from_ns, to_ns, CURVE_PARTS);
	if (tr2_output_is_text(r->out)) {
		print_peak(r->m, peak->bytes, peak->at_ns);
		print_curve_text(r, most, peak->bytes);
	} else {
		tr2_table_print_row(r->out, "memory_peak",
				    TR2_COLUMNS(peak_columns), peak);
		print_curve_data(r, most, (to_ns - from_ns) / CURVE_PARTS);
	}
	free(most);
}

struct memory_row {
	const struct tr2_model *m;
	const struct tr2_memory_kind *k;
};

static int64_t largest_at_ns(const struct memory_row *r)
{
	return r->k->largest_ns - r->m->nodes[r->m->first_root].start_ns;
}

/* In text, show a kind without memory at the peak by its name alone. */
static void cell_kind_text(struct tr2_table *t, const struct memory_row *r)
{
	const char *name = tr2_s(r->m, r->k->kind);

	if (r->k->nr < 2) {
		tr2_cell_str(t, name);
		return;
	}
	tr2_cell_strf(t, "%s x %u", name, r->k->nr);
	tr2_cell_keep_count(t);
}

#define COLUMNS(COLUMN, DATA, TEXT) \
	COLUMN(peak_bytes, "AT PEAK", 0, \
	       if (r->k->nr) tr2_cell_bytes(t, r->k->bytes)) \
	DATA(count, tr2_cell_uint(t, r->k->nr)) \
	COLUMN(largest_bytes, "LARGEST", 0, \
	       tr2_cell_bytes(t, r->k->largest_bytes)) \
	COLUMN(largest_at_ns, "AT", 0, tr2_cell_ns(t, largest_at_ns(r))) \
	DATA(largest_pid, tr2_node_cell_pid(t, &(struct tr2_node_row){ \
		r->m, r->k->largest_node })) \
	TEXT(kind_text, "PROCESS", TR2_COL_FLEX, cell_kind_text(t, r)) \
	DATA(kind, tr2_cell_str(t, tr2_s(r->m, r->k->kind)))

TR2_COLUMN_LIST(columns, struct memory_row, COLUMNS)

static bool takes_node(const void *data, uint32_t node)
{
	const struct tr2_report *r = data;

	return tr2_filter_node(r->filter, r->m, node);
}

bool tr2_report_memory(const struct tr2_report *r)
{
	struct tr2_table t = TR2_TABLE_OF(r->out, "memory", columns);
	struct memory_row row = { .m = r->m };
	struct tr2_memory_kind *kinds;
	struct peak_row peak;
	size_t nr, i;
	bool ok;

	if (!tr2_report_peak(r->m, &peak.bytes, &peak.at_ns)) {
		if (tr2_report_is_text(r))
			tr2_warning("no memory in this recording: the recorder "
				    "looked at no process");
		return true;
	}
	print_whole(r, &peak);
	nr = tr2_memory_kinds(r->m, takes_node, r, &kinds);
	for (i = 0; i < nr; i++) {
		row.k = &kinds[i];
		tr2_table_add(&t, &row);
	}
	ok = tr2_report_table_if_any(r, &t, r->sort);
	free(kinds);
	return ok;
}
