/* SPDX-License-Identifier: MIT */
/* kernel.data of a recording of two processes. */
#include "format/events/utf8.h"
#include "format/kernel/kernel_data.h"
#include "format/read.h"
#include "fuzz.h"
#include "model/build/build.h"
#include "model/states.h"

static void check_thread(const struct tr2_model *m, uint32_t i)
{
	const struct tr2_task_thread *t = &m->task_threads[i];
	struct tr2_state_sums sums = { 0 };
	int64_t last = t->start_ns;
	uint32_t s;

	fuzz_check(t->start_ns <= t->end_ns, "a life ends before it begins");
	fuzz_check(tr2_utf8_valid(tr2_s(m, t->comm),
				  strlen(tr2_s(m, t->comm))),
		   "a name is not UTF-8");
	tr2_for_each_state(m, i, s) {
		fuzz_check(m->states[s].start_ns >= last &&
				   m->states[s].start_ns <= t->end_ns,
			   "states are not in order");
		fuzz_check(m->states[s].other < m->nr_task_threads,
			   "a state names a thread that does not exist");
		last = m->states[s].start_ns;
	}
	tr2_states_sum(m, i, INT64_MIN, INT64_MAX, &sums);
	fuzz_check(!t->nr_states || sums.run_ns + sums.ready_ns +
					    sums.wait_ns ==
				    t->end_ns - t->start_ns,
		   "states do not add up");
}

static void check_process(const struct tr2_model *m, const struct tr2_node *n)
{
	struct tr2_state_sums sums = { 0 };

	if (!m->has_states)
		return;
	tr2_states_sum_task(m, n->task, n->start_ns, n->end_ns, &sums);
	fuzz_check(sums.run_ns + sums.ready_ns + sums.wait_ns ==
			   n->end_ns - n->start_ns,
		   "states of a process do not add up");
}

void fuzz_kernel_data(struct fuzz_input *in)
{
	struct tr2_model *m = tr2_model_new();
	int64_t end_ns = 0;
	uint32_t i;

	fuzz_write("kernel.data", in->p, in->n);
	tr2_model_input_begin(m, fuzz_directory());
	m->has_meta = true;
	m->meta_wall_ns = 1700000000000000000;
	m->meta_mono_ns = 5000000000;
	tr2_build_task_fork(m, 10, 1, 10, m->meta_wall_ns);
	tr2_build_task_fork(m, 11, 10, 11, m->meta_wall_ns + 1000);
	tr2_kernel_load(m, fuzz_directory(), 1, &end_ns);
	tr2_model_finish(m);
	for (i = 1; i < m->nr_task_threads; i++)
		check_thread(m, i);
	for (i = 1; i < m->nr_nodes; i++)
		check_process(m, &m->nodes[i]);
	tr2_model_free(m);
}
