/* SPDX-License-Identifier: MIT */
/*
 * observer - look at the recorded processes while they run, and record what
 * each waits for and how much memory it has.
 *
 * A thread of the observer reads /proc, since such a read may wait for a disk.
 * The recorder's loop gives the thread the list of processes for each look, and
 * takes its records afterwards. During a look, all of struct tr2_observer
 * except `lock` and `busy` belongs to the thread. pace.h limits how often it
 * looks.
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

/* The pause between two looks, unless looks cost too much. */
#define TR2_OBSERVER_NS 20000000u

/* A process of the recording that has not ended. */
struct tr2_observed {
	pid_t pid;
	pid_t ppid; /* pid of the process that forked this process; 0:
		     * unknown */
	uint64_t start_ns;
	/* Set by the loop: the time of the process's last exec (0: none), and
	 * the process's name. */
	uint64_t exec_ns;
	char comm[TR2_COMM_SIZE];
	bool ended; /* the process has ended; set by the loop */
	struct tr2_observed_memory memory;
	struct tr2_observed_waits waits;
};

struct tr2_observer {
	struct tr2_source timer; /* first member: its address is cast to this
				  * struct */
	struct tr2_loop *loop;
	/* Called before each look, in order to add new processes and mark ended
	 * processes. */
	void (*update)(void *data);
	/* Takes a record. record->more belongs to the callee from then on. */
	void (*take)(void *data, const struct tr2_task_event *event);
	void *data;
	bool records_ends; /* also record the ends of waits; set by the
			    * caller */

	pthread_t thread;
	pid_t tid; /* tid of the thread; 0: the thread has not begun */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool busy;  /* the thread is looking */
	bool ends;  /* the recording ends: hurry */
	bool stop;

	struct tr2_observed **processes;
	size_t nr, alloc;
	size_t next; /* index of the process with which the next look begins */
	struct tr2_task_event *records;
	size_t nr_records, alloc_records;
	struct tr2_observed_tree tree;
	struct tr2_wait_sources sources;
	struct tr2_buf text; /* fields of the record that is being made */
	uint64_t begun_ns;
	uint64_t now_ns;  /* time at which this look began */
	bool is_open; /* threads may have begun to wait just now: a second
		       * glance is useful */
	uint64_t looks;
	struct tr2_pace pace;
	uint64_t refused; /* number of processes that the kernel does not let
			   * the observer ask */
	/* CPU time of all looks, of the last look, and of an average look, each
	 * without asking and measuring. */
	uint64_t looked_ns, last_ns, mean_ns;
};

/* Start the observer's thread. Return NULL with errno. */
struct tr2_observer *tr2_observer_start(struct tr2_loop *loop);
/* How often the observer looked, and at what cost. */
struct tr2_observer_sums {
	uint64_t looks, cpu_ns;
	/* number of processes whose waits could not be read */
	uint64_t refused;
	uint64_t tid; /* tid of the thread that looked */
};

/* Look once more, pass on all records, and free the observer. If the thread
 * hangs, or o is NULL, do nothing. */
void tr2_observer_stop(struct tr2_observer *o, struct tr2_observer_sums *sums);

/* Add a process; called by update(). */
void tr2_observer_add(struct tr2_observer *o, pid_t pid, pid_t ppid,
		      uint64_t start_ns);

/* Has this look taken so much time that the remaining processes must wait for
 * the next look? */
bool tr2_observer_is_late(struct tr2_observer *o);

/* Used during a look. tr2_observer_text() returns an empty buffer for the
 * fields of a record, each with a comma before it. tr2_observer_record() adds
 * the record with these fields. */
struct tr2_buf *tr2_observer_text(struct tr2_observer *o);
void tr2_observer_record(struct tr2_observer *o, enum tr2_task_kind kind,
			 pid_t pid, pid_t tid, uint64_t time_ns);
