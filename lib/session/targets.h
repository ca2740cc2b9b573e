/* SPDX-License-Identifier: MIT */
/*
 * targets - open the targets of the settings and emit the first events: at the
 * start, and again in a forked child.
 */
#pragma once

#include "thread/emit.h"

enum tr2_open {
	TR2_OPEN_FIRST,
	TR2_OPEN_CHANGED, /* the settings may be new ones */
	TR2_OPEN_IN_CHILD, /* failures were reported before */
	TR2_OPEN_AGAIN /* as in a child, and the parent's files go on */
};

/* Open them. true: at least one destination takes bytes. errno is that of one that
 * could not be opened, or 0. */
bool tr2_session_open_targets(enum tr2_open how);

/* Prepare what the normal and the perf target need, if one of them may be
 * opened. */
void tr2_session_prepare_text(void);

/* Close targets without room for events, and switch tracing on if any is
 * left. */
void tr2_session_publish_targets(struct tr2_call *call);

/* Emit the first event, and publish the targets. */
void tr2_session_emit_version(struct tr2_call *call);

/* Let calls in although all targets have failed, and switch tracing off again if
 * none is on. */
void tr2_session_revive(void);
void tr2_session_recheck(void);

/*
 * Open files again that were moved away, and what has failed; the session goes on
 * in them, behind a `version` of its own. Return the number of targets that
 * failed, of which an `error` event tells. No other thread does the same.
 */
int tr2_session_reopen_targets(struct tr2_call *call);

/* Emit the second event, and the pending errors behind it. */
void tr2_session_emit_start(struct tr2_call *call, const char *const *argv);
