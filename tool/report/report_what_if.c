/* SPDX-License-Identifier: MIT */
/*
 * report_what_if - trace2 report --what-if: what a change would gain, and
 * which changes would gain most.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "common/memory.h"
#include "common/say.h"
#include "model/path/critical.h"
#include "model/path/what_if_changes.h"
#include "model/path/what_if_rank.h"
#include "model/states.h"
#include "report/node.h"
#include "report/report.h"
#include "report/report_fold.h"

/* The number of parts of the critical path for which gains are computed. */
#define MAX_TRIED 40
/* Text leaves out gains below this share, and shows bounds that differ by less
 * as one number. */
#define MIN_SHARE 0.005

struct gain_row {
	const struct tr2_gain *gain;
	const char *name; /* the changes, as the option names them */
	int64_t wall_ns;
};

static bool bounded(const struct gain_row *r)
{
	return tr2_report_share(r->gain->most_ns - r->gain->ns, r->wall_ns) >=
	       MIN_SHARE;
}

/* Return whether the smallest gain of the change is known. */
static bool is_known(const struct gain_row *r)
{
	return !r->gain->lock_first;
}

#define RANKING(COLUMN, DATA, TEXT) \
	COLUMN(gain_ns, "GAIN", 0, \
	       if (is_known(r)) tr2_cell_ns(t, r->gain->ns)) \
	COLUMN(share, "SHARE", TR2_COL_HEAT, \
	       if (is_known(r)) tr2_cell_share(t, \
	       tr2_report_share(r->gain->ns, r->wall_ns))) \
	COLUMN(at_most_ns, "AT MOST", 0, \
	       if (!tr2_output_is_text(t->output) || bounded(r)) \
		       tr2_cell_ns(t, r->gain->most_ns)) \
	COLUMN(on_path_ns, "ON PATH", 0, tr2_cell_ns(t, r->gain->path_ns)) \
	COLUMN(what, "IF IT TOOK NO TIME", TR2_COL_LEFT | TR2_COL_FLEX, \
	       tr2_cell_str(t, r->name))

TR2_COLUMN_LIST(ranking, struct gain_row, RANKING)

#define ANSWER(COLUMN, DATA, TEXT) \
	DATA(what, tr2_cell_str(t, r->name)) \
	DATA(wall_ns, tr2_cell_ns(t, r->wall_ns)) \
	DATA(then_ns, \
	     if (is_known(r)) tr2_cell_ns(t, r->wall_ns - r->gain->ns)) \
	DATA(then_at_least_ns, tr2_cell_ns(t, r->wall_ns - r->gain->most_ns))

TR2_COLUMN_LIST(answer, struct gain_row, ANSWER)

/* Return the name of a change in the option's syntax: cc1, index/refresh,
 * wait:disk, ready. */
static const char *name_of(const struct tr2_change *c, struct tr2_buf *b)
{
	tr2_buf_reset(b);
	if (c->kind == TR2_CHANGE_READY)
		tr2_buf_addlit(b, "ready");
	else if (c->kind == TR2_CHANGE_WAIT)
		tr2_buf_addall(b, "wait:", tr2_cause_name(c->cause));
	else
		tr2_buf_addstr(b, c->name);
	return tr2_buf_str(b);
}

static bool print_ranking(const struct tr2_report *r, uint32_t root,
			  int64_t wall_ns)
{
	struct tr2_buf b = TR2_BUF_INIT;
	struct gain_row row = { .wall_ns = wall_ns };
	struct tr2_gain *gains;
	struct tr2_table t = TR2_TABLE_OF(r->out, "what_if", ranking);
	size_t nr = tr2_gains(r->m, root, MAX_TRIED, &gains), i;
	bool ok = true;

	for (i = 0; i < nr; i++) {
		row.gain = &gains[i];
		row.name = name_of(&gains[i].change, &b);
		if (!tr2_report_is_text(r) || gains[i].ns > 0 ||
		    bounded(&row))
			tr2_table_add(&t, &row);
	}
	if (!t.nr_rows && tr2_report_is_text(r)) {
		tr2_warning("no part of the critical path would gain anything");
		tr2_table_release(&t);
	} else {
		ok = tr2_report_table(r, &t, NULL);
	}
	tr2_gains_free(gains, nr);
	tr2_buf_release(&b);
	return ok;
}

/* Print notes on effects that records of wake-ups do not show. */
static void print_doubts(const struct tr2_report *r, const struct gain_row *row)
{
	const struct tr2_model *m = r->m;

	if (row->gain->polled_for)
		tr2_report_print_note("(at best: a loop that slept and looked "
				      "may have waited for %s)",
				      tr2_node_name(m, row->gain->polled_for));
	if (!is_known(row))
		tr2_report_print_note("(at least: unknown, because %s may now "
				      "get a lock before the thread for which "
				      "it waited)",
			tr2_s(m, m->task_threads[row->gain->lock_first].comm));
}

/* Print, for example: 14.332 s would be 9.120 s (36.4% less), or 8.8 s at
 * best */
static void print_sentence(const struct tr2_report *r,
			   const struct gain_row *row)
{
	const struct tr2_gain *gain = row->gain;
	double share = tr2_report_share(gain->ns, row->wall_ns) * 100;

	printf("%s: %s would be ", row->name, tr2_ns_text(row->wall_ns));
	if (is_known(row))
		printf("%s (%.1f%% %s)", tr2_ns_text(row->wall_ns - gain->ns),
		       share < 0 ? -share : share, share < 0 ? "more" : "less");
	else
		printf("unknown");
	if (bounded(row) || !is_known(row))
		printf(", or %s (%.1f%%) at best",
		       tr2_ns_text(row->wall_ns - gain->most_ns),
		       tr2_report_share(gain->most_ns, row->wall_ns) * 100);
	printf("\n");
	print_doubts(r, row);
	printf("\n");
}

static void print_answer(const struct tr2_report *r, struct tr2_retime *retime,
			 const struct gain_row *row)
{
	struct tr2_report then = *r;

	if (tr2_report_is_text(r))
		print_sentence(r, row);
	else
		tr2_table_print_row(r->out, "what_if", TR2_COLUMNS(answer),
				    row);
	then.m = tr2_retimed_model(retime);
	tr2_report_path(&then);
	tr2_retimed_free(then.m);
}

static bool print_change(const struct tr2_report *r, uint32_t root,
			 int64_t wall_ns)
{
	size_t nr = r->what_if->nr, i;
	/* Allocate one more change: tr2_report_jobs() needs the room. */
	struct tr2_change *changes = tr2_calloc(nr + 1, sizeof(*changes));
	const struct tr2_change *jobs = NULL;
	struct tr2_retime *retime = tr2_retime_new(r->m);
	struct tr2_buf names = TR2_BUF_INIT;
	struct gain_row row = { .wall_ns = wall_ns };
	struct tr2_gain gain;
	const char *wrong;
	uint64_t pieces;
	bool ok = true;

	for (i = 0; ok && i < nr; i++) {
		wrong = tr2_change_parse(r->what_if->item[i], &changes[i]);
		ok = !wrong;
		if (wrong)
			tr2_error("cannot use --what-if='%s': %s",
				  r->what_if->item[i], wrong);
		if (ok && changes[i].kind == TR2_CHANGE_JOBS)
			jobs = &changes[i];
		gain = ok ? tr2_gain_of(retime, root, &changes[i], 1, &pieces) :
			    (struct tr2_gain){ 0 };
		if (ok && !pieces && !jobs) {
			tr2_error("--what-if='%s' changes nothing: no such "
				  "process, region or wait in this recording; "
				  "--what-if without a value lists some",
				  r->what_if->item[i]);
			ok = false;
		}
		tr2_buf_addall(&names, i ? ", " : "", r->what_if->item[i]);
	}
	if (ok && jobs) {
		ok = tr2_report_jobs(r, root, &(struct tr2_job_changes){
				tr2_buf_str(&names), jobs, changes, nr });
	} else if (ok) {
		gain = tr2_gain_of(retime, root, changes, nr, &pieces);
		row.gain = &gain;
		row.name = tr2_buf_str(&names);
		print_answer(r, retime, &row);
	}
	for (i = 0; i < nr; i++)
		free((char *)changes[i].name);
	free(changes);
	tr2_retime_free(retime);
	tr2_buf_release(&names);
	return ok;
}

void tr2_report_gains(const struct tr2_report *r)
{
	uint32_t root = tr2_longest_root(r->m);
	const struct tr2_node *n = &r->m->nodes[root];

	if (root && tr2_critical_by_states(r->m, root) &&
	    n->end_ns > n->start_ns)
		print_ranking(r, root, n->end_ns - n->start_ns);
}

bool tr2_report_what_if(const struct tr2_report *r)
{
	uint32_t root = tr2_longest_root(r->m);
	const struct tr2_node *n = &r->m->nodes[root];
	int64_t wall_ns = n->end_ns - n->start_ns;

	if (!root || !tr2_critical_by_states(r->m, root)) {
		tr2_error("--what-if needs the states of threads: this "
			  "recording has none; trace2 record writes them where "
			  "the kernel permits it");
		return false;
	}
	if (wall_ns <= 0) {
		tr2_error("--what-if needs the duration of the command, which "
			  "this recording does not have");
		return false;
	}
	return r->what_if->nr ? print_change(r, root, wall_ns) :
				print_ranking(r, root, wall_ns);
}
