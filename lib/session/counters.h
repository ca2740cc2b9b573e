/* SPDX-License-Identifier: MIT */
/*
 * counters - the events that the settings ask for: opened with the session, for
 * this thread and all that come from it, and told as counters of category
 * `perf`.
 *
 * A thread has events of its own beside, for what it counted itself.
 */
#ifndef TR2_SESSION_COUNTERS_H
#define TR2_SESSION_COUNTERS_H

#include "session/call.h"

/* Reads the list, which may be NULL. Once. */
void tr2_counters_load(const char *list);

/* Opens what was read, for this thread; again in a forked child. */
void tr2_counters_open(struct tr2_thread *main_thread);

/* An error event for each event of the list that is none, or cannot be had;
 * behind the start event. */
void tr2_counters_tell_errors(struct tr2_call *call);

/* Another one to be told there, without the "trace2: ". */
void tr2_counters_keep_error(const char *why);
/* Why something is not known of so many threads. */
void tr2_counters_keep_thread_error(const char *why, unsigned int nr_threads);

/* One th_counter for each event that counts in this thread. */
void tr2_counters_emit_thread(struct tr2_call *call,
			      struct tr2_thread *thread);

/* One counter for each event. */
void tr2_counters_emit(struct tr2_call *call);

/* A thread starts, and ends; under the process's lock. */
void tr2_counters_thread_start(struct tr2_thread *thread);
void tr2_counters_thread_end(struct tr2_thread *thread);

/* In a forked child: those of the parent's threads, one by one, and then the
 * memory of all. */
void tr2_counters_thread_forked(struct tr2_thread *thread);
void tr2_counters_after_fork(void);

/* Memory of all of it, once they are closed. */
void tr2_counters_release(void);

/* Closes all events, behind those; under the process's lock. */
void tr2_counters_close(void);

#endif
