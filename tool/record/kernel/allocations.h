/* SPDX-License-Identifier: MIT */
/*
 * allocations - count the calls of malloc() and its relatives in a command and
 * its descendants. The kernel puts probes into the C library of these processes
 * alone. A call costs the command about a microsecond.
 */
#pragma once

#include <sys/types.h>

#include "base/buf.h"

struct tr2_allocations;

/* Return NULL, with the reason in *why_not, if this user or kernel cannot count
 * or memory is short. The reason stays valid until the next call. */
struct tr2_allocations *tr2_allocations_open(const char **why_not);
void tr2_allocations_close(struct tr2_allocations *a);

/* Begin a run: count from the exec of pid, a child that waits before its
 * exec. */
void tr2_allocations_begin(struct tr2_allocations *a, pid_t pid);
/* End a run: keep its count. */
void tr2_allocations_end(struct tr2_allocations *a);
/* Return why the last run has no count; NULL: it has one. */
const char *tr2_allocations_why_not(const struct tr2_allocations *a);
/* Add `"allocations":{…}`, in the form of the counters of meta.json. Return
 * false if nothing was added. */
bool tr2_allocations_add_meta(const struct tr2_allocations *a,
			      struct tr2_buf *b);
