/* SPDX-License-Identifier: MIT */
/*
 * build_states_private - what is known while the kernel's records are added: of
 * each tid, of each CPU.
 */
#pragma once

#include "model/build/build_states.h"
#include "model/private.h"

/* A tid, which may be that of one thread after the other. */
struct tr2_tid {
	uint32_t first, room, used; /* its part of m->states */
	uint32_t room_of_end; /* more of it, with switches of the machine */
	uint32_t thread;      /* the latest; 0: none */
	bool is_own;          /* it is of the recording, and ended */
	bool live;                  /* it has not ended */
	bool found; /* it ran already: its first state is a guess */
	/* LEAVES and WAKING records that came before their OUT. */
	bool leaves, woken_early;
	uint8_t cause;
	bool knows_next, futex;
	bool talks; /* it waited for a socket, or for several files */
	int32_t next_tid;
	tr2_str next_comm;
	uint32_t waker;
	uint8_t waker_flags;
	int64_t woken_ns;
	uint32_t partner; /* who wakes it, as far as that is known */
	uint8_t partner_votes;
	tr2_str outside_comm; /* of a thread that is not in the recording */
	int64_t exit_ns; /* of a thread that is about to end; 0: none */
	int64_t exec_ns;   /* when it executed its program, if it did */
	int64_t called_ns; /* when it was in a system call last, for sure */
};

/* Who had a CPU, of late: a thread of the recording, or one of this name; neither:
 * nobody. Known with switches of the machine. */
#define TR2_NR_TURNS 32
struct tr2_turns {
	struct tr2_turn {
		uint32_t thread;
		tr2_str comm;
		int64_t from_ns, to_ns;
	} turn[TR2_NR_TURNS];
	uint32_t nr; /* modulo TR2_NR_TURNS: the present one */
};

/* Who has a CPU, or had it last. */
struct tr2_cpu {
	uint32_t thread; /* 0: not in the recording */
	tr2_str comm;    /* of one that is not; 0: unknown */
	int64_t since_ns, until_ns;
	/* A thread that lost it to one that is not known yet, and its state. */
	uint32_t lost_by, lost_state;
	uint32_t ending; /* a thread that computes on, after its last record */
};

/* Between two threads on a CPU is less than that, unless it is idle. */
#define TR2_SWITCH_NS 50000

/* A thread that left its CPU, of late. */
struct tr2_left {
	uint32_t thread, cpu;
	int64_t at_ns;
	enum tr2_left_how {
		TR2_LEFT_PREEMPTED,
		TR2_LEFT_WAITS,
		TR2_LEFT_REAPED, /* it waits, and only saw to its child */
		TR2_LEFT_ENDED
	} how;
};

#define TR2_NR_LEFT 32
#define TR2_NR_ENDED 32

/* The latest end of a thread; thread 0: none. */
struct tr2_thread_end {
	int64_t at_ns;
	uint32_t thread;
};

struct tr2_states_build {
	struct tr2_model *m;
	uint32_t first_task, first_thread, first_state;
	struct tr2_map tasks; /* pid to its latest task */
	uint32_t *earlier;    /* the task before it with the same pid */
	struct tr2_map tids;  /* tid to slot */
	struct tr2_tid *slots;
	uint32_t nr_slots, alloc_slots;
	uint32_t *slot_of; /* by task thread, from first_thread on */
	uint32_t alloc_slot_of;
	uint64_t nr_switches;
	/* From one thread of the recording to another on the same CPU. */
	int64_t handover_ns, nr_handovers;
	bool has_wakings, of_machine;
	bool has_counts; /* of CPU time, by the kernel */
	uint64_t least_held, most_held; /* value of wake-ups */
	uint32_t command; /* the first thread of the recorded command */
	bool has_found;   /* there is none, but threads that ran already */
	struct tr2_cpu *cpus;
	struct tr2_turns *turns; /* of each CPU */
	uint32_t nr_cpus;
	struct tr2_left left[TR2_NR_LEFT]; /* the latest is left[nr_left - 1] */
	uint32_t nr_left;                  /* modulo TR2_NR_LEFT */
	struct tr2_thread_end *exits; /* by task: of its children */
	struct tr2_thread_end *ends;  /* by task: of its threads */
	/* Of all processes, the latest at (nr_ended - 1) % TR2_NR_ENDED. */
	struct tr2_thread_end ended[TR2_NR_ENDED];
	uint32_t nr_ended;
	struct tr2_loss {
		int64_t from_ns, to_ns;
	} *losses; /* by to_ns */
	uint32_t nr_losses, alloc_losses;
	struct tr2_state none; /* where a state goes that has no room */
};

static inline struct tr2_task_thread *
tr2_tid_thread(const struct tr2_states_build *b, const struct tr2_tid *slot)
{
	return &b->m->task_threads[slot->thread];
}

/* Return the thread's last state; NULL: it has none. */
static inline struct tr2_state *tr2_tid_last(const struct tr2_states_build *b,
					     const struct tr2_tid *slot)
{
	const struct tr2_task_thread *t = tr2_tid_thread(b, slot);

	return t->nr_states ? &b->m->states[t->first_state + t->nr_states - 1] :
			      NULL;
}

/* Return the state in which a thread was found, if it has no other: it was read
 * at another moment than the first record. Else NULL. */
static inline struct tr2_state *tr2_tid_guess(const struct tr2_states_build *b,
					      const struct tr2_tid *slot)
{
	return slot->found && tr2_tid_thread(b, slot)->nr_states == 1 ?
		       tr2_tid_last(b, slot) : NULL;
}

/* Return what is known of a tid; NULL: it has no records of its own. */
struct tr2_tid *tr2_tid_find(const struct tr2_states_build *b, int32_t tid);

/* Find the live thread of a record. If its start was not recorded, it was in
 * this state before. NULL: its process is not in the recording. */
struct tr2_tid *tr2_tid_live(struct tr2_states_build *b,
			     const struct tr2_task_record *r,
			     enum tr2_state_kind before);

/* Begin a state of the thread. Times that go back, between CPUs or since a
 * clock jumped, do not make a state end before it began. */
struct tr2_state *tr2_state_push(struct tr2_states_build *b,
				 struct tr2_tid *slot, int64_t wall_ns,
				 enum tr2_state_kind kind);

/* Note that a thread has left its CPU. */
void tr2_states_left(struct tr2_states_build *b, uint32_t thread, uint32_t cpu,
		     int64_t wall_ns, enum tr2_left_how how);

/* The thread that ended computed on until wall_ns at most. */
void tr2_states_settle_end(struct tr2_states_build *b, uint32_t thread,
			   int64_t wall_ns);

/* In build_turns.c: a thread (0: not in the recording) left its CPU, or got it. */
void tr2_turns_out(struct tr2_states_build *b, const struct tr2_task_record *r,
		   uint32_t thread);
void tr2_turns_in(struct tr2_states_build *b, const struct tr2_task_record *r,
		  uint32_t thread);
/* A thread of the recording got the CPU, which may not be known yet. */
void tr2_turns_check(struct tr2_states_build *b, const struct tr2_task_record *r,
		     uint32_t thread);
/* Return the present one; 0: it is not in the recording. */
uint32_t tr2_turns_thread(const struct tr2_states_build *b, uint32_t cpu);
/* Return since when the present one has the CPU. */
int64_t tr2_turns_since(const struct tr2_states_build *b, uint32_t cpu);
/* Return who else had the CPU longest between these times; NULL: nobody. */
const struct tr2_turn *tr2_turns_owner(const struct tr2_states_build *b,
				       uint32_t cpu, uint32_t self,
				       int64_t from_ns, int64_t now_ns);

/* The thread has ended; its last record is of that time. */
void tr2_states_end(struct tr2_states_build *b, struct tr2_tid *slot,
		    int64_t wall_ns);

/* In build_exits.c, when all records have been added. */
void tr2_states_derive_exits(const struct tr2_states_build *b);

/* In build_owners.c: return the name of a thread that is not in the recording. */
tr2_str tr2_states_outside(const struct tr2_states_build *b, int32_t tid,
			   const struct tr2_view *comm);

/* In build_owners.c: set who had the CPU while a thread was ready: that thread, or 0
 * and its name; or find it, when the thread is given the CPU. */
void tr2_states_lost_to(struct tr2_state *ready, uint32_t thread, tr2_str comm);
void tr2_states_set_owner(const struct tr2_states_build *b, uint32_t cpu,
			  uint32_t self, struct tr2_state *ready,
			  int64_t wall_ns);

/* In throttlings.c: return for how long at most a thread can have been throttled
 * between these times. */
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
