/* SPDX-License-Identifier: MIT */
/*
 * build_states - turn the kernel's records of switches into the states of
 * threads.
 *
 * A slot has what is known of a tid, of one thread after the other. The states
 * of its threads are in a part of m->states that is large enough for all that
 * its records can add; at the end the parts are moved together.
 */
#include <stdlib.h>
#include <string.h>

#include "model/build_states.h"
#include "model/private.h"

/* By how much the times of one event may differ between two sources. */
#define SLOP_NS 1000000

struct slot {
	uint32_t first, room, used; /* its part of m->states */
	uint32_t thread;            /* the latest; 0: none */
	bool live;                  /* it has not ended */
};

struct tr2_states_build {
	struct tr2_model *m;
	uint32_t first_task, first_thread, first_state;
	struct tr2_map tasks; /* pid to its latest task */
	uint32_t *earlier;    /* the task before it with the same pid */
	struct tr2_map tids;  /* tid to slot */
	struct slot *slots;
	uint32_t nr_slots, alloc_slots;
	uint32_t *slot_of; /* by task thread, from first_thread on */
	uint32_t alloc_slot_of;
	uint64_t nr_switches;
	struct loss {
		int64_t from_ns, to_ns;
	} *losses; /* by to_ns */
	uint32_t nr_losses, alloc_losses;
	struct tr2_state none; /* where a state goes that has no room */
};

static void map_tasks(struct tr2_states_build *b)
{
	uint32_t i, *slot;

	b->earlier = tr2_calloc(b->m->nr_tasks, sizeof(*b->earlier));
	for (i = b->first_task; i < b->m->nr_tasks; i++) {
		slot = tr2_map_slot(&b->tasks,
				    tr2_key(0, (uint32_t)b->m->tasks[i].pid));
		b->earlier[i] = *slot;
		*slot = i;
	}
}

struct tr2_states_build *tr2_states_build_new(struct tr2_model *m,
					      uint32_t first_task)
{
	struct tr2_states_build *b = tr2_calloc(1, sizeof(*b));

	b->m = m;
	b->first_task = first_task;
	b->first_thread = m->nr_task_threads;
	b->nr_slots = 1;
	map_tasks(b);
	return b;
}

/* Return the task that had this pid at that time; 0: none. */
static uint32_t task_at(const struct tr2_states_build *b, int32_t pid,
			int64_t wall_ns)
{
	uint32_t i = tr2_map_get(&b->tasks, tr2_key(0, (uint32_t)pid));

	while (i && b->m->tasks[i].start_ns != TR2_NO_TIME &&
	       b->m->tasks[i].start_ns > wall_ns + SLOP_NS)
		i = b->earlier[i];
	return i;
}

static struct slot *find_slot(const struct tr2_states_build *b, int32_t tid)
{
	uint32_t i = tr2_map_get(&b->tids, tr2_key(0, (uint32_t)tid));

	return i ? &b->slots[i] : NULL;
}

void tr2_states_build_count(struct tr2_states_build *b,
			    const struct tr2_task_record *r)
{
	/* Of OUT: a wait, and ready after it; or run before it, if the start of
	 * the thread is missing. */
	static const uint8_t states[] = {
		[TR2_TASK_RECORD_FORK] = 1, [TR2_TASK_RECORD_EXIT] = 1,
		[TR2_TASK_RECORD_COMM] = 1, [TR2_TASK_RECORD_IN] = 1,
		[TR2_TASK_RECORD_OUT] = 2,  [TR2_TASK_RECORD_LOST] = 0,
	};
	uint32_t *i;

	if (r->kind == TR2_TASK_RECORD_LOST || r->tid <= 0)
		return;
	i = tr2_map_slot(&b->tids, tr2_key(0, (uint32_t)r->tid));
	if (!*i) {
		tr2_grow(b->slots, b->nr_slots, b->alloc_slots);
		*i = b->nr_slots++;
		b->slots[*i] = (struct slot){ .room = 2 };
	}
	b->slots[*i].room += states[r->kind];
	b->nr_switches += r->kind == TR2_TASK_RECORD_IN ||
			  r->kind == TR2_TASK_RECORD_OUT;
}

bool tr2_states_build_begin(struct tr2_states_build *b, uint32_t nr_cpus)
{
	struct tr2_model *m = b->m;
	uint64_t nr = m->nr_states ? m->nr_states : 1;
	uint32_t i;

	(void)nr_cpus;
	b->first_state = (uint32_t)nr;
	if (!b->nr_switches)
		return true;
	for (i = 1; i < b->nr_slots; i++) {
		b->slots[i].first = (uint32_t)nr;
		nr += b->slots[i].room;
	}
	if (nr > UINT32_MAX)
		return false;
	m->states = tr2_realloc(m->states, nr, sizeof(*m->states));
	tr2_in_large_pages(m->states, nr * sizeof(*m->states));
	memset(m->states, 0, sizeof(*m->states));
	return true;
}

static struct tr2_task_thread *thread_of(const struct tr2_states_build *b,
					 const struct slot *slot)
{
	return &b->m->task_threads[slot->thread];
}

/* Return the thread's last state; NULL: it has none. */
static struct tr2_state *last_of(const struct tr2_states_build *b,
				 const struct slot *slot)
{
	const struct tr2_task_thread *t = thread_of(b, slot);

	return t->nr_states ? &b->m->states[t->first_state + t->nr_states - 1] :
			      NULL;
}

/* Begin a state of the thread. Times that go back, between CPUs or since a
 * clock jumped, do not make a state end before it began. */
static struct tr2_state *push(struct tr2_states_build *b, struct slot *slot,
			      int64_t wall_ns, enum tr2_state_kind kind)
{
	struct tr2_task_thread *t = thread_of(b, slot);
	const struct tr2_state *last = last_of(b, slot);
	struct tr2_state *s = &b->none;

	if (b->nr_switches && slot->used < slot->room) {
		s = &b->m->states[slot->first + slot->used++];
		t->nr_states++;
	} else if (b->nr_switches) {
		t->flags |= TR2_TASK_THREAD_LOST;
	}
	if (last && last->start_ns > wall_ns)
		wall_ns = last->start_ns;
	*s = (struct tr2_state){ .start_ns = wall_ns, .kind = (uint8_t)kind };
	return s;
}

/* Chain the thread to the others of its process. */
static void chain(struct tr2_model *m, uint32_t thread)
{
	struct tr2_model_task *task = &m->tasks[m->task_threads[thread].task];

	if (task->last_thread)
		m->task_threads[task->last_thread].next = thread;
	else
		task->first_thread = thread;
	task->last_thread = thread;
}

static void begin(struct tr2_states_build *b, struct slot *slot, uint32_t task,
		  int32_t tid, int64_t wall_ns)
{
	struct tr2_model *m = b->m;
	uint32_t i = tr2_add(m, task_threads), at = i - b->first_thread;
	struct tr2_task_thread *t = &m->task_threads[i];

	tr2_grow(b->slot_of, at, b->alloc_slot_of);
	b->slot_of[at] = (uint32_t)(slot - b->slots);
	slot->thread = i;
	slot->live = true;
	t->task = task;
	t->tid = tid;
	t->start_ns = wall_ns;
	t->end_ns = TR2_NO_TIME;
	t->cpu_ns = TR2_NO_TIME;
	t->first_state = slot->first + slot->used;
	if (!m->tasks[task].first_thread &&
	    m->tasks[task].start_ns != TR2_NO_TIME)
		t->start_ns = m->tasks[task].start_ns;
	chain(m, i);
}

static void end(struct tr2_states_build *b, struct slot *slot, int64_t wall_ns)
{
	struct tr2_task_thread *t = thread_of(b, slot);

	t->end_ns = wall_ns < t->start_ns ? t->start_ns : wall_ns;
	slot->live = false;
}

/* Find the live thread of a record. If its start was not recorded, it was in
 * this state before. NULL: its process is not in the recording. */
static struct slot *live_slot(struct tr2_states_build *b,
			      const struct tr2_task_record *r,
			      enum tr2_state_kind before)
{
	struct slot *slot = find_slot(b, r->tid);
	uint32_t task;

	if (!slot || slot->live)
		return slot;
	task = task_at(b, r->pid, r->wall_ns);
	/* Records of a thread that has ended say nothing, unless the process
	 * is another one, or another thread took over its tid by an exec. */
	if (!task || (slot->thread && thread_of(b, slot)->task == task &&
		      !(r->kind == TR2_TASK_RECORD_COMM && r->how & TR2_HOW_EXEC)))
		return NULL;
	begin(b, slot, task, r->tid, r->wall_ns);
	push(b, slot, thread_of(b, slot)->start_ns, before);
	return slot;
}

static void on_fork(struct tr2_states_build *b, const struct tr2_task_record *r)
{
	struct slot *slot = find_slot(b, r->tid);
	const struct slot *from = find_slot(b, r->other);
	uint32_t task = task_at(b, r->pid, r->wall_ns);

	if (!slot || !task)
		return;
	if (slot->live) { /* its end was lost */
		thread_of(b, slot)->flags |= TR2_TASK_THREAD_LOST;
		end(b, slot, r->wall_ns);
	}
	begin(b, slot, task, r->tid, r->wall_ns);
	push(b, slot, thread_of(b, slot)->start_ns, TR2_STATE_READY);
	if (from && from->thread)
		thread_of(b, slot)->comm = thread_of(b, from)->comm;
}

static void on_exit_record(struct tr2_states_build *b,
			   const struct tr2_task_record *r)
{
	struct slot *slot = live_slot(b, r, TR2_STATE_RUN);

	if (slot)
		end(b, slot, r->wall_ns);
}

/* An exec ends all other threads of the process; the one that did it, if it is
 * not the first, goes on under the first one's tid. */
static void end_others(struct tr2_states_build *b,
		       const struct tr2_task_record *r, uint32_t task)
{
	uint32_t i;

	for (i = b->m->tasks[task].first_thread; i;
	     i = b->m->task_threads[i].next) {
		struct slot *slot = find_slot(b, b->m->task_threads[i].tid);

		if (slot && slot->live && slot->thread == i &&
		    b->m->task_threads[i].tid != r->tid)
			end(b, slot, r->wall_ns);
	}
}

static void on_comm(struct tr2_states_build *b, const struct tr2_task_record *r)
{
	struct slot *slot = live_slot(b, r, TR2_STATE_RUN);

	if (!slot)
		return;
	thread_of(b, slot)->comm = tr2_intern(b->m, r->comm.p, r->comm.len);
	if (r->how & TR2_HOW_EXEC)
		end_others(b, r, thread_of(b, slot)->task);
}

static void on_in(struct tr2_states_build *b, const struct tr2_task_record *r)
{
	struct slot *slot = live_slot(b, r, TR2_STATE_READY);
	const struct tr2_state *last = slot ? last_of(b, slot) : NULL;

	if (!slot)
		return;
	if (last && last->kind == TR2_STATE_RUN) {
		thread_of(b, slot)->flags |= TR2_TASK_THREAD_LOST;
		return;
	}
	push(b, slot, r->wall_ns, TR2_STATE_RUN);
}

static void on_out(struct tr2_states_build *b, const struct tr2_task_record *r)
{
	struct slot *slot = live_slot(b, r, TR2_STATE_RUN);
	const struct tr2_state *last = slot ? last_of(b, slot) : NULL;

	if (!slot)
		return;
	if (last && last->kind != TR2_STATE_RUN)
		thread_of(b, slot)->flags |= TR2_TASK_THREAD_LOST;
	push(b, slot, r->wall_ns,
	     r->how & TR2_HOW_PREEMPTED ? TR2_STATE_READY : TR2_STATE_WAIT);
}

/* The kernel counts on each CPU, and says so when the thread has ended. */
static void on_cpu_time(struct tr2_states_build *b,
			const struct tr2_task_record *r)
{
	const struct slot *slot = find_slot(b, r->tid);
	struct tr2_task_thread *t;

	if (!slot || !slot->thread || r->value > TR2_MAX_AT_NS)
		return;
	t = thread_of(b, slot);
	if (t->cpu_ns == TR2_NO_TIME)
		t->cpu_ns = 0;
	tr2_ns_add(&t->cpu_ns, (int64_t)r->value);
}

static void on_lost(struct tr2_states_build *b, const struct tr2_task_record *r)
{
	tr2_grow(b->losses, b->nr_losses, b->alloc_losses);
	b->losses[b->nr_losses++] = (struct loss){ r->since_ns, r->wall_ns };
}

void tr2_states_build_add(struct tr2_states_build *b,
			  const struct tr2_task_record *r)
{
	static void (*const handlers[])(struct tr2_states_build *b,
					const struct tr2_task_record *r) = {
		[TR2_TASK_RECORD_FORK] = on_fork,
		[TR2_TASK_RECORD_EXIT] = on_exit_record,
		[TR2_TASK_RECORD_COMM] = on_comm,
		[TR2_TASK_RECORD_IN] = on_in,
		[TR2_TASK_RECORD_OUT] = on_out,
		[TR2_TASK_RECORD_CPU_TIME] = on_cpu_time,
		[TR2_TASK_RECORD_LOST] = on_lost,
	};

	handlers[r->kind](b, r);
}

/* Nobody knows whose records were lost. */
static bool lost_during(const struct tr2_states_build *b,
			const struct tr2_task_thread *t)
{
	uint32_t low = 0, high = b->nr_losses, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (b->losses[mid].to_ns < t->start_ns)
			low = mid + 1;
		else
			high = mid;
	}
	return low < b->nr_losses && b->losses[low].from_ns <= t->end_ns;
}

/* Set the end of a thread that has none, and move states that are out of its
 * life to its start or its end. */
static void close_thread(struct tr2_states_build *b, uint32_t thread,
			 int64_t wall_ns)
{
	struct tr2_task_thread *t = &b->m->task_threads[thread];
	const struct tr2_model_task *task = &b->m->tasks[t->task];
	uint32_t i;

	if (t->end_ns == TR2_NO_TIME) {
		t->flags |= TR2_TASK_THREAD_OPEN;
		t->end_ns = wall_ns;
		if (task->end_ns != TR2_NO_TIME && task->end_ns < wall_ns)
			t->end_ns = task->end_ns;
		if (t->end_ns < t->start_ns)
			t->end_ns = t->start_ns;
	}
	if (lost_during(b, t))
		t->flags |= TR2_TASK_THREAD_LOST;
	for (i = 0; i < t->nr_states; i++) {
		struct tr2_state *s = &b->m->states[t->first_state + i];

		if (s->start_ns < t->start_ns || !i)
			s->start_ns = t->start_ns;
		if (s->start_ns > t->end_ns)
			s->start_ns = t->end_ns;
	}
}

/* Without records of a thread's CPU time, it is what the switches say. */
static void set_cpu_time(struct tr2_states_build *b, uint32_t thread)
{
	struct tr2_task_thread *t = &b->m->task_threads[thread];
	const struct tr2_state *s = &b->m->states[t->first_state];
	int64_t end;
	uint32_t i;

	if (t->cpu_ns != TR2_NO_TIME || !t->nr_states)
		return;
	t->cpu_ns = 0;
	for (i = 0; i < t->nr_states; i++) {
		end = i + 1 < t->nr_states ? s[i + 1].start_ns : t->end_ns;
		if (s[i].kind == TR2_STATE_RUN)
			t->cpu_ns += end - s[i].start_ns;
	}
}

/* Move the states of all slots together. */
static void compact(struct tr2_states_build *b)
{
	struct tr2_model *m = b->m;
	uint32_t i, to = b->first_state;

	for (i = 1; i < b->nr_slots; i++) {
		struct slot *slot = &b->slots[i];

		memmove(&m->states[to], &m->states[slot->first],
			slot->used * sizeof(*m->states));
		slot->room = slot->first - to; /* by how much they moved */
		to += slot->used;
	}
	for (i = b->first_thread; i < m->nr_task_threads; i++)
		m->task_threads[i].first_state -=
			b->slots[b->slot_of[i - b->first_thread]].room;
	m->nr_states = to;
	m->states = tr2_realloc(m->states, to, sizeof(*m->states));
	m->has_states = true;
}

void tr2_states_build_end(struct tr2_states_build *b, int64_t wall_ns)
{
	uint32_t i;

	for (i = b->first_thread; i < b->m->nr_task_threads; i++) {
		close_thread(b, i, wall_ns);
		set_cpu_time(b, i);
	}
	if (b->nr_switches)
		compact(b);
	tr2_map_release(&b->tasks);
	tr2_map_release(&b->tids);
	free(b->earlier);
	free(b->slots);
	free(b->slot_of);
	free(b->losses);
	free(b);
}
