/* SPDX-License-Identifier: MIT */
/*
 * targets - the targets that the settings ask for are opened, and get the first
 * event: at the start, and again in a forked child.
 */
#ifndef TR2_SESSION_TARGETS_H
#define TR2_SESSION_TARGETS_H

#include "thread/emit.h"

/* again: what cannot be opened was reported before. true: at least one
 * destination takes bytes. */
bool tr2_session_open_targets(bool again);

/* The first event; then the targets that found no room are closed, and tracing
 * is on if any is left. */
void tr2_session_emit_version(struct tr2_call *call);

/* The second one, and what had to wait for it: errors of what came before. */
void tr2_session_emit_start(struct tr2_call *call, const char *const *argv);

#endif
