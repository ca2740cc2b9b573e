/* SPDX-License-Identifier: MIT */
/* objects - join the objects that the observer saw with the threads and their
 * states. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "common/memory.h"
#include "common/order.h"
#include "model/objects.h"
#include "model/private.h"
#include "model/states.h"

/* Return the thread with the object's tid that lived from o->from_ns to
 * o->to_ns; 0: unknown. */
static uint32_t thread_of(const struct tr2_model *m,
			  const struct tr2_observed_object *o)
{
	uint32_t i;

	tr2_for_each_task_thread(m, o->task, i)
		if (m->task_threads[i].tid == o->tid &&
		    m->task_threads[i].start_ns <= o->from_ns &&
		    m->task_threads[i].end_ns >= o->to_ns)
			return i;
	return 0;
}

/* Add the peer, which is the process at the other end or the holder of the
 * lock: "pipe to sort", "tcp ADDRESS (python3)". */
static void add_peer(struct tr2_buf *b, const struct tr2_model *m,
		     const struct tr2_observed_object *o)
{
	const char *call = tr2_s(m, o->call), *what = tr2_s(m, o->what);
	const char *name = tr2_node_name(m, m->tasks[o->peer].node);
	bool sends = strstr(call, "write") || !strncmp(call, "send", 4);

	if (!strcmp(what, "lock"))
		tr2_buf_addall(b, ", held by ", name);
	else if (!strcmp(what, "child"))
		tr2_buf_addall(b, " ", name);
	else if (o->name)
		tr2_buf_addall(b, " (", name, ")");
	else
		tr2_buf_addall(b, sends ? " to " : " from ", name);
}

/* Add the object's name. If the name of the host is known, write it in place of
 * the host's address: "localhost:80", "listen localhost:80". */
static void add_name(struct tr2_buf *b, const struct tr2_model *m,
		     const struct tr2_observed_object *o)
{
	const char *name = tr2_s(m, o->name), *port = strrchr(name, ':');

	if (o->host && port)
		tr2_buf_addall(b,
			       strncmp(name, "listen ", 7) ? " " :
							     " listen ",
			       tr2_s(m, o->host), port);
	else
		tr2_buf_addall(b, " ", name);
}

static tr2_str text_of(struct tr2_model *m, const struct tr2_observed_object *o)
{
	struct tr2_buf b = TR2_BUF_INIT;
	tr2_str text;

	tr2_buf_addstr(&b, tr2_s(m, o->what));
	if (o->name && !m->redact)
		add_name(&b, m, o);
	if (o->number > 1) {
		tr2_buf_addlit(&b, " x ");
		tr2_buf_add_u64(&b, o->number);
	}
	if (o->peer && m->tasks[o->peer].node)
		add_peer(&b, m, o);
	if (o->others)
		tr2_buf_addall(&b, ", ", tr2_s(m, o->others));
	text = tr2_intern(m, tr2_buf_str(&b), b.len);
	tr2_buf_release(&b);
	return text;
}

/* ---- Locks ---- */

static bool is_lock(const struct tr2_model *m,
		    const struct tr2_observed_object *o)
{
	return !strcmp(tr2_s(m, o->what), "lock");
}

/* The time at which a process that waited for a lock got the lock, or gave
 * up. */
struct taken {
	uint64_t by; /* key of the task and the lock's name */
	int64_t at_ns;
};
struct all_taken {
	struct taken *p;
	size_t nr;
};

TR2_ORDER(by_taker, struct taken, TR2_UP(by) ?: TR2_UP(at_ns))

/* Return the state in which the thread waited for the object; 0: unknown. */
static uint32_t wait_of(const struct tr2_model *m,
			const struct tr2_observed_object *o)
{
	uint32_t i = o->task_thread ?
			     tr2_state_at(m, o->task_thread, o->from_ns) :
			     0;

	return m->states[i].kind == TR2_STATE_WAIT ? i : 0;
}

static void add_taken(struct all_taken *all, const struct tr2_model *m,
		      const struct tr2_observed_object *o)
{
	uint32_t i = wait_of(m, o);

	if (i && o->name)
		all->p[all->nr++] = (struct taken){
			tr2_key(o->task, o->name),
			tr2_state_end(m, o->task_thread, i)
		};
}

static bool has_taken(const struct all_taken *all, uint64_t by, int64_t from_ns,
		      int64_t until_ns)
{
	size_t low = 0, high = all->nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (all->p[middle].by < by ||
		    (all->p[middle].by == by &&
		     all->p[middle].at_ns < from_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low < all->nr && all->p[low].by == by &&
	       all->p[low].at_ns < until_ns;
}

/*
 * Can the process have released the lock at end_ns? It can if it waited for the
 * same lock, and went on after the observer had seen another holder. It also
 * can if the holder has ended, and the process is the holder or a descendant of
 * the holder. Any other process ended the wait by a signal. For example,
 * `timeout` may be a child of a holder that still waits for the command.
 */
static bool may_have_released(const struct tr2_model *m,
			      const struct tr2_observed_object *o,
			      uint32_t task, int64_t end_ns,
			      const struct all_taken *all)
{
	const struct tr2_model_task *holder = &m->tasks[o->peer];
	uint32_t i;

	if (o->name &&
	    has_taken(all, tr2_key(task, o->name), o->to_ns, end_ns))
		return true;
	if (!o->peer || holder->end_ns == TR2_NO_TIME ||
	    holder->end_ns > end_ns)
		return false;
	for (i = task; i; i = m->tasks[i].parent)
		if (i == o->peer)
			return true;
	return false;
}

/* Set the peer to the process that released the lock, which is the thread's
 * waker. Another process may have had the lock when the observer looked. */
static void set_releaser(const struct tr2_model *m,
			 struct tr2_observed_object *o,
			 const struct all_taken *all)
{
	uint32_t i = wait_of(m, o);
	const struct tr2_state *s = &m->states[i];
	uint32_t task = m->task_threads[s->other].task;
	int64_t end_ns;

	if (!i || !s->other || s->flags & TR2_STATE_INFERRED)
		return;
	end_ns = tr2_state_end(m, o->task_thread, i);
	if (task != o->task && end_ns >= o->to_ns &&
	    may_have_released(m, o, task, end_ns, all))
		o->peer = task;
}

static void set_releasers(struct tr2_model *m)
{
	struct all_taken all = { NULL, 0 };
	uint32_t i;

	all.p = tr2_calloc(m->nr_objects, sizeof(*all.p));
	for (i = 1; i < m->nr_objects; i++)
		if (is_lock(m, &m->objects[i]))
			add_taken(&all, m, &m->objects[i]);
	if (all.nr)
		qsort(all.p, all.nr, sizeof(*all.p), by_taker);
	for (i = 1; all.nr && i < m->nr_objects; i++)
		if (is_lock(m, &m->objects[i]))
			set_releaser(m, &m->objects[i], &all);
	free(all.p);
}

TR2_ORDER(by_thread, struct tr2_observed_object,
	  TR2_UP(task) ?: TR2_UP(task_thread) ?: TR2_UP(tid) ?: TR2_UP(from_ns) ?:
	  TR2_DOWN(to_ns))
TR2_ORDER(by_time, struct tr2_observed_memory_point,
	  TR2_UP(at_ns) ?: TR2_UP(task))

void tr2_model_objects(struct tr2_model *m)
{
	uint32_t i;

	for (i = 1; i < m->nr_objects; i++)
		m->objects[i].task_thread = thread_of(m, &m->objects[i]);
	set_releasers(m);
	for (i = 1; i < m->nr_objects; i++)
		m->objects[i].text = text_of(m, &m->objects[i]);
	if (m->nr_objects > 1)
		qsort(m->objects + 1, m->nr_objects - 1, sizeof(*m->objects),
		      by_thread);
	if (m->nr_memory > 1)
		qsort(m->memory + 1, m->nr_memory - 1, sizeof(*m->memory),
		      by_time);
	for (i = 1; i < m->nr_objects; i++) {
		struct tr2_task_thread *t =
			&m->task_threads[m->objects[i].task_thread];

		if (!t->nr_objects++)
			t->first_object = i;
	}
}

/*
 * Is the object certain? If another thread ran before the observer read the
 * descriptor, that thread may have closed the descriptor and reused its number.
 */
static bool is_known(const struct tr2_model *m, uint32_t task_thread,
		     const struct tr2_observed_object *o, int64_t start_ns)
{
	struct tr2_state_sums sums = { 0 };
	uint32_t i;

	if (o->known_ns <= start_ns)
		return true;
	tr2_for_each_task_thread(m, o->task, i) {
		const struct tr2_task_thread *t = &m->task_threads[i];

		if (i == task_thread || t->start_ns > o->known_ns ||
		    t->end_ns < start_ns)
			continue;
		tr2_states_sum(m, i, start_ns, o->known_ns, &sums);
		if (!t->nr_states || sums.run_ns)
			return false;
	}
	return true;
}

/* Compare the observer's times with states to the nanosecond: both are by the
 * kernel's clock. The observer keeps an object only if it saw the same wait
 * before and after it looked for the object. */
const struct tr2_observed_object *
tr2_object_of(const struct tr2_model *m, uint32_t task_thread, uint32_t state)
{
	const struct tr2_task_thread *t = &m->task_threads[task_thread];
	const struct tr2_state *s = &m->states[state];
	int64_t end_ns = tr2_state_end(m, task_thread, state);
	uint32_t low = 0, high = t->nr_objects, mid;
	const struct tr2_observed_object *o;

	if (s->kind != TR2_STATE_WAIT)
		return NULL;
	while (low < high) {
		mid = low + (high - low) / 2;
		if (m->objects[t->first_object + mid].from_ns < s->start_ns)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == t->nr_objects)
		return NULL;
	o = &m->objects[t->first_object + low];
	return o->to_ns <= end_ns && is_known(m, task_thread, o, s->start_ns) ?
		       o :
		       NULL;
}

tr2_str tr2_object_text(const struct tr2_model *m, uint32_t task_thread,
			uint32_t state)
{
	const struct tr2_observed_object *o =
		tr2_object_of(m, task_thread, state);

	return o ? o->text : 0;
}

int64_t tr2_object_seen_ns(const struct tr2_model *m, uint32_t i)
{
	const struct tr2_observed_object *o = &m->objects[i];
	/* Count from known_ns: before that time, the descriptor may have been
	 * another object. */
	int64_t from_ns = o->known_ns > o->from_ns ? o->known_ns : o->from_ns;

	if (i > 1 && o[-1].task == o->task && o[-1].tid == o->tid &&
	    o[-1].from_ns == o->from_ns)
		return 0;
	return o->to_ns > from_ns ? o->to_ns - from_ns : 0;
}

/* The total time of waits for all objects with the same text. */
struct waited {
	struct tr2_map by_text; /* 1 + index */
	int64_t *ns;
	uint32_t nr, alloc;
};

static void add_wait(struct waited *w, tr2_str text, int64_t ns)
{
	uint32_t *slot = tr2_map_slot(&w->by_text, text);

	if (!*slot) {
		tr2_grow(w->ns, w->nr, w->alloc);
		w->ns[w->nr] = 0;
		*slot = ++w->nr;
	}
	w->ns[*slot - 1] += ns;
}

static void add_waits(const struct tr2_model *m, uint32_t task,
		      struct waited *w)
{
	uint32_t thread, i;
	tr2_str text;

	tr2_for_each_task_thread(m, task, thread) {
		if (!m->task_threads[thread].nr_objects)
			continue;
		tr2_for_each_state(m, thread, i) {
			text = tr2_object_text(m, thread, i);
			if (text)
				add_wait(w, text,
					 tr2_state_end(m, thread, i) -
						 m->states[i].start_ns);
		}
	}
}

/* Return the index of the task's first object; m->nr_objects: none. */
static uint32_t first_of(const struct tr2_model *m, uint32_t task)
{
	uint32_t low = 1, high = m->nr_objects, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (m->objects[mid].task < task)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct tr2_observed_object *
tr2_object_of_task(const struct tr2_model *m, uint32_t task, int64_t *ns)
{
	const struct tr2_observed_object *best = NULL;
	uint32_t first = first_of(m, task), i, slot;
	struct waited w = { .nr = 0 };

	*ns = 0;
	if (m->has_states)
		add_waits(m, task, &w);
	for (i = first; i < m->nr_objects && m->objects[i].task == task; i++)
		if (!m->has_states)
			add_wait(&w, m->objects[i].text,
				 tr2_object_seen_ns(m, i));
	for (i = first; i < m->nr_objects && m->objects[i].task == task; i++) {
		slot = tr2_map_get(&w.by_text, m->objects[i].text);
		if (!slot || w.ns[slot - 1] <= *ns)
			continue;
		*ns = w.ns[slot - 1];
		best = &m->objects[i];
	}
	tr2_map_release(&w.by_text);
	free(w.ns);
	return best;
}

void tr2_wait_add_text(struct tr2_buf *b, const struct tr2_model *m,
		       enum tr2_cause cause, tr2_str object)
{
	const char *name = cause ? tr2_cause_name(cause) : "?";
	const char *text = tr2_s(m, object);
	size_t len = strlen(name);
	bool said = !cause || cause == TR2_CAUSE_other ||
		    (!strncmp(text, name, len) && strchr(" ,", text[len]));

	if (!object || !said)
		tr2_buf_addstr(b, name);
	if (object)
		tr2_buf_addall(b, said ? "" : ": ", text);
}
