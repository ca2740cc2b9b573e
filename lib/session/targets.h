/* SPDX-License-Identifier: MIT */
/*
 * targets - open the targets of the settings and emit the first events: at the
 * start, and again in a forked child.
 */
#ifndef TR2_SESSION_TARGETS_H
#define TR2_SESSION_TARGETS_H

#include "thread/emit.h"

/* Open them. again: failures were reported before. true: at least one
 * destination takes bytes. */
bool tr2_session_open_targets(bool again);

/* Prepare what the normal and the perf target need, if one of them may be
 * opened. */
void tr2_session_prepare_text(void);

/* Emit the first event; then close targets without room for it, and switch
 * tracing on if any is left. */
void tr2_session_emit_version(struct tr2_call *call);

/* Emit the second event, and the pending errors behind it. */
void tr2_session_emit_start(struct tr2_call *call, const char *const *argv);

#endif
