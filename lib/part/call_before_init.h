/* SPDX-License-Identifier: MIT */
/*
 * call_before_init - calls before trace2_initialize(). They are lost; the first
 * one is reported when tracing begins. Calls are not switched off until the
 * first one, so that it is noticed. From then on they cost as much as with
 * tracing off, also in a program that never initializes the library.
 */
#pragma once

#include <stdatomic.h>

#include "thread/emit.h"

/* An ELF note with this name and type contains the distance from its content to
 * the variable, in 4 bytes. A library with a prefix has a note of its own. */
#define TR2_EARLY_NAME_(name) #name
#define TR2_EARLY_NAME_OF(name) TR2_EARLY_NAME_(name)
#define TR2_EARLY_NAME TR2_EARLY_NAME_OF(trace2_initialize)
#define TR2_EARLY_NOTE 1

struct tr2_early {
	atomic_int state;
	int line;
	/* A copy of the name: the string's module may be unloaded before the
	 * report. */
	char file[256]; /* "": unknown */
};

extern struct tr2_early tr2_early TR2_HIDDEN;

/* Record the call. file NULL: unknown place. Any thread; signal-safe. */
void tr2_early_note(const char *file, int line);

/* Return whether a call is recorded in `early`, which belongs to this or
 * another copy of the library. */
bool tr2_early_is_noted(const struct tr2_early *early);

/* Switch calls off from now on, unless tracing is switched on. */
void tr2_early_end(void);
