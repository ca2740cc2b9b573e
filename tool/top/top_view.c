/* SPDX-License-Identifier: MIT */
/*
 * top_view - print one reading: sums, processes, metrics, and regions. On a
 * terminal, print only as much as fits.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/say.h"
#include "common/time.h"
#include "model/states.h"
#include "out/table.h"
#include "top/top.h"

/* Show at least this many rows of processes, even if other tables have many
 * rows. */
#define MIN_ROWS 5
#define ARGV_BYTES 4096

/* Return the number of lines of a table; 0: it is empty. */
static uint32_t lines_of(const struct tr2_table *t)
{
	return t->nr_rows ? t->nr_rows + 2 : 0;
}

/* Print a table unless it is empty, and release it. Print at most *lines lines,
 * and subtract the printed ones from *lines; NULL: print all. */
static void print_table(struct tr2_table *t, uint32_t *lines)
{
	if (lines && lines_of(t) > *lines)
		tr2_table_limit(t, *lines > 2 ? *lines - 2 : 0);
	if (lines)
		*lines -= lines_of(t);
	if (t->nr_rows || t->output->format != TR2_FORMAT_TEXT)
		tr2_table_print(t);
	tr2_table_release(t);
}

struct sum_row {
	const struct tr2_top *top;
	uint32_t nr_run, nr_wait;
	uint64_t nr_ended;
	int64_t wall_ns;
	double cpus, ready;
};

static const char *state_of_all(const struct tr2_top *top)
{
	return top->end ? top->end : top->path || top->nr_live ? "running" :
								 "ended";
}

#define SUM_COLUMNS(COLUMN, DATA, TEXT) \
	COLUMN(processes, "PROCESSES", 0, tr2_cell_uint(t, r->top->nr_live)) \
	COLUMN(run, "RUN", 0, tr2_cell_uint(t, r->nr_run)) \
	COLUMN(wait, "WAIT", 0, tr2_cell_uint(t, r->nr_wait)) \
	COLUMN(ended, "ENDED", 0, tr2_cell_uint(t, r->nr_ended)) \
	COLUMN(cpu, "%CPU", 0, tr2_cell_share(t, r->cpus)) \
	COLUMN(ready, "READY", 0, tr2_cell_share(t, r->ready)) \
	COLUMN(cpu_ns, "CPU", 0, tr2_cell_ns(t, r->top->cpu_ns)) \
	COLUMN(wall_ns, "WALL", 0, tr2_cell_ns(t, r->wall_ns)) \
	COLUMN(state, "STATE", TR2_COL_LEFT, \
	       tr2_cell_str(t, state_of_all(r->top)))

TR2_COLUMN_LIST(sum_columns, struct sum_row, SUM_COLUMNS)

/* Return how long the recording, or the processes, have run. */
static int64_t age_ns(const struct tr2_top *top)
{
	int64_t began_ns = top->began_ns;

	if (!began_ns)
		began_ns = top->nr > 1 ? top->process[1].start_ns : top->at_ns;
	return top->at_ns - began_ns;
}

static void print_sum(struct tr2_output *out, const struct tr2_top *top)
{
	struct tr2_table t = TR2_TABLE_OF(out, "sum", sum_columns);
	struct sum_row sum = { .top = top, .nr_ended = top->nr_ended,
			       .wall_ns = age_ns(top) };
	int64_t period_ns = top->nr_readings > 1 ?
				    top->at_ns - top->before_ns : sum.wall_ns;
	const struct tr2_top_process *p;
	uint32_t i;

	for (i = 1; i < top->nr; i++) {
		p = &top->process[i];
		if (p->is_recorder)
			continue;
		sum.nr_run += p->state == TR2_TOP_RUN;
		sum.nr_wait += p->state == TR2_TOP_WAIT;
		sum.nr_ended += p->state == TR2_TOP_ZOMBIE;
		sum.ready += tr2_top_ready(p);
	}
	if (sum.nr_ended < top->nr_exits)
		sum.nr_ended = top->nr_exits;
	sum.cpus = (double)(top->cpu_ns - top->before_cpu_ns) /
		   (double)(period_ns > 0 ? period_ns : 1);
	/* If there was no reading, the process had ended before, and is known
	 * only by its ring. */
	if (top->nr_readings)
		tr2_table_add(&t, &sum);
	print_table(&t, NULL);
}

struct process_row {
	const struct tr2_top *top;
	const struct tr2_top_row *row;
	const struct tr2_top_process *p; /* the first process of the row;
					  * process[0]: none */
	const struct tr2_words *argv;
};

static void cell_end(struct tr2_table *t, const struct tr2_top_ring *ring)
{
	const struct tr2_arena_header *h = &ring->file.header;

	if (ring->alive)
		tr2_cell_str(t, "running");
	else if (h->state == TR2_ARENA_EXITED)
		tr2_cell_strf(t, "exited with code %u", h->status);
	else if (h->state == TR2_ARENA_SIGNALLED)
		tr2_cell_strf(t, "ended by signal %u", h->status);
	else
		tr2_cell_str(t, "ended without a record: killed, or it called "
				"_exit() or exec()");
}

static void cell_state(struct tr2_table *t, const struct process_row *r)
{
	static const char *const names[] = {
		[TR2_TOP_RUN] = "run",		 [TR2_TOP_WAIT] = "wait",
		[TR2_TOP_STOPPED] = "stopped",	 [TR2_TOP_ZOMBIE] = "zombie",
		[TR2_TOP_ENDED] = "ended",
	};
	bool has_cause = r->p->cause != TR2_CAUSE_unknown &&
			 tr2_output_is_text(t->output);

	if (!r->row->first)
		return;
	if (r->p->state >= TR2_TOP_ZOMBIE && r->p->ring)
		cell_end(t, r->p->ring);
	else if (r->row->is_mixed && r->row->nr_run)
		tr2_cell_strf(t, "%u run", r->row->nr_run);
	else if (r->row->is_mixed)
		tr2_cell_str(t, "wait");
	else
		tr2_cell_strf(t, "%s%s%s", names[r->p->state],
			      has_cause ? " " : "",
			      has_cause ? tr2_cause_name(r->p->cause) : "");
	tr2_cell_color(t, r->row->nr_run ? TR2_COLOR_GOOD :
			  r->p->state > TR2_TOP_WAIT ? TR2_COLOR_BAD :
						       TR2_COLOR_NONE);
}

static void cell_command(struct tr2_table *t, const struct process_row *r)
{
	const char *name = *r->p->comm || !r->p->ring ? r->p->comm :
							r->p->ring->name;
	struct tr2_buf b = TR2_BUF_INIT;
	struct tr2_words argv = *r->argv;

	if (!r->row->first) {
		tr2_cell_strf(t, "%s%u more processes", name, r->row->nr);
	} else if (r->row->nr > 1) {
		tr2_cell_strf(t, "%s x %u", name, r->row->nr);
	} else if (!argv.nr) {
		tr2_cell_str(t, name);
	} else {
		argv.text = tr2_base_name(argv.text);
		tr2_words_quote(&argv, &b);
		tr2_cell_str(t, tr2_buf_str(&b));
		tr2_buf_release(&b);
	}
}

static bool has_ended(const struct process_row *r)
{
	return r->p->state == TR2_TOP_ENDED;
}

static int64_t age_of(const struct process_row *r)
{
	if (!r->row->first)
		return TR2_NO_TIME;
	return has_ended(r) && r->p->ring ? r->p->ring->ran_ns :
					    r->row->wall_ns;
}

/* Return whether the time is a lower bound: the process was last read before
 * its end, and no ring has its end. */
static bool is_at_least(const struct process_row *r)
{
	const struct tr2_top_ring *ring = r->p->ring;

	return has_ended(r) &&
	       !(ring && (ring->file.header.state == TR2_ARENA_EXITED ||
			  ring->file.header.state == TR2_ARENA_SIGNALLED));
}

static void cell_time(struct tr2_table *t, const struct process_row *r,
		      int64_t ns)
{
	tr2_cell_ns(t, ns);
	if (r->row->first && is_at_least(r))
		tr2_cell_at_least(t);
}

#define PROCESS_COLUMNS(COLUMN, DATA, TEXT) \
	COLUMN(pid, "PID", 0, if (r->row->nr == 1) tr2_cell_int(t, r->p->pid)) \
	DATA(ppid, tr2_cell_int(t, r->p->ppid)) \
	COLUMN(state, "STATE", TR2_COL_LEFT, cell_state(t, r)) \
	DATA(cause, if (r->p->cause != TR2_CAUSE_unknown) \
			    tr2_cell_str(t, tr2_cause_name(r->p->cause))) \
	DATA(function, if (*r->p->function) tr2_cell_str(t, r->p->function)) \
	COLUMN(cpu, "%CPU", TR2_COL_HEAT, \
	       if (!has_ended(r)) tr2_cell_share(t, r->row->cpu)) \
	COLUMN(ready, "READY", 0, \
	       if (!has_ended(r)) tr2_cell_share(t, r->row->ready)) \
	COLUMN(cpu_ns, "CPU", 0, \
	       if (r->row->cpu_ns || !has_ended(r)) \
		       cell_time(t, r, r->row->cpu_ns)) \
	COLUMN(wall_ns, "WALL", 0, cell_time(t, r, age_of(r))) \
	COLUMN(threads, "THREADS", TR2_COL_YIELDS, \
	       tr2_cell_uint(t, has_ended(r) ? 0 : r->row->nr_threads)) \
	COLUMN(lost, "LOST", 0, \
	       if (r->p->ring) tr2_cell_uint( \
		       t, tr2_ring_file_lost(&r->p->ring->file))) \
	DATA(at_least, tr2_cell_bool(t, is_at_least(r))) \
	DATA(comm, tr2_cell_str(t, r->p->comm)) \
	DATA(argv, tr2_cell_words(t, r->argv)) \
	COLUMN(command, "COMMAND", TR2_COL_TREE | TR2_COL_FLEX, \
	       cell_command(t, r))

TR2_COLUMN_LIST(process_columns, struct process_row, PROCESS_COLUMNS)

/* Read the command line of a process. A process that has ended has no command
 * line. */
static struct tr2_words read_argv(const struct tr2_top_process *p,
				  char text[ARGV_BYTES + 1])
{
	struct tr2_words argv = { .text = text };
	ssize_t n = p->state == TR2_TOP_ENDED ?
			    0 : tr2_procfs_read(p->pid, "cmdline", text,
						ARGV_BYTES);
	ssize_t i;

	if (n <= 0)
		return (struct tr2_words){ 0 };
	text[n] = '\0';
	for (i = 0; i < n; i++)
		argv.nr += !text[i] || i == n - 1;
	return argv;
}

static void add_process(struct tr2_table *t, const struct tr2_top *top,
			const struct tr2_top_row *row)
{
	char text[ARGV_BYTES + 1];
	struct process_row r = { top, row, &top->process[row->first], NULL };
	struct tr2_words argv = row->nr == 1 ? read_argv(r.p, text) :
					       (struct tr2_words){ 0 };

	r.argv = &argv;
	tr2_table_add_at(t, &r, row->depth);
}

/* Print the processes. max: the number of rows that fit; 0: all rows. */
static bool print_processes(struct tr2_output *out, const struct tr2_top *top,
			    const char *sort, uint32_t max)
{
	struct tr2_top_rows rows;
	struct tr2_table t = TR2_TABLE_OF(out, "processes", process_columns);
	bool sorted;
	uint32_t i;

	tr2_top_rows_make(&rows, top, sort ? 0 : max);
	for (i = tr2_top_rows_after(&rows, 0); i;
	     i = tr2_top_rows_after(&rows, i))
		add_process(&t, top, &rows.row[i]);
	tr2_top_rows_release(&rows);
	sorted = sort && tr2_table_sort(&t, sort);
	if (max)
		tr2_table_limit(&t, max);
	tr2_table_finish(&t);
	return sorted;
}

bool tr2_top_print(struct tr2_top *top, enum tr2_format format,
		   const char *sort)
{
	uint32_t height = format == TR2_FORMAT_TEXT ? tr2_term_height() : 0;
	/* The number of lines for tables, below the line of sums. One line is
	 * kept, since it may say that columns are left out. */
	uint32_t room = height > 8 ? height - 4 : 4, others, most;
	struct tr2_table metrics[TR2_TOP_METRICS], threads;
	struct tr2_output out;
	bool sorted = false;
	unsigned int i;

	tr2_output_begin(&out, format);
	out.csv_table = "processes";
	tr2_top_add_metrics(top, &out, metrics);
	tr2_top_add_threads(top, &out, &threads, height ? room : 0);
	others = lines_of(&threads);
	for (i = 0; i < TR2_TOP_METRICS; i++) {
		sorted = (sort && tr2_table_sort(&metrics[i], sort)) || sorted;
		others += lines_of(&metrics[i]);
	}
	most = room / 2 > MIN_ROWS + 2 ? room / 2 : MIN_ROWS + 2;
	if (most + others < room)
		most = room - others;
	print_sum(&out, top);
	sorted = print_processes(&out, top, sort, height ? most - 2 : 0) ||
		 sorted;
	room = room > most ? room - most : 0;
	for (i = 0; i < TR2_TOP_METRICS; i++)
		print_table(&metrics[i], height ? &room : NULL);
	print_table(&threads, height ? &room : NULL);
	tr2_output_end(&out);
	if (sort && !sorted)
		tr2_error("no table has a column '%s' to sort by", sort);
	return !sort || sorted;
}
