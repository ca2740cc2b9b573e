/* SPDX-License-Identifier: MIT */
/*
 * control - settings that the user changes while the process runs: on, off,
 * another target, a rotation. See control_block.h.
 *
 * There is no thread and no signal: trace2_enabled_ has a value with which the
 * next call of any thread looks, and that one does the work. Each time that
 * tracing is switched on, a session of its own begins.
 */
#pragma once

#include <stdbool.h>

/* Share the page, if the settings ask for it; again in a forked child, which
 * has not its parent's. */
void tr2_control_open(void);
void tr2_control_after_fork(void);

/* Tell those who ask whether a forked child has a session: its page was shared
 * before that began. */
void tr2_control_tell_on(bool on);

/* Remove the page, when the library is unloaded. */
void tr2_control_release(void);

/* Take up a request of `trace2 set`, if there is one. The calling thread has
 * entered the library. Return whether tracing is on. */
bool tr2_control_look(void);
