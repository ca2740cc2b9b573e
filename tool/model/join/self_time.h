/* SPDX-License-Identifier: MIT */
/*
 * self_time - find the own time of a span, a thread or a process: the time
 * outside of its inner items. Each function passes this time to a callback in
 * pieces, in order.
 */
#pragma once

#include "model/model.h"

/* Called for each piece of own time. Times are wall times, from_ns < to_ns. */
typedef void tr2_piece_fn(void *data, uint32_t of, int64_t from_ns,
			  int64_t to_ns);

/* Pass the own time of each region or child; `of` is the span. Each moment of a
 * thread counts only for the span that began last. tr2_span_busy_to() gives the
 * end of a child. */
void tr2_own_of_spans(const struct tr2_model *m, tr2_piece_fn *fn, void *data);

/* Pass the own time of the regions of one thread, as if the thread had no
 * children. */
void tr2_own_of_regions(const struct tr2_model *m, uint32_t thread,
			tr2_piece_fn *fn, void *data);

/* Pass the own time of a thread: outside of its spans and, if it is the main
 * thread, outside of the processes below its process. `of` is the thread. */
void tr2_own_of_thread(const struct tr2_model *m, uint32_t thread,
		       tr2_piece_fn *fn, void *data);

/* Pass the own time of a process, in which none of its children ran. `of` is
 * the node. */
void tr2_own_of_node(const struct tr2_model *m, uint32_t node, tr2_piece_fn *fn,
		     void *data);

/* Add the length of a piece to *data, an int64_t. */
void tr2_own_add(void *data, uint32_t of, int64_t from_ns, int64_t to_ns);

/* Sum up the pieces of each span: out[nr_spans], owned by the caller. */
void tr2_own_sums(const struct tr2_model *m, int64_t *out);
