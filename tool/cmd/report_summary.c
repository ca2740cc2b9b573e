/* SPDX-License-Identifier: MIT */
/*
 * report_summary - the result of the whole, above the processes of `trace2
 * report`: one sentence, or a row of JSON.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "cmd/node.h"
#include "cmd/report.h"
#include "event/redact.h"
#include "model/critical.h"

/* A shorter time after the end of the whole does not count as background. */
#define MIN_BACKGROUND_NS 1000000
/* Text does not say that less was lost to others on the CPUs. */
#define MIN_READY_SHARE 0.005

int64_t tr2_report_whole_ns(const struct tr2_model *m)
{
	int64_t whole = 0;
	uint32_t i;

	tr2_for_each_root(m, i)
		tr2_ns_add(&whole, m->nodes[i].end_ns - m->nodes[i].start_ns);
	return whole;
}

/* Return the time that processes ran on after the ends of the roots. */
static int64_t background_ns(const struct tr2_model *m)
{
	int64_t last, sum = 0;
	uint32_t root, i;

	tr2_for_each_root(m, root) {
		last = m->nodes[root].end_ns;
		for (i = m->nodes[root].first; i && i != m->nodes[root].next;
		     i = tr2_node_after(m, i))
			if (m->nodes[i].end_ns > last)
				last = m->nodes[i].end_ns;
		tr2_ns_add(&sum, last - m->nodes[root].end_ns);
	}
	return sum;
}

struct summary {
	struct tr2_node_row root; /* node 0: there are several */
	int64_t whole_ns, background_ns;
	int64_t cpu_ns; /* of all processes; TR2_NO_TIME: unknown */
	/* Of the critical path; TR2_NO_TIME: unknown. */
	int64_t waiting_ns, ready_ns;
	int64_t span_ns; /* from the first start of a root to the last end */
	bool at_least;   /* the end of a root is unknown */
	uint32_t nr_roots, nr_processes, nr_failed; /* nr_failed: of the roots */
	uint64_t nr_errors;
};

static void sum_cpu(struct summary *s, const struct tr2_model *m, uint32_t node)
{
	if (m->nodes[node].cpu_ns == TR2_NO_TIME)
		return;
	if (s->cpu_ns == TR2_NO_TIME)
		s->cpu_ns = 0;
	tr2_ns_add(&s->cpu_ns, m->nodes[node].cpu_ns);
}

/* What the path of the only root consists of. */
static void sum_path(struct summary *s, const struct tr2_model *m)
{
	struct tr2_step *steps;
	size_t nr, i;

	s->waiting_ns = s->ready_ns = TR2_NO_TIME;
	if (!s->root.node || !tr2_critical_by_states(m, s->root.node))
		return;
	s->waiting_ns = s->ready_ns = 0;
	nr = tr2_critical_path(m, s->root.node, &steps);
	for (i = 0; i < nr; i++) {
		if (steps[i].kind == TR2_STEP_WAIT)
			s->waiting_ns += steps[i].ns;
		if (steps[i].kind == TR2_STEP_READY)
			s->ready_ns += steps[i].ns;
	}
	free(steps);
}

static void sum_up(struct summary *s, const struct tr2_model *m)
{
	int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
	uint32_t i;

	*s = (struct summary){ .root.m = m,
			       .whole_ns = tr2_report_whole_ns(m),
			       .background_ns = background_ns(m) };
	s->cpu_ns = TR2_NO_TIME;
	for (i = m->first_root; i; i = tr2_node_after(m, i)) {
		s->nr_processes++;
		sum_cpu(s, m, i);
	}
	tr2_for_each_root(m, i) {
		const struct tr2_node *n = &m->nodes[i];

		s->root.node = s->nr_roots++ ? 0 : i;
		s->nr_failed += tr2_node_failed(n);
		s->at_least |= n->at_least;
		first_ns = n->start_ns < first_ns ? n->start_ns : first_ns;
		last_ns = n->end_ns > last_ns ? n->end_ns : last_ns;
	}
	if (s->nr_roots)
		s->span_ns = last_ns - first_ns;
	tr2_for_each_session(m, i)
		s->nr_errors += m->sessions[i].nr_errors;
	sum_path(s, m);
}

/* Print how the whole ended if it failed, and where to read more. */
static void print_failures(const struct summary *s)
{
	const struct tr2_model *m = s->root.m;
	struct tr2_buf b = TR2_BUF_INIT;

	if (s->nr_failed && s->root.node) {
		tr2_exit_text(&b, m, s->root.node);
		printf("; %s%s", m->nodes[s->root.node].end == TR2_END_SIGNAL ?
					 "" : "exit ", tr2_buf_str(&b));
	} else if (s->nr_failed) {
		printf("; %u failed (list --errors)", s->nr_failed);
	}
	if (s->nr_errors)
		printf("; %llu error%s (report --errors)",
		       (unsigned long long)s->nr_errors,
		       s->nr_errors == 1 ? "" : "s");
	tr2_buf_release(&b);
}

static void print_time(const char *before, int64_t ns, const char *after)
{
	struct tr2_buf b = TR2_BUF_INIT;

	tr2_fmt_ns(&b, ns);
	printf("%s%s%s", before, tr2_buf_str(&b), after);
	tr2_buf_release(&b);
}

/* Print a part of the wall time: `; 3.241 s (78.0%) waiting`. */
static void print_part(const struct summary *s, int64_t ns, const char *what)
{
	print_time("; ", ns, "");
	printf(" (%.1f%%) %s", tr2_report_share(ns, s->whole_ns) * 100, what);
}

/* Several roots are commands that do not depend on each other. */
static void print_whole(const struct summary *s)
{
	const char *at_least = s->at_least ? ">= " : "";

	if (s->nr_roots < 2) {
		print_time(at_least, s->whole_ns, " wall, ");
		return;
	}
	printf("%u commands, %s", s->nr_roots, at_least);
	print_time("", s->whole_ns, " altogether");
	print_time(" in a span of ", s->span_ns, ": ");
}

static void print_summary(const struct summary *s)
{
	const struct tr2_model *m = s->root.m;

	print_whole(s);
	if (s->cpu_ns != TR2_NO_TIME) {
		print_time("", s->cpu_ns, " CPU");
		printf(" (%.2f CPUs), ",
		       tr2_report_share(s->cpu_ns, s->whole_ns));
	}
	printf("%u process%s, %llu event%s", s->nr_processes,
	       s->nr_processes == 1 ? "" : "es",
	       (unsigned long long)m->nr_events, m->nr_events == 1 ? "" : "s");
	if (s->waiting_ns != TR2_NO_TIME)
		print_part(s, s->waiting_ns, "waiting");
	if (s->ready_ns != TR2_NO_TIME &&
	    tr2_report_share(s->ready_ns, s->whole_ns) >= MIN_READY_SHARE)
		print_part(s, s->ready_ns, "without a CPU");
	if (m->spawning_ns)
		print_part(s, m->spawning_ns, "spawning");
	if (s->background_ns >= MIN_BACKGROUND_NS)
		print_time("; ", s->background_ns, " more in the background");
	if (m->lost)
		printf("; %llu events lost", (unsigned long long)m->lost);
	print_failures(s);
	puts("\n");
}

TR2_CELL(cell_wall, struct summary, tr2_cell_ns(t, r->whole_ns))
TR2_CELL(cell_cpu, struct summary, tr2_cell_ns(t, r->cpu_ns))
TR2_CELL(cell_waiting, struct summary, tr2_cell_ns(t, r->waiting_ns))
TR2_CELL(cell_ready, struct summary, tr2_cell_ns(t, r->ready_ns))
TR2_CELL(cell_at_least, struct summary,
	 tr2_cell_str(t, r->at_least ? "yes" : "no"))
TR2_CELL(cell_commands, struct summary, tr2_cell_uint(t, r->nr_roots))
TR2_CELL(cell_span, struct summary, tr2_cell_ns(t, r->span_ns))
TR2_CELL(cell_processes, struct summary, tr2_cell_uint(t, r->nr_processes))
TR2_CELL(cell_events, struct summary, tr2_cell_uint(t, r->root.m->nr_events))
TR2_CELL(cell_spawning, struct summary,
	 tr2_cell_ns(t, r->root.m->spawning_ns))
TR2_CELL(cell_background, struct summary, tr2_cell_ns(t, r->background_ns))
TR2_CELL(cell_lost, struct summary, tr2_cell_uint(t, r->root.m->lost))
TR2_CELL(cell_failed, struct summary, tr2_cell_uint(t, r->nr_failed))
TR2_CELL(cell_errors, struct summary, tr2_cell_uint(t, r->nr_errors))

TR2_CELL(cell_states_lost, struct summary,
	 if (r->root.m->has_states)
		 tr2_cell_json(t, tr2_report_states_lost(r->root.m) ? "true" :
								      "false"))

static const struct tr2_column columns[] = {
	{ "argv", "", TR2_COL_DATA, tr2_node_cell_argv },
	{ "wall_ns", "", TR2_COL_DATA, cell_wall },
	{ "cpu_ns", "", TR2_COL_DATA, cell_cpu },
	{ "waiting_ns", "", TR2_COL_DATA, cell_waiting },
	{ "ready_ns", "", TR2_COL_DATA, cell_ready },
	{ "processes", "", TR2_COL_DATA, cell_processes },
	{ "events", "", TR2_COL_DATA, cell_events },
	{ "spawning_ns", "", TR2_COL_DATA, cell_spawning },
	{ "background_ns", "", TR2_COL_DATA, cell_background },
	{ "lost", "", TR2_COL_DATA, cell_lost },
	{ "states_lost", "", TR2_COL_DATA, cell_states_lost },
	{ "failed", "", TR2_COL_DATA, cell_failed },
	{ "code", "", TR2_COL_DATA, tr2_node_cell_code },
	{ "signal", "", TR2_COL_DATA, tr2_node_cell_signal },
	{ "errors", "", TR2_COL_DATA, cell_errors },
	{ "commands", "", TR2_COL_DATA, cell_commands },
	{ "span_ns", "", TR2_COL_DATA, cell_span },
	{ "at_least", "", TR2_COL_DATA, cell_at_least },
};

void tr2_report_summary(const struct tr2_report *r)
{
	struct summary s;

	/* In CSV the processes come first: many read only the first table. The
	 * page sums up what it includes. */
	if (r->out->format == TR2_FORMAT_CSV ||
	    r->out->format == TR2_FORMAT_PAGE)
		return;
	sum_up(&s, r->m);
	if (tr2_output_is_text(r->out))
		print_summary(&s);
	else
		tr2_table_print_row(r->out, "summary", TR2_COLUMNS(columns), &s);
}

/* The command as a line of its own; in Markdown as code. */
static void print_command(const struct tr2_report *r)
{
	struct tr2_buf line = TR2_BUF_INIT, safe = TR2_BUF_INIT;
	struct tr2_buf out = TR2_BUF_INIT;
	const char *text;
	size_t len;

	tr2_node_command(r->m, r->m->first_root, &line);
	text = tr2_buf_str(&line);
	len = line.len;
	if (r->out->redact)
		text = tr2_redact(&safe, text, &len);
	tr2_text_add(&out, text, len);
	if (out.len && r->m->first_root == r->m->last_root)
		printf("%s%s\n%s",
		       tr2_report_is_text(r) ? "" : "    ", tr2_buf_str(&out),
		       tr2_report_is_text(r) ? "" : "\n");
	tr2_buf_release(&line);
	tr2_buf_release(&safe);
	tr2_buf_release(&out);
}

/* So many parts of the path. */
#define NR_PARTS 5

void tr2_report_brief(const struct tr2_report *r)
{
	if (tr2_output_is_text(r->out))
		print_command(r);
	tr2_report_summary(r);
	tr2_report_parts(r, NR_PARTS);
}
