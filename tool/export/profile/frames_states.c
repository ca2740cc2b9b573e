/* SPDX-License-Identifier: MIT */
/* frames_states - implements export/profile/frames_states.h. */
#include "export/profile/frames_states.h"

#include <stdlib.h>

#include "common/memory.h"
#include "model/states.h"

struct tr2_frames_states {
	uint32_t *of_thread; /* by session's thread: its frame; 0: none */
	int64_t *until_ns;   /* by task thread: wall time up to which its states
			      * were added */
};

struct tr2_frames_states *tr2_frames_states_new(const struct tr2_model *m)
{
	struct tr2_frames_states *s = tr2_calloc(1, sizeof(*s));
	uint32_t i;

	s->of_thread = tr2_calloc(m->nr_threads, sizeof(*s->of_thread));
	s->until_ns = tr2_calloc(m->nr_task_threads, sizeof(*s->until_ns));
	for (i = 1; i < m->nr_task_threads; i++)
		s->until_ns[i] = m->task_threads[i].start_ns;
	return s;
}

void tr2_frames_states_free(struct tr2_frames_states *s)
{
	if (!s)
		return;
	free(s->of_thread);
	free(s->until_ns);
	free(s);
}

bool tr2_frames_states_of_thread(const struct tr2_export *x, uint32_t thread)
{
	return x->m->threads[thread].task_thread;
}

bool tr2_frames_states_of_node(const struct tr2_export *x, uint32_t node)
{
	return x->m->tasks[x->m->nodes[node].task].first_thread;
}

static void add_below(struct tr2_frames *f, struct tr2_export *x,
		      uint32_t frame, const char *state, const char *cause,
		      int64_t ns)
{
	if (ns <= 0)
		return;
	tr2_buf_reset(&x->text);
	tr2_buf_addall(&x->text, "[", state, cause ? " " : "",
		       cause ? cause : "", "]");
	tr2_frames_add(f, tr2_frames_below(f, x, frame), ns);
}

static void add_sums(struct tr2_frames *f, struct tr2_export *x, uint32_t frame,
		     const struct tr2_state_sums *sums)
{
	int i;

	tr2_frames_add(f, frame, sums->run_ns);
	add_below(f, x, frame, "ready", NULL, sums->ready_ns);
	for (i = 0; i < TR2_CAUSE_NR; i++)
		add_below(f, x, frame, "wait", tr2_cause_name(i),
			  sums->cause_ns[i]);
}

/* Is the kernel's thread joined with a session's thread? Then its states are
 * added to the frames of that thread. */
static bool has_session(const struct tr2_model *m,
			const struct tr2_task_thread *t)
{
	return t->thread && m->threads[t->thread].task_thread;
}

void tr2_frames_states_node(struct tr2_frames *f, struct tr2_export *x,
			    uint32_t node)
{
	const struct tr2_model *m = x->m;
	uint32_t task = m->nodes[node].task, i, frame;

	tr2_for_each_task_thread(m, task, i) {
		const struct tr2_task_thread *t = &m->task_threads[i];
		struct tr2_state_sums sums = { 0 };

		if (has_session(m, t))
			continue;
		frame = f->of_node[node];
		if (t->tid != m->tasks[task].pid) {
			tr2_buf_reset(&x->text);
			tr2_buf_addstr(&x->text,
				       tr2_export_text(x, tr2_s(m, t->comm)));
			frame = tr2_frames_below(f, x, frame);
		}
		tr2_states_sum(m, i, t->start_ns, t->end_ns, &sums);
		add_sums(f, x, frame, &sums);
	}
}

void tr2_frames_states_thread(struct tr2_frames *f, uint32_t thread)
{
	f->states->of_thread[thread] = f->at;
}

/* A walk over a session's thread, from one boundary of its regions to the
 * next. */
struct sweep {
	struct tr2_frames *f;
	struct tr2_export *x;
	uint32_t thread, task_thread;
	int64_t wall_ns;
};

/* Add the thread's states until wall_ns to the frame of the innermost region
 * that has a frame, from `region` outwards. If no region has a frame, add them
 * to the thread's frame. */
static void sweep_until(struct sweep *w, uint32_t region, int64_t wall_ns)
{
	const struct tr2_model *m = w->x->m;
	int64_t *until = &w->f->states->until_ns[w->task_thread];
	struct tr2_state_sums sums = { 0 };

	if (wall_ns > m->task_threads[w->task_thread].end_ns)
		wall_ns = m->task_threads[w->task_thread].end_ns;
	if (wall_ns <= *until)
		return;
	while (region && !w->f->of_span[region])
		region = m->spans[region].parent;
	tr2_states_sum(m, w->task_thread, *until, wall_ns, &sums);
	add_sums(w->f, w->x,
		 region ? w->f->of_span[region] :
			  w->f->states->of_thread[w->thread], &sums);
	*until = wall_ns;
}

static void sweep_thread(struct tr2_frames *f, struct tr2_export *x,
			 uint32_t thread)
{
	const struct tr2_model *m = x->m;
	const struct tr2_model_thread *t = &m->threads[thread];
	const struct tr2_model_session *s = &m->sessions[t->session];
	struct sweep w = { f, x, thread, t->task_thread, s->wall_ns };
	uint32_t i, open = 0;

	tr2_for_each_span(m, thread, i) {
		const struct tr2_span *span = &m->spans[i];

		if (span->kind != TR2_SPAN_REGION)
			continue;
		for (; open && open != span->parent;
		     open = m->spans[open].parent)
			sweep_until(&w, open,
				    w.wall_ns + m->spans[open].end_ns);
		sweep_until(&w, open, w.wall_ns + span->start_ns);
		open = i;
	}
	for (; open; open = m->spans[open].parent)
		sweep_until(&w, open, w.wall_ns + m->spans[open].end_ns);
	/* If a process ran several programs, only the last program lasts until
	 * the process's end. */
	sweep_until(&w, 0, m->task_threads[w.task_thread].thread == thread ?
				   INT64_MAX : w.wall_ns + s->end_ns);
}

void tr2_frames_states_end(struct tr2_frames *f, struct tr2_export *x)
{
	uint32_t i;

	for (i = 1; i < x->m->nr_threads; i++)
		if (f->states->of_thread[i])
			sweep_thread(f, x, i);
}
