/* SPDX-License-Identifier: MIT */
/*
 * report_summary - the result of the whole recording, above the processes of
 * `trace2 report`: a few sentences, or a row of JSON.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "common/memory.h"
#include "event/redact.h"
#include "model/path/critical.h"
#include "model/states.h"
#include "report/node.h"
#include "report/report.h"

/* Time after the end of the root counts as background only if it is at least
 * this long. */
#define MIN_BACKGROUND_NS 1000000
/* Text leaves out smaller shares. MIN_READY_SHARE is for the time without a
 * CPU; MIN_RECORDER_SHARE is for the part of this time in which the recorder
 * had the CPU. */
#define MIN_READY_SHARE 0.005
#define MIN_RECORDER_SHARE 0.003

int64_t tr2_report_whole_ns(const struct tr2_model *m)
{
	int64_t whole = 0;
	uint32_t i;

	tr2_for_each_root(m, i)
		tr2_ns_add(&whole, m->nodes[i].end_ns - m->nodes[i].start_ns);
	return whole;
}

/* Return for how long processes ran on after the ends of the roots. */
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
	struct tr2_node_row root; /* root.node is 0 if there are several
				   * roots */
	int64_t whole_ns, background_ns;
	int64_t cpu_ns; /* CPU time of all processes; TR2_NO_TIME: unknown */
	/* Times on the critical path; TR2_NO_TIME: unknown. */
	int64_t waiting_ns, ready_ns;
	int64_t recorder_ns; /* the part of ready_ns in which the recorder had
			      * the CPU */
	int64_t span_ns; /* time from the first start of a root to the last
			  * end */
	bool at_least;   /* true: the end of a root is unknown */
	/* nr_failed: number of roots that failed */
	uint32_t nr_roots, nr_processes, nr_failed;
	uint64_t nr_errors;
	uint64_t peak_bytes; /* peak of memory; 0: unknown */
	int64_t peak_ns;
};

static void sum_cpu(struct summary *s, const struct tr2_model *m, uint32_t node)
{
	if (tr2_times(m, &m->nodes[node])->cpu_ns == TR2_NO_TIME)
		return;
	if (s->cpu_ns == TR2_NO_TIME)
		s->cpu_ns = 0;
	tr2_ns_add(&s->cpu_ns, tr2_times(m, &m->nodes[node])->cpu_ns);
}

/* Sum up the steps of the critical path, if there is only one root. */
static void sum_path(struct summary *s, const struct tr2_model *m)
{
	static const char recorder[] = TR2_RECORDER_NAME;
	tr2_str by = tr2_interned_n(m, recorder, strlen(recorder)) |
		     TR2_BY_OUTSIDE;
	struct tr2_path_piece *pieces;
	size_t nr, i;

	s->waiting_ns = s->ready_ns = s->recorder_ns = TR2_NO_TIME;
	if (!s->root.node || !tr2_critical_by_states(m, s->root.node))
		return;
	s->waiting_ns = s->ready_ns = s->recorder_ns = 0;
	nr = tr2_critical_pieces(m, s->root.node, &pieces);
	for (i = 0; i < nr; i++) {
		int64_t ns = pieces[i].end_ns - pieces[i].start_ns;

		if (pieces[i].kind == TR2_STEP_WAIT)
			s->waiting_ns += ns;
		if (pieces[i].kind == TR2_STEP_READY)
			s->ready_ns += ns;
		if (pieces[i].kind == TR2_STEP_READY && pieces[i].by == by)
			s->recorder_ns += ns;
	}
	free(pieces);
	/* Leave recorder_ns unknown without records of wake-ups: they tell
	 * which thread had the CPU. */
	if (m->no_wakers)
		s->recorder_ns = TR2_NO_TIME;
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
		s->nr_errors += tr2_rare(m, i)->nr_errors;
	(void)tr2_report_peak(m, &s->peak_bytes, &s->peak_ns);
	sum_path(s, m);
}

/* Append how roots failed, the number of errors, and the name of the view that
 * says more. */
static void add_failures(struct tr2_buf *b, const struct summary *s)
{
	const struct tr2_model *m = s->root.m;

	if (s->nr_failed && s->root.node) {
		tr2_buf_addstr(b, m->nodes[s->root.node].end == TR2_END_SIGNAL ?
					  "; " : "; exit ");
		tr2_exit_text(b, m, s->root.node);
	} else if (s->nr_failed) {
		tr2_addf(b, "; %u failed (list --errors)", s->nr_failed);
	}
	if (s->nr_errors)
		tr2_addf(b, "; %" PRIu64 " error%s (report --errors)",
			 s->nr_errors, s->nr_errors == 1 ? "" : "s");
}

/* Append a part of the wall time: `3.241 s (78.0%) waiting`. */
static void add_part(struct tr2_buf *b, const struct summary *s,
		     const char *before, int64_t ns, const char *what)
{
	tr2_addf(b, "%s%s (%s) %s", before, tr2_ns_text(ns),
		 tr2_share_text(tr2_report_share(ns, s->whole_ns)), what);
}

/* Append the times. Several roots are commands that do not depend on each
 * other. */
static void add_whole(struct tr2_buf *b, const struct summary *s)
{
	const char *least = s->at_least ? ">= " : "";
	const char *whole = tr2_ns_text(s->whole_ns);

	if (s->nr_roots < 2)
		tr2_addf(b, "%s%s wall", least, whole);
	else
		tr2_addf(b, "%u commands, %s%s altogether in a span of %s",
			 s->nr_roots, least, whole, tr2_ns_text(s->span_ns));
	if (s->cpu_ns != TR2_NO_TIME)
		tr2_addf(b, ", %s CPU (%.2f CPUs)", tr2_ns_text(s->cpu_ns),
			 tr2_report_share(s->cpu_ns, s->whole_ns));
	if (s->peak_bytes)
		tr2_addf(b, "; %s",
			 tr2_report_peak_text(s->peak_bytes, s->peak_ns));
	tr2_report_add_oom(b, s->root.m);
}

/* Append four lines: time and memory; the processes, and how they ended; for
 * what the critical path waited; everything else. */
static void add_summary(struct tr2_buf *b, const struct summary *s)
{
	const struct tr2_model *m = s->root.m;
	const char *between = "\n";

	add_whole(b, s);
	tr2_addf(b, "\n%u process%s, %" PRIu64 " event%s", s->nr_processes,
		 s->nr_processes == 1 ? "" : "es", m->nr_events,
		 m->nr_events == 1 ? "" : "s");
	if (m->lost)
		tr2_addf(b, "; %" PRIu64 " events lost", m->lost);
	add_failures(b, s);
	if (s->waiting_ns != TR2_NO_TIME)
		add_part(b, s, "\n", s->waiting_ns, "waiting");
	if (s->ready_ns != TR2_NO_TIME &&
	    tr2_report_share(s->ready_ns, s->whole_ns) >= MIN_READY_SHARE)
		add_part(b, s, "; ", s->ready_ns, "without a CPU");
	if (s->recorder_ns != TR2_NO_TIME &&
	    tr2_report_share(s->recorder_ns, s->whole_ns) >= MIN_RECORDER_SHARE)
		add_part(b, s, "; ", s->recorder_ns, "taken by the recorder");
	if (m->throttled_ns)
		tr2_addf(b, "; %s throttled (limit: %.2f CPUs)",
			 tr2_ns_text(m->throttled_ns),
			 (double)m->cpu_limit_millicpu / 1000);
	if (m->spawning_ns) {
		add_part(b, s, between, m->spawning_ns, "spawning");
		between = "; ";
	}
	if (s->background_ns >= MIN_BACKGROUND_NS)
		tr2_addf(b, "%s%s more in the background", between,
			 tr2_ns_text(s->background_ns));
}

/* Print the lines. Break lines that do not fit, if possible. Do not break
 * Markdown: the browser does. */
static void print_summary(const struct summary *s, bool wide, bool markdown)
{
	size_t width = tr2_term_width() ? tr2_term_width() : TR2_REPORT_WIDTH;
	size_t column = 0, len;
	struct tr2_buf b = TR2_BUF_INIT;
	const char *p;

	add_summary(&b, s);
	for (p = tr2_buf_str(&b); *p; p += len) {
		len = strcspn(p, ";\n");
		len += p[len] == ';';
		/* All parts of a line except the first begin with a space. */
		if (!wide && !markdown && column && column + len > width) {
			printf("\n%.*s", (int)len - 1, p + 1);
			column = len - 1;
		} else {
			printf("%.*s", (int)len, p);
			column += len;
		}
		if (p[len] == '\n') {
			fputs(markdown ? "; " : "\n", stdout);
			column = 0;
			len++;
		}
	}
	puts("\n");
	tr2_buf_release(&b);
}

#define COLUMNS(COLUMN, DATA, TEXT) \
	DATA(argv, tr2_node_cell_argv(t, &r->root)) \
	DATA(wall_ns, tr2_cell_ns(t, r->whole_ns)) \
	DATA(cpu_ns, tr2_cell_ns(t, r->cpu_ns)) \
	DATA(waiting_ns, tr2_cell_ns(t, r->waiting_ns)) \
	DATA(ready_ns, tr2_cell_ns(t, r->ready_ns)) \
	DATA(recorder_ready_ns, tr2_cell_ns(t, r->recorder_ns)) \
	DATA(recorder_cpu_ns, if (r->root.m->recorder_cpu_ns) \
		tr2_cell_ns(t, r->root.m->recorder_cpu_ns)) \
	DATA(throttled_ns, if (r->root.m->cpu_limit_millicpu) \
		tr2_cell_ns(t, r->root.m->throttled_ns)) \
	DATA(cpu_limit_millicpu, if (r->root.m->cpu_limit_millicpu) \
		tr2_cell_uint(t, r->root.m->cpu_limit_millicpu)) \
	DATA(peak_memory_bytes, if (r->peak_bytes) \
		tr2_cell_bytes(t, r->peak_bytes)) \
	DATA(peak_memory_at_ns, tr2_cell_ns(t, r->peak_ns)) \
	DATA(processes, tr2_cell_uint(t, r->nr_processes)) \
	DATA(events, tr2_cell_uint(t, r->root.m->nr_events)) \
	DATA(spawning_ns, tr2_cell_ns(t, r->root.m->spawning_ns)) \
	DATA(background_ns, tr2_cell_ns(t, r->background_ns)) \
	DATA(lost, tr2_cell_uint(t, r->root.m->lost)) \
	DATA(states_lost, if (r->root.m->has_states) \
		tr2_cell_bool(t, tr2_report_states_lost(r->root.m))) \
	DATA(failed, tr2_cell_uint(t, r->nr_failed)) \
	DATA(code, tr2_node_cell_code(t, &r->root)) \
	DATA(signal, tr2_node_cell_signal(t, &r->root)) \
	DATA(errors, tr2_cell_uint(t, r->nr_errors)) \
	DATA(commands, tr2_cell_uint(t, r->nr_roots)) \
	DATA(span_ns, tr2_cell_ns(t, r->span_ns)) \
	DATA(at_least, tr2_cell_bool(t, r->at_least))

TR2_COLUMN_LIST(columns, struct summary, COLUMNS)

void tr2_report_summary(const struct tr2_report *r)
{
	struct summary s;

	/* Print no summary in CSV: many programs read only the first table,
	 * which must be the processes. Print none in a page, which sums up its
	 * own contents. */
	if (r->out->format == TR2_FORMAT_CSV ||
	    r->out->format == TR2_FORMAT_PAGE)
		return;
	sum_up(&s, r->m);
	if (tr2_output_is_text(r->out))
		print_summary(&s, r->out->wide, !tr2_report_is_text(r));
	else
		tr2_table_print_row(r->out, "summary", TR2_COLUMNS(columns),
				    &s);
}

/* Print the command on a line of its own; in Markdown as code. */
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
	if (out.len && !r->m->nodes[r->m->first_root].next)
		printf("%s%s\n%s",
		       tr2_report_is_text(r) ? "" : "    ", tr2_buf_str(&out),
		       tr2_report_is_text(r) ? "" : "\n");
	tr2_buf_release(&line);
	tr2_buf_release(&safe);
	tr2_buf_release(&out);
}

/* --summary prints this many parts of the path. */
#define NR_PARTS 5

void tr2_report_brief(const struct tr2_report *r)
{
	if (tr2_output_is_text(r->out))
		print_command(r);
	tr2_report_summary(r);
	tr2_report_parts(r, NR_PARTS);
}
