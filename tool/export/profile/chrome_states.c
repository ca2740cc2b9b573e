/* SPDX-License-Identifier: MIT */
/*
 * chrome_states - the states of threads in Trace Event JSON: a track of slices
 * for each thread of the kernel, below the track of its regions, and a flow for
 * each wake-up, from the track of the thread that caused it.
 *
 * chrome://tracing knows the colours; Perfetto gives each name one.
 */
#include "export/profile/chrome.h"
#include "model/objects.h"
#include "model/states.h"

void tr2_chrome_number_states(struct tr2_export *x)
{
	const struct tr2_model *m = x->m;
	struct tr2_chrome *c = x->state;
	uint32_t i;

	for (i = 1; i < m->nr_task_threads && !x->opt->no_states; i++)
		if (m->task_threads[i].nr_states &&
		    c->pids[m->tasks[m->task_threads[i].task].node])
			c->state_tids[i] = c->next_id++;
}

/* "run", "no CPU", "wait pipe", in x->text. */
static const char *state_name(struct tr2_export *x, const struct tr2_state *s)
{
	tr2_buf_reset(&x->text);
	tr2_buf_addstr(&x->text, s->kind == TR2_STATE_RUN   ? "run" :
				 s->kind == TR2_STATE_READY ? "no CPU" :
							      "wait ");
	if (s->kind == TR2_STATE_WAIT)
		tr2_buf_addstr(&x->text, tr2_cause_name(s->cause));
	return tr2_buf_str(&x->text);
}

/* Return a name of chrome://tracing for the colour of a state. */
static const char *colour(const struct tr2_state *s)
{
	if (s->kind == TR2_STATE_RUN)
		return "thread_state_running";
	if (s->kind == TR2_STATE_READY)
		return "thread_state_runnable";
	switch ((enum tr2_cause)s->cause) {
	case TR2_CAUSE_disk:
	case TR2_CAUSE_page:
		return "thread_state_iowait";
	case TR2_CAUSE_unknown:
	case TR2_CAUSE_other:
		return "thread_state_unknown";
	default:
		return "thread_state_sleeping";
	}
}

/* Name the track, and put it below that of its thread. */
static void name_track(struct tr2_export *x, uint32_t i, uint32_t pid)
{
	const struct tr2_model *m = x->m;
	const struct tr2_chrome *c = x->state;
	const struct tr2_task_thread *t = &m->task_threads[i];
	uint32_t thread = c->tids[t->thread] ? t->thread : 0;
	bool main = t->tid == m->tasks[t->task].pid;
	const char *name = thread && m->threads[thread].name ?
		tr2_s(m, m->threads[thread].name) :
		main ? "main" : tr2_s(m, t->comm);

	tr2_buf_reset(&x->text);
	tr2_buf_addstr(&x->text, tr2_export_text(x, name));
	tr2_buf_addlit(&x->text, ": states");
	tr2_chrome_metadata(x, "thread_name", pid, c->state_tids[i], "name",
			    tr2_buf_str(&x->text));
	tr2_chrome_sort_index(x, "thread_sort_index", pid, c->state_tids[i],
			      main   ? 1 :
			      thread ? 2 * c->tids[thread] + 1 :
				       2 * c->state_tids[i]);
}

static void add_state(struct tr2_export *x, const struct tr2_chrome_slice *at,
		      uint32_t thread, uint32_t state)
{
	const struct tr2_model *m = x->m;
	const struct tr2_state *s = &m->states[state];
	tr2_str object = tr2_object_text(m, thread, state);
	struct tr2_buf *b = tr2_chrome_open_slice(x, at, "state",
						  state_name(x, s));
	tr2_str by = s->other ? m->task_threads[s->other].comm : s->comm;
	size_t args;

	tr2_export_json_str(x, b, "cname", colour(s));
	args = tr2_chrome_open_args(b);
	if (s->flags & TR2_STATE_THROTTLED)
		tr2_buf_addlit(b, ",\"throttled\":true");
	else if (by)
		tr2_export_json_str(x, b, s->kind == TR2_STATE_READY ?
			"cpu_had" : "ended_by", tr2_s(m, by));
	if (object)
		tr2_export_json_str(x, b, "object", tr2_s(m, object));
	if (s->flags & TR2_STATE_INFERRED)
		tr2_buf_addlit(b, ",\"inferred\":true");
	tr2_chrome_close_args(b, args);
}

/* An arrow to the end of a wait, from the thread that ended it, perhaps by its
 * own end. */
static void add_wake(struct tr2_export *x, const struct tr2_chrome_slice *waits,
		     const struct tr2_state *s)
{
	const struct tr2_model *m = x->m;
	struct tr2_chrome *c = x->state;
	const struct tr2_task_thread *by = &m->task_threads[s->other];
	struct tr2_chrome_slice from = {
		.start_ns = by->end_ns > waits->end_ns ? waits->end_ns :
							 by->end_ns - 1,
		.pid = c->pids[m->tasks[by->task].node],
		.tid = c->state_tids[s->other],
	}, to = { waits->end_ns, waits->end_ns, waits->pid, waits->tid };
	uint32_t id = m->nr_nodes + c->nr_wakes++;

	tr2_chrome_flow(x, 's', "wake-up", id, &from);
	tr2_chrome_flow(x, 'f', "wake-up", id, &to);
}

static void add_thread(struct tr2_export *x, uint32_t i, uint32_t pid)
{
	const struct tr2_model *m = x->m;
	const struct tr2_chrome *c = x->state;
	const struct tr2_task_thread *t = &m->task_threads[i];
	uint32_t state;

	name_track(x, i, pid);
	tr2_for_each_state(m, i, state) {
		const struct tr2_state *s = &m->states[state];
		struct tr2_chrome_slice at = { s->start_ns,
					       tr2_state_end(m, i, state), pid,
					       c->state_tids[i] };

		if (at.end_ns <= at.start_ns)
			continue;
		add_state(x, &at, i, state);
		if (s->kind == TR2_STATE_WAIT && at.end_ns < t->end_ns &&
		    c->state_tids[s->other] &&
		    m->task_threads[s->other].start_ns < at.end_ns)
			add_wake(x, &at, s);
		tr2_sink_step(&x->sink);
	}
}

void tr2_chrome_states(struct tr2_export *x, uint32_t node)
{
	const struct tr2_model *m = x->m;
	const struct tr2_chrome *c = x->state;
	uint32_t i;

	tr2_for_each_task_thread(m, m->nodes[node].task, i)
		if (c->state_tids[i])
			add_thread(x, i, c->pids[node]);
}
