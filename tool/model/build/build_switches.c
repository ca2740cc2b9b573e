/* SPDX-License-Identifier: MIT */
/*
 * build_switches - turn switches and wake-ups into states: the cause of each
 * wait, and the thread that ended it. build_owners.c finds the thread that had
 * the CPU for which another thread was ready.
 */
#include "model/build/build_states_private.h"

/* A wake-up at most this long before the thread leaves its CPU ends the wait
 * that follows. */
#define EARLY_NS 50000
/* If thread B answers a request of thread A, B may have read the request up to
 * this long before A began to wait. */
#define CALLED_NS 1000000
#define HANDOVER_NS 10000
/* For this long after its end, a thread counts as the owner of its tid. */
#define EXITED_NS 10000000
/* Without recorded wake-ups, assume that a woken thread gets a CPU within
 * WOKEN_NS; on a busy machine, within LATE_NS. */
#define WOKEN_NS 200000
#define LATE_NS 10000000
/* Assume that on a busy machine a thread ends within this time after its last
 * record. */
#define DYING_NS 100000000
#define MAX_VOTES 8
#define TIMER_NS 10000000
#define TIMER_EARLIEST_NS 40000
#define TIMER_LATEST_NS 250000

static struct tr2_cpu *cpu_of(const struct tr2_states_build *b,
			      const struct tr2_task_record *r)
{
	return &b->cpus[r->cpu];
}

/* Return the thread that has this tid, or had it a moment ago; 0: none. */
static uint32_t thread_at(const struct tr2_states_build *b, int32_t tid,
			  int64_t wall_ns)
{
	const struct tr2_tid *slot = tr2_tid_find(b, tid);

	if (!slot || !slot->thread)
		return 0;
	return slot->live ||
			       tr2_tid_thread(b, slot)->end_ns + EXITED_NS >=
				       wall_ns ?
		       slot->thread : 0;
}

void tr2_states_on_leaves(struct tr2_states_build *b,
			  const struct tr2_task_record *r)
{
	struct tr2_tid *slot = tr2_tid_find(b, r->tid);

	if (!slot)
		return;
	slot->leaves = true;
	slot->cause = (uint8_t)r->cause;
	slot->knows_next = r->how & TR2_HOW_NEXT;
	slot->futex = r->how & TR2_HOW_FUTEX;
	slot->next_tid = r->other;
	slot->next_comm = slot->knows_next && r->other ?
				  tr2_states_outside(b, r->other, &r->comm) : 0;
}

/* Note that the slot's thread has left its CPU; `state` is its new state. */
static void give_cpu(struct tr2_states_build *b, struct tr2_tid *slot,
		     struct tr2_cpu *cpu, struct tr2_state *state,
		     int64_t wall_ns)
{
	uint32_t next = slot->leaves && slot->knows_next ?
				thread_at(b, slot->next_tid, wall_ns) : 0;

	cpu->thread = slot->thread;
	cpu->comm = 0;
	cpu->until_ns = wall_ns;
	cpu->lost_by = 0;
	if (slot->leaves && slot->knows_next && !next && slot->next_comm)
		*cpu = (struct tr2_cpu){ .comm = slot->next_comm,
					 .since_ns = wall_ns,
					 .until_ns = INT64_MAX };
	if (state->kind != TR2_STATE_READY)
		return;
	if (slot->leaves && slot->knows_next) {
		tr2_states_lost_to(state, next, slot->next_comm);
	} else if (state != &b->none) {
		cpu->lost_by = slot->thread;
		cpu->lost_state = (uint32_t)(state - b->m->states);
	}
}

static bool is_of_sockets(enum tr2_cause cause)
{
	return cause == TR2_CAUSE_socket || cause == TR2_CAUSE_poll;
}

static struct tr2_tid *slot_of(const struct tr2_states_build *b,
			       uint32_t thread)
{
	return &b->slots[b->slot_of[thread - b->first_thread]];
}

/* Does this switch count? Until the thread's EXIT, ignore switches that were
 * recorded for the whole machine: they repeat the thread's own records. */
static bool is_counted(const struct tr2_tid *slot,
		       const struct tr2_task_record *r)
{
	return slot->live && (!(r->how & TR2_HOW_MACHINE) || slot->exit_ns);
}

/* Was the wait for a child: for its end or, after vfork(), for its exec? */
static bool is_of_parent(const struct tr2_states_build *b,
			 const struct tr2_task_thread *t,
			 const struct tr2_state *wait)
{
	const struct tr2_task_thread *by = &b->m->task_threads[wait->other];

	if (wait->kind != TR2_STATE_WAIT || !wait->other)
		return false;
	return wait->cause == TR2_CAUSE_child ||
	       (b->m->tasks[by->task].parent == t->task &&
		slot_of(b, wait->other)->exec_ns >= wait->start_ns);
}

/* Did the thread run only for a moment after its child ended or executed a
 * program, and then wait again? Then it most likely only attended to the
 * child. */
static bool reaped(const struct tr2_states_build *b, const struct tr2_tid *slot,
		   int64_t wall_ns)
{
	const struct tr2_task_thread *t = tr2_tid_thread(b, slot);
	const struct tr2_state *s = tr2_tid_last(b, slot);
	uint32_t nr = t->nr_states;

	/* Go back from the present wait over the run before it, and over a
	 * ready state before the run, to the previous wait. */
	if (nr < 3 || s[-1].kind != TR2_STATE_RUN ||
	    wall_ns - s[-1].start_ns > WOKEN_NS)
		return false;
	s -= s[-2].kind == TR2_STATE_READY && nr > 3 ? 3 : 2;
	return is_of_parent(b, t, s);
}

void tr2_states_on_out(struct tr2_states_build *b,
		       const struct tr2_task_record *r)
{
	struct tr2_tid *slot = tr2_tid_live(b, r, TR2_STATE_RUN);
	const struct tr2_state *last = slot ? tr2_tid_last(b, slot) : NULL;
	struct tr2_state *state, *guess;

	if (r->how & TR2_HOW_MACHINE)
		tr2_turns_out(b, r, slot ? slot->thread : 0);
	if (slot && r->how & TR2_HOW_DEAD)
		tr2_states_end(b, slot, r->wall_ns);
	if (!slot || !is_counted(slot, r))
		return;
	guess = tr2_tid_guess(b, slot);
	/* The thread's IN is missing, but the turn shows the time at which it
	 * got the CPU. */
	if (last && last->kind == TR2_STATE_READY && r->how & TR2_HOW_MACHINE)
		last = tr2_state_push(b, slot, tr2_turns_since(b, r->cpu),
				      TR2_STATE_RUN);
	if (guess)
		*guess = (struct tr2_state){ .start_ns = guess->start_ns,
					     .kind = TR2_STATE_RUN };
	else if (last && last->kind != TR2_STATE_RUN)
		tr2_tid_thread(b, slot)->flags |= TR2_TASK_THREAD_LOST;
	state = tr2_state_push(b, slot, r->wall_ns,
			       r->how & TR2_HOW_PREEMPTED ? TR2_STATE_READY :
							    TR2_STATE_WAIT);
	if (state->kind == TR2_STATE_WAIT)
		slot->called_ns = r->wall_ns;
	if (slot->leaves && state->kind == TR2_STATE_WAIT)
		state->cause = slot->cause;
	slot->futex &= slot->leaves;
	slot->talks |= state->kind == TR2_STATE_WAIT &&
		       is_of_sockets(state->cause);
	give_cpu(b, slot, cpu_of(b, r), state, r->wall_ns);
	tr2_states_left(b, slot->thread, r->cpu, r->wall_ns,
			state->kind == TR2_STATE_READY ? TR2_LEFT_PREEMPTED :
			reaped(b, slot, r->wall_ns)    ? TR2_LEFT_REAPED :
							 TR2_LEFT_WAITS);
	slot->leaves = false;
}

/* Can the thread have sent something during the wait? It can, if it was in a
 * system call or is known to wait for sockets. The kernel handles packets to
 * this machine in the context of their sender, and other packets in the context
 * of any running thread. */
static bool can_have_sent(const struct tr2_states_build *b, uint32_t thread,
			  const struct tr2_state *wait)
{
	const struct tr2_tid *slot = slot_of(b, thread);

	return slot->talks || slot->called_ns >= wait->start_ns - CALLED_NS;
}

static void set_waker(const struct tr2_states_build *b, struct tr2_state *wait,
		      uint32_t waker, uint8_t flags)
{
	wait->other = waker;
	wait->flags = flags;
	if (flags & TR2_STATE_BY_KERNEL && waker) {
		if (is_of_sockets(wait->cause) &&
		    can_have_sent(b, waker, wait))
			wait->flags |= TR2_STATE_INFERRED;
		else
			wait->other = 0;
	}
}

/* If no thread of the command ended a wait for a futex, call the wait a sleep:
 * its time limit ended the wait. Without a command, do nothing: a process
 * outside the recording may share the futex. */
static void take_for_sleep(const struct tr2_states_build *b,
			   const struct tr2_tid *slot, struct tr2_state *wait)
{
	if (!slot->futex || wait->cause != TR2_CAUSE_lock || !b->command)
		return;
	wait->cause = TR2_CAUSE_sleep;
	wait->flags = TR2_STATE_INFERRED | TR2_STATE_BY_KERNEL;
}

/* Did a timer of the kernel wake the thread? A timer wakes one thread, and
 * holds only that thread's lock. Arriving data wakes threads through their
 * queue, which is then locked as well. */
static bool is_kernel_timer(const struct tr2_states_build *b,
				  const struct tr2_task_record *r)
{
	return r->how & TR2_HOW_SOFTIRQ && r->value == b->least_held &&
	       b->most_held > b->least_held;
}

/* Return the name of a waker outside the recording; 0: unknown. */
static tr2_str outside_name(const struct tr2_states_build *b,
			    const struct tr2_task_record *r, uint8_t flags)
{
	const struct tr2_tid *slot = flags == TR2_STATE_BY_OUTSIDE ?
					     tr2_tid_find(b, r->other) : NULL;

	return slot ? slot->outside_comm : 0;
}

/* The threads that may have woken the thread `self`. */
struct candidates {
	uint32_t self, partner;
	int64_t from_ns, to_ns;
	uint32_t found, nr; /* found: the latest candidate; nr: number of
			     * candidates, 2 for several */
	bool has_partner, left; /* left: a candidate left its CPU without being
				 * preempted */
	bool skip_reapers;
	bool doubtful;
};

static void add_candidate(struct candidates *c, uint32_t thread)
{
	if (!thread || thread == c->self)
		return;
	c->has_partner |= thread == c->partner;
	if (c->nr && thread != c->found)
		c->nr = 2;
	if (!c->nr) {
		c->nr = 1;
		c->found = thread;
	}
}

/* Add the threads that left their CPU since c->from_ns, the latest first.
 * any_cpu: take all CPUs, not only `cpu`. preempted: also take threads that
 * were preempted. */
static void add_left(const struct tr2_states_build *b, struct candidates *c,
		     bool any_cpu, uint32_t cpu, bool preempted)
{
	uint32_t i;

	for (i = 1; i <= TR2_NR_LEFT; i++) {
		const struct tr2_left *l =
			&b->left[(b->nr_left - i) % TR2_NR_LEFT];

		if (!l->thread || l->at_ns < c->from_ns)
			break;
		if ((preempted || l->how != TR2_LEFT_PREEMPTED) &&
		    (any_cpu || l->cpu == cpu) &&
		    !(c->skip_reapers && l->how == TR2_LEFT_REAPED)) {
			add_candidate(c, l->thread);
			c->left |= l->how != TR2_LEFT_PREEMPTED &&
				   l->thread != c->self;
		}
	}
}

static void add_running(const struct tr2_states_build *b, struct candidates *c)
{
	uint32_t i;

	for (i = 0; i < b->nr_cpus; i++)
		if (b->cpus[i].until_ns >= c->to_ns &&
		    b->cpus[i].since_ns < c->to_ns)
			add_candidate(c, b->cpus[i].thread);
}

static void begin_candidates(struct candidates *c, const struct tr2_state *wait,
			     int64_t within_ns)
{
	c->from_ns = c->to_ns - within_ns;
	if (c->from_ns < wait->start_ns)
		c->from_ns = wait->start_ns;
	c->nr = c->found = 0;
	c->has_partner = c->left = false;
}

/* Learn the slot's partner from a wake-up whose waker is certain. The partner
 * is the thread that most often woke the slot's thread lately. */
static void learn_partner(struct tr2_tid *slot, uint32_t thread)
{
	if (slot->partner == thread) {
		slot->partner_votes += slot->partner_votes < MAX_VOTES;
	} else if (!slot->partner_votes) {
		slot->partner = thread;
		slot->partner_votes = 1;
	} else {
		slot->partner_votes--;
	}
}

/* Choose among several possible wakers the partner, or else the thread that
 * left the woken thread's CPU just before. Return 0 if both exist and
 * differ. */
static uint32_t one_of_several(const struct tr2_states_build *b,
			       const struct tr2_tid *slot,
			       const struct tr2_state *wait, uint32_t cpu,
			       struct candidates *c)
{
	bool has_partner = c->has_partner;

	c->doubtful = slot->partner_votes < MAX_VOTES / 2;
	if (has_partner && slot->partner_votes > 1)
		return slot->partner;
	begin_candidates(c, wait, TR2_SWITCH_NS);
	add_left(b, c, false, cpu, false);
	if (!has_partner)
		return c->found;
	return !c->nr || c->found == slot->partner ? slot->partner : 0;
}

/* Is the wait as long as a usual timer, plus the time by which the kernel is
 * late? */
static bool is_by_timer(int64_t ns)
{
	return ns >= TIMER_NS && ns % TIMER_NS >= TIMER_EARLIEST_NS &&
	       ns % TIMER_NS < TIMER_LATEST_NS;
}

/* Return the time since which no known thread ended a wait of this thread, and
 * the thread ran only for moments: the start of this wait, or of an earlier
 * one. */
static int64_t in_vain_since(const struct tr2_states_build *b, uint32_t self,
			     const struct tr2_state *wait)
{
	const struct tr2_state *first =
		&b->m->states[b->m->task_threads[self].first_state];
	const struct tr2_state *s = wait, *since = wait;

	while (s-- > first) {
		if (s->kind == TR2_STATE_WAIT && s->other)
			break;
		if (s->kind == TR2_STATE_RUN &&
		    s[1].start_ns - s->start_ns > WOKEN_NS)
			break;
		if (s->kind == TR2_STATE_WAIT)
			since = s;
	}
	return since->start_ns;
}

/* Since the time of in_vain_since(), did another process end that has the same
 * name and parent as the process of `thread`? That process did not end the
 * wait, so `thread` did not, either. */
static bool is_one_of_many(const struct tr2_states_build *b, uint32_t self,
			   const struct tr2_state *wait, uint32_t thread)
{
	int64_t since_ns = in_vain_since(b, self, wait);
	const struct tr2_task_thread *threads = b->m->task_threads;
	const struct tr2_model_task *tasks = b->m->tasks;
	const struct tr2_task_thread *t = &threads[thread];
	uint32_t i;

	for (i = 1; i <= TR2_NR_ENDED; i++) {
		const struct tr2_thread_end *e =
			&b->ended[(b->nr_ended - i) % TR2_NR_ENDED];
		const struct tr2_task_thread *other = &threads[e->thread];

		if (!e->thread || e->at_ns < since_ns)
			break;
		if (e->thread != thread && other->comm == t->comm &&
		    tasks[other->task].parent == tasks[t->task].parent &&
		    t->start_ns >= since_ns)
			return true;
	}
	return false;
}

/* Was the thread in a system call since the wait began? The call that created
 * the thread does not count. */
static bool has_called(const struct tr2_states_build *b, uint32_t thread,
		       const struct tr2_state *wait)
{
	const struct tr2_tid *slot = slot_of(b, thread);

	return slot->exec_ns >= wait->start_ns ||
	       (slot->called_ns >= wait->start_ns &&
		slot->called_ns > b->m->task_threads[thread].start_ns);
}

/* Derive from the switches alone who woke a thread; 0: unknown. */
static uint32_t likely_waker(const struct tr2_states_build *b,
			     struct tr2_tid *slot, const struct tr2_state *wait,
			     uint32_t cpu, int64_t wall_ns, bool *doubtful)
{
	struct candidates c = { .self = slot->thread, .partner = slot->partner,
				.to_ns = wall_ns };

	begin_candidates(&c, wait, WOKEN_NS);
	add_left(b, &c, true, 0, true);
	add_running(b, &c);
	if (!c.left && is_by_timer(wall_ns - wait->start_ns))
		return 0;
	if (c.nr == 1) {
		learn_partner(slot, c.found);
		/* The candidate may only have computed: consider earlier
		 * candidates as well. */
		*doubtful = !c.left && slot->partner_votes < MAX_VOTES &&
			    !has_called(b, c.found, wait);
		if (*doubtful) {
			begin_candidates(&c, wait, DYING_NS);
			add_left(b, &c, true, 0, true);
			add_running(b, &c);
		}
		return c.nr == 1 ? c.found : 0;
	}
	*doubtful = true;
	if (c.nr) {
		c.skip_reapers = true;
		begin_candidates(&c, wait, WOKEN_NS);
		add_left(b, &c, true, 0, true);
		add_running(b, &c);
		if (c.nr == 1 && (c.left || has_called(b, c.found, wait)))
			return c.found;
		c.found = one_of_several(b, slot, wait, cpu, &c);
		*doubtful = c.doubtful;
		return c.found;
	}
	begin_candidates(&c, wait, LATE_NS);
	add_left(b, &c, true, 0, false);
	return c.nr == 1 ? c.found : c.has_partner ? c.partner : 0;
}

/* Return the thread that ended at `end` if that time is within the wait, and
 * shortly before wall_ns; else 0. */
static uint32_t if_by_end(const struct tr2_states_build *b,
			  const struct tr2_tid *slot,
			  const struct tr2_state *wait,
			  const struct tr2_thread_end *end, int64_t wall_ns)
{
	return end->thread && end->thread != slot->thread &&
			       end->at_ns >= wait->start_ns &&
			       end->at_ns >= wall_ns - LATE_NS &&
			       !is_one_of_many(b, slot->thread, wait,
					       end->thread) ?
		       end->thread : 0;
}

/* Return the thread whose end woke the slot's thread; 0: none. The kernel does
 * not report this wake-up. A thread that ends wakes threads that wait for its
 * end by a futex, or for its locks. Such a thread also wakes readers of a pipe
 * or socket without another writer, and its parent, by SIGCHLD. */
static uint32_t ended_for(const struct tr2_states_build *b,
			  const struct tr2_tid *slot,
			  const struct tr2_state *wait, int64_t wall_ns)
{
	static const struct tr2_thread_end none;
	uint32_t task = tr2_tid_thread(b, slot)->task, found = 0;
	const struct tr2_thread_end *end =
		b->nr_ended ?
			&b->ended[(b->nr_ended - 1) % TR2_NR_ENDED] : &none;

	switch (wait->cause) {
	case TR2_CAUSE_lock:
		found = if_by_end(b, slot, wait, &b->ends[task], wall_ns);
		break;
	case TR2_CAUSE_poll:
	case TR2_CAUSE_signal:
		found = if_by_end(b, slot, wait, &b->exits[task], wall_ns);
		break;
	case TR2_CAUSE_pipe:
	case TR2_CAUSE_socket:
		break;
	default:
		return 0;
	}
	if (found || wait->cause == TR2_CAUSE_signal)
		return found;
	return if_by_end(b, slot, wait, end, wall_ns);
}

/* Without recorded wake-ups: was the wait for the child that has ended? Return
 * false if the child ended long ago, and another thread has just begun to wait
 * or ended. */
static bool is_for_child(const struct tr2_states_build *b,
			 const struct tr2_tid *slot,
			 const struct tr2_state *wait,
			 const struct tr2_thread_end *child, int64_t wall_ns)
{
	struct candidates c = { .self = slot->thread, .to_ns = wall_ns };

	begin_candidates(&c, wait, WOKEN_NS);
	add_left(b, &c, true, 0, false);
	return child->at_ns >= wall_ns - (c.nr ? LATE_NS : DYING_NS);
}

/* Note that the end of a child ended the wait. The waker is certain if the
 * cause of the wait was recorded. */
static void end_by_child(struct tr2_states_build *b, struct tr2_state *wait,
			 const struct tr2_thread_end *child, int64_t wall_ns)
{
	tr2_states_settle_end(b, child->thread, wall_ns);
	wait->flags = wait->cause ? 0 : TR2_STATE_INFERRED;
	wait->cause = TR2_CAUSE_child;
	wait->other = child->thread;
}

/* Derive which thread woke a thread that now has a CPU. With recorded wake-ups,
 * only a thread that exits can have done so without a record. */
static void infer_waker(struct tr2_states_build *b, struct tr2_tid *slot,
			struct tr2_state *wait, uint32_t cpu, int64_t wall_ns)
{
	uint32_t task = tr2_tid_thread(b, slot)->task;
	const struct tr2_thread_end *child = &b->exits[task];
	bool doubtful = false;

	if (child->thread && child->at_ns >= wait->start_ns &&
	    (wait->cause == TR2_CAUSE_child ||
	     (wait->cause == TR2_CAUSE_unknown &&
	      is_for_child(b, slot, wait, child, wall_ns)))) {
		end_by_child(b, wait, child, wall_ns);
		return;
	}
	if (wait->cause == TR2_CAUSE_sleep || wait->cause == TR2_CAUSE_disk ||
	    wait->cause == TR2_CAUSE_page) {
		wait->flags = TR2_STATE_INFERRED | TR2_STATE_BY_KERNEL;
		return;
	}
	if (b->has_wakings) {
		wait->other = ended_for(b, slot, wait, wall_ns);
		wait->flags = wait->other ? TR2_STATE_INFERRED : 0;
		if (!wait->other)
			take_for_sleep(b, slot, wait);
		return;
	}
	if ((wait->cause == TR2_CAUSE_poll || wait->cause == TR2_CAUSE_signal ||
	     wait->cause == TR2_CAUSE_pipe) &&
	    child->thread && child->at_ns >= wait->start_ns &&
	    is_for_child(b, slot, wait, child, wall_ns))
		wait->other = child->thread;
	else
		wait->other = likely_waker(b, slot, wait, cpu, wall_ns,
					   &doubtful);
	if (wait->other && is_one_of_many(b, slot->thread, wait, wait->other))
		wait->other = 0;
	if (wait->other)
		wait->flags = TR2_STATE_INFERRED |
			      (doubtful ? TR2_STATE_DOUBTFUL : 0);
}

/* Return the thread that is about to end on this CPU, and has lost its tid; 0:
 * unknown. */
static uint32_t ended_on(const struct tr2_states_build *b, uint32_t cpu)
{
	uint32_t thread = tr2_turns_thread(b, cpu);

	return thread && slot_of(b, thread)->thread == thread &&
			       slot_of(b, thread)->exit_ns ?
		       thread : 0;
}

/* Handle a wake-up. Each wake-up is recorded twice, for the waking and for the
 * woken thread. Ignore the second record, which finds the thread ready. */
void tr2_states_on_waking(struct tr2_states_build *b,
			  const struct tr2_task_record *r)
{
	struct tr2_tid *slot = tr2_tid_find(b, r->tid);
	struct tr2_state *last;
	uint32_t waker = 0;
	uint8_t flags = 0;

	if (!slot || !slot->live)
		return;
	last = tr2_tid_last(b, slot);
	if (r->other == TR2_TID_ENDED)
		waker = ended_on(b, r->cpu);
	else if (!(r->how & TR2_HOW_INTERRUPT) && !is_kernel_timer(b, r))
		waker = thread_at(b, r->other, r->wall_ns);
	if (waker && !(r->how & TR2_HOW_SOFTIRQ))
		slot_of(b, waker)->called_ns = r->wall_ns;
	if (r->how & (TR2_HOW_INTERRUPT | TR2_HOW_SOFTIRQ) || !r->other)
		flags = TR2_STATE_BY_KERNEL;
	else if (!waker && r->other != TR2_TID_ENDED)
		flags = TR2_STATE_BY_OUTSIDE;
	if (last && last->kind == TR2_STATE_WAIT) {
		if (r->other == TR2_TID_ENDED && !waker)
			infer_waker(b, slot, last, r->cpu, r->wall_ns);
		else
			set_waker(b, last, waker, flags);
		last->comm = outside_name(b, r, flags);
		if (r->how & TR2_HOW_INTERRUPT)
			take_for_sleep(b, slot, last);
		tr2_state_push(b, slot, r->wall_ns, TR2_STATE_READY);
	} else if (last && last->kind == TR2_STATE_RUN) {
		slot->woken_early = true;
		slot->woken_ns = r->wall_ns;
		slot->waker = waker;
		slot->waker_flags = flags;
	}
}

/* End a wait at an IN without a wake-up before it: the wake-up was recorded
 * early, or not at all. */
static void end_wait(struct tr2_states_build *b, struct tr2_tid *slot,
		     struct tr2_state *wait, uint32_t cpu, int64_t wall_ns)
{
	if (b->has_wakings && slot->woken_early &&
	    slot->woken_ns >= wait->start_ns - EARLY_NS) {
		set_waker(b, wait, slot->waker, slot->waker_flags);
		tr2_state_push(b, slot, wait->start_ns, TR2_STATE_READY);
	} else {
		infer_waker(b, slot, wait, cpu, wall_ns);
	}
}

/* Add up the time of switches. A longer gap is not one switch: another thread
 * had the CPU in between, or the CPU was idle. */
static void note_handover(struct tr2_states_build *b,
			  const struct tr2_cpu *cpu, uint32_t thread,
			  int64_t wall_ns)
{
	int64_t ns = wall_ns - cpu->until_ns;

	if (!cpu->thread || cpu->thread == thread || ns < 0 || ns > HANDOVER_NS)
		return;
	b->handover_ns += ns;
	b->nr_handovers++;
}

/* If a thread lost this CPU to a thread not yet known, note that it lost the
 * CPU to `thread`, which has the CPU now. */
static void settle_loss(struct tr2_states_build *b, struct tr2_cpu *cpu,
			uint32_t thread, int64_t wall_ns)
{
	if (cpu->lost_by && cpu->lost_by != thread &&
	    cpu->until_ns >= wall_ns - TR2_SWITCH_NS)
		tr2_states_lost_to(&b->m->states[cpu->lost_state], thread, 0);
	cpu->lost_by = 0;
}

/* Does the thread return from a wait in a system call? */
static bool is_after_wait(const struct tr2_states_build *b,
			  const struct tr2_tid *slot,
			  const struct tr2_state *last)
{
	return last->kind == TR2_STATE_WAIT ||
	       (last->kind == TR2_STATE_READY &&
		tr2_tid_thread(b, slot)->nr_states > 1 &&
		last[-1].kind == TR2_STATE_WAIT);
}

void tr2_states_on_in(struct tr2_states_build *b,
		      const struct tr2_task_record *r)
{
	struct tr2_tid *slot = tr2_tid_live(b, r, TR2_STATE_READY);
	struct tr2_state *last = slot ? tr2_tid_last(b, slot) : NULL;
	struct tr2_cpu *cpu = cpu_of(b, r);

	if (cpu->ending)
		tr2_states_settle_end(b, cpu->ending, r->wall_ns);
	if (r->how & TR2_HOW_MACHINE)
		tr2_turns_in(b, r, slot && slot->live ? slot->thread : 0);
	if (!slot || !is_counted(slot, r))
		return;
	if (last && last->kind == TR2_STATE_RUN && tr2_tid_guess(b, slot)) {
		last->kind = TR2_STATE_READY;
	} else if (last && last->kind == TR2_STATE_RUN) {
		tr2_tid_thread(b, slot)->flags |= TR2_TASK_THREAD_LOST;
		return;
	}
	if (last && is_after_wait(b, slot, last))
		slot->called_ns = r->wall_ns;
	if (last && last->kind == TR2_STATE_WAIT) {
		end_wait(b, slot, last, r->cpu, r->wall_ns);
		last = tr2_tid_last(b, slot);
	}
	if (last && last->kind == TR2_STATE_READY)
		tr2_states_set_owner(b, r->cpu, slot->thread, last, r->wall_ns);
	note_handover(b, cpu, slot->thread, r->wall_ns);
	settle_loss(b, cpu, slot->thread, r->wall_ns);
	tr2_state_push(b, slot, r->wall_ns, TR2_STATE_RUN);
	if (b->of_machine)
		tr2_turns_check(b, r, slot->thread);
	slot->woken_early = slot->leaves = false;
	*cpu = (struct tr2_cpu){ .thread = slot->thread,
				 .since_ns = r->wall_ns,
				 .until_ns = INT64_MAX };
}
