/* SPDX-License-Identifier: MIT */
/*
 * observed_waits - find out what the threads of a process wait for: the system
 * call in which a look finds a thread, and the object that the call's arguments
 * name.
 *
 * A thread whose /proc/PID/task/TID/schedstat has not changed did not run. Of
 * most threads a look reads only this file. If schedstat is unchanged in the
 * next look, or in a second glance a little later, the thread waits. It is then
 * asked once what it waits for, by reading further files. If there are many
 * threads, those that were asked are read less often. If there are too many,
 * the next look asks the rest.
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
	size_t nr_threads; /* number of threads in the last look */
	unsigned int nr_asked, nr_read;
	uint64_t until_ns; /* CPU time at which this look must stop */
	bool is_long;      /* this look has reached until_ns */
	size_t next;  /* index of the process whose threads are asked first */
	bool is_late; /* the other processes must wait for the next look */
	uint64_t asking_ns; /* CPU time that asking took so far */
};

struct tr2_observed_waits {
	struct tr2_observed_thread *threads;
	size_t nr, alloc;
	size_t next; /* index of the thread with which the next look begins */
	unsigned long links; /* number of links that /proc/PID/task had when it
			      * was read */
	/* The kernel refuses to answer, or lacks the files. */
	bool refused;
	struct tr2_known_descriptor *known; /* remembered descriptors; only for
					     * a process with threads */
	/* The descriptors of the process, for holders.c. */
	struct tr2_held_file *held;
	size_t nr_held, alloc_held;
	uint64_t held_ns;    /* time at which `held` was read */
	uint64_t nr_open;    /* number of open descriptors at held_ns; 0:
			      * unknown */
	bool has_held; /* `held` was read, and the process has not run since */
	bool is_likely; /* the process ran since, but still has nr_open
			 * descriptors */
	bool hides_held; /* `held` may lack some descriptors */
};

/* Begin a look that may take this much CPU time. */
void tr2_observe_waits_begin(struct tr2_observer *o, uint64_t cost_ns);
/* Read the threads of a process. Return false if all of them have waited since
 * the last look. */
bool tr2_observe_waits(struct tr2_observer *o, struct tr2_observed *p);
/* Has this look used up its CPU time, so that the remaining threads must wait
 * for the next look? */
bool tr2_observe_waits_is_long(struct tr2_observer *o);
/* Call this after tr2_observe_waits() for all processes. Ask what their threads
 * wait for. Return whether some threads ran since the last look, and may wait
 * now. */
bool tr2_observe_objects(struct tr2_observer *o);
/* Call this a little later. Ask the threads that have not run since
 * tr2_observe_objects(). */
void tr2_observe_objects_again(struct tr2_observer *o);
/* Call this when a process or the recording has ended. Record the ends of the
 * process's waits. */
void tr2_observe_waits_end(struct tr2_observer *o, struct tr2_observed *p);
void tr2_observed_waits_release(struct tr2_observed_waits *waits);
