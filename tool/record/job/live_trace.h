/* SPDX-License-Identifier: MIT */
/*
 * live_trace - switch tracing on in running processes that allow it, for as long as
 * they are recorded: their event target is the recording meanwhile.
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
	/* Another request came before its answer was read: it may be on. */
	TR2_SWITCH_UNKNOWN,
	TR2_SWITCH_REFUSED
};

struct tr2_switched {
	struct tr2_control_page page;
	enum tr2_switch_state state;
};

struct tr2_switch {
	struct tr2_source timer; /* first: it is cast to this struct */
	struct tr2_loop *loop;
	const char *target; /* the caller's */
	struct tr2_switched *process; /* those that allow it */
	size_t nr;
	/* What they forked, while all are asked back. */
	struct tr2_control_page *child;
	uint32_t nr_children, alloc_children;
	uint64_t delay_ns; /* until the next look for answers */
};

/* Ask the processes that allow it. A failure is a warning. target is a directory,
 * target_fd the same one. */
void tr2_switch_on(struct tr2_switch *s, const struct tr2_attach *attach,
		   const char *target, int target_fd, int64_t nest);

/* Ask them, and those that are watched and run, which they may have forked, for
 * the target that they had before; wait for at most this time, or until the loop
 * is stopped. */
void tr2_switch_back(struct tr2_switch *s, struct tr2_watch *watch,
		     int64_t wait_ns);

/* In how many it is on, or was until it was asked back. */
size_t tr2_switch_nr_on(const struct tr2_switch *s);

/* Print how many were switched on, if any allows it. */
void tr2_switch_say(const struct tr2_switch *s, size_t nr_attached);
void tr2_switch_release(struct tr2_switch *s);
