/* SPDX-License-Identifier: MIT */
/*
 * traceparent - TRACEPARENT in the environment. The session is a child of the
 * span that the variable names. The session's children get a variable that
 * names the session, or the span that the starting thread works for.
 *
 * The variable is put into the environment once, empty if there is no trace,
 * and then changed in place, like the variables of session/inherit.h. It
 * belongs to the process: if two threads start children at the same time, one
 * child could see the id of the other. So a child of fork() sets the variable
 * again, to the value of its thread. Children of vfork() and posix_spawn() run
 * no code of the library.
 */
#pragma once

#include "thread/emit.h"

/*
 * Record that this thread is about to start the child process with this number.
 * The second function records that the child has ended, or continues in the
 * background.
 */
void tr2_traceparent_child(struct tr2_thread *thread, int child_id);
void tr2_traceparent_no_child(struct tr2_thread *thread, int child_id);
