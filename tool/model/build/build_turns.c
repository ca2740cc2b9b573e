/* SPDX-License-Identifier: MIT */
/*
 * build_turns - note which threads had each CPU, by the switches of the whole
 * machine. Threads of the recording are always known, all others only while a
 * thread of the recording was ready for a CPU.
 */
#include "model/build/build_states_private.h"

static struct tr2_turn *turn_of(struct tr2_turns *t)
{
	return &t->turn[t->nr % TR2_NR_TURNS];
}

/* Return the name of a thread outside the recording; 0: the thread is inside,
 * or the CPU is idle. */
static tr2_str outside(struct tr2_states_build *b,
		       const struct tr2_task_record *r, uint32_t thread)
{
	struct tr2_tid *slot;

	if (thread || r->tid <= 0)
		return 0;
	slot = tr2_tid_find(b, r->tid);
	if (slot)
		slot->outside_comm = tr2_states_outside(b, r->tid, &r->comm);
	return slot ? slot->outside_comm : 0;
}

void tr2_turns_out(struct tr2_states_build *b, const struct tr2_task_record *r,
		   uint32_t thread)
{
	struct tr2_turn *turn = turn_of(&b->turns[r->cpu]);

	/* Begin a turn if the switch to this thread is missing, since no thread
	 * of the recording was ready. */
	if (turn->thread != thread || !thread) {
		turn->thread = thread;
		turn->comm = outside(b, r, thread);
	}
	turn->to_ns = r->wall_ns;
}

void tr2_turns_in(struct tr2_states_build *b, const struct tr2_task_record *r,
		  uint32_t thread)
{
	struct tr2_turns *turns = &b->turns[r->cpu];

	turns->nr++;
	*turn_of(turns) = (struct tr2_turn){ .thread = thread,
					     .comm = outside(b, r, thread),
					     .from_ns = r->wall_ns,
					     .to_ns = INT64_MAX };
}

void tr2_turns_check(struct tr2_states_build *b,
		     const struct tr2_task_record *r, uint32_t thread)
{
	if (turn_of(&b->turns[r->cpu])->thread == thread)
		return;
	turn_of(&b->turns[r->cpu])->to_ns = r->wall_ns;
	tr2_turns_in(b, r, thread);
}

uint32_t tr2_turns_thread(const struct tr2_states_build *b, uint32_t cpu)
{
	return turn_of(&b->turns[cpu])->thread;
}

int64_t tr2_turns_since(const struct tr2_states_build *b, uint32_t cpu)
{
	const struct tr2_turns *turns = &b->turns[cpu];

	return turns->turn[turns->nr % TR2_NR_TURNS].from_ns;
}

/* Return how long the turn's thread, or threads with the same name, had the CPU
 * from from_ns until now. */
static int64_t sum_of(const struct tr2_turns *turns,
		      const struct tr2_turn *like, int64_t from_ns,
		      int64_t now_ns)
{
	int64_t ns = 0, begin, end;
	uint32_t i;

	for (i = 0; i < TR2_NR_TURNS; i++) {
		const struct tr2_turn *t = &turns->turn[i];

		begin = t->from_ns > from_ns ? t->from_ns : from_ns;
		end = t->to_ns < now_ns ? t->to_ns : now_ns;
		if (t->thread == like->thread && t->comm == like->comm &&
		    end > begin)
			ns += end - begin;
	}
	return ns;
}

const struct tr2_turn *tr2_turns_owner(const struct tr2_states_build *b,
				       uint32_t cpu, uint32_t self,
				       int64_t from_ns, int64_t now_ns)
{
	const struct tr2_turns *turns = &b->turns[cpu];
	const struct tr2_turn *owner = NULL;
	int64_t most = 0, ns;
	uint32_t i;

	for (i = 0; i < TR2_NR_TURNS; i++) {
		const struct tr2_turn *t = &turns->turn[i];

		if (t->thread == self || (!t->thread && !t->comm))
			continue;
		ns = sum_of(turns, t, from_ns, now_ns);
		if (ns > most) {
			most = ns;
			owner = t;
		}
	}
	return owner;
}
