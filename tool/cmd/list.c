/* SPDX-License-Identifier: MIT */
/* trace2 list - the tree of processes, one per line. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/words.h"
#include "event/event.h"
#include "model/filter.h"
#include "model/objects.h"
#include "out/table.h"
#include "report/input_options.h"
#include "report/node.h"

static bool verbose, only_open, only_errors, events, known;

static const struct tr2_option options[] = {
	{ 'v', "verbose", NULL, TR2_OPT_FLAG, &verbose,
	  "also show session ids, directories, ancestry and parameters", NULL },
	{ 0, "open", NULL, TR2_OPT_FLAG, &only_open,
	  "only processes whose end is not in the recording", NULL },
	{ 0, "errors", NULL, TR2_OPT_FLAG, &only_errors,
	  "only processes that failed or reported an error", NULL },
	{ 0, "events", NULL, TR2_OPT_FLAG, &events,
	  "the number of events of each kind", NULL },
	{ 0, "known", NULL, TR2_OPT_FLAG, &known,
	  "the metrics in the recording", NULL },
	TR2_OPT_END
};

static bool has_failed(const struct tr2_model *m, uint32_t node)
{
	const struct tr2_node *n = &m->nodes[node];
	uint32_t s;

	for (s = n->session; s; s = m->sessions[s].next_of_node)
		if (tr2_rare(m, s)->nr_errors)
			return true;
	return tr2_node_failed(n);
}

static bool wanted(const struct tr2_model *m, uint32_t node)
{
	if (!tr2_filter_node(&tr2_common.filter, m, node))
		return false;
	if (only_open && m->nodes[node].end != TR2_END_OPEN)
		return false;
	return !only_errors || has_failed(m, node);
}

static uint32_t nr_threads(const struct tr2_model *m,
			   const struct tr2_model_session *s)
{
	uint32_t t, nr = 0;

	for (t = s->first_thread; t; t = m->threads[t].next)
		nr++;
	return nr;
}

static const struct tr2_model_session *session_of(const struct tr2_node_row *r)
{
	uint32_t session = r->m->nodes[r->node].session;

	return session ? &r->m->sessions[session] : NULL;
}

static void cell_text(struct tr2_table *t, const struct tr2_node_row *r,
		      tr2_str text)
{
	if (text)
		tr2_cell_str(t, tr2_s(r->m, text));
}

static tr2_str cwd_of(const struct tr2_model *m, uint32_t node)
{
	return m->tasks[m->nodes[node].task].cwd;
}

/* Set a cell from the process's own events (SESSION, RARE), or from the
 * kernel's record of the end of the process (TASK). */
#define SESSION(give)                                          \
	const struct tr2_model_session *s = session_of(r);     \
	if (s)                                                 \
		give
#define RARE(member) \
	SESSION(tr2_cell_uint(t, r->m->rares[s->rare].member))
#define TASK(member)                                           \
	const struct tr2_model_task *task =                    \
		&r->m->tasks[r->m->nodes[r->node].task];       \
	if (task->flags & TR2_TASK_HAS_RUSAGE)                 \
		tr2_cell_uint(t, task->member)

/* Show the object for which the process waited longest; with wants_time, show
 * how long it waited. */
static void cell_object(struct tr2_table *t, const struct tr2_node_row *r,
			bool wants_time)
{
	const struct tr2_observed_object *o;
	int64_t ns;

	o = tr2_object_of_task(r->m, r->m->nodes[r->node].task, &ns);
	if (o && wants_time)
		tr2_cell_ns(t, ns);
	else if (o)
		tr2_cell_str(t, tr2_s(r->m, o->text));
}

#define COLUMNS(COLUMN, DATA, TEXT) \
	COLUMN(start, "START", TR2_COL_LEFT | TR2_COL_YIELDS, \
	       tr2_node_cell_start(t, r)) \
	COLUMN(wall_ns, "WALL", 0, tr2_node_cell_wall(t, r)) \
	COLUMN(cpu_ns, "CPU", TR2_COL_YIELDS, tr2_node_cell_cpu(t, r)) \
	TEXT(exit, "EXIT", 0, tr2_node_cell_exit(t, r)) \
	COLUMN(pid, "PID", 0, tr2_node_cell_pid(t, r)) \
	TEXT(uncertain, "", TR2_COL_LEFT, tr2_node_cell_uncertain(t, r)) \
	TEXT(command, "COMMAND", TR2_COL_TREE | TR2_COL_FLEX, \
	     tr2_node_cell_command(t, r)) \
	DATA(name, tr2_node_cell_name(t, r)) \
	DATA(argv, tr2_node_cell_argv(t, r)) \
	TR2_NODE_END_COLUMNS(DATA, r) \
	DATA(instrumented, tr2_cell_bool(t, session_of(r))) \
	DATA(join, tr2_node_cell_join(t, r)) \
	DATA(sid, tr2_node_cell_sid(t, r)) \
	DATA(version, SESSION(cell_text(t, r, s->exe_version))) \
	DATA(hierarchy, SESSION(cell_text(t, r, s->hierarchy))) \
	DATA(mode, SESSION(cell_text(t, r, s->mode))) \
	DATA(threads, SESSION(tr2_cell_uint(t, nr_threads(r->m, s)))) \
	DATA(events, SESSION(tr2_cell_uint(t, s->nr_events))) \
	DATA(errors, RARE(nr_errors)) \
	DATA(lost, RARE(lost)) \
	DATA(user_ns, TASK(user_ns)) \
	DATA(system_ns, TASK(system_ns)) \
	DATA(maxrss_bytes, TASK(maxrss_bytes)) \
	DATA(cwd, cell_text(t, r, cwd_of(r->m, r->node))) \
	DATA(waited_for, cell_object(t, r, false)) \
	DATA(waited_for_ns, cell_object(t, r, true)) \
	DATA(segments, tr2_node_cell_segments(t, r)) \
	DATA(at_least, tr2_node_cell_at_least(t, r)) \
	DATA(begun, tr2_node_cell_begun(t, r)) \
	DATA(cut, tr2_node_cell_cut(t, r))

TR2_COLUMN_LIST(columns, struct tr2_node_row, COLUMNS)

static void print_text(const char *label, const char *text)
{
	struct tr2_buf b = TR2_BUF_INIT;

	if (!text || !*text)
		return;
	tr2_text_add(&b, text, strlen(text));
	printf("  %s%-10s%s %s\n", tr2_color_on(TR2_COLOR_DIM), label,
	       tr2_color_off(TR2_COLOR_DIM), tr2_buf_str(&b));
	tr2_buf_release(&b);
}

static void print_words(const char *label, const struct tr2_words *words)
{
	struct tr2_buf b = TR2_BUF_INIT;

	tr2_words_quote(words, &b);
	print_text(label, tr2_buf_str(&b));
	tr2_buf_release(&b);
}

static void __attribute__((format(printf, 2, 3)))
print_textf(const char *label, const char *fmt, ...)
{
	struct tr2_buf *b = tr2_next_text();
	va_list ap;

	va_start(ap, fmt);
	tr2_buf_vaddf(b, fmt, ap);
	va_end(ap);
	print_text(label, tr2_buf_str(b));
}

static void print_point(const struct tr2_model *m, const struct tr2_point *p)
{
	const char *key = tr2_s(m, p->key), *value = p->value ? p->value : "";

	if (p->kind == TR2_POINT_PARAM)
		print_textf("param", "%s%s%s (%s)", key, p->value ? "=" : "",
			    value, tr2_s(m, p->category));
	else if (p->kind == TR2_POINT_REPO)
		print_text("repo", value);
	else if (p->kind == TR2_POINT_ALIAS)
		print_textf("alias", "%s -> %s", key, value);
	else if (p->kind == TR2_POINT_ERROR)
		print_text("error", value);
}

static void print_trace(const struct tr2_rare *s)
{
	struct tr2_buf b = TR2_BUF_INIT;

	if (!s->trace.id)
		return;
	tr2_context_add_trace(&b, &s->trace);
	tr2_buf_addlit(&b, ", span ");
	tr2_context_add_id(&b, s->trace.id);
	tr2_buf_addlit(&b, " of ");
	tr2_context_add_id(&b, s->trace_parent);
	print_text("trace", tr2_buf_str(&b));
	tr2_buf_release(&b);
}

static void print_session(const struct tr2_model *m, uint32_t session)
{
	const struct tr2_model_session *s = &m->sessions[session];
	uint32_t t, i;

	print_text("sid", s->sid);
	print_text("version", tr2_s(m, s->exe_version));
	print_text("path", tr2_s(m, s->path));
	print_text("name", *tr2_s(m, s->hierarchy) ? tr2_s(m, s->hierarchy) :
						     tr2_s(m, s->name));
	print_text("mode", tr2_s(m, s->mode));
	print_words("ancestry", &tr2_rare(m, session)->ancestry);
	print_trace(tr2_rare(m, session));
	tr2_for_each_thread(m, session, t)
		tr2_for_each_point(m, t, i)
			print_point(m, &m->points[i]);
}

/* If a process ran several programs, print them and how long each ran. */
static void print_segments(const struct tr2_model *m, const struct tr2_node *n)
{
	struct tr2_buf b = TR2_BUF_INIT;
	uint32_t i;

	tr2_for_each_segment(m, n->task, i) {
		const struct tr2_segment *s = &m->segments[i];

		if (i == m->tasks[n->task].first_segment && !s->next)
			break;
		tr2_buf_reset(&b);
		tr2_addf(&b, "%s  ", tr2_ns_text(tr2_segment_ns(m, n, i)));
		if (s->argv.nr)
			tr2_words_quote(&s->argv, &b);
		else
			tr2_buf_addstr(&b, tr2_s(m, s->comm));
		tr2_buf_addstr(&b, s->exec ? "" : " (before exec)");
		print_text("ran", tr2_buf_str(&b));
	}
	tr2_buf_release(&b);
}

static void print_child(const struct tr2_model *m, const struct tr2_child *c)
{
	print_text("class", tr2_s(m, c->child_class));
	print_text("hook", tr2_s(m, c->hook));
	print_text("cd", tr2_s(m, c->cd));
}

static void print_begun(const struct tr2_model *m, const struct tr2_node *n)
{
	int64_t begun_ns = m->tasks[n->task].begun_ns;
	struct tr2_buf b = TR2_BUF_INIT;

	if (!begun_ns)
		return;
	tr2_fmt_iso(&b, begun_ns);
	print_textf("began", "%s, %s before it was recorded", tr2_buf_str(&b),
		    tr2_ns_text(n->start_ns - begun_ns));
	tr2_buf_release(&b);
}

static void print_verbose(const struct tr2_model *m, uint32_t node)
{
	const struct tr2_node *n = &m->nodes[node];
	struct tr2_buf b = TR2_BUF_INIT, command = TR2_BUF_INIT;
	uint32_t s;

	tr2_node_command(m, node, &command);
	tr2_fmt_wall(&b, n->start_ns);
	printf("%s%s  %s%s  %d  %s%s\n", tr2_color_on(TR2_COLOR_HEADING),
	       tr2_buf_str(&b), n->at_least ? ">= " : "",
	       tr2_ns_text(n->end_ns - n->start_ns), n->pid,
	       command.len ? tr2_buf_str(&command) : tr2_node_name(m, node),
	       tr2_color_off(TR2_COLOR_HEADING));
	tr2_buf_reset(&b);
	tr2_exit_text(&b, m, node);
	print_text("exit", tr2_buf_str(&b));
	print_begun(m, n);
	if (n->parent)
		print_textf("parent", "%s, %s", tr2_node_name(m, n->parent),
			    tr2_join_words(n->join));
	print_text("cwd", tr2_s(m, cwd_of(m, node)));
	print_segments(m, n);
	if (n->child)
		print_child(m, &m->children[n->child]);
	for (s = n->session; s; s = m->sessions[s].next_of_node)
		print_session(m, s);
	tr2_buf_release(&b);
	tr2_buf_release(&command);
}

struct kind_row {
	uint64_t count;
	const char *name;
};

#define EVENT_COLUMNS(COLUMN, DATA, TEXT) \
	COLUMN(count, "COUNT", 0, tr2_cell_uint(t, r->count)) \
	COLUMN(event, "EVENT", TR2_COL_LEFT, tr2_cell_str(t, r->name))

TR2_COLUMN_LIST(event_columns, struct kind_row, EVENT_COLUMNS)

static int list_events(const struct tr2_model *m)
{
	struct tr2_output out = { .format = tr2_common.format };
	struct kind_row row;
	struct tr2_table t = TR2_TABLE_OF(&out, "events", event_columns);
	int kind;

	for (kind = 0; kind < TR2_EVENT_NR; kind++) {
		row.count = m->events_by_kind[kind];
		row.name = tr2_event_rows[kind].name;
		if (row.count)
			tr2_table_add(&t, &row);
	}
	tr2_table_sort(&t, "count");
	tr2_table_show(&t);
	return 0;
}

struct metric_row {
	uint8_t kind; /* enum tr2_definition_kind */
	const char *name;
};

#define KNOWN_COLUMNS(COLUMN, DATA, TEXT) \
	COLUMN(kind, "KIND", TR2_COL_LEFT, \
	       tr2_cell_str(t, tr2_metric_names[r->kind])) \
	COLUMN(name, "NAME", TR2_COL_LEFT, tr2_cell_str(t, r->name))

TR2_COLUMN_LIST(known_columns, struct metric_row, KNOWN_COLUMNS)

static int list_known(const struct tr2_model *m)
{
	struct tr2_output out = { .format = tr2_common.format };
	struct tr2_buf name = TR2_BUF_INIT;
	struct metric_row row;
	struct tr2_table t = TR2_TABLE_OF(&out, "known", known_columns);
	uint32_t i;

	for (i = 1; i < m->nr_metrics; i++) {
		const struct tr2_metric *metric = &m->metrics[i];

		row.kind = metric->kind;
		row.name = tr2_join(&name, tr2_s(m, metric->category),
				    tr2_s(m, metric->name));
		tr2_table_add(&t, &row);
	}
	tr2_table_unique(&t);
	tr2_table_show(&t);
	tr2_buf_release(&name);
	return 0;
}

static void add_rows(struct tr2_table *t, void *data)
{
	struct tr2_node_row row = { data, 0 };
	const struct tr2_model *m = row.m;
	int *depths = tr2_calloc(m->nr_nodes, sizeof(*depths)), depth;
	uint32_t i;

	for (i = m->first_root; i; i = tr2_node_after(m, i)) {
		/* Count only shown ancestors in the depth. */
		depths[i] = depth = depths[m->nodes[i].parent];
		if (!wanted(m, i))
			continue;
		depths[i]++;
		row.node = i;
		tr2_table_add_at(t, &row, depth);
	}
	free(depths);
}

static void list_nodes(struct tr2_model *m)
{
	struct tr2_output out = { .format = tr2_common.format };
	struct tr2_table t = TR2_TABLE_OF(&out, "processes", columns);

	tr2_table_rows(&t, add_rows, m);
	tr2_table_show(&t);
	if (tr2_common.format == TR2_FORMAT_TEXT)
		tr2_print_legend(m, wanted, true);
}

static int run_list(int argc, char **argv)
{
	int exit_code = 0;
	struct tr2_model *m = tr2_inputs_load(argc, argv, 0, &exit_code);
	uint32_t i;

	if (!m)
		return exit_code;
	if (events)
		exit_code = list_events(m);
	else if (known)
		exit_code = list_known(m);
	else if (verbose && tr2_common.format == TR2_FORMAT_TEXT)
		for (i = m->first_root; i; i = tr2_node_after(m, i)) {
			if (wanted(m, i))
				print_verbose(m, i);
		}
	else
		list_nodes(m);
	tr2_model_free(m);
	return exit_code;
}

const struct tr2_command tr2_command_list = {
	.name = "list",
	.synopsis = "[-v] [--open | --errors | --events | --known] [INPUT...]",
	.summary = "Lists the processes of a recording as a tree, one per "
		   "line.",
	.details = "EXIT is the exit code, the signal that ended the process, "
		   "'exec' when it became another program, or 'open' when its "
		   "end is not in the recording. SIGKILL? is guessed from the "
		   "exit code that its parent saw, if no other record of the "
		   "end exists.",
	.options = options,
	.common = TR2_COMMON_INPUT | TR2_COMMON_FILTER | TR2_COMMON_FORMAT,
	.run = run_list,
};
