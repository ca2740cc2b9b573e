/* SPDX-License-Identifier: MIT */
/*
 * tool-states [DIR] - states of threads. With the directory of a recording it
 * prints its processes, threads and states, one JSON object a line, with times
 * of the monotonic clock. Without, it adds random records, of which any may be
 * missing, and checks that the sums of each life and each critical path are
 * exact.
 */
#include "base/buf.h"
#include "base/text.h"
#include "common/say.h"
#include "format/read.h"
#include "model/build/build.h"
#include "model/build/build_states.h"
#include "model/objects.h"
#include "model/path/critical.h"
#include "model/states.h"
#include "tap.h"

static const char *const kinds[] = { "run", "ready", "wait" };

static int64_t mono(const struct tr2_model *m, int64_t wall_ns)
{
	return wall_ns - m->meta_wall_ns + m->meta_mono_ns;
}

/* Print "name":"text", with the text as JSON. */
static void print_text(const char *name, const char *text)
{
	struct tr2_buf b = TR2_BUF_INIT;

	tr2_json_add_string(&b, text);
	printf(",\"%s\":%s", name, tr2_buf_str(&b));
	tr2_buf_release(&b);
}

static void print_sums(const struct tr2_state_sums *sums)
{
	unsigned int i;

	printf(",\"run_ns\":%" PRId64 ",\"ready_ns\":%" PRId64
	       ",\"wait_ns\":%" PRId64,
	       sums->run_ns, sums->ready_ns, sums->wait_ns);
	for (i = 0; i < TR2_CAUSE_NR; i++)
		if (sums->cause_ns[i])
			printf(",\"wait_%s_ns\":%" PRId64, tr2_cause_name(i),
			       sums->cause_ns[i]);
}

static void print_state(const struct tr2_model *m, uint32_t thread, uint32_t i)
{
	const struct tr2_state *s = &m->states[i];
	const struct tr2_task_thread *t = &m->task_threads[thread];

	printf("{\"type\":\"state\",\"pid\":%d,\"tid\":%d,\"state\":\"%s\","
	       "\"start_ns\":%" PRId64 ",\"ns\":%" PRId64,
	       m->tasks[t->task].pid, t->tid, kinds[s->kind],
	       mono(m, s->start_ns),
	       tr2_state_end(m, thread, i) - s->start_ns);
	if (s->kind == TR2_STATE_WAIT)
		print_text("cause", tr2_cause_name(s->cause));
	if (s->other)
		printf(",\"other\":%d", m->task_threads[s->other].tid);
	if (s->comm)
		print_text("comm", tr2_s(m, s->comm));
	if (tr2_object_text(m, thread, i))
		print_text("object",
			   tr2_s(m, tr2_object_text(m, thread, i)));
	printf("%s%s%s}\n",
	       s->flags & TR2_STATE_INFERRED ? ",\"inferred\":true" : "",
	       s->flags & TR2_STATE_BY_KERNEL ? ",\"by_kernel\":true" : "",
	       s->flags & TR2_STATE_BY_OUTSIDE ? ",\"by_outside\":true" : "");
}

static void print_thread(const struct tr2_model *m, uint32_t i)
{
	const struct tr2_task_thread *t = &m->task_threads[i];
	struct tr2_state_sums sums = { 0 };
	uint32_t s;

	tr2_states_sum(m, i, t->start_ns, t->end_ns, &sums);
	printf("{\"type\":\"thread\",\"pid\":%d,\"tid\":%d,\"start_ns\":"
	       "%" PRId64 ",\"end_ns\":%" PRId64,
	       m->tasks[t->task].pid, t->tid, mono(m, t->start_ns),
	       mono(m, t->end_ns));
	print_text("comm", tr2_s(m, t->comm));
	if (t->thread)
		print_text("thread", tr2_s(m, m->threads[t->thread].name));
	if (t->cpu_ns != TR2_NO_TIME)
		printf(",\"cpu_ns\":%" PRId64, t->cpu_ns);
	print_sums(&sums);
	printf("%s%s}\n",
	       t->flags & TR2_TASK_THREAD_LOST ? ",\"lost\":true" : "",
	       t->flags & TR2_TASK_THREAD_OPEN ? ",\"open\":true" : "");
	tr2_for_each_state(m, i, s)
		print_state(m, i, s);
}

static void print_spans(const struct tr2_model *m, uint32_t thread)
{
	struct tr2_state_sums sums = { 0 };
	uint32_t i;

	tr2_states_sum_outside(m, thread, &sums);
	printf("{\"type\":\"outside\"");
	print_text("thread", tr2_s(m, m->threads[thread].name));
	print_sums(&sums);
	puts("}");
	tr2_for_each_span(m, thread, i) {
		sums = (struct tr2_state_sums){ 0 };
		tr2_states_sum_span(m, i, &sums);
		printf("{\"type\":\"span\"");
		print_text("thread", tr2_s(m, m->threads[thread].name));
		print_text("category", tr2_s(m, m->spans[i].category));
		print_text("label", tr2_s(m, m->spans[i].label));
		print_sums(&sums);
		puts("}");
	}
}

static void print_process(const struct tr2_model *m, const struct tr2_node *n)
{
	const struct tr2_times *times = tr2_times(m, n);
	struct tr2_state_sums sums = { 0 };
	uint32_t i;

	tr2_states_sum_task(m, n->task, n->start_ns, n->end_ns, &sums);
	printf("{\"type\":\"process\",\"pid\":%d,\"start_ns\":%" PRId64
	       ",\"end_ns\":%" PRId64, n->pid, mono(m, n->start_ns),
	       mono(m, n->end_ns));
	if (times->cpu_ns != TR2_NO_TIME)
		printf(",\"cpu_ns\":%" PRId64, times->cpu_ns);
	if (times->wait_ns != TR2_NO_TIME)
		print_sums(&sums);
	puts("}");
	tr2_for_each_task_thread(m, n->task, i) {
		print_thread(m, i);
		if (m->task_threads[i].thread)
			print_spans(m, m->task_threads[i].thread);
	}
}

static int dump(const char *dir)
{
	struct tr2_model *m = tr2_model_new();
	const struct tr2_load load = { .paths = &dir, .nr_paths = 1 };
	enum tr2_load_result result = tr2_load(m, &load);
	uint32_t i;

	for (i = m->first_root; i && result == TR2_LOAD_OK;
	     i = tr2_node_after(m, i))
		print_process(m, &m->nodes[i]);
	tr2_model_free(m);
	return result == TR2_LOAD_OK ? 0 : 1;
}

static uint64_t seed = 1;

static unsigned int random_below(unsigned int n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned int)(seed >> 33) % n;
}

#define NR_PIDS 4
#define NR_TIDS 12
#define NR_CPUS 3

/* Add any record of one of a few threads; the clock jumps now and then. */
static struct tr2_task_record random_record(int64_t *now_ns)
{
	struct tr2_task_record r = { .kind = random_below(TR2_TASK_RECORD_NR) };

	*now_ns += random_below(1000);
	if (!random_below(100))
		*now_ns -= random_below(100000);
	r.how = random_below(4);
	r.tid = 1 + (int32_t)random_below(NR_TIDS);
	r.pid = 1 + (r.tid - 1) % NR_PIDS;
	r.other = (int32_t)random_below(NR_TIDS + 2);
	r.cpu = random_below(NR_CPUS);
	r.wall_ns = *now_ns;
	r.since_ns = *now_ns - random_below(5000);
	r.value = random_below(1000);
	r.comm = (struct tr2_view){ "comm", random_below(5) };
	return r;
}

static bool lives_are_exact(const struct tr2_model *m)
{
	bool exact = true;
	uint32_t i, s;

	for (i = 1; i < m->nr_task_threads; i++) {
		const struct tr2_task_thread *t = &m->task_threads[i];
		struct tr2_state_sums sums = { 0 };
		int64_t last = t->start_ns;

		tr2_for_each_state(m, i, s) {
			exact = exact && m->states[s].start_ns >= last;
			last = m->states[s].start_ns;
		}
		tr2_states_sum(m, i, INT64_MIN, INT64_MAX, &sums);
		exact = exact && t->start_ns <= t->end_ns &&
			last <= t->end_ns &&
			(!m->has_states ||
			 sums.run_ns + sums.ready_ns + sums.wait_ns ==
				 t->end_ns - t->start_ns);
	}
	return exact;
}

static bool processes_are_exact(const struct tr2_model *m)
{
	bool exact = true;
	uint32_t i;

	for (i = 1; m->has_states && i < m->nr_tasks; i++) {
		struct tr2_state_sums sums = { 0 }, part = { 0 };
		int64_t from = 1000000, middle = from + random_below(500000);

		tr2_states_sum_task(m, i, from, middle, &sums);
		tr2_states_sum_task(m, i, middle, 2 * from, &sums);
		tr2_states_sum_task(m, i, from, 2 * from, &part);
		exact = exact &&
			sums.run_ns + sums.ready_ns + sums.wait_ns == from &&
			sums.run_ns == part.run_ns &&
			sums.ready_ns == part.ready_ns;
	}
	return exact;
}

/* The path accounts for all of the time, for every process as a root, whenever
 * it ended. */
static bool paths_are_exact(struct tr2_model *m)
{
	struct tr2_step *steps;
	bool exact = true;
	int64_t sum;
	size_t nr, i;
	uint32_t n;

	for (n = 1; n < m->nr_nodes; n++) {
		m->nodes[n].start_ns = 1000500;
		m->nodes[n].end_ns = 1000500 + random_below(300000);
		nr = tr2_critical_path(m, n, &steps);
		for (i = 0, sum = 0; i < nr; i++) {
			sum += tr2_step_ns(&steps[i]);
			exact = exact && steps[i].ns >= 0 &&
				steps[i].ready_ns >= 0 &&
				steps[i].parent <= i;
		}
		exact = exact &&
			sum == m->nodes[n].end_ns - m->nodes[n].start_ns;
		free(steps);
	}
	return exact;
}

static struct tr2_model *random_model(void)
{
	struct tr2_model *m = tr2_model_new();
	struct tr2_states_build *b;
	uint64_t begun = seed;
	int64_t now_ns = 1000000;
	unsigned int nr = random_below(400), i;

	for (i = 1; i <= NR_PIDS; i++)
		tr2_build_task_fork(m, (int32_t)i, 0, (int32_t)i,
				    1000000 + random_below(1000));
	b = tr2_states_build_new(m, 1);
	for (i = 0, begun = seed; i < nr; i++) {
		struct tr2_task_record r = random_record(&now_ns);

		tr2_states_build_count(b, &r);
	}
	tr2_states_build_begin(b, NR_CPUS);
	for (i = 0, seed = begun, now_ns = 1000000; i < nr; i++) {
		struct tr2_task_record r = random_record(&now_ns);

		tr2_states_build_add(b, &r);
	}
	tr2_states_build_end(b, now_ns);
	return m;
}

static void test_random(void)
{
	bool lives = true, processes = true, paths = true;
	struct tr2_model *m;
	int i;

	for (i = 0; i < 2000; i++) {
		m = random_model();
		lives = lives && lives_are_exact(m);
		processes = processes && processes_are_exact(m);
		tr2_model_finish(m);
		paths = paths && paths_are_exact(m);
		tr2_model_free(m);
	}
	ok(lives, "states of a thread add up to its life");
	ok(processes, "states of a process add up to any time");
	ok(paths, "steps of a critical path add up to the wall time");
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return dump(argv[1]);
	test_random();
	return done_testing();
}
