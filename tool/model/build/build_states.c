/* SPDX-License-Identifier: MIT */
/*
 * build_states - turn the kernel's records into threads, and keep their states.
 * build_switches.c interprets switches and wake-ups, build_owners.c finds who
 * had a CPU.
 *
 * Each tid has a part of m->states, with room for all states that the records
 * of the tid can add. At the end the parts are moved together.
 */
#include <stdlib.h>
#include <string.h>

#include "model/build/build_states_private.h"

/* The times of one event in two sources differ at most by this. */
#define SLOP_NS 1000000

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
	/* Count the states of the threads that already ran: a thread that waits
	 * all the time has no switch. */
	b->nr_switches = m->priv->nr_found;
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

struct tr2_tid *tr2_tid_find(const struct tr2_states_build *b, int32_t tid)
{
	uint32_t i = tr2_map_get(&b->tids, tr2_key(0, (uint32_t)tid));

	return i ? &b->slots[i] : NULL;
}

void tr2_states_build_count(struct tr2_states_build *b,
			    const struct tr2_task_record *r)
{
	/* The most states that a record of each kind adds. OUT adds a wait and
	 * a ready state after it. If the thread's start is missing, it adds run
	 * before the wait. */
	static const uint8_t states[] = {
		[TR2_TASK_RECORD_FORK] = 1, [TR2_TASK_RECORD_EXIT] = 1,
		[TR2_TASK_RECORD_COMM] = 1, [TR2_TASK_RECORD_IN] = 1,
		[TR2_TASK_RECORD_OUT] = 2,  [TR2_TASK_RECORD_LOST] = 0,
	};
	uint32_t *i;

	if (r->kind == TR2_TASK_RECORD_WAKING) {
		if (!b->has_wakings || r->value < b->least_held)
			b->least_held = r->value;
		if (r->value > b->most_held)
			b->most_held = r->value;
		b->has_wakings = true;
	}
	if (r->kind == TR2_TASK_RECORD_LOST ||
	    r->kind == TR2_TASK_RECORD_WAKING || r->tid <= 0)
		return;
	b->of_machine |= r->how & TR2_HOW_MACHINE;
	i = tr2_map_slot(&b->tids, tr2_key(0, (uint32_t)r->tid));
	if (!*i) {
		tr2_grow(b->slots, b->nr_slots, b->alloc_slots);
		*i = b->nr_slots++;
		b->slots[*i] = (struct tr2_tid){ .room = 2 };
	}
	if (r->how & TR2_HOW_MACHINE) {
		b->slots[*i].room_of_end += 2;
		return;
	}
	b->slots[*i].room += states[r->kind];
	b->slots[*i].is_own |= r->kind == TR2_TASK_RECORD_EXIT;
	b->nr_switches += r->kind == TR2_TASK_RECORD_IN ||
			  r->kind == TR2_TASK_RECORD_OUT;
}

struct tr2_state *tr2_state_push(struct tr2_states_build *b,
				 struct tr2_tid *slot, int64_t wall_ns,
				 enum tr2_state_kind kind)
{
	struct tr2_task_thread *t = tr2_tid_thread(b, slot);
	const struct tr2_state *last = tr2_tid_last(b, slot);
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

/* Append the thread to the chain of its process's threads. */
static void chain_thread(struct tr2_model *m, uint32_t thread)
{
	struct tr2_model_task *task = &m->tasks[m->task_threads[thread].task];

	if (task->last_thread)
		m->task_threads[task->last_thread].next = thread;
	else
		task->first_thread = thread;
	task->last_thread = thread;
}

static void begin_state(struct tr2_states_build *b, struct tr2_tid *slot,
			uint32_t task, int32_t tid, int64_t wall_ns)
{
	struct tr2_model *m = b->m;
	uint32_t i = tr2_add(m, task_threads), at = i - b->first_thread;
	struct tr2_task_thread *t = &m->task_threads[i];

	tr2_grow(b->slot_of, at, b->alloc_slot_of);
	b->slot_of[at] = (uint32_t)(slot - b->slots);
	slot->thread = i;
	slot->live = true;
	slot->leaves = slot->woken_early = false;
	slot->exit_ns = slot->exec_ns = 0;
	slot->called_ns = wall_ns; /* the call that created the thread returns
				    * now */
	slot->talks = false;
	t->task = task;
	t->tid = tid;
	t->start_ns = wall_ns;
	t->end_ns = TR2_NO_TIME;
	t->cpu_ns = TR2_NO_TIME;
	t->first_state = slot->first + slot->used;
	if (!m->tasks[task].first_thread &&
	    m->tasks[task].start_ns != TR2_NO_TIME)
		t->start_ns = m->tasks[task].start_ns;
	chain_thread(m, i);
}

/* Begin the threads that already ran. */
static void begin_found(struct tr2_states_build *b)
{
	struct tr2_model_private *p = b->m->priv;
	struct tr2_tid *slot;
	uint32_t i, task;

	for (i = 0; i < p->nr_found; i++) {
		const struct tr2_found_thread *f = &p->found[i];

		slot = tr2_tid_find(b, f->tid);
		task = task_at(b, f->pid, f->wall_ns);
		if (!slot || slot->live ||
		    b->m->tasks[task].start_ns != f->wall_ns)
			continue;
		begin_state(b, slot, task, f->tid, f->wall_ns);
		tr2_state_push(b, slot, f->wall_ns, f->kind)->cause = f->cause;
		slot->found = b->has_found = true;
	}
	p->nr_found = 0;
}

/* Give each tid its part of m->states. false: there are too many states. */
static bool place_states(struct tr2_states_build *b)
{
	struct tr2_model *m = b->m;
	uint64_t nr = b->first_state;
	uint32_t i;

	for (i = 1; i < b->nr_slots; i++) {
		b->slots[i].first = (uint32_t)nr;
		if (b->slots[i].is_own)
			b->slots[i].room += b->slots[i].room_of_end;
		nr += b->slots[i].room;
	}
	if (nr > UINT32_MAX)
		return false;
	m->states = tr2_realloc(m->states, nr, sizeof(*m->states));
	tr2_in_large_pages(m->states, nr * sizeof(*m->states));
	memset(m->states, 0, sizeof(*m->states));
	return true;
}

bool tr2_states_build_begin(struct tr2_states_build *b, uint32_t nr_cpus)
{
	struct tr2_model *m = b->m;

	b->cpus = tr2_calloc(nr_cpus, sizeof(*b->cpus));
	b->turns = tr2_calloc(nr_cpus, sizeof(*b->turns));
	b->nr_cpus = nr_cpus;
	b->exits = tr2_calloc(m->nr_tasks, sizeof(*b->exits));
	b->ends = tr2_calloc(m->nr_tasks, sizeof(*b->ends));
	b->first_state = m->nr_states ? m->nr_states : 1;
	if (b->nr_switches && !place_states(b))
		return false;
	begin_found(b);
	return true;
}

void tr2_states_left(struct tr2_states_build *b, uint32_t thread, uint32_t cpu,
		     int64_t wall_ns, enum tr2_left_how how)
{
	b->left[b->nr_left++ % TR2_NR_LEFT] =
		(struct tr2_left){ thread, cpu, wall_ns, how };
}

/* Note that the thread has left its CPU for good. */
static void leave_cpu(struct tr2_states_build *b, uint32_t thread,
		      int64_t wall_ns)
{
	uint32_t i;

	for (i = 0; i < b->nr_cpus; i++)
		if (b->cpus[i].thread == thread &&
		    b->cpus[i].until_ns > wall_ns) {
			b->cpus[i].until_ns = wall_ns;
			tr2_states_left(b, thread, i, wall_ns, TR2_LEFT_ENDED);
		}
}

/* A thread that ends computes at most this long after its last record. */
#define MAX_ENDING_NS 20000000

void tr2_states_settle_end(struct tr2_states_build *b, uint32_t thread,
			   int64_t wall_ns)
{
	struct tr2_task_thread *t = &b->m->task_threads[thread];
	int64_t ns = wall_ns - t->end_ns;
	uint32_t i;

	for (i = 0; i < b->nr_cpus && b->cpus[i].ending != thread; i++)
		;
	if (i == b->nr_cpus)
		return;
	b->cpus[i].ending = 0;
	t->ending_ns = ns < 0		  ? 0 :
		       ns > MAX_ENDING_NS ? MAX_ENDING_NS : ns;
}

/* Note that the thread still computes after its last record, on the same
 * CPU. */
static void begin_ending(struct tr2_states_build *b, const struct tr2_tid *slot,
			 uint32_t cpu)
{
	const struct tr2_state *last = tr2_tid_last(b, slot);

	if (!last || last->kind != TR2_STATE_RUN)
		return;
	if (b->cpus[cpu].ending)
		tr2_states_settle_end(b, b->cpus[cpu].ending,
				      tr2_tid_thread(b, slot)->end_ns);
	b->cpus[cpu].ending = slot->thread;
}

void tr2_states_end(struct tr2_states_build *b, struct tr2_tid *slot,
		    int64_t wall_ns)
{
	struct tr2_task_thread *t = tr2_tid_thread(b, slot);

	t->end_ns = wall_ns < t->start_ns ? t->start_ns : wall_ns;
	slot->live = false;
	leave_cpu(b, slot->thread, wall_ns);
}

struct tr2_tid *tr2_tid_live(struct tr2_states_build *b,
			     const struct tr2_task_record *r,
			     enum tr2_state_kind before)
{
	struct tr2_tid *slot = tr2_tid_find(b, r->tid);
	struct tr2_state *state;
	bool is_new = slot && !slot->thread;
	uint32_t task;

	if (!slot || slot->live)
		return slot;
	task = task_at(b, r->pid, r->wall_ns);
	/* Ignore records of a thread that has ended. Accept them if they belong
	 * to another process, or to a thread that took over the tid by an
	 * exec. */
	if (!task || (slot->thread && tr2_tid_thread(b, slot)->task == task &&
		      !(r->kind == TR2_TASK_RECORD_COMM &&
			r->how & TR2_HOW_EXEC)))
		return NULL;
	begin_state(b, slot, task, r->tid, r->wall_ns);
	state = tr2_state_push(b, slot, tr2_tid_thread(b, slot)->start_ns,
			       before);
	if (r->kind == TR2_TASK_RECORD_COMM && r->how & TR2_HOW_EXEC &&
	    is_new && !b->command && !b->has_found) {
		/* The command's records begin when the command executes its
		 * program. Before that, the recorder holds the command back:
		 * the command is ready. */
		state->kind = TR2_STATE_READY;
		tr2_state_push(b, slot, r->wall_ns, TR2_STATE_RUN);
		b->command = slot->thread;
	}
	return slot;
}

/* Begin a thread anew if it was listed as already running: the fork record
 * shows that the thread began during the recording. */
static void begin_again(const struct tr2_states_build *b, struct tr2_tid *slot,
			struct tr2_state *guess, uint32_t creator,
			int64_t wall_ns)
{
	struct tr2_task_thread *t = tr2_tid_thread(b, slot);

	t->start_ns = wall_ns;
	t->creator = creator;
	*guess = (struct tr2_state){ .start_ns = wall_ns,
				     .kind = TR2_STATE_READY };
	slot->found = false;
}

static void on_fork(struct tr2_states_build *b, const struct tr2_task_record *r)
{
	struct tr2_tid *slot = tr2_tid_find(b, r->tid);
	struct tr2_tid *from = tr2_tid_find(b, r->other);
	uint32_t creator = from ? from->thread : 0;
	uint32_t task = task_at(b, r->pid, r->wall_ns);
	struct tr2_state *guess;

	if (from)
		from->called_ns = r->wall_ns;
	if (!slot || !task)
		return;
	guess = slot->live ? tr2_tid_guess(b, slot) : NULL;
	if (guess) {
		begin_again(b, slot, guess, creator, r->wall_ns);
		return;
	}
	if (slot->live) { /* the end of the earlier thread with this tid was
			   * lost */
		tr2_tid_thread(b, slot)->flags |= TR2_TASK_THREAD_LOST;
		tr2_states_end(b, slot, r->wall_ns);
	}
	begin_state(b, slot, task, r->tid, r->wall_ns);
	tr2_state_push(b, slot, tr2_tid_thread(b, slot)->start_ns,
		       TR2_STATE_READY);
	tr2_tid_thread(b, slot)->creator = creator;
	tr2_tid_thread(b, slot)->comm = b->m->task_threads[creator].comm;
}

static void on_exit_record(struct tr2_states_build *b,
			   const struct tr2_task_record *r)
{
	struct tr2_tid *slot = tr2_tid_live(b, r, TR2_STATE_RUN);
	uint32_t task;

	if (!slot)
		return;
	if (b->of_machine) {
		slot->exit_ns = r->wall_ns; /* the thread's last switch is a
					     * later record */
	} else {
		tr2_states_end(b, slot, r->wall_ns);
		begin_ending(b, slot, r->cpu);
	}
	task = tr2_tid_thread(b, slot)->task;
	b->ends[task] = (struct tr2_thread_end){ r->wall_ns, slot->thread };
	if (r->tid != r->pid)
		return;
	b->exits[b->m->tasks[task].parent] = b->ends[task];
	b->ended[b->nr_ended++ % TR2_NR_ENDED] = b->ends[task];
}

/* End all other threads of a process at an exec. If another thread than the
 * first calls exec, the caller takes over the first thread's tid, and goes on
 * as the thread of `first`. That thread begins with the exec. */
static void end_others(struct tr2_states_build *b,
		       const struct tr2_task_record *r, uint32_t task,
		       const struct tr2_tid *first)
{
	struct tr2_task_thread *goes_on = tr2_tid_thread(b, first);
	uint32_t i;

	for (i = b->m->tasks[task].first_thread; i;
	     i = b->m->task_threads[i].next) {
		struct tr2_tid *slot =
			tr2_tid_find(b, b->m->task_threads[i].tid);

		if (!slot || !slot->live || slot->thread != i ||
		    b->m->task_threads[i].tid == r->tid)
			continue;
		tr2_states_end(b, slot, r->wall_ns);
		if (goes_on->start_ns == r->wall_ns)
			goes_on->creator = i;
	}
}

static void on_comm(struct tr2_states_build *b, const struct tr2_task_record *r)
{
	struct tr2_tid *slot = tr2_tid_live(b, r, TR2_STATE_RUN);

	if (!slot) {
		slot = tr2_tid_find(b, r->tid);
		if (slot)
			slot->outside_comm =
				tr2_states_outside(b, r->tid, &r->comm);
		return;
	}
	tr2_tid_thread(b, slot)->comm =
		tr2_intern(b->m, r->comm.p, r->comm.len);
	if (!(r->how & TR2_HOW_EXEC))
		return;
	slot->exec_ns = r->wall_ns;
	end_others(b, r, tr2_tid_thread(b, slot)->task, slot);
}

/* Add one CPU's count to the thread's CPU time. The kernel counts on each CPU,
 * and reports the counts when the thread has ended. */
static void on_cpu_time(struct tr2_states_build *b,
			const struct tr2_task_record *r)
{
	const struct tr2_tid *slot = tr2_tid_find(b, r->tid);
	struct tr2_task_thread *t;

	if (!slot || !slot->thread || r->value > TR2_MAX_AT_NS)
		return;
	t = tr2_tid_thread(b, slot);
	b->has_counts = true;
	if (t->cpu_ns == TR2_NO_TIME)
		t->cpu_ns = 0;
	tr2_ns_add(&t->cpu_ns, (int64_t)r->value);
}

static void on_lost(struct tr2_states_build *b, const struct tr2_task_record *r)
{
	tr2_grow(b->losses, b->nr_losses, b->alloc_losses);
	b->losses[b->nr_losses++] =
		(struct tr2_loss){ r->since_ns, r->wall_ns };
}

void tr2_states_build_add(struct tr2_states_build *b,
			  const struct tr2_task_record *r)
{
	static void (*const handlers[])(struct tr2_states_build *b,
					const struct tr2_task_record *r) = {
		[TR2_TASK_RECORD_FORK] = on_fork,
		[TR2_TASK_RECORD_EXIT] = on_exit_record,
		[TR2_TASK_RECORD_COMM] = on_comm,
		[TR2_TASK_RECORD_IN] = tr2_states_on_in,
		[TR2_TASK_RECORD_OUT] = tr2_states_on_out,
		[TR2_TASK_RECORD_LEAVES] = tr2_states_on_leaves,
		[TR2_TASK_RECORD_WAKING] = tr2_states_on_waking,
		[TR2_TASK_RECORD_CPU_TIME] = on_cpu_time,
		[TR2_TASK_RECORD_LOST] = on_lost,
	};

	handlers[r->kind](b, r);
}

uint32_t tr2_states_build_thread(const struct tr2_states_build *b, int32_t tid)
{
	const struct tr2_tid *slot = tr2_tid_find(b, tid);

	return slot ? slot->thread : 0;
}

/* Were records lost during the thread's life? Lost records may belong to any
 * thread. */
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

/* Set the end of a thread whose end was not recorded. Move states outside of
 * the thread's life to its start or its end. */
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

/* Return by how much the kernel's count may be wrong: 1 %, a constant, and a
 * little for each switch. */
static int64_t tolerance(int64_t cpu_ns, uint32_t nr_switches)
{
	return cpu_ns / 100 + 100000 + (int64_t)nr_switches * 500;
}

/* Return the average time of a switch. */
static int64_t of_switch(const struct tr2_states_build *b)
{
	return b->nr_handovers ? b->handover_ns / b->nr_handovers : 0;
}

static uint32_t nr_runs(const struct tr2_states_build *b,
			const struct tr2_task_thread *t)
{
	uint32_t i, nr = 0;

	for (i = 0; i < t->nr_states; i++)
		nr += b->m->states[t->first_state + i].kind == TR2_STATE_RUN;
	return nr;
}

/*
 * Set the CPU time of a thread for which the kernel reported no count: the time
 * between switches, plus the time of the switches. The kernel adds the time of
 * a switch to the thread that gets the CPU. The average time is known from
 * switches between two threads of the recording.
 *
 * Do the same if the kernel's count differs much: the kernel swaps the counters
 * of related threads, and may report one thread's count for another thread.
 */
static void set_cpu_time(struct tr2_states_build *b, uint32_t thread)
{
	struct tr2_task_thread *t = &b->m->task_threads[thread];
	const struct tr2_state *s;
	int64_t cpu = 0;
	uint32_t i, nr;

	if (!t->nr_states)
		return;
	s = &b->m->states[t->first_state];
	for (i = 0; i < t->nr_states; i++)
		if (s[i].kind == TR2_STATE_RUN)
			cpu += (i + 1 < t->nr_states ? s[i + 1].start_ns :
						       t->end_ns) -
			       s[i].start_ns;
	nr = nr_runs(b, t);
	cpu += of_switch(b) * nr;
	if (t->cpu_ns == TR2_NO_TIME ||
	    (!(t->flags & TR2_TASK_THREAD_LOST) &&
	     (t->cpu_ns > cpu + tolerance(cpu, nr) ||
	      t->cpu_ns < cpu - tolerance(cpu, nr))))
		t->cpu_ns = cpu;
}

/* Return the CPU time of all tasks that wait4() reported, minus the CPU time of
 * their threads. */
static int64_t unseen_ns(const struct tr2_states_build *b)
{
	const struct tr2_model *m = b->m;
	int64_t ns = 0;
	uint32_t i;

	for (i = b->first_task; i < m->nr_tasks; i++) {
		tr2_ns_add(&ns, tr2_at_ns((int64_t)m->tasks[i].user_ns));
		tr2_ns_add(&ns, tr2_at_ns((int64_t)m->tasks[i].system_ns));
	}
	for (i = b->first_thread; i < m->nr_task_threads; i++)
		if (m->task_threads[i].cpu_ns != TR2_NO_TIME)
			tr2_ns_add(&ns, -m->task_threads[i].cpu_ns);
	return ns;
}

/* If the CPU times of threads exceed the total of wait4(), subtract the excess:
 * the CPU times include switches, whose time is an estimate. If the CPU times
 * exceed the total even without switches, subtract nothing: then no parent
 * waited for some processes. */
static void add_off_switches(struct tr2_states_build *b)
{
	int64_t over = -unseen_ns(b);
	uint64_t nr = 0;
	uint32_t i;

	if (over <= 0 || b->has_counts)
		return;
	for (i = b->first_thread; i < b->m->nr_task_threads; i++)
		nr += nr_runs(b, &b->m->task_threads[i]);
	if (!nr || (uint64_t)over / nr > (uint64_t)of_switch(b))
		return;
	for (i = b->first_thread; i < b->m->nr_task_threads; i++)
		if (b->m->task_threads[i].cpu_ns != TR2_NO_TIME)
			b->m->task_threads[i].cpu_ns -=
				over / (int64_t)nr *
				nr_runs(b, &b->m->task_threads[i]);
}

/* Return the time from the command's fork to its exec. */
static int64_t room_at_start(const struct tr2_states_build *b)
{
	const struct tr2_task_thread *t = &b->m->task_threads[b->command];
	const struct tr2_state *s = &b->m->states[t->first_state];

	return b->command && t->nr_states > 1 ? s[1].start_ns - s[0].start_ns :
						0;
}

static int64_t at_most(int64_t ns, int64_t most)
{
	return ns < most ? ns : most;
}

/* Return the sum of the pieces of time without records, each cut to most_ns. */
static int64_t sum_of_pieces(const struct tr2_states_build *b, int64_t most_ns)
{
	int64_t sum = at_most(room_at_start(b), most_ns);
	uint32_t i;

	for (i = b->first_thread; i < b->m->nr_task_threads; i++)
		tr2_ns_add(&sum, at_most(b->m->task_threads[i].ending_ns,
					 most_ns));
	return sum;
}

/* Let the command run for `ns` directly before its exec. */
static void set_command_start(struct tr2_states_build *b, int64_t ns)
{
	struct tr2_task_thread *t = &b->m->task_threads[b->command];

	if (ns <= 0)
		return;
	b->m->states[t->first_state + 1].start_ns -= ns;
	t->cpu_ns += ns;
}

/*
 * Add the CPU time without records. Its pieces are the command's time before
 * its exec, and each thread's time after its last record, in which the kernel
 * closes files and frees memory. Divide the total, which wait4() gives, among
 * the pieces: all have the same length, except pieces that can only have been
 * shorter.
 */
static void add_unseen(struct tr2_states_build *b)
{
	int64_t rest = unseen_ns(b), low = 0, high = MAX_ENDING_NS, mid;
	int64_t room = room_at_start(b);
	uint32_t i;

	if (high < room)
		high = room;
	while (low < high) {
		mid = low + (high - low + 1) / 2;
		if (sum_of_pieces(b, mid) <= rest)
			low = mid;
		else
			high = mid - 1;
	}
	set_command_start(b, at_most(room, low));
	for (i = b->first_thread; i < b->m->nr_task_threads; i++) {
		struct tr2_task_thread *t = &b->m->task_threads[i];

		t->ending_ns = at_most(t->ending_ns, low);
		t->end_ns += t->ending_ns;
		if (t->cpu_ns != TR2_NO_TIME)
			tr2_ns_add(&t->cpu_ns, t->ending_ns);
	}
}

/* Move the states of all slots together, without gaps. */
static void compact(struct tr2_states_build *b)
{
	struct tr2_model *m = b->m;
	uint32_t i, to = b->first_state;

	for (i = 1; i < b->nr_slots; i++) {
		struct tr2_tid *slot = &b->slots[i];

		memmove(&m->states[to], &m->states[slot->first],
			slot->used * sizeof(*m->states));
		slot->room = slot->first - to; /* number of places by which the
						* states moved */
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

	for (i = 0; i < b->nr_cpus; i++)
		if (b->cpus[i].ending)
			tr2_states_settle_end(b, b->cpus[i].ending, wall_ns);
	/* End the threads whose last switch was not recorded. */
	for (i = 1; i < b->nr_slots; i++)
		if (b->slots[i].live && b->slots[i].exit_ns)
			tr2_states_end(b, &b->slots[i], b->slots[i].exit_ns);
	if (!b->has_wakings)
		tr2_states_derive_exits(b);
	for (i = b->first_thread; i < b->m->nr_task_threads; i++) {
		close_thread(b, i, wall_ns);
		set_cpu_time(b, i);
	}
	add_off_switches(b);
	add_unseen(b);
	if (b->nr_switches)
		compact(b);
	tr2_map_release(&b->tasks);
	tr2_map_release(&b->tids);
	free(b->earlier);
	free(b->slots);
	free(b->slot_of);
	free(b->losses);
	free(b->cpus);
	free(b->turns);
	free(b->exits);
	free(b->ends);
	free(b);
}
