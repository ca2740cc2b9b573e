/* SPDX-License-Identifier: MIT */
/*
 * report_tests - trace2 report --tests: the tests and scripts of suites whose
 * scripts are sessions.
 *
 * A test is a region test/NUMBER - TITLE with the data test/result. A test's
 * processes are those that its script started in the region, and all their
 * descendants. The data test/script is the result of a script; errors outside
 * of its tests say why the script failed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "common/memory.h"
#include "model/states.h"
#include "report/node.h"
#include "report/report.h"

/* The number of rows in text; -n sets another number. */
#define MOST_ROWS 10

static const char category[] = "test";

/* The cost of a test, or of a script. */
struct costs {
	int64_t wall_ns, cpu_ns, spawn_ns;
	uint64_t processes;
};

struct test {
	struct tr2_session_row of;
	uint32_t span;
	const char *result; /* the result; NULL: the test or script did not
			     * end */
	struct costs costs;
};

struct script {
	struct tr2_session_row of;
	const char *result; /* the result; NULL: the test or script did not
			     * end */
	struct tr2_buf reasons; /* why the script failed, besides failed
				 * tests */
	const char *reason;     /* the text of `reasons`; NULL: none */
	struct costs costs;
	int64_t outside_ns; /* time of the script outside of its tests */
	uint64_t tests, failed, skipped;
	uint64_t cut; /* number of failed tests that have no end */
};

/* The tests and scripts that were gathered so far. */
struct suite {
	const struct tr2_report *r;
	struct test *test;
	struct script *script;
	uint32_t nr_test, alloc_test, nr_script, alloc_script;
};

static bool is_test(const struct tr2_model *m, tr2_str name)
{
	return name && !strcmp(tr2_s(m, name), category);
}

static void add_known(int64_t *to, int64_t ns)
{
	if (ns != TR2_NO_TIME)
		tr2_ns_add(to, ns);
}

/* Add a process and all its descendants. */
static void add_processes(const struct tr2_model *m, uint32_t node,
			  struct costs *to)
{
	uint16_t depth = m->nodes[node].depth;

	do {
		add_known(&to->cpu_ns,
			  tr2_times(m, &m->nodes[node])->cpu_ns);
		add_known(&to->spawn_ns, m->nodes[node].spawn_ns);
		to->processes++;
		node = tr2_node_after(m, node);
	} while (node && m->nodes[node].depth > depth);
}

static void add_costs(struct costs *to, const struct costs *c)
{
	tr2_ns_add(&to->cpu_ns, c->cpu_ns);
	tr2_ns_add(&to->spawn_ns, c->spawn_ns);
	to->processes += c->processes;
}

/* Return the CPU time that the script's own process, such as a shell, took in a
 * test. */
static int64_t own_cpu(const struct tr2_model *m, const struct test *t)
{
	const struct tr2_span *s = &m->spans[t->span];
	uint32_t task_thread = m->threads[s->thread].task_thread;
	int64_t wall = t->of.session->wall_ns;
	struct tr2_state_sums sums = { 0 };

	if (task_thread)
		tr2_states_sum(m, task_thread, wall + s->start_ns,
			       wall + s->end_ns, &sums);
	return sums.run_ns;
}

/* Add each process that the script started to the test in which it was started.
 * Processes and tests are in the order of their starts. */
static void share_processes(const struct tr2_model *m, struct script *script,
			    struct test *test, uint32_t nr)
{
	const struct tr2_model_session *s = script->of.session;
	struct costs costs;
	uint32_t i, t = 0;

	tr2_for_each_child_node(m, s->node, i) {
		int64_t at_ns = m->nodes[i].start_ns - s->wall_ns;

		while (t < nr && m->spans[test[t].span].end_ns <= at_ns)
			t++;
		costs = (struct costs){ 0 };
		add_processes(m, i, &costs);
		add_costs(&script->costs, &costs);
		if (t < nr && m->spans[test[t].span].start_ns <= at_ns)
			add_costs(&test[t].costs, &costs);
	}
}

static bool is_bad(const char *result)
{
	return !result || !strcmp(result, "failed");
}

static void count_test(struct script *script, const struct test *t)
{
	script->tests++;
	script->outside_ns -= t->costs.wall_ns;
	script->cut += !t->result;
	if (is_bad(t->result))
		script->failed++;
	else if (!strcmp(t->result, "skipped"))
		script->skipped++;
}

/* Return whether the point is the data test/KEY. */
static bool is_data(const struct tr2_model *m, const struct tr2_point *p,
		    const char *key)
{
	return p->value && p->key && is_test(m, p->category) &&
	       !strcmp(tr2_s(m, p->key), key);
}

/* Return the first test, from test t on, that is the region `span` or begins
 * after it. Tests and regions are in the order of their starts. */
static uint32_t test_from(const struct suite *all, uint32_t t, uint32_t span)
{
	while (t < all->nr_test && all->test[t].span < span)
		t++;
	return t;
}

static void set_results(struct suite *all, uint32_t first, uint32_t thread)
{
	const struct tr2_model *m = all->r->m;
	uint32_t i, t = first;

	tr2_for_each_point(m, thread, i) {
		const struct tr2_point *p = &m->points[i];

		if (!is_data(m, p, "result"))
			continue;
		t = test_from(all, t, p->parent);
		if (t < all->nr_test && all->test[t].span == p->parent)
			all->test[t].result = p->value;
	}
}

static void add_reason(struct script *script, const char *text)
{
	if (script->reasons.len)
		tr2_buf_addlit(&script->reasons, "; ");
	tr2_buf_addstr(&script->reasons, text);
}

/* Return the test around a point; 0: there is none. */
static uint32_t span_of_test(const struct tr2_model *m,
			     const struct tr2_point *p)
{
	uint32_t i = p->parent;

	while (i && !is_test(m, m->spans[i].category))
		i = m->spans[i].parent;
	return i;
}

/* Set the result and the reasons of a script from the events of its session. An
 * error inside a test belongs to the test, if the test has an end. */
static void set_script(struct suite *all, uint32_t first, struct script *script)
{
	const struct tr2_model *m = all->r->m;
	uint32_t i, span, t = first;

	tr2_for_each_point(m, script->of.session->first_thread, i) {
		const struct tr2_point *p = &m->points[i];

		if (is_data(m, p, "script"))
			script->result = p->value;
		if (p->kind != TR2_POINT_ERROR || !p->value)
			continue;
		span = span_of_test(m, p);
		t = test_from(all, t, span);
		if (!span || t == all->nr_test || !all->test[t].result)
			add_reason(script, p->value);
	}
}

/* Find out how a script ended if its session does not say so, because the
 * script was killed, or its harness does not report results. Failed tests
 * suffice to explain an exit code. */
static void set_end(struct script *script)
{
	const struct tr2_model *m = script->of.m;
	const struct tr2_node *n = &m->nodes[script->of.session->node];
	bool killed = n->end == TR2_END_SIGNAL;
	bool failed = n->has_code && n->code && script->failed == script->cut;

	if (!script->result && (killed || n->has_code))
		script->result = killed || failed || script->failed ?
				 "failed" : "ok";
	if (!is_bad(script->result)) {
		tr2_buf_release(&script->reasons);
		return;
	}
	if (!script->reasons.len && (killed || failed)) {
		add_reason(script, killed ? "killed by signal " :
					    "exited with ");
		tr2_buf_add_i64(&script->reasons, n->code);
	}
	if (script->reasons.len)
		script->reason = tr2_buf_str(&script->reasons);
}

/* Return how long a test took, but not beyond the end of its script: a process
 * in the background may write the test's line later. */
static int64_t wall_within(const struct tr2_span *s, int64_t end_ns)
{
	if (end_ns > s->end_ns)
		end_ns = s->end_ns;
	return end_ns > s->start_ns ? end_ns - s->start_ns : 0;
}

static void gather_tests(struct suite *all, struct tr2_session_row of)
{
	const struct tr2_model *m = all->r->m;
	int64_t end_ns =
		m->nodes[of.session->node].end_ns - of.session->wall_ns;
	uint32_t i;

	tr2_for_each_span(m, of.session->first_thread, i) {
		const struct tr2_span *s = &m->spans[i];

		if (s->kind != TR2_SPAN_REGION || !is_test(m, s->category))
			continue;
		tr2_grow(all->test, all->nr_test, all->alloc_test);
		all->test[all->nr_test++] = (struct test){
			.of = of, .span = i,
			.costs.wall_ns = wall_within(s, end_ns),
		};
	}
}

static void set_costs(struct suite *all, uint32_t first, struct script *script)
{
	const struct tr2_model *m = all->r->m;
	const struct tr2_node *n = &m->nodes[script->of.session->node];
	uint32_t i;

	script->costs.wall_ns = script->outside_ns = n->end_ns - n->start_ns;
	add_known(&script->costs.cpu_ns, tr2_times(m, n)->cpu_ns);
	share_processes(m, script, all->test + first, all->nr_test - first);
	for (i = first; i < all->nr_test; i++) {
		tr2_ns_add(&all->test[i].costs.cpu_ns,
			   own_cpu(m, &all->test[i]));
		count_test(script, &all->test[i]);
	}
	if (script->outside_ns < 0)
		script->outside_ns = 0; /* tests took more than the script, if
					 * tests inside of tests count twice */
}

static void gather_script(struct suite *all, uint32_t session)
{
	const struct tr2_model *m = all->r->m;
	struct script script = { .of = { m, &m->sessions[session] } };
	uint32_t first = all->nr_test;

	gather_tests(all, script.of);
	set_results(all, first, script.of.session->first_thread);
	set_script(all, first, &script);
	if (all->nr_test == first && !script.result) {
		tr2_buf_release(&script.reasons);
		return;
	}
	set_costs(all, first, &script);
	set_end(&script);
	tr2_grow(all->script, all->nr_script, all->alloc_script);
	all->script[all->nr_script++] = script;
}

static void cell_ns_if(struct tr2_table *t, int64_t ns)
{
	if (ns)
		tr2_cell_ns(t, ns);
}

/* Leave the cell empty without the kernel's records: the number of processes is
 * then unknown. */
static void cell_nr_processes(struct tr2_table *t,
			      const struct tr2_session_row *of, uint64_t nr)
{
	if (of->m->nodes[of->session->node].task)
		tr2_cell_uint(t, nr);
}

/* The columns that the tables of tests and of scripts share. */
#define WALL(COLUMN) \
	COLUMN(wall_ns, "WALL", 0, tr2_cell_ns(t, r->costs.wall_ns))
#define COSTS(COLUMN) \
	COLUMN(cpu_ns, "CPU", 0, cell_ns_if(t, r->costs.cpu_ns)) \
	COLUMN(spawn_ns, "SPAWN", 0, cell_ns_if(t, r->costs.spawn_ns)) \
	COLUMN(processes, "PROCESSES", 0, \
	       cell_nr_processes(t, &r->of, r->costs.processes))
#define RESULT(COLUMN) \
	COLUMN(result, "RESULT", TR2_COL_LEFT, \
	       tr2_cell_str(t, r->result ? r->result : "no end")) \
	COLUMN(script, "SCRIPT", TR2_COL_FLEX, \
	       tr2_session_cell_process(t, &r->of))

#define TEST_COLUMNS(COLUMN, DATA, TEXT) \
	WALL(COLUMN) \
	COSTS(COLUMN) \
	RESULT(COLUMN) \
	COLUMN(test, "TEST", TR2_COL_FLEX, \
	       tr2_cell_str(t, tr2_s(r->of.m, r->of.m->spans[r->span].label)); \
	       tr2_cell_link(t, TR2_LINK_SPAN, r->span)) \
	DATA(sid, tr2_session_cell_sid(t, &r->of))

TR2_COLUMN_LIST(test_columns, struct test, TEST_COLUMNS)

#define NUMBERS(COLUMN) \
	COLUMN(tests, "TESTS", 0, tr2_cell_uint(t, r->tests)) \
	COLUMN(failed, "FAILED", 0, \
	       if (r->failed) tr2_cell_uint(t, r->failed))

#define SCRIPT_COLUMNS(COLUMN, DATA, TEXT) \
	WALL(COLUMN) \
	COLUMN(outside_ns, "OUTSIDE", 0, tr2_cell_ns(t, r->outside_ns)) \
	COSTS(COLUMN) \
	NUMBERS(COLUMN) \
	COLUMN(skipped, "SKIPPED", 0, \
	       if (r->skipped) tr2_cell_uint(t, r->skipped)) \
	RESULT(COLUMN) \
	DATA(reason, tr2_cell_str(t, r->reason)) \
	DATA(sid, tr2_session_cell_sid(t, &r->of))

TR2_COLUMN_LIST(script_columns, struct script, SCRIPT_COLUMNS)

#define FAILED_COLUMNS(COLUMN, DATA, TEXT) \
	WALL(COLUMN) \
	NUMBERS(COLUMN) \
	RESULT(COLUMN) \
	COLUMN(reason, "REASON", TR2_COL_FLEX, tr2_cell_str(t, r->reason)) \
	DATA(sid, tr2_session_cell_sid(t, &r->of))

TR2_COLUMN_LIST(failed_columns, struct script, FAILED_COLUMNS)

static bool print_suite(const struct tr2_report *r, struct tr2_table *t)
{
	struct tr2_report own = *r;

	if (own.limit < 0 && tr2_report_is_text(r))
		own.limit = MOST_ROWS;
	return tr2_report_table_if_any(&own, t, "wall");
}

/* Print the scripts that failed for another reason than their tests. */
static bool print_failed_scripts(const struct suite *all)
{
	struct tr2_report own = *all->r;
	struct tr2_table t =
		TR2_TABLE_OF(own.out, "failed_scripts", failed_columns);
	uint32_t i;

	own.sort = NULL; /* Ignore -s: it names a column of the table of
			  * tests. */
	for (i = 0; i < all->nr_script; i++) {
		const struct script *s = &all->script[i];

		if (is_bad(s->result) && (s->reason || !s->failed))
			tr2_table_add(&t, s);
	}
	if (t.nr_rows)
		return tr2_report_table(&own, &t, "wall");
	tr2_table_release(&t);
	return true;
}

/* Print the failed tests, then the slowest ones. */
static bool print_tests(const struct suite *all)
{
	struct tr2_table failed, t;
	uint32_t i;

	tr2_table_init(&failed, all->r->out, "failed_tests",
		       TR2_COLUMNS(test_columns));
	tr2_table_init(&t, all->r->out, "tests", TR2_COLUMNS(test_columns));
	for (i = 0; i < all->nr_test; i++) {
		const struct test *test = &all->test[i];

		tr2_table_add(&t, test);
		if (is_bad(test->result))
			tr2_table_add(&failed, test);
	}
	if (failed.nr_rows && !tr2_report_table(all->r, &failed, "wall")) {
		tr2_table_release(&t);
		return false;
	}
	if (!failed.nr_rows)
		tr2_table_release(&failed);
	return print_suite(all->r, &t);
}

static bool print_scripts(const struct suite *all)
{
	struct tr2_report own = *all->r;
	struct tr2_table t = TR2_TABLE_OF(own.out, "scripts", script_columns);
	uint32_t i;

	own.sort = NULL;
	for (i = 0; i < all->nr_script; i++)
		tr2_table_add(&t, &all->script[i]);
	return print_suite(&own, &t);
}

bool tr2_report_tests(const struct tr2_report *r)
{
	struct suite all = { .r = r };
	uint32_t i;
	bool ok;

	tr2_report_for_each_session(r, i)
		gather_script(&all, i);
	ok = print_failed_scripts(&all) && print_tests(&all);
	if (ok && all.nr_script)
		ok = print_scripts(&all);
	for (i = 0; i < all.nr_script; i++)
		tr2_buf_release(&all.script[i].reasons);
	free(all.test);
	free(all.script);
	return ok;
}
