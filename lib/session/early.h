/* SPDX-License-Identifier: MIT */
/*
 * early - calls before trace2_initialize(). They are lost; the first one is
 * reported when tracing begins. Until the first one, calls are not switched
 * off, so that it is noticed; from then on they cost as much as with tracing
 * off, also in a program that never initializes the library.
 */
#ifndef TR2_SESSION_EARLY_H
#define TR2_SESSION_EARLY_H

#include "thread/emit.h"

/* Record the call. file NULL: unknown place. Any thread; signal-safe. */
void tr2_early_note(const char *file, int line);

/* Switch calls off from now on, unless tracing is switched on. */
void tr2_early_end(void);

/* Emit the error event, if there was such a call; behind the start event. */
void tr2_early_tell(struct tr2_call *call);

#endif
