/* SPDX-License-Identifier: MIT */
/*
 * top_view - one look at a process: what its ring's file says now, and how fast
 * that changed since the look before.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/top.h"
#include "common/options.h"
#include "common/say.h"
#include "model/model.h"
#include "out/table.h"
#include "read/ring.h"

bool tr2_top_open(struct tr2_top *top, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	enum tr2_ring_is is;

	memset(top, 0, sizeof(*top));
	top->path = path;
	top->file.fd = -1;
	if (fd < 0) {
		tr2_error("cannot read '%s': %s", path, strerror(errno));
		return false;
	}
	is = tr2_ring_file_is(fd) ? tr2_ring_file_open(&top->file, fd) :
				    TR2_RING_IS_NONE;
	if (is == TR2_RING_IS_GOOD)
		return true;
	close(fd);
	top->file.fd = -1;
	tr2_error("cannot read '%s': %s", path,
		  is == TR2_RING_IS_NONE ? "it is not a ring (GIT_TRACE2_RING "
					   "makes a program write one)" :
		  is == TR2_RING_IS_BEGUN ? "its process has not begun" :
					    top->file.problem);
	return false;
}

void tr2_top_close(struct tr2_top *top)
{
	int fd = top->file.fd;

	tr2_ring_file_release(&top->file);
	if (fd >= 0)
		close(fd);
	free(top->now.values);
	free(top->before.values);
}

/* ---- the look ------------------------------------------------------------------- */

static bool take_sample(struct tr2_top *top)
{
	struct tr2_top_sample *s = &top->now;

	free(top->before.values);
	top->before = *s;
	s->at_ns = tr2_clock_now_ns();
	s->nr = top->file.nr_definitions;
	s->values = calloc(s->nr + 1, sizeof(*s->values));
	if (!s->values)
		return false;
	tr2_ring_cells_sum(&top->file, s->at_ns, s->values);
	return true;
}

/* What the rings tell: which thread is where. */
static struct tr2_model *read_model(struct tr2_top *top)
{
	struct tr2_model *m = tr2_model_new();
	struct tr2_ring_reader *r = m ? tr2_ring_reader_new(m, NULL, NULL) : NULL;
	const char *why;

	if (r)
		tr2_ring_reader_load(r, top->file.fd, -1,
				     tr2_intern(m, top->path,
						strlen(top->path)), &why);
	tr2_ring_reader_free(r);
	return m;
}

/* How long the process ran until this look, or until its last record. */
static uint64_t ran_ns(const struct tr2_top *top, const struct tr2_model *m)
{
	uint64_t start = top->file.header.start_ns;

	if (!top->alive)
		return m->nr_sessions > 1 && m->sessions[1].end_ns > 0 ?
			       (uint64_t)m->sessions[1].end_ns : 0;
	return top->now.at_ns > start ? top->now.at_ns - start : 0;
}

/* The value that a definition had at the look before; rows never change. */
static const struct tr2_ring_value *before(const struct tr2_top *top,
					   uint32_t i)
{
	static const struct tr2_ring_value none;

	return top->before.values && i < top->before.nr ?
		       &top->before.values[i] : &none;
}

/* Since the look before; since the start, when there was none. */
static uint64_t period_ns(const struct tr2_top *top, const struct tr2_model *m)
{
	uint64_t ns = top->before.values ? top->now.at_ns - top->before.at_ns :
					   ran_ns(top, m);

	return ns ? ns : 1;
}

static uint64_t per_second(uint64_t count, uint64_t ns)
{
	return (uint64_t)((double)count * 1e9 / (double)ns + 0.5);
}

/* ---- the process ------------------------------------------------------------------ */

static const char *command_of(const struct tr2_top *top,
			      const struct tr2_model *m)
{
	static char comm[64];
	const struct tr2_session *s = &m->sessions[1];
	const char *slash;
	char path[64];
	FILE *file;
	size_t n = 0;

	if (m->nr_sessions > 1 && s->argv.nr) {
		slash = strrchr(s->argv.text, '/');
		return slash ? slash + 1 : s->argv.text;
	}
	snprintf(path, sizeof(path), "/proc/%u/comm", top->file.header.pid);
	file = top->alive ? fopen(path, "re") : NULL;
	if (file) {
		n = fread(comm, 1, sizeof(comm) - 1, file);
		fclose(file);
	}
	comm[n && comm[n - 1] == '\n' ? n - 1 : n] = '\0';
	return *comm ? comm : "?";
}

static void add_state(const struct tr2_top *top, struct tr2_buf *b)
{
	const struct tr2_arena_header *h = &top->file.header;

	if (top->alive) {
		tr2_buf_addlit(b, "running");
	} else if (h->state == TR2_ARENA_EXITED) {
		tr2_buf_addlit(b, "exited with code ");
		tr2_buf_add_u64(b, h->status);
	} else if (h->state == TR2_ARENA_SIGNALLED) {
		tr2_buf_addlit(b, "ended by signal ");
		tr2_buf_add_u64(b, h->status);
	} else {
		tr2_buf_addlit(b, "gone without a word: killed, or it called "
				  "_exit() or exec()");
	}
}

static const struct tr2_column process_columns[] = {
	{ "pid", "PID", 0 },
	{ "wall_ns", "RAN", 0 },
	{ "threads", "THREADS", 0 },
	{ "lost", "LOST", 0 },
	{ "state", "STATE", TR2_COL_LEFT },
	{ "command", "COMMAND", TR2_COL_FLEX },
};

static uint32_t nr_threads(struct tr2_top *top)
{
	struct tr2_control c;
	uint32_t slot, nr = 0;

	for (slot = 1; slot < top->file.nr_slots; slot++)
		if (tr2_ring_file_control(&top->file, slot, &c) &&
		    c.state == TR2_SLOT_LIVE)
			nr++;
	return nr;
}

static void show_process(struct tr2_top *top, const struct tr2_model *m)
{
	struct tr2_buf state = TR2_BUF_INIT;
	struct tr2_table t;

	tr2_table_init(&t, "process", process_columns,
		       sizeof(process_columns) / sizeof(*process_columns));
	tr2_table_row(&t);
	tr2_cell_uint(&t, top->file.header.pid);
	tr2_cell_ns(&t, (int64_t)ran_ns(top, m));
	tr2_cell_uint(&t, top->alive ? nr_threads(top) : 0);
	tr2_cell_uint(&t, m->lost);
	add_state(top, &state);
	tr2_cell_str(&t, tr2_buf_str(&state));
	tr2_cell_str(&t, command_of(top, m));
	tr2_table_print(&t);
	tr2_table_release(&t);
	tr2_buf_release(&state);
}

/* ---- metrics ------------------------------------------------------------------------ */

static void cell_name(struct tr2_table *t, const struct tr2_top *top,
		      const struct tr2_definition *d)
{
	struct tr2_buf b = TR2_BUF_INIT;

	tr2_buf_addstr(&b, tr2_ring_file_string(&top->file, d->category));
	tr2_buf_addch(&b, '/');
	tr2_buf_addstr(&b, tr2_ring_file_string(&top->file, d->name));
	tr2_cell_str(t, tr2_buf_str(&b));
	tr2_buf_release(&b);
}

static const struct tr2_column counter_columns[] = {
	{ "value", "VALUE", 0 },
	{ "per_second", "PER SECOND", 0 },
	{ "counter", "COUNTER", TR2_COL_FLEX },
};

static void add_counter(struct tr2_table *t, const struct tr2_top *top,
			uint32_t i, uint64_t ns)
{
	const struct tr2_ring_value *v = &top->now.values[i];

	tr2_table_row(t);
	tr2_cell_uint(t, v->count);
	tr2_cell_uint(t, per_second(v->count - before(top, i)->count, ns));
	cell_name(t, top, &top->file.definitions[i]);
}

static const struct tr2_column timer_columns[] = {
	{ "total_ns", "TOTAL", 0 },
	{ "busy", "BUSY", TR2_COL_HEAT },
	{ "intervals", "INTERVALS", 0 },
	{ "per_second", "PER SECOND", 0 },
	{ "mean_ns", "MEAN", 0 },
	{ "min_ns", "", TR2_COL_DATA },
	{ "max_ns", "MAX", 0 },
	{ "running", "RUNNING", 0 },
	{ "timer", "TIMER", TR2_COL_FLEX },
};

static void add_timer(struct tr2_table *t, const struct tr2_top *top,
		      uint32_t i, uint64_t ns)
{
	const struct tr2_ring_value *v = &top->now.values[i];
	const struct tr2_ring_value *was = before(top, i);
	uint64_t busy = v->total_ns + v->running_ns;
	uint64_t busy_was = was->total_ns + was->running_ns;

	tr2_table_row(t);
	tr2_cell_ns(t, (int64_t)busy);
	tr2_cell_share(t, busy > busy_was ?
				  (double)(busy - busy_was) / (double)ns : 0);
	tr2_cell_uint(t, v->count);
	tr2_cell_uint(t, per_second(v->count - was->count, ns));
	tr2_cell_ns(t, v->count ? (int64_t)(v->total_ns / v->count) : 0);
	tr2_cell_ns(t, (int64_t)v->min_ns);
	tr2_cell_ns(t, (int64_t)v->max_ns);
	if (v->running)
		tr2_cell_uint(t, v->running);
	else
		tr2_cell_none(t);
	cell_name(t, top, &top->file.definitions[i]);
}

/* A timer or counter that nothing touched yet is not shown. */
static bool is_touched(const struct tr2_ring_value *v)
{
	return v->count || v->running || v->unpaired;
}

static bool sorted(struct tr2_table *t, const char *sort)
{
	return sort && tr2_table_sort(t, sort);
}

/* Prints a table unless it is empty. */
static void print_rows(struct tr2_table *t)
{
	if (t->nr_rows || tr2_common.format != TR2_FORMAT_TEXT)
		tr2_table_print(t);
	tr2_table_release(t);
}

static bool show_metrics(const struct tr2_top *top, const struct tr2_model *m,
			 const char *sort)
{
	struct tr2_table counters, timers;
	uint64_t ns = period_ns(top, m);
	bool did_sort;
	uint32_t i;

	tr2_table_init(&counters, "counters", counter_columns,
		       sizeof(counter_columns) / sizeof(*counter_columns));
	tr2_table_init(&timers, "timers", timer_columns,
		       sizeof(timer_columns) / sizeof(*timer_columns));
	for (i = 0; i < top->now.nr; i++) {
		if (!is_touched(&top->now.values[i]))
			continue;
		if (top->file.definitions[i].kind == TR2_DEFINITION_TIMER)
			add_timer(&timers, top, i, ns);
		else
			add_counter(&counters, top, i, ns);
	}
	did_sort = sorted(&counters, sort);
	did_sort = sorted(&timers, sort) || did_sort;
	print_rows(&timers);
	print_rows(&counters);
	return did_sort || !sort;
}

/* ---- threads ------------------------------------------------------------------------- */

static const struct tr2_column thread_columns[] = {
	{ "tid", "TID", 0 },
	{ "wall_ns", "SINCE", 0 },
	{ "thread", "THREAD", TR2_COL_LEFT },
	{ "in_ns", "FOR", 0 },
	{ "regions", "IN", TR2_COL_LEFT | TR2_COL_FLEX },
};

static uint32_t find_thread(const struct tr2_model *m, const char *name)
{
	uint32_t i;

	if (m->nr_sessions > 1)
		tr2_for_each_thread(m, 1, i)
			if (!strcmp(tr2_s(m, m->threads[i].name), name))
				return i;
	return 0;
}

/* The open regions around a span, the outermost first. */
static void add_regions(struct tr2_buf *b, const struct tr2_model *m,
			uint32_t span)
{
	const struct tr2_span *s = &m->spans[span];

	if (!span)
		return;
	add_regions(b, m, s->depth < 100 ? s->parent : 0);
	if (b->len)
		tr2_buf_addlit(b, " > ");
	tr2_buf_addstr(b, tr2_s(m, s->category));
	tr2_buf_addch(b, '/');
	tr2_buf_addstr(b, tr2_s(m, s->label));
}

static void add_thread(struct tr2_table *t, const struct tr2_top *top,
		       const struct tr2_model *m, const struct tr2_control *c)
{
	uint32_t thread = find_thread(m, c->name);
	uint32_t open = thread ? m->threads[thread].open : 0;
	uint64_t now = ran_ns(top, m), ran = 0;
	struct tr2_buf regions = TR2_BUF_INIT;

	if (top->now.at_ns > c->start_ns)
		ran = top->now.at_ns - c->start_ns;
	tr2_table_row(t);
	tr2_cell_uint(t, c->tid);
	tr2_cell_ns(t, (int64_t)ran);
	tr2_cell_str(t, c->name);
	add_regions(&regions, m, open);
	if (open && (int64_t)now > m->spans[open].start_ns)
		tr2_cell_ns(t, (int64_t)now - m->spans[open].start_ns);
	else
		tr2_cell_none(t);
	if (open)
		tr2_cell_str(t, tr2_buf_str(&regions));
	else
		tr2_cell_none(t);
	tr2_buf_release(&regions);
}

static void show_threads(struct tr2_top *top, const struct tr2_model *m)
{
	struct tr2_control c;
	struct tr2_table t;
	uint32_t slot;

	tr2_table_init(&t, "threads", thread_columns,
		       sizeof(thread_columns) / sizeof(*thread_columns));
	for (slot = 1; top->alive && slot < top->file.nr_slots; slot++)
		if (tr2_ring_file_control(&top->file, slot, &c) &&
		    c.state == TR2_SLOT_LIVE)
			add_thread(&t, top, m, &c);
	print_rows(&t);
}

bool tr2_top_show(struct tr2_top *top, const char *sort)
{
	struct tr2_model *m = read_model(top);
	bool ok = m && tr2_ring_file_update(&top->file) == TR2_RING_IS_GOOD;

	if (!ok || !take_sample(top)) {
		tr2_error("cannot read '%s': %s", top->path,
			  top->file.problem[0] ? top->file.problem :
						 "out of memory");
		tr2_model_free(m);
		return false;
	}
	top->alive = tr2_ring_file_is_alive(&top->file);
	tr2_report_begin();
	show_process(top, m);
	ok = show_metrics(top, m, sort);
	show_threads(top, m);
	tr2_report_end();
	tr2_model_free(m);
	if (!ok)
		tr2_error("no table has a column '%s' to sort by", sort);
	return ok;
}
