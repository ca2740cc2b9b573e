/* SPDX-License-Identifier: MIT */
/*
 * targets - open the targets of the settings and emit the first events: at the
 * start, and again in a forked child.
 */
#pragma once

#include "thread/emit.h"

enum tr2_open {
	TR2_OPEN_FIRST,
	TR2_OPEN_CHANGED, /* the settings may have changed */
	TR2_OPEN_IN_CHILD, /* in a forked child: the parent has reported
			    * failures */
	TR2_OPEN_AGAIN /* like TR2_OPEN_IN_CHILD, and the child continues the
			* parent's files */
};

/* Open the targets. true: at least one destination takes bytes. errno is the
 * error of a target that could not be opened, or 0. */
bool tr2_session_open_targets(enum tr2_open how);

/* Prepare the text that the normal and the perf target need, if one of them may
 * be opened. */
void tr2_session_prepare_text(void);

/* Close targets without room for events, and switch tracing on if any target is
 * left. */
void tr2_session_publish_targets(struct tr2_call *call);

/* Emit the first event, and publish the targets. */
void tr2_session_emit_version(struct tr2_call *call);

/* tr2_session_revive(): let calls in even if all targets have failed.
 * tr2_session_recheck(): switch tracing off again if no target is on. */
void tr2_session_revive(void);
void tr2_session_recheck(void);

/*
 * Reopen files that were moved away, and targets that failed. The session
 * continues in the new files, each of which begins with a `version`. Return the
 * number of targets that failed; an `error` event reports each. No other thread
 * may call this at the same time.
 */
int tr2_session_reopen_targets(struct tr2_call *call);

/* Emit the second event, and the pending errors after it. */
void tr2_session_emit_start(struct tr2_call *call, const char *const *argv);
