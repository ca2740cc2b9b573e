/* SPDX-License-Identifier: MIT */
/*
 * control - settings that the user changes while the process runs: on, off,
 * another target, a rotation. See control_block.h.
 *
 * There is no thread and no signal for this. trace2_enabled_ has a value that
 * makes the next call of any thread look for a request and do the work. Each
 * time that tracing is switched on, a new session begins.
 */
#pragma once

#include <stdbool.h>

/* Share the page, if the settings ask for it. Call it again in a forked child,
 * which does not have its parent's page. */
void tr2_control_open(void);
void tr2_control_after_fork(void);

/* Publish in the page whether a forked child has a session: the child shares
 * its page before its session begins. */
void tr2_control_tell_on(bool on);

/* Remove the page, when the library is unloaded. */
void tr2_control_release(void);

/* Handle a request of `trace2 set`, if there is one. The calling thread has
 * entered the library. Return whether tracing is on. */
bool tr2_control_look(void);
