/* SPDX-License-Identifier: MIT */
/*
 * marks - the addresses of the indexes in all modules' definitions, for marking
 * them. The caller holds the lock of definitions.
 */
#ifndef TR2_METRIC_MARKS_H
#define TR2_METRIC_MARKS_H

#include "metric/metric.h"

/* false: no memory. */
bool tr2_marks_keep(enum tr2_metric_kind kind, unsigned int *index);
void tr2_marks_forget(const unsigned int *index);

/* Replace this index of that kind in all modules. */
void tr2_marks_change(enum tr2_metric_kind kind, unsigned int from,
		       unsigned int to);

/* Release the memory of a large set. */
void tr2_marks_release(void);

#endif
