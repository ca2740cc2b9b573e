/* SPDX-License-Identifier: MIT */
/* node - cells of processes, and the legend that explains the marks in them. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "common/signals.h"
#include "model/memory_use.h"
#include "model/states.h"
#include "report/node.h"

static bool is_uncertain(const struct tr2_model *m, uint32_t node)
{
	int join = m->nodes[node].join;

	return join == TR2_JOIN_WINDOW || join == TR2_JOIN_SID;
}

static const struct {
	const char *name, *words;
} joins[] = {
	[TR2_JOIN_ROOT] = { "root", "its parent is not in the recording" },
	[TR2_JOIN_TASK] = { "task", "as the kernel saw it" },
	[TR2_JOIN_PID] = { "pid", "by its session id and pid" },
	[TR2_JOIN_SID] = { "sid", "by its session id alone" },
	[TR2_JOIN_WINDOW] = { "window", "by its session id and time: likely" },
	[TR2_JOIN_SPAN] = { "span", "as its parent saw it" },
	[TR2_JOIN_TRANSPORT] = { "transport",
				 "by the session ids that Git exchanged" },
};

const char *tr2_join_name(int join)
{
	return joins[join].name;
}

const char *tr2_join_words(int join)
{
	return joins[join].words;
}

void tr2_exit_text(struct tr2_buf *b, const struct tr2_model *m, uint32_t node)
{
	const struct tr2_node *n = &m->nodes[node];

	if (n->end == TR2_END_SIGNAL) {
		tr2_signal_add(b, n->code);
		tr2_buf_addstr(b, n->end_by == TR2_BY_PARENT ? "?" : "");
		tr2_buf_addstr(b, tr2_node_oom_text(m, n));
	} else if (n->end == TR2_END_OPEN && !n->has_code) {
		tr2_buf_addlit(b, "open");
	} else if (n->end == TR2_END_EXEC && !n->has_code) {
		tr2_buf_addlit(b, "exec");
	} else if (n->has_code) {
		tr2_buf_add_i64(b, n->code);
	} else {
		tr2_buf_addlit(b, "-");
	}
}

static const struct tr2_node *node_of(const struct tr2_node_row *r)
{
	return &r->m->nodes[r->node];
}

void tr2_node_cell_start(struct tr2_table *t, const struct tr2_node_row *r)
{
	const struct tr2_node *n = node_of(r);
	bool unknown = !n->task && r->m->sessions[n->session].flags &
					   TR2_SESSION_NO_PLACE;

	tr2_cell_wall(t, unknown ? TR2_NO_TIME : n->start_ns);
}

/* Return the time at which a process began, if it ran before the recording;
 * else 0. */
static int64_t begun_ns(const struct tr2_model *m, uint32_t node)
{
	return m->tasks[m->nodes[node].task].begun_ns;
}

void tr2_node_cell_begun(struct tr2_table *t, const struct tr2_node_row *r)
{
	if (begun_ns(r->m, r->node))
		tr2_cell_wall(t, begun_ns(r->m, r->node));
}

void tr2_node_cell_wall(struct tr2_table *t, const struct tr2_node_row *r)
{
	const struct tr2_node *n = node_of(r);

	tr2_cell_ns(t, n->end_ns - n->start_ns);
	if (n->at_least)
		tr2_cell_at_least(t);
}

void tr2_node_cell_at_least(struct tr2_table *t, const struct tr2_node_row *r)
{
	tr2_cell_bool(t, node_of(r)->at_least);
}

void tr2_node_cell_cpu(struct tr2_table *t, const struct tr2_node_row *r)
{
	tr2_cell_ns(t, tr2_times(r->m, node_of(r))->cpu_ns);
}

void tr2_node_cell_states_lost(struct tr2_table *t,
			       const struct tr2_node_row *r)
{
	const struct tr2_model *m = r->m;
	bool lost = false;
	uint32_t i;

	tr2_for_each_task_thread(m, node_of(r)->task, i)
		lost |= m->task_threads[i].flags & TR2_TASK_THREAD_LOST;
	if (tr2_times(m, node_of(r))->wait_ns != TR2_NO_TIME)
		tr2_cell_bool(t, lost);
}

void tr2_node_cell_exit(struct tr2_table *t, const struct tr2_node_row *r)
{
	const struct tr2_node *n = node_of(r);
	static struct tr2_buf b; /* static, to be used again: each new buffer
				  * would map memory */

	tr2_buf_reset(&b);
	tr2_exit_text(&b, r->m, r->node);
	tr2_cell_str(t, tr2_buf_str(&b));
	if (tr2_node_failed(n))
		tr2_cell_color(t, TR2_COLOR_BAD);
	else if (n->end == TR2_END_OPEN)
		tr2_cell_color(t, TR2_COLOR_WARM);
}

void tr2_node_cell_pid(struct tr2_table *t, const struct tr2_node_row *r)
{
	if (node_of(r)->pid > 0)
		tr2_cell_int(t, node_of(r)->pid);
}

void tr2_node_cell_sid(struct tr2_table *t, const struct tr2_node_row *r)
{
	uint32_t session = node_of(r)->session;

	if (session)
		tr2_cell_str(t, r->m->sessions[session].sid);
}

void tr2_node_cell_name(struct tr2_table *t, const struct tr2_node_row *r)
{
	tr2_cell_str(t, tr2_node_name(r->m, r->node));
}

void tr2_node_cell_argv(struct tr2_table *t, const struct tr2_node_row *r)
{
	tr2_cell_words(t, tr2_node_words(r->m, r->node));
}

void tr2_node_cell_cut(struct tr2_table *t, const struct tr2_node_row *r)
{
	tr2_cell_bool(t, tr2_node_words(r->m, r->node)->cut);
}

void tr2_node_cell_join(struct tr2_table *t, const struct tr2_node_row *r)
{
	tr2_cell_str(t, tr2_join_name(node_of(r)->join));
}

void tr2_node_cell_uncertain(struct tr2_table *t, const struct tr2_node_row *r)
{
	if (is_uncertain(r->m, r->node))
		tr2_cell_str(t, "?");
}

/* Append each earlier program that took a notable part of the process's time:
 * `sh, then `. */
static void add_earlier(struct tr2_buf *b, const struct tr2_model *m,
			const struct tr2_node *n)
{
	uint32_t i;

	tr2_for_each_segment(m, n->task, i) {
		if (!m->segments[i].next || !tr2_segment_is_notable(m, n, i))
			continue;
		tr2_buf_addstr(b, tr2_s(m, m->segments[i].comm));
		tr2_buf_addlit(b, ", then ");
	}
}

/* Append a command line without the program's directory. */
static void add_line(struct tr2_buf *b, const char *line)
{
	const char *slash;
	size_t len;

	/* A quoted word keeps its directory. */
	if (*line != '\'' && *line != '\\') {
		len = strcspn(line, " ");
		slash = memrchr(line, '/', len);
		if (slash && slash + 1 < line + len)
			line = slash + 1;
	}
	tr2_buf_addstr(b, line);
}

/* Append the command line of the last program of a process, or of an earlier
 * one. */
static void add_command(struct tr2_buf *b, const struct tr2_model *m,
			uint32_t node, uint32_t segment)
{
	const struct tr2_child *child = &m->children[m->nodes[node].child];
	const struct tr2_segment *s = &m->segments[segment];
	static struct tr2_buf line; /* static, to be used again: each new buffer
				     * would map memory */

	tr2_buf_reset(&line);
	if (segment)
		tr2_words_quote(&s->argv, &line);
	/* If a shell gets its command line as one word, show that word
	 * unchanged. */
	else if (!m->nodes[node].session && child->use_shell &&
		 child->argv.nr == 1)
		tr2_buf_addstr(&line, child->argv.text);
	else
		tr2_node_command(m, node, &line);
	if (line.len)
		add_line(b, tr2_buf_str(&line));
	else
		tr2_buf_addstr(b, segment ? tr2_s(m, s->comm) :
					    tr2_node_name(m, node));
}

static void cell_command(struct tr2_table *t, const struct tr2_node_row *r,
			 uint32_t segment, bool with_earlier)
{
	const struct tr2_model *m = r->m;
	const struct tr2_node *n = &m->nodes[r->node];
	static struct tr2_buf b; /* static, to be used again: each new buffer
				  * would map memory */
	bool instrumented = !segment && tr2_node_session(m, r->node);

	tr2_buf_reset(&b);
	if (begun_ns(m, r->node))
		tr2_buf_addlit(&b, "< ");
	if (with_earlier)
		add_earlier(&b, m, n);
	if (!instrumented)
		tr2_buf_addch(&b, '[');
	add_command(&b, m, r->node, segment);
	if (!instrumented)
		tr2_buf_addch(&b, ']');
	/* Mark a forked process: otherwise the program would seem to have run
	 * twice. */
	if (m->sessions[n->session].flags & TR2_SESSION_FORKED)
		tr2_buf_addlit(&b, " (forked)");
	tr2_cell_str(t, tr2_buf_str(&b));
	tr2_cell_link(t, TR2_LINK_NODE, r->node);
	if (!instrumented)
		tr2_cell_color(t, TR2_COLOR_DIM);
}

void tr2_node_cell_command(struct tr2_table *t, const struct tr2_node_row *r)
{
	cell_command(t, r, 0, true);
}

void tr2_node_cell_program(struct tr2_table *t, const struct tr2_node_row *r,
			   uint32_t segment)
{
	cell_command(t, r, segment, false);
}

/* Append a segment as JSON. */
static void add_segment(struct tr2_buf *b, const struct tr2_model *m,
			const struct tr2_node *n, uint32_t i)
{
	const struct tr2_segment *s = &m->segments[i];
	const char *w;
	uint32_t k;

	tr2_buf_addlit(b, "{\"comm\":");
	tr2_json_add_string(b, tr2_s(m, s->comm));
	tr2_buf_addlit(b, ",\"start\":\"");
	tr2_fmt_iso(b, s->start_ns);
	tr2_buf_addlit(b, "\",\"wall_ns\":");
	tr2_buf_add_i64(b, tr2_segment_ns(m, n, i));
	tr2_buf_addstr(b, s->exec ? ",\"exec\":true" : "");
	tr2_buf_addstr(b, s->argv.nr ? ",\"argv\":[" : "");
	tr2_for_each_word(&s->argv, w, k) {
		tr2_buf_addstr(b, k ? "," : "");
		tr2_json_add_string(b, w);
	}
	tr2_buf_addstr(b, s->argv.nr ? "]" : "");
	tr2_buf_addstr(b, s->argv.cut ? ",\"cut\":true}" : "}");
}

void tr2_node_cell_segments(struct tr2_table *t, const struct tr2_node_row *r)
{
	const struct tr2_node *n = node_of(r);
	static struct tr2_buf b; /* static, to be used again: each new buffer
				  * would map memory */
	uint32_t i;

	if (!r->m->tasks[n->task].first_segment)
		return;
	tr2_buf_reset(&b);
	tr2_for_each_segment(r->m, n->task, i) {
		tr2_buf_addch(&b, b.len ? ',' : '[');
		add_segment(&b, r->m, n, i);
	}
	tr2_buf_addch(&b, ']');
	tr2_cell_json(t, tr2_buf_str(&b));
}

void tr2_node_cell_end(struct tr2_table *t, const struct tr2_node_row *r)
{
	static const char *const names[] = { "open", "exit", "signal", "exec" };

	tr2_cell_str(t, names[node_of(r)->end]);
}

void tr2_node_cell_code(struct tr2_table *t, const struct tr2_node_row *r)
{
	const struct tr2_node *n = node_of(r);

	if (n->has_code && n->end != TR2_END_SIGNAL)
		tr2_cell_int(t, n->code);
}

void tr2_node_cell_signal(struct tr2_table *t, const struct tr2_node_row *r)
{
	const struct tr2_node *n = node_of(r);

	if (n->has_code && n->end == TR2_END_SIGNAL)
		tr2_cell_int(t, n->code);
}

void tr2_node_cell_signal_name(struct tr2_table *t,
			       const struct tr2_node_row *r)
{
	const struct tr2_node *n = node_of(r);
	static struct tr2_buf b; /* static, to be used again: each new buffer
				  * would map memory */

	if (!n->has_code || n->end != TR2_END_SIGNAL)
		return;
	tr2_buf_reset(&b);
	tr2_signal_add(&b, n->code);
	tr2_cell_str(t, tr2_buf_str(&b));
}

void tr2_node_cell_end_by(struct tr2_table *t, const struct tr2_node_row *r)
{
	static const char *const by[] = { "itself", "kernel", "parent" };
	const struct tr2_node *n = node_of(r);

	if (n->end != TR2_END_OPEN)
		tr2_cell_str(t, by[n->end_by]);
}

void tr2_node_cell_oom(struct tr2_table *t, const struct tr2_node_row *r)
{
	unsigned int oom = tr2_node_oom(r->m, node_of(r));

	if (oom)
		tr2_cell_str(t, oom & TR2_TASK_OOM_KILLED ? "named" :
							    "counted");
}

void tr2_session_cell_process(struct tr2_table *t,
			      const struct tr2_session_row *r)
{
	if (r->session->node)
		tr2_cell_str(t, tr2_node_name(r->m, r->session->node));
}

void tr2_session_cell_pid(struct tr2_table *t, const struct tr2_session_row *r)
{
	if (r->session->pid > 0)
		tr2_cell_int(t, r->session->pid);
}

void tr2_session_cell_sid(struct tr2_table *t, const struct tr2_session_row *r)
{
	tr2_cell_str(t, r->session->sid);
}

enum { SILENT, BEGUN, UNCERTAIN, GUESSED, OOM, COUNTED, PRIVILEGED, MARKS };
static const char *const meaning[MARKS] = {
	"[...] is not instrumented: seen by its parent or the kernel "
	"only\n",
	"< began before it was recorded: its times are from then on\n",
	"? likely, but not certainly, a child of the process above it\n",
	"SIG...? is guessed from the exit code that its parent saw: "
	"128 + the signal\n",
	"(OOM) the kernel killed it, because memory was short\n",
	"(OOM?) perhaps killed because memory was short: as many processes got "
	"SIGKILL as the kernel killed; root sees their names\n",
	"a set-uid program (such as sudo, su, mount, ping) is not recorded "
	"after its start; root can record it\n",
};

void tr2_print_legend(const struct tr2_model *m,
		      bool (*shown)(const struct tr2_model *, uint32_t),
		      bool exits)
{
	bool is[MARKS] = { false }, any = false;
	const struct tr2_node *n;
	uint32_t i;

	for (i = m->first_root; i; i = tr2_node_after(m, i)) {
		if (shown && !shown(m, i))
			continue;
		n = &m->nodes[i];
		is[SILENT] |= !tr2_node_session(m, i);
		is[BEGUN] |= begun_ns(m, i) != 0;
		is[UNCERTAIN] |= is_uncertain(m, i);
		is[GUESSED] |= exits && n->end == TR2_END_SIGNAL &&
			       n->end_by == TR2_BY_PARENT;
		is[OOM] |= exits && tr2_node_oom(m, n) & TR2_TASK_OOM_KILLED;
		is[COUNTED] |= exits &&
			       tr2_node_oom(m, n) & TR2_TASK_OOM_COUNTED;
		is[PRIVILEGED] |= m->tasks[n->task].flags & TR2_TASK_PRIVILEGED;
	}
	for (i = 0; i < MARKS; i++) {
		if (is[i] && !any)
			fputs(tr2_color_on(TR2_COLOR_DIM), stdout);
		any |= is[i];
		fputs(is[i] ? meaning[i] : "", stdout);
	}
	fputs(any ? tr2_color_off(TR2_COLOR_DIM) : "", stdout);
}
