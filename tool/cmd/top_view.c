/* SPDX-License-Identifier: MIT */
/*
 * top_view - one reading of a process: its state in the ring's file, and the
 * rates since the previous reading.
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
#include "common/join.h"
#include "common/memory.h"
#include "common/say.h"
#include "model/model.h"
#include "out/table.h"
#include "read/ring.h"

/* Print why a file without a valid ring cannot be watched. */
static void say_no_ring(const struct tr2_top *top, int fd, enum tr2_ring_is is)
{
	struct stat st;

	if (is == TR2_RING_IS_NONE && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    !st.st_size)
		tr2_error("'%s': zero-sized file, nothing to watch! No program "
			  "has its ring there (GIT_TRACE2_RING=DIR makes a "
			  "program write one)", top->path);
	else
		tr2_error("cannot read '%s': %s", top->path,
			  is == TR2_RING_IS_NONE ?
				  "it is not a ring (GIT_TRACE2_RING makes a "
				  "program write one)" :
			  is == TR2_RING_IS_BEGUN ?
				  "its process has not begun" :
				  top->file.problem);
}

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
	say_no_ring(top, fd, is);
	close(fd);
	top->file.fd = -1;
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

static void take_sample(struct tr2_top *top)
{
	struct tr2_top_sample *s = &top->now;

	free(top->before.values);
	top->before = *s;
	s->at_ns = tr2_clock_now_ns();
	s->nr = top->file.nr_definitions;
	s->values = tr2_calloc(s->nr, sizeof(*s->values));
	tr2_ring_cells_sum(&top->file, s->at_ns, s->values);
}

/* Read the rings: the open regions of each thread. */
static struct tr2_model *read_model(struct tr2_top *top)
{
	struct tr2_model *m = tr2_model_new();
	struct tr2_ring_reader *r = tr2_ring_reader_new(m, NULL, NULL);
	const char *why;

	tr2_ring_reader_load(r, top->file.fd, -1,
			     tr2_intern(m, top->path, strlen(top->path)), &why);
	tr2_ring_reader_free(r);
	return m;
}

/* Return how long the process ran until this reading, or until its last
 * record. */
static uint64_t ran_ns(const struct tr2_top *top, const struct tr2_model *m)
{
	uint64_t start = top->file.header.start_ns;

	if (!top->alive)
		return m->nr_sessions > 1 && m->sessions[1].end_ns > 0 ?
			       (uint64_t)m->sessions[1].end_ns : 0;
	return top->now.at_ns > start ? top->now.at_ns - start : 0;
}

/* Return the value of a definition at the previous reading; rows never
 * change. */
static const struct tr2_ring_value *before(const struct tr2_top *top,
					   uint32_t i)
{
	static const struct tr2_ring_value none;

	return top->before.values && i < top->before.nr ?
		       &top->before.values[i] : &none;
}

/* Return the time since the previous reading, or since the start. */
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

static const char *command_of(const struct tr2_top *top,
			      const struct tr2_model *m)
{
	static char comm[64];
	const struct tr2_model_session *s = &m->sessions[1];
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

struct process_row {
	struct tr2_top *top;
	const struct tr2_model *m;
};

static void cell_state(struct tr2_table *t, const void *row)
{
	const struct process_row *r = row;
	const struct tr2_arena_header *h = &r->top->file.header;
	char text[40];

	if (r->top->alive) {
		tr2_cell_str(t, "running");
	} else if (h->state == TR2_ARENA_EXITED ||
		   h->state == TR2_ARENA_SIGNALLED) {
		snprintf(text, sizeof(text), "%s %u",
			 h->state == TR2_ARENA_EXITED ? "exited with code" :
							"ended by signal",
			 h->status);
		tr2_cell_str(t, text);
	} else {
		tr2_cell_str(t, "gone without a word: killed, or it called "
				"_exit() or exec()");
	}
}

TR2_CELL(cell_pid, struct process_row,
	 tr2_cell_uint(t, r->top->file.header.pid))
TR2_CELL(cell_ran, struct process_row,
	 tr2_cell_ns(t, (int64_t)ran_ns(r->top, r->m)))
TR2_CELL(cell_nr_threads, struct process_row,
	 tr2_cell_uint(t, r->top->alive ? nr_threads(r->top) : 0))
TR2_CELL(cell_lost, struct process_row, tr2_cell_uint(t, r->m->lost))
TR2_CELL(cell_command, struct process_row,
	 tr2_cell_str(t, command_of(r->top, r->m)))

static const struct tr2_column process_columns[] = {
	{ "pid", "PID", 0, cell_pid },
	{ "wall_ns", "RAN", 0, cell_ran },
	{ "threads", "THREADS", 0, cell_nr_threads },
	{ "lost", "LOST", 0, cell_lost },
	{ "state", "STATE", TR2_COL_LEFT, cell_state },
	{ "command", "COMMAND", TR2_COL_FLEX, cell_command },
};

static void show_process(struct tr2_output *out, struct tr2_top *top,
			 const struct tr2_model *m)
{
	struct process_row row = { top, m };
	struct tr2_table t;

	tr2_table_init(&t, out, "process", TR2_COLUMNS(process_columns));
	tr2_table_add(&t, &row);
	tr2_table_finish(&t);
}

struct metric_row {
	const struct tr2_top *top;
	const struct tr2_definition *d;
	const struct tr2_ring_value *now, *before;
	uint64_t period_ns;
};

static void cell_metric(struct tr2_table *t, const void *row)
{
	const struct metric_row *r = row;
	const struct tr2_ring_file *f = &r->top->file;
	struct tr2_buf b = TR2_BUF_INIT;

	tr2_cell_str(t, tr2_join(&b, tr2_ring_file_string(f, r->d->category),
				 tr2_ring_file_string(f, r->d->name)));
	tr2_buf_release(&b);
}

TR2_CELL(cell_count, struct metric_row, tr2_cell_uint(t, r->now->count))
TR2_CELL(cell_per_second, struct metric_row,
	 tr2_cell_uint(t, per_second(r->now->count - r->before->count,
				     r->period_ns)))

static const struct tr2_column counter_columns[] = {
	{ "value", "VALUE", 0, cell_count },
	{ "per_second", "PER SECOND", 0, cell_per_second },
	{ "counter", "COUNTER", TR2_COL_FLEX, cell_metric },
};

static uint64_t busy_ns(const struct tr2_ring_value *v)
{
	return v->total_ns + v->running_ns;
}

static double busy_share(const struct metric_row *r)
{
	uint64_t now = busy_ns(r->now), was = busy_ns(r->before);

	return now > was ? (double)(now - was) / (double)r->period_ns : 0;
}

TR2_CELL(cell_total, struct metric_row,
	 tr2_cell_ns(t, (int64_t)busy_ns(r->now)))
TR2_CELL(cell_busy, struct metric_row, tr2_cell_share(t, busy_share(r)))
TR2_CELL(cell_mean, struct metric_row,
	 tr2_cell_ns(t, r->now->count ?
			(int64_t)(r->now->total_ns / r->now->count) : 0))
TR2_CELL(cell_min, struct metric_row, tr2_cell_ns(t, (int64_t)r->now->min_ns))
TR2_CELL(cell_max, struct metric_row, tr2_cell_ns(t, (int64_t)r->now->max_ns))
TR2_CELL(cell_running, struct metric_row,
	 if (r->now->running) tr2_cell_uint(t, r->now->running))

static const struct tr2_column timer_columns[] = {
	{ "total_ns", "TOTAL", 0, cell_total },
	{ "busy", "BUSY", TR2_COL_HEAT, cell_busy },
	{ "intervals", "INTERVALS", 0, cell_count },
	{ "per_second", "PER SECOND", 0, cell_per_second },
	{ "mean_ns", "MEAN", 0, cell_mean },
	{ "min_ns", "", TR2_COL_DATA, cell_min },
	{ "max_ns", "MAX", 0, cell_max },
	{ "running", "RUNNING", 0, cell_running },
	{ "timer", "TIMER", TR2_COL_FLEX, cell_metric },
};

/* A timer or counter that was never used is not shown. */
static bool is_touched(const struct tr2_ring_value *v)
{
	return v->count || v->running || v->unpaired;
}

static bool sorted(struct tr2_table *t, const char *sort)
{
	return sort && tr2_table_sort(t, sort);
}

/* Print a table unless it is empty. */
static void print_rows(struct tr2_table *t)
{
	if (t->nr_rows || t->output->format != TR2_FORMAT_TEXT)
		tr2_table_print(t);
	tr2_table_release(t);
}

static bool show_metrics(struct tr2_output *out, const struct tr2_top *top,
			 const struct tr2_model *m, const char *sort)
{
	struct metric_row row = { .top = top, .period_ns = period_ns(top, m) };
	struct tr2_table counters, timers;
	bool did_sort;
	uint32_t i;

	tr2_table_init(&counters, out, "counters",
		       TR2_COLUMNS(counter_columns));
	tr2_table_init(&timers, out, "timers", TR2_COLUMNS(timer_columns));
	for (i = 0; i < top->now.nr; i++) {
		row.d = &top->file.definitions[i];
		row.now = &top->now.values[i];
		row.before = before(top, i);
		if (is_touched(row.now))
			tr2_table_add(row.d->kind == TR2_DEFINITION_TIMER ?
					      &timers : &counters, &row);
	}
	did_sort = sorted(&counters, sort);
	did_sort = sorted(&timers, sort) || did_sort;
	print_rows(&timers);
	print_rows(&counters);
	return did_sort || !sort;
}

static uint32_t find_thread(const struct tr2_model *m, const char *name)
{
	uint32_t i;

	if (m->nr_sessions > 1)
		tr2_for_each_thread(m, 1, i)
			if (!strcmp(tr2_s(m, m->threads[i].name), name))
				return i;
	return 0;
}

/* Append the open regions around a span, the outermost first. */
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

struct thread_row {
	const struct tr2_top *top;
	const struct tr2_model *m;
	const struct tr2_control *c;
	uint32_t open; /* the innermost open region; 0: none */
	uint64_t ran_ns; /* of the process */
};

static void cell_thread_ran(struct tr2_table *t, const void *row)
{
	const struct thread_row *r = row;
	uint64_t now = r->top->now.at_ns, start = r->c->start_ns;

	tr2_cell_ns(t, now > start ? (int64_t)(now - start) : 0);
}

static void cell_in(struct tr2_table *t, const void *row)
{
	const struct thread_row *r = row;
	int64_t start = r->m->spans[r->open].start_ns;

	if (r->open && (int64_t)r->ran_ns > start)
		tr2_cell_ns(t, (int64_t)r->ran_ns - start);
}

static void cell_regions(struct tr2_table *t, const void *row)
{
	const struct thread_row *r = row;
	struct tr2_buf b = TR2_BUF_INIT;

	if (!r->open)
		return;
	add_regions(&b, r->m, r->open);
	tr2_cell_str(t, tr2_buf_str(&b));
	tr2_buf_release(&b);
}

TR2_CELL(cell_tid, struct thread_row, tr2_cell_uint(t, r->c->tid))
TR2_CELL(cell_thread, struct thread_row, tr2_cell_str(t, r->c->name))

static const struct tr2_column thread_columns[] = {
	{ "tid", "TID", 0, cell_tid },
	{ "wall_ns", "SINCE", 0, cell_thread_ran },
	{ "thread", "THREAD", TR2_COL_LEFT, cell_thread },
	{ "in_ns", "FOR", 0, cell_in },
	{ "regions", "IN", TR2_COL_LEFT | TR2_COL_FLEX, cell_regions },
};

static void show_threads(struct tr2_output *out, struct tr2_top *top,
			 const struct tr2_model *m)
{
	struct tr2_control c;
	struct thread_row row = { top, m, &c, 0, ran_ns(top, m) };
	struct tr2_table t;
	uint32_t slot, thread;

	tr2_table_init(&t, out, "threads", TR2_COLUMNS(thread_columns));
	for (slot = 1; top->alive && slot < top->file.nr_slots; slot++) {
		if (!tr2_ring_file_control(&top->file, slot, &c) ||
		    c.state != TR2_SLOT_LIVE)
			continue;
		thread = find_thread(m, c.name);
		row.open = thread ? m->threads[thread].open : 0;
		tr2_table_add(&t, &row);
	}
	print_rows(&t);
}

bool tr2_top_show(struct tr2_top *top, enum tr2_format format,
		  const char *sort)
{
	struct tr2_output out;
	struct tr2_model *m = read_model(top);
	bool ok = tr2_ring_file_update(&top->file) == TR2_RING_IS_GOOD;

	if (!ok) {
		tr2_error("cannot read '%s': %s", top->path,
			  top->file.problem[0] ? top->file.problem :
						 "it is larger than memory");
		tr2_model_free(m);
		return false;
	}
	take_sample(top);
	top->alive = tr2_ring_file_is_alive(&top->file);
	tr2_output_begin(&out, format);
	show_process(&out, top, m);
	ok = show_metrics(&out, top, m, sort);
	show_threads(&out, top, m);
	tr2_output_end(&out);
	tr2_model_free(m);
	if (!ok)
		tr2_error("no table has a column '%s' to sort by", sort);
	return ok;
}
