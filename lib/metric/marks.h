/* SPDX-License-Identifier: MIT */
/*
 * marks - the set of the addresses at which all modules store the indexes of
 * their definitions, so that the indexes can be marked. The set needs no lock.
 */
#pragma once

#include "metric/metric.h"

/* Add an address to the set, unless the set contains it. false: no memory. */
bool tr2_marks_keep(enum tr2_metric_kind kind, unsigned int *index);

/* Remove an address before the module's memory is unmapped. After this call, no
 * thread writes to the address. */
void tr2_marks_forget(const unsigned int *index);

/* Replace the index `from` of that kind by `to` in all modules. The caller
 * holds the process's lock. */
void tr2_marks_change(enum tr2_metric_kind kind, unsigned int from,
		       unsigned int to);

/* Call it in a forked child: no thread changes the indexes. */
void tr2_marks_after_fork(void);

/* Release the memory of a large set. */
void tr2_marks_release(void);
