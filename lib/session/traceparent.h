/* SPDX-License-Identifier: MIT */
/*
 * traceparent - TRACEPARENT in the environment: the session is a child of what
 * it names, and its children get what names the session, or the span that the
 * thread works for which starts them.
 *
 * The variable is put into the environment once, empty if there is no trace,
 * and then changed in place, as those of session/inherit.h are. It belongs to
 * the process: of two threads that start children at the same time, one child
 * may see the id of the other.
 */
#ifndef TR2_SESSION_TRACEPARENT_H
#define TR2_SESSION_TRACEPARENT_H

#include <stdint.h>

#include "thread/emit.h"

/* Take the variable, and make the session's own id. */
void tr2_traceparent_start(void);
/* Put it into the environment. Not thread-safe. */
void tr2_traceparent_publish(void);
/* Call it in a forked child, whose parent is what the variable names. */
void tr2_traceparent_fork(void);
/* Restore it when the library is unloaded. */
void tr2_traceparent_end(void);

/* A child process with this number is about to start in this thread; it has
 * ended, or goes on in the background. */
void tr2_traceparent_child(const struct tr2_thread *thread, int child_id);
void tr2_traceparent_no_child(void);

/* Emit the ids of the session, once, if it is in a trace. */
void tr2_traceparent_emit(struct tr2_call *call);

#endif
