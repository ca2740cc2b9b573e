/* SPDX-License-Identifier: MIT */
#ifndef TR2_SESSION_METRICS_H
#define TR2_SESSION_METRICS_H

#include "session/call.h"

/*
 * One event for each timer and counter of the slot that was used, in the order
 * of registration, timers first. of_thread: th_timer and th_counter, of those
 * defined with TRACE2_PER_THREAD. slot may be NULL.
 */
void tr2_metrics_emit(struct tr2_call *call, struct tr2_slot *slot,
		      bool of_thread);

#endif
