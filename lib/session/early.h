/* SPDX-License-Identifier: MIT */
/*
 * early - calls that come before trace2_initialize(). They are lost; the first
 * one is told when tracing begins. Until it came, calls are not switched off,
 * so that it is seen; from then on they cost what they cost where tracing is
 * off, also in a program that never initializes the library.
 */
#ifndef TR2_SESSION_EARLY_H
#define TR2_SESSION_EARLY_H

#include "thread/emit.h"

/* file NULL: the place is not known. Any thread; signal-safe. */
void tr2_early_note(const char *file, int line);

/* From here on calls are off, unless tracing is switched on. */
void tr2_early_end(void);

/* The error event, if there was such a call; behind the start event. */
void tr2_early_tell(struct tr2_call *call);

#endif
