/* SPDX-License-Identifier: MIT */
/*
 * build_owners - find the thread that had the CPU for which another thread was
 * ready. Or find that the ready thread had no CPU because of the limit of its
 * control group.
 */
#include <string.h>

#include "model/build/build_states_private.h"
#include "model/states.h"

#define LONG_READY_NS 1000000

tr2_str tr2_states_outside(const struct tr2_states_build *b, int32_t tid,
			   const struct tr2_view *comm)
{
	if (tid == b->m->recorder_tid || tid == b->m->looks_tid)
		return tr2_intern(b->m, TR2_RECORDER_NAME,
				  strlen(TR2_RECORDER_NAME));
	return tr2_intern(b->m, comm->p, comm->len);
}

void tr2_states_lost_to(struct tr2_state *ready, uint32_t thread, tr2_str comm)
{
	ready->other = thread;
	if (!thread && comm) {
		ready->comm = comm;
		ready->flags |= TR2_STATE_BY_OUTSIDE;
	}
}

/* Note which thread had the CPU just before the thread `self`, which was ready
 * for this CPU. */
static void find_owner(const struct tr2_cpu *cpu, uint32_t self,
		       struct tr2_state *ready, int64_t wall_ns)
{
	if (ready->other || ready->comm || cpu->thread == self ||
	    cpu->until_ns <= ready->start_ns)
		return;
	if (!cpu->thread || cpu->until_ns >= wall_ns - TR2_SWITCH_NS)
		tr2_states_lost_to(ready, cpu->thread, cpu->comm);
}

/* Return how long the thread ran between from_ns and now_ns. */
static int64_t ran_since(const struct tr2_states_build *b, uint32_t thread,
			 int64_t from_ns, int64_t now_ns)
{
	const struct tr2_task_thread *t = &b->m->task_threads[thread];
	const struct tr2_state *s = &b->m->states[t->first_state];
	int64_t end_ns = t->end_ns == TR2_NO_TIME ? now_ns : t->end_ns, ns = 0;
	uint32_t i;

	for (i = t->nr_states; i-- && end_ns > from_ns;) {
		if (s[i].kind == TR2_STATE_RUN)
			ns += end_ns - (s[i].start_ns > from_ns ?
						s[i].start_ns : from_ns);
		end_ns = s[i].start_ns;
	}
	return ns;
}

/* Return how long threads of the recording had the CPU between these times.
 * Threads that left a CPU too long ago are no longer known, and not counted. */
static int64_t taken_between(const struct tr2_states_build *b, uint32_t cpu,
			     uint32_t self, int64_t from_ns, int64_t now_ns)
{
	uint32_t seen[TR2_NR_LEFT] = { 0 }, nr = 0, i, j;
	int64_t ns = 0;

	for (i = 1; i <= TR2_NR_LEFT; i++) {
		const struct tr2_left *l =
			&b->left[(b->nr_left - i) % TR2_NR_LEFT];

		if (!l->thread || l->at_ns < from_ns)
			break;
		for (j = 0; j < nr && seen[j] != l->thread; j++)
			;
		if (l->cpu != cpu || l->thread == self || j < nr)
			continue;
		seen[nr++] = l->thread;
		ns += ran_since(b, l->thread, from_ns, now_ns);
	}
	return ns;
}

/* Return the thread of the recording that had the CPU for most of the time
 * since from_ns; 0: none. */
static uint32_t main_owner(const struct tr2_states_build *b, uint32_t cpu,
			   uint32_t self, int64_t from_ns, int64_t now_ns)
{
	int64_t half = (now_ns - from_ns) / 2;
	uint32_t i;

	for (i = 1; i <= TR2_NR_LEFT; i++) {
		const struct tr2_left *l =
			&b->left[(b->nr_left - i) % TR2_NR_LEFT];

		if (!l->thread || l->at_ns < from_ns)
			break;
		if (l->cpu == cpu && l->thread != self &&
		    ran_since(b, l->thread, from_ns, now_ns) >= half)
			return l->thread;
	}
	return 0;
}

/* Correct the owner for a thread that was ready for long. The owner is the
 * thread that had the CPU for most of that time. A thread outside the recording
 * is known only when a thread of the recording leaves the CPU to it. If other
 * threads outside get the CPU after that, they are unknown. */
static void check_owner(const struct tr2_states_build *b, uint32_t cpu,
			uint32_t self, struct tr2_state *ready, int64_t wall_ns)
{
	bool known = ready->other || ready->comm;
	uint32_t owner;

	if (wall_ns - ready->start_ns < LONG_READY_NS)
		return;
	owner = main_owner(b, cpu, self, ready->start_ns, wall_ns);
	ready->comm = 0;
	ready->flags &= (uint8_t)~TR2_STATE_BY_OUTSIDE;
	ready->other = owner;
	if (!owner && known)
		ready->comm = tr2_intern(b->m, "others", 6);
}

/* If the switches of the whole machine are recorded, set the owner: the thread
 * that had the CPU longest while the thread `self` was ready for it. */
static void set_owner(const struct tr2_states_build *b, uint32_t cpu,
		      uint32_t self, struct tr2_state *ready, int64_t wall_ns)
{
	const struct tr2_turn *owner =
		tr2_turns_owner(b, cpu, self, ready->start_ns, wall_ns);

	if (!owner)
		return;
	ready->comm = 0;
	ready->flags &= (uint8_t)~TR2_STATE_BY_OUTSIDE;
	tr2_states_lost_to(ready, owner->thread, owner->comm);
}

/* If the control group has a limit of CPU time, a thread that was ready for
 * long may have waited for the next period, and not for another thread. Mark
 * its state as throttled then. */
static void check_limit(const struct tr2_states_build *b, uint32_t cpu,
			uint32_t self, struct tr2_state *ready, int64_t wall_ns)
{
	int64_t ns = wall_ns - ready->start_ns, taken_ns, most_ns;

	if (ns < LONG_READY_NS)
		return;
	most_ns = tr2_throttled_between(b->m, ready->start_ns, wall_ns);
	if (most_ns <= ns / 2)
		return;
	taken_ns = taken_between(b, cpu, self, ready->start_ns, wall_ns);
	if (ns - taken_ns <= ns / 2)
		return;
	ready->other = 0;
	ready->comm = tr2_intern(b->m, "throttled", 9);
	ready->flags = TR2_STATE_THROTTLED;
}

void tr2_states_set_owner(const struct tr2_states_build *b, uint32_t cpu,
			  uint32_t self, struct tr2_state *ready,
			  int64_t wall_ns)
{
	if (b->of_machine) {
		set_owner(b, cpu, self, ready, wall_ns);
	} else {
		find_owner(&b->cpus[cpu], self, ready, wall_ns);
		check_owner(b, cpu, self, ready, wall_ns);
	}
	check_limit(b, cpu, self, ready, wall_ns);
}
