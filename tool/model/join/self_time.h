/* SPDX-License-Identifier: MIT */
/*
 * self_time - the time that a span, a thread or a process had to itself: outside of
 * what is inside it. It is given in pieces, in the order of time.
 */
#pragma once

#include "model/model.h"

/* Called for each piece: wall times, from_ns < to_ns. */
typedef void tr2_piece_fn(void *data, uint32_t of, int64_t from_ns,
			  int64_t to_ns);

/* Of each region or child: the time that none which began later in its thread
 * covers, so that each moment of a thread counts once. `of` is the span. A child
 * ends by tr2_span_busy_to(). */
void tr2_own_of_spans(const struct tr2_model *m, tr2_piece_fn *fn, void *data);

/* The same of the regions of one thread, as if it had no children. */
void tr2_own_of_regions(const struct tr2_model *m, uint32_t thread,
			tr2_piece_fn *fn, void *data);

/* Of a thread: outside of its spans and, if it is the main thread, outside of
 * the processes below its process. `of` is the thread. */
void tr2_own_of_thread(const struct tr2_model *m, uint32_t thread,
		       tr2_piece_fn *fn, void *data);

/* Of a process: the time in which none of its children ran. `of` is the node. */
void tr2_own_of_node(const struct tr2_model *m, uint32_t node, tr2_piece_fn *fn,
		     void *data);

/* Add the length of a piece to *data, an int64_t. */
void tr2_own_add(void *data, uint32_t of, int64_t from_ns, int64_t to_ns);

/* Sum up the pieces of each span: out[nr_spans], owned by the caller. */
void tr2_own_sums(const struct tr2_model *m, int64_t *out);
