/* SPDX-License-Identifier: MIT */
/*
 * build_states_private - the state of each tid and of each CPU while the
 * kernel's records are added.
 */
#pragma once

#include "model/build/build_states.h"
#include "model/private.h"

/* A tid, which may belong to one thread after the other. */
struct tr2_tid {
	uint32_t first, room, used; /* the tid's part of m->states */
	uint32_t room_of_end; /* further room, for switches of the whole
			       * machine */
	uint32_t thread;      /* the latest thread with this tid; 0: none */
	bool is_own;          /* the tid belonged to a thread of the recording
			       * that has ended */
	bool live;                  /* the thread has not ended */
	bool found; /* the thread already ran when the recording began: its
		     * first state is a guess */
	/* A LEAVES or WAKING record came before its OUT. */
	bool leaves, woken_early;
	uint8_t cause;
	bool knows_next, futex;
	bool talks; /* the thread waited for a socket, or for several files */
	int32_t next_tid;
	tr2_str next_comm;
	uint32_t waker;
	uint8_t waker_flags;
	int64_t woken_ns;
	uint32_t partner; /* the thread that wakes this thread most often, if
			   * known */
	uint8_t partner_votes;
	tr2_str outside_comm; /* name of a thread that is not in the
			       * recording */
	int64_t exit_ns; /* time of EXIT, if the last OUT is still to come; else
			  * 0 */
	int64_t exec_ns;   /* time of the thread's last exec, if any */
	int64_t called_ns; /* last time at which the thread was certainly in a
			    * system call */
};

/* The turns of the threads that had a CPU lately, known if the switches of the
 * whole machine are recorded. A turn contains a thread of the recording, or the
 * name of another thread. If both are 0, the CPU was idle. */
#define TR2_NR_TURNS 32
struct tr2_turns {
	struct tr2_turn {
		uint32_t thread;
		tr2_str comm;
		int64_t from_ns, to_ns;
	} turn[TR2_NR_TURNS];
	uint32_t nr; /* index of the present turn, modulo TR2_NR_TURNS */
};

/* A CPU, with the thread that has the CPU or had it last. */
struct tr2_cpu {
	uint32_t thread; /* 0: a thread outside the recording */
	tr2_str comm;    /* name of a thread outside the recording; 0:
			  * unknown */
	int64_t since_ns, until_ns;
	/* lost_by: a thread that lost the CPU to a thread not yet known;
	 * lost_state: the state of lost_by since then. */
	uint32_t lost_by, lost_state;
	uint32_t ending; /* a thread that still computes after its last
			  * record */
};

/* Unless a CPU is idle, less than this passes between two threads on the
 * CPU. */
#define TR2_SWITCH_NS 50000

/* A thread that left its CPU lately. */
struct tr2_left {
	uint32_t thread, cpu;
	int64_t at_ns;
	enum tr2_left_how {
		TR2_LEFT_PREEMPTED,
		TR2_LEFT_WAITS,
		TR2_LEFT_REAPED, /* the thread waits again, after it only reaped
				  * its child */
		TR2_LEFT_ENDED
	} how;
};

#define TR2_NR_LEFT 32
#define TR2_NR_ENDED 32

/* The latest end of a thread; thread 0: no thread has ended. */
struct tr2_thread_end {
	int64_t at_ns;
	uint32_t thread;
};

struct tr2_states_build {
	struct tr2_model *m;
	uint32_t first_task, first_thread, first_state;
	struct tr2_map tasks; /* maps a pid to its latest task */
	uint32_t *earlier;    /* by task: the earlier task with the same pid */
	struct tr2_map tids;  /* tid to slot */
	struct tr2_tid *slots;
	uint32_t nr_slots, alloc_slots;
	uint32_t *slot_of; /* by task thread, from first_thread on */
	uint32_t alloc_slot_of;
	uint64_t nr_switches;
	/* Total time and number of switches from one thread of the recording to
	 * another on the same CPU. */
	int64_t handover_ns, nr_handovers;
	bool has_wakings, of_machine;
	bool has_counts; /* the kernel counted CPU time */
	uint64_t least_held, most_held; /* smallest and largest `value` in
					 * records of wake-ups */
	uint32_t command; /* the first thread of the recorded command */
	bool has_found;   /* without a command: threads already ran when the
			   * recording began */
	struct tr2_cpu *cpus;
	struct tr2_turns *turns; /* of each CPU */
	uint32_t nr_cpus;
	struct tr2_left left[TR2_NR_LEFT]; /* a circle; the latest is
					    * left[nr_left - 1] */
	uint32_t nr_left;                  /* number of entries so far, modulo
					    * TR2_NR_LEFT */
	struct tr2_thread_end *exits; /* by task: the latest end of a child */
	struct tr2_thread_end *ends;  /* by task: the latest end of a thread */
	/* Ends of all processes, the latest at (nr_ended - 1) %
	 * TR2_NR_ENDED. */
	struct tr2_thread_end ended[TR2_NR_ENDED];
	uint32_t nr_ended;
	struct tr2_loss {
		int64_t from_ns, to_ns;
	} *losses; /* by to_ns */
	uint32_t nr_losses, alloc_losses;
	struct tr2_state none; /* a place for states that have no room
				* elsewhere */
};

static inline struct tr2_task_thread *
tr2_tid_thread(const struct tr2_states_build *b, const struct tr2_tid *slot)
{
	return &b->m->task_threads[slot->thread];
}

/* Return the thread's last state; NULL: it has no state. */
static inline struct tr2_state *tr2_tid_last(const struct tr2_states_build *b,
					     const struct tr2_tid *slot)
{
	const struct tr2_task_thread *t = tr2_tid_thread(b, slot);

	return t->nr_states ? &b->m->states[t->first_state + t->nr_states - 1] :
			      NULL;
}

/* If a thread's only state is the state that was read when the recording began,
 * return this state; else NULL. This state is a guess: the first record has a
 * later time. */
static inline struct tr2_state *tr2_tid_guess(const struct tr2_states_build *b,
					      const struct tr2_tid *slot)
{
	return slot->found && tr2_tid_thread(b, slot)->nr_states == 1 ?
		       tr2_tid_last(b, slot) : NULL;
}

/* Return the slot of a tid; NULL: the tid has no records of its own. */
struct tr2_tid *tr2_tid_find(const struct tr2_states_build *b, int32_t tid);

/* Find the live thread of a record. Begin a thread without a recorded start in
 * the state `before`. NULL: the thread's process is not in the recording. */
struct tr2_tid *tr2_tid_live(struct tr2_states_build *b,
			     const struct tr2_task_record *r,
			     enum tr2_state_kind before);

/* Begin a state of the thread. Times may go back, between CPUs or after a jump
 * of the clock. Even then, no state ends before its start. */
struct tr2_state *tr2_state_push(struct tr2_states_build *b,
				 struct tr2_tid *slot, int64_t wall_ns,
				 enum tr2_state_kind kind);

/* Note that a thread has left its CPU. */
void tr2_states_left(struct tr2_states_build *b, uint32_t thread, uint32_t cpu,
		     int64_t wall_ns, enum tr2_left_how how);

/* Set the latest time until which a thread may have computed after its last
 * record. */
void tr2_states_settle_end(struct tr2_states_build *b, uint32_t thread,
			   int64_t wall_ns);

/* In build_turns.c: note that a thread (0: not in the recording) left its CPU,
 * or got a CPU. */
void tr2_turns_out(struct tr2_states_build *b, const struct tr2_task_record *r,
		   uint32_t thread);
void tr2_turns_in(struct tr2_states_build *b, const struct tr2_task_record *r,
		  uint32_t thread);
/* Note that a thread of the recording got the CPU, unless the turns already
 * show it. */
void tr2_turns_check(struct tr2_states_build *b,
		     const struct tr2_task_record *r, uint32_t thread);
/* Return the thread that has the CPU; 0: a thread outside the recording. */
uint32_t tr2_turns_thread(const struct tr2_states_build *b, uint32_t cpu);
/* Return the time at which the present thread got the CPU. */
int64_t tr2_turns_since(const struct tr2_states_build *b, uint32_t cpu);
/* Return the other thread that had the CPU longest between these times; NULL:
 * no other thread had it. */
const struct tr2_turn *tr2_turns_owner(const struct tr2_states_build *b,
				       uint32_t cpu, uint32_t self,
				       int64_t from_ns, int64_t now_ns);

/* End the thread, whose last record has this time. */
void tr2_states_end(struct tr2_states_build *b, struct tr2_tid *slot,
		    int64_t wall_ns);

/* In build_exits.c: call this when all records have been added. */
void tr2_states_derive_exits(const struct tr2_states_build *b);

/* In build_owners.c: return the name of a thread outside the recording. */
tr2_str tr2_states_outside(const struct tr2_states_build *b, int32_t tid,
			   const struct tr2_view *comm);

/* In build_owners.c: note the thread to which the thread of `ready` lost its
 * CPU: a thread of the recording, or 0 and a name. set_owner() may correct it
 * when the thread gets a CPU. */
void tr2_states_lost_to(struct tr2_state *ready, uint32_t thread, tr2_str comm);
void tr2_states_set_owner(const struct tr2_states_build *b, uint32_t cpu,
			  uint32_t self, struct tr2_state *ready,
			  int64_t wall_ns);

/* In throttlings.c: return the longest time for which a thread may have been
 * throttled between these times. */
int64_t tr2_throttled_between(const struct tr2_model *m, int64_t from_ns,
			      int64_t to_ns);

/* In build_switches.c. */
void tr2_states_on_in(struct tr2_states_build *b,
		      const struct tr2_task_record *r);
void tr2_states_on_out(struct tr2_states_build *b,
		       const struct tr2_task_record *r);
void tr2_states_on_leaves(struct tr2_states_build *b,
			  const struct tr2_task_record *r);
void tr2_states_on_waking(struct tr2_states_build *b,
			  const struct tr2_task_record *r);
