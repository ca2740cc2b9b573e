/* SPDX-License-Identifier: MIT */
/*
 * observed_waits - what the threads of a process wait for: the system call in
 * which a look finds each, and the object that its arguments name.
 */
#pragma once

#include <stddef.h>

struct tr2_observer;
struct tr2_observed;
struct tr2_observed_thread;

struct tr2_observed_waits {
	struct tr2_observed_thread *threads; /* by tid */
	size_t nr, alloc;
};

void tr2_observe_waits(struct tr2_observer *o, struct tr2_observed *p);
/* Record the waits that were going on: the process has ended. */
void tr2_observe_end(struct tr2_observer *o, struct tr2_observed *p);
void tr2_observed_waits_release(struct tr2_observed_waits *waits);
