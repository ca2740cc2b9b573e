/* SPDX-License-Identifier: MIT */
/* states - sum up the states of threads and processes. */
#include <stdlib.h>

#include "model/private.h"
#include "model/states.h"

static const struct {
	const char *name, *text;
} causes[] = {
#define TR2_CAUSE(name, text) { #name, text },
#include "model/causes.def"
#undef TR2_CAUSE
};

const char *tr2_cause_name(enum tr2_cause cause)
{
	return causes[cause].name;
}

const char *tr2_cause_text(enum tr2_cause cause)
{
	return causes[cause].text;
}

tr2_str tr2_state_by(const struct tr2_model *m, const struct tr2_state *s)
{
	if (s->other)
		return m->task_threads[s->other].comm;
	if (!s->comm)
		return 0;
	return s->comm | (s->flags & TR2_STATE_BY_OUTSIDE ? TR2_BY_OUTSIDE : 0);
}

const char *tr2_by_name(const struct tr2_model *m, tr2_str by)
{
	return tr2_s(m, by & ~TR2_BY_OUTSIDE);
}

void tr2_by_add(struct tr2_buf *b, const struct tr2_model *m, tr2_str by)
{
	bool outside = by & TR2_BY_OUTSIDE;

	tr2_buf_addall(b, outside ? "(" : "", tr2_by_name(m, by),
		       outside ? ")" : "");
}

int64_t tr2_state_end(const struct tr2_model *m, uint32_t task_thread,
		      uint32_t state)
{
	const struct tr2_task_thread *t = &m->task_threads[task_thread];

	return state + 1 < t->first_state + t->nr_states ?
		       m->states[state + 1].start_ns : t->end_ns;
}

/* Return the number of the thread's states that begin at this time or
 * before. */
static uint32_t states_until(const struct tr2_model *m,
			     const struct tr2_task_thread *t, int64_t wall_ns)
{
	uint32_t low = 0, high = t->nr_states, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (m->states[t->first_state + mid].start_ns <= wall_ns)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

uint32_t tr2_state_at(const struct tr2_model *m, uint32_t task_thread,
		      int64_t wall_ns)
{
	const struct tr2_task_thread *t = &m->task_threads[task_thread];
	uint32_t nr = states_until(m, t, wall_ns);

	return nr && wall_ns <= t->end_ns ? t->first_state + nr - 1 : 0;
}

static void add_state(struct tr2_state_sums *sums, const struct tr2_state *s,
		      int64_t ns)
{
	if (s->kind == TR2_STATE_RUN) {
		sums->run_ns += ns;
	} else if (s->kind == TR2_STATE_READY) {
		sums->ready_ns += ns;
	} else {
		sums->wait_ns += ns;
		sums->cause_ns[s->cause] += ns;
	}
}

void tr2_states_sum(const struct tr2_model *m, uint32_t task_thread,
		    int64_t from_ns, int64_t to_ns, struct tr2_state_sums *sums)
{
	const struct tr2_task_thread *t = &m->task_threads[task_thread];
	int64_t from, to;
	uint32_t i;

	if (from_ns < t->start_ns)
		from_ns = t->start_ns;
	if (to_ns > t->end_ns)
		to_ns = t->end_ns;
	i = states_until(m, t, from_ns);
	for (i = t->first_state + (i ? i - 1 : 0);
	     i < t->first_state + t->nr_states &&
	     m->states[i].start_ns < to_ns; i++) {
		from = m->states[i].start_ns;
		to = tr2_state_end(m, task_thread, i);
		if (from < from_ns)
			from = from_ns;
		if (to > to_ns)
			to = to_ns;
		if (to > from)
			add_state(sums, &m->states[i], to - from);
	}
}

/* A walk over the states of all threads of a process, by time. */
struct walk {
	const struct tr2_model *m;
	/* Heap of the threads that live, with the thread whose state changes
	 * first on top. */
	struct next {
		int64_t at_ns;
		uint32_t thread, state; /* the state of the thread that begins
					 * at at_ns */
	} *heap;
	uint32_t nr;
	uint32_t nr_run, nr_ready;
	uint32_t waits; /* the wait state that began last; 0: unknown, must be
			 * searched */
	int64_t at_ns;
};

static void sift_down(struct walk *w, uint32_t i)
{
	struct next moved = w->heap[i];
	uint32_t child;

	for (; (child = 2 * i + 1) < w->nr; i = child) {
		if (child + 1 < w->nr &&
		    w->heap[child + 1].at_ns < w->heap[child].at_ns)
			child++;
		if (w->heap[child].at_ns >= moved.at_ns)
			break;
		w->heap[i] = w->heap[child];
	}
	w->heap[i] = moved;
}

static void count_state(struct walk *w, uint32_t state, uint32_t by)
{
	int kind = w->m->states[state].kind;

	w->nr_run += kind == TR2_STATE_RUN ? by : 0;
	w->nr_ready += kind == TR2_STATE_READY ? by : 0;
	if (kind == TR2_STATE_WAIT && by == 1)
		w->waits = state;
}

/* Go on to the next state of the thread whose state changes first. */
static void step_walk(struct walk *w)
{
	struct next *first = &w->heap[0];
	const struct tr2_task_thread *t = &w->m->task_threads[first->thread];

	w->at_ns = first->at_ns;
	if (first->state > t->first_state)
		count_state(w, first->state - 1, -1u);
	if (w->waits == first->state - 1)
		w->waits = 0;
	if (first->state == t->first_state + t->nr_states) {
		*first = w->heap[--w->nr];
	} else {
		count_state(w, first->state, 1);
		first->at_ns = tr2_state_end(w->m, first->thread, first->state);
		first->state++;
	}
	sift_down(w, 0);
}

/* Return the state of the process at this moment. */
static struct tr2_state now_of(struct walk *w)
{
	struct tr2_state now = { .kind = w->nr_run   ? TR2_STATE_RUN :
					 w->nr_ready ? TR2_STATE_READY :
						       TR2_STATE_WAIT };
	const struct tr2_state *states = w->m->states;
	uint32_t i, state;

	if (now.kind != TR2_STATE_WAIT)
		return now;
	for (i = 0; !w->waits && i < w->nr; i++) {
		state = w->heap[i].state - 1;
		if (state >= w->m->task_threads[w->heap[i].thread].first_state)
			w->waits = state;
	}
	if (w->waits)
		now.cause = states[w->waits].cause;
	return now;
}

static void begin_walk(struct walk *w, uint32_t task)
{
	uint32_t i, nr = 0;

	tr2_for_each_task_thread(w->m, task, i)
		nr++;
	w->heap = tr2_calloc(nr + 1, sizeof(*w->heap));
	tr2_for_each_task_thread(w->m, task, i) {
		const struct tr2_task_thread *t = &w->m->task_threads[i];

		w->heap[w->nr++] = (struct next){ t->start_ns, i,
						  t->first_state };
	}
	for (i = w->nr / 2; i--;)
		sift_down(w, i);
}

void tr2_states_sum_task(const struct tr2_model *m, uint32_t task,
			 int64_t from_ns, int64_t to_ns,
			 struct tr2_state_sums *sums)
{
	struct walk w = { .m = m };
	struct tr2_state now;
	int64_t to;

	if (!m->has_states)
		return;
	begin_walk(&w, task);
	while (from_ns < to_ns) {
		while (w.nr && w.heap[0].at_ns <= from_ns)
			step_walk(&w);
		to = w.nr && w.heap[0].at_ns < to_ns ? w.heap[0].at_ns : to_ns;
		now = now_of(&w);
		add_state(sums, &now, to - from_ns);
		from_ns = to;
	}
	free(w.heap);
}

/* Add the states between from_ns and to_ns, except during the spans directly
 * inside `parent` (0: the outermost spans). `i` is the first span that may be
 * inside. */
static void sum_gaps(const struct tr2_model *m,
		     const struct tr2_model_thread *t, uint32_t parent,
		     uint32_t i, int64_t from_ns, int64_t to_ns,
		     struct tr2_state_sums *sums)
{
	int64_t wall_ns = m->sessions[t->session].wall_ns, end_ns;

	for (; i && m->spans[i].start_ns < to_ns; i = m->spans[i].next) {
		if (m->spans[i].parent != parent)
			continue;
		if (m->spans[i].start_ns > from_ns)
			tr2_states_sum(m, t->task_thread, wall_ns + from_ns,
				       wall_ns + m->spans[i].start_ns, sums);
		end_ns = tr2_span_busy_to(m, i);
		if (end_ns > from_ns)
			from_ns = end_ns;
	}
	tr2_states_sum(m, t->task_thread, wall_ns + from_ns, wall_ns + to_ns,
		       sums);
}

void tr2_states_sum_span(const struct tr2_model *m, uint32_t span,
			 struct tr2_state_sums *sums)
{
	const struct tr2_span *s = &m->spans[span];
	const struct tr2_model_thread *t = &m->threads[s->thread];

	if (t->task_thread)
		sum_gaps(m, t, span, s->next, s->start_ns,
			 tr2_span_busy_to(m, span), sums);
}

void tr2_states_sum_outside(const struct tr2_model *m, uint32_t thread,
			    struct tr2_state_sums *sums)
{
	const struct tr2_model_thread *t = &m->threads[thread];
	const struct tr2_task_thread *k = &m->task_threads[t->task_thread];
	int64_t wall_ns = m->sessions[t->session].wall_ns;

	if (t->task_thread)
		sum_gaps(m, t, 0, t->first_span, k->start_ns - wall_ns,
			 k->end_ns - wall_ns, sums);
}
