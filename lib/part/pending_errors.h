/* SPDX-License-Identifier: MIT */
/*
 * pending_errors - errors of parts that are emitted later: the stream begins
 * with version and start, and parts are opened before that.
 */
#ifndef TR2_PART_PENDING_ERRORS_H
#define TR2_PART_PENDING_ERRORS_H

#include "thread/emit.h"

/* Add a copy of the text, without "trace2: ". */
void tr2_pending_errors_add(const char *why);
/* Add an error about so many threads. */
void tr2_pending_errors_add_threads(const char *why, unsigned int nr_threads);

/* Emit an error that was not added. */
void tr2_pending_errors_emit_one(struct tr2_call *call, const char *why);

#endif
