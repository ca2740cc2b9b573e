/* SPDX-License-Identifier: MIT */
/*
 * tracks_states - write the states of threads. Each thread of the kernel has a
 * track of slices, below the track of its regions. Each wake-up has an arrow
 * from the track of the thread that caused it.
 */
#include "export/profile/tracks.h"
#include "model/objects.h"
#include "model/states.h"

void tr2_tracks_number_states(struct tr2_export *x)
{
	const struct tr2_model *m = x->m;
	struct tr2_tracks *c = x->state;
	uint32_t i;

	for (i = 1; i < m->nr_task_threads && !x->opt->no_states; i++)
		if (m->task_threads[i].nr_states &&
		    c->pids[m->tasks[m->task_threads[i].task].node])
			c->state_tids[i] = c->next_id++;
}

/* Return "run", "no CPU" or "wait pipe", in x->text. */
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

/* Name the track with a thread's states, and put it below the thread's
 * track. */
static void name_track(struct tr2_export *x, uint32_t i, uint32_t pid)
{
	const struct tr2_model *m = x->m;
	const struct tr2_tracks *c = x->state;
	const struct tr2_task_thread *t = &m->task_threads[i];
	uint32_t thread = c->tids[t->thread] ? t->thread : 0;
	bool main = t->tid == m->tasks[t->task].pid;
	const char *name = thread && m->threads[thread].name ?
		tr2_s(m, m->threads[thread].name) :
		main ? "main" : tr2_s(m, t->comm);
	struct tr2_track track = { .pid = pid, .tid = c->state_tids[i] };

	tr2_buf_reset(&x->text);
	tr2_buf_addstr(&x->text, tr2_export_text(x, name));
	tr2_buf_addlit(&x->text, ": states");
	track.name = tr2_buf_str(&x->text);
	track.rank = main   ? 1 :
		     thread ? 2 * c->tids[thread] + 1 :
			      2 * track.tid;
	c->w->track(x, &track);
}

static void add_state(struct tr2_export *x, const struct tr2_slice *at,
		      uint32_t thread, uint32_t state)
{
	const struct tr2_model *m = x->m;
	const struct tr2_tracks *c = x->state;
	const struct tr2_state *s = at->state;
	tr2_str object = tr2_object_text(m, thread, state);
	tr2_str by = tr2_state_by(m, s);

	c->w->open(x, at, "state", state_name(x, s));
	if (s->flags & TR2_STATE_THROTTLED)
		c->w->yes(x, "throttled");
	else if (by)
		tr2_tracks_text(x, s->kind == TR2_STATE_READY ?
			"cpu_had" : "ended_by", tr2_by_name(m, by));
	if (by & TR2_BY_OUTSIDE)
		c->w->yes(x, "outside");
	if (object)
		tr2_tracks_text(x, "object", tr2_s(m, object));
	if (s->flags & TR2_STATE_INFERRED)
		c->w->yes(x, "inferred");
	c->w->close(x);
}

/* Return an arrow to the end of a wait, from the thread that ended the wait,
 * possibly by its own end. */
static struct tr2_flow wake_flow(const struct tr2_export *x,
				 const struct tr2_slice *waits)
{
	const struct tr2_model *m = x->m;
	struct tr2_tracks *c = x->state;
	uint32_t other = waits->state->other;
	const struct tr2_task_thread *by = &m->task_threads[other];

	if (waits->state->kind != TR2_STATE_WAIT || !c->state_tids[other] ||
	    by->start_ns >= waits->end_ns)
		return (struct tr2_flow){ 0 };
	return (struct tr2_flow){
		.name = "wake-up",
		.id = m->nr_nodes + c->nr_wakes++,
		.at_ns = by->end_ns > waits->end_ns ? waits->end_ns :
						      by->end_ns - 1,
		.pid = c->pids[m->tasks[by->task].node],
		.tid = c->state_tids[other],
	};
}

/* Give the arrow of a wait to the slice after the wait. */
static void add_thread(struct tr2_export *x, uint32_t i, uint32_t pid)
{
	const struct tr2_model *m = x->m;
	const struct tr2_tracks *c = x->state;
	struct tr2_slice at = { .pid = pid, .tid = c->state_tids[i] };
	uint32_t state;

	name_track(x, i, pid);
	tr2_for_each_state(m, i, state) {
		at.state = &m->states[state];
		at.start_ns = at.state->start_ns;
		at.end_ns = tr2_state_end(m, i, state);
		if (at.end_ns <= at.start_ns)
			continue;
		add_state(x, &at, i, state);
		at.from = wake_flow(x, &at);
		tr2_sink_step(&x->sink);
	}
}

void tr2_tracks_states(struct tr2_export *x, uint32_t node)
{
	const struct tr2_model *m = x->m;
	const struct tr2_tracks *c = x->state;
	uint32_t i;

	tr2_for_each_task_thread(m, m->nodes[node].task, i)
		if (c->state_tids[i])
			add_thread(x, i, c->pids[node]);
}
