/* SPDX-License-Identifier: MIT */
/*
 * observer - look at the recorded processes while they run, and record what
 * each waits for and how much memory it has.
 *
 * A thread of its own reads /proc, since such a read may wait for a disk. The
 * recorder's loop gives it the list of processes for each look, and takes its
 * records afterwards. During a look all of struct tr2_observer except `lock`
 * and `busy` belongs to that thread. How often it looks: pace.h.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "format/recording/tasklog.h"
#include "record/loop.h"
#include "record/observer/observed_memory.h"
#include "record/observer/observed_waits.h"
#include "record/observer/pace.h"

/* The pause between two looks, unless they cost too much. */
#define TR2_OBSERVER_NS 20000000u

/* A process of the recording that has not ended. */
struct tr2_observed {
	pid_t pid;
	pid_t ppid; /* the process that forked it; 0: unknown */
	uint64_t start_ns;
	/* Set by the loop: the time of its last exec (0: none), and its
	 * name. */
	uint64_t exec_ns;
	char comm[TR2_COMM_SIZE];
	bool ended; /* set by the loop */
	struct tr2_observed_memory memory;
	struct tr2_observed_waits waits;
};

struct tr2_observer {
	struct tr2_source timer; /* first: it is cast to this struct */
	struct tr2_loop *loop;
	/* Called before each look: add new processes, and mark ended ones. */
	void (*update)(void *data);
	/* Takes a record. record->more belongs to the callee from then on. */
	void (*take)(void *data, const struct tr2_task_event *event);
	void *data;
	bool records_ends; /* of waits; set by the caller */

	pthread_t thread;
	pid_t tid; /* the thread's; 0: it has not begun */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool busy;  /* the thread is looking */
	bool ends;  /* the recording ends: hurry */
	bool stop;

	struct tr2_observed **processes;
	size_t nr, alloc;
	size_t next; /* the process where the next look begins */
	struct tr2_task_event *records;
	size_t nr_records, alloc_records;
	struct tr2_observed_tree tree;
	struct tr2_wait_sources sources;
	struct tr2_buf text; /* fields of the record that is being made */
	uint64_t begun_ns;
	uint64_t now_ns;  /* when this look began */
	bool is_open; /* threads may have just begun to wait */
	uint64_t looks;
	struct tr2_pace pace;
	uint64_t refused; /* processes that the kernel does not let the observer
			   * ask */
	/* CPU time of all looks, of the last and of the average one: without
	 * asking and measuring. */
	uint64_t looked_ns, last_ns, mean_ns;
};

/* Return NULL with errno. */
struct tr2_observer *tr2_observer_start(struct tr2_loop *loop);
/* How often the observer looked, and at what cost. */
struct tr2_observer_sums {
	uint64_t looks, cpu_ns;
	/* processes whose waits could not be read */
	uint64_t refused;
	uint64_t tid; /* of the thread that looked */
};

/* Look once more, hand all records over, and free the observer; if the thread
 * hangs, do none of this. Does nothing for NULL. */
void tr2_observer_stop(struct tr2_observer *o, struct tr2_observer_sums *sums);

/* Add a process; called by update(). */
void tr2_observer_add(struct tr2_observer *o, pid_t pid, pid_t ppid,
		      uint64_t start_ns);

/* Has this look taken so much that the rest must wait for the next one? */
bool tr2_observer_is_late(struct tr2_observer *o);

/* For the looks: return an empty buffer for the fields of a record, each of
 * which begins with a comma; and add the record with these fields. */
struct tr2_buf *tr2_observer_text(struct tr2_observer *o);
void tr2_observer_record(struct tr2_observer *o, enum tr2_task_kind kind,
			 pid_t pid, pid_t tid, uint64_t time_ns);
