/* SPDX-License-Identifier: MIT */
/*
 * observed_waits - what the threads of a process wait for: the system call in
 * which a look finds a thread, and again the one after it or a second glance a
 * little later, and the object that its arguments name.
 *
 * A thread whose /proc/PID/task/TID/schedstat has not changed did not run. That
 * file is all that a look reads of most threads. Where it is as it was, the thread
 * waits since then at least, and is asked for what, once. If there are
 * many, those that were asked are looked at less often, and a look asks some.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tr2_observer;
struct tr2_observed;
struct tr2_observed_thread;
struct tr2_known_descriptor;
struct tr2_held_file;

struct tr2_sockets;
struct tr2_mounts;

/* Tables that are kept between looks; each is made when it is first needed. */
struct tr2_wait_sources {
	struct tr2_sockets *sockets;
	struct tr2_mounts *mounts;
	/* In the look before and in this one: threads, and those asked for what
	 * they wait. */
	size_t nr_threads, nr_counted;
	unsigned int nr_asked;
	uint64_t look;
};

struct tr2_observed_waits {
	struct tr2_observed_thread *threads;
	size_t nr, alloc;
	unsigned long links; /* of the directory of threads, when it was read */
	/* The kernel refuses to tell, or there are no such files. */
	bool refused;
	struct tr2_known_descriptor *known; /* of a process with threads */
	/* Its descriptors, for holders.c. */
	struct tr2_held_file *held;
	size_t nr_held, alloc_held;
	bool has_held; /* they were read, and it has not run since */
	bool hides_held; /* it may have others */
};

void tr2_observe_waits(struct tr2_observer *o, struct tr2_observed *p);
/* After all processes: ask for what their threads wait. Return whether some ran
 * since the look before, and may wait now. */
bool tr2_observe_objects(struct tr2_observer *o);
/* A little later: ask those that did not run since. */
void tr2_observe_objects_again(struct tr2_observer *o);
void tr2_observed_waits_release(struct tr2_observed_waits *waits);
