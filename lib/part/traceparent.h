/* SPDX-License-Identifier: MIT */
/*
 * traceparent - TRACEPARENT in the environment: the session is a child of what
 * it names, and its children get what names the session, or the span that the
 * thread works for which starts them.
 *
 * The variable is put into the environment once, empty if there is no trace,
 * and then changed in place, as those of session/inherit.h are. It belongs to
 * the process: of two threads that start children at the same time, one child
 * could see the id of the other. So a child of fork() sets it again, to what its
 * thread had. Children of vfork() and posix_spawn() run nothing of the library.
 */
#pragma once

#include "thread/emit.h"

/* A child process with this number is about to start in this thread; it has
 * ended, or goes on in the background. */
void tr2_traceparent_child(struct tr2_thread *thread, int child_id);
void tr2_traceparent_no_child(struct tr2_thread *thread, int child_id);
