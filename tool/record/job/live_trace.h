/* SPDX-License-Identifier: MIT */
/*
 * live_trace - switch tracing on in running processes that allow it, for as
 * long as they are recorded. During that time their event target is the
 * recording.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "record/job/attach.h"
#include "record/job/control_page.h"
#include "record/job/process_sources.h"

enum tr2_switch_state {
	TR2_SWITCH_ASKED,
	TR2_SWITCH_ON,
	/* Another request replaced ours before the answer was read: tracing may
	 * be on. */
	TR2_SWITCH_UNKNOWN,
	TR2_SWITCH_REFUSED
};

struct tr2_switched {
	struct tr2_control_page page;
	enum tr2_switch_state state;
};

struct tr2_switch {
	struct tr2_source timer; /* first member: its address is cast to this
				  * struct */
	struct tr2_loop *loop;
	const char *target; /* owned by the caller */
	struct tr2_switched *process; /* the processes that allow live
				       * tracing */
	size_t nr;
	/* children of the processes, while all are asked to go back */
	struct tr2_control_page *child;
	uint32_t nr_children, alloc_children;
	uint64_t delay_ns; /* delay until the next look for answers */
};

/* Switch tracing on in the processes that allow it. Warn of a failure. target
 * is a directory, target_fd its descriptor. */
void tr2_switch_on(struct tr2_switch *s, const struct tr2_attach *attach,
		   const char *target, int target_fd, int64_t nest);

/* Ask all processes, and watched children that they forked, to go back to their
 * former targets. Wait for at most wait_ns, or until the loop is stopped. */
void tr2_switch_back(struct tr2_switch *s, struct tr2_watch *watch,
		     int64_t wait_ns);

/* Return the number of processes in which tracing is on, or was on until they
 * were asked to go back. */
size_t tr2_switch_nr_on(const struct tr2_switch *s);

/* If any process allows live tracing, print in how many processes tracing was
 * switched on. */
void tr2_switch_say(const struct tr2_switch *s, size_t nr_attached);
void tr2_switch_release(struct tr2_switch *s);
