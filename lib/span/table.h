/* SPDX-License-Identifier: MIT */
/*
 * table - the open spans, in memory that all threads share.
 *
 *	state[i]	0	free
 *			1	being made
 *			id	open; ids are even
 *			id | 1	open, and a thread is changing it
 *	span[i]		its data
 *
 * A span's handle is its id and its place. A call compares the id with the
 * state before it touches any data, and swaps the state for id | 1 to change
 * the span. A handle of a span that has ended therefore finds no span, as ids
 * never repeat. A call that finds the span changing waits for a bounded time,
 * then gives up. A signal handler's call that interrupted the other call gives
 * up at once. An end is not given up: the call asks the holder to end the span,
 * and the holder looks for such a request after its release.
 *
 * An id is a mix of the place, the number of uses of the place, and the
 * process's random seed: unique without a counter that threads share.
 *
 * A forked child has a copy. It can read its parent's spans and otherwise
 * leaves them alone. All functions are signal-safe. The table is mapped at the
 * first span, and data in pieces when spans need them. In a host that locks its
 * memory, a whole mapping is locked, and the host's limit may allow little. An
 * entry whose piece is not mapped is free, so a handle finds no span there.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/barrier.h"
#include "base/macros.h"
#include "base/sanitize.h"
#include "base/tls.h"
#include "event/span.h"
#include "trace2.h"

#define TR2_SPANS_MAX 16384u
#define TR2_SPAN_BYTES 1024u
#define TR2_SPAN_ROOM (TR2_SPAN_BYTES - 72u)

/* A flag in the place of a handle, beside 1 + the index of the entry: the span
 * is not recorded, so its names and attributes are not stored. */
#define TR2_PLACE_UNRECORDED TRACE2_SPAN_UNRECORDED_

struct tr2_open_span {
	/* Other threads read these members when they make children of the
	 * span. */
	uint64_t trace[2];
	uint64_t parent;
	uint64_t start_ns;
	uint32_t flags; /* TR2_SPAN_DATA_... */
	uint32_t one_in;
	uint32_t process; /* the number of forks before the span was made */
	uint32_t uses; /* number of uses of the entry */
	uint32_t lost, used; /* used: bytes */
	uint64_t holder; /* the thread that last held the span */
	uint64_t asked; /* the id of the span if its holder must end it; bit 0:
			 * as failed */
	char bytes[TR2_SPAN_ROOM]; /* see event/span.h */
};
_Static_assert(sizeof(struct tr2_open_span) == TR2_SPAN_BYTES,
	       "a power of two");

#define TR2_SPAN_HELD 1u
#define TR2_SPANS_PIECE 64u

struct tr2_span_table {
	uint64_t state[TR2_SPANS_MAX];
	struct tr2_open_span *piece[TR2_SPANS_MAX / TR2_SPANS_PIECE];
};
/* The table; NULL: no span has been made. */
extern struct tr2_span_table *tr2_span_table TR2_HIDDEN;
extern uint32_t tr2_span_nr_forks TR2_HIDDEN;
/*
 * The entry at which the thread begins to search for a free one: the last entry
 * that it used, which is in the cache.
 */
extern __thread uint32_t tr2_tls_span_hint TR2_HIDDEN;
#define tr2_span_hint TR2_TLS(tr2_tls_span_hint)

/* Failed calls, for an error at the end of the process. */
enum tr2_span_misuse {
	TR2_SPAN_UNKNOWN, /* the span is not open, or is not a span of this
			   * process */
	TR2_SPAN_BUSY, /* another thread was changing the span */
	TR2_SPAN_NO_ROOM, /* too many spans, or no memory */
	TR2_SPAN_NOT_ENTERED, /* a span was left without an enter, or entered
			       * too deep */
	TR2_SPAN_MISUSES
};
void tr2_span_count(enum tr2_span_misuse misuse);
/* Return the number of failed calls, and set it to 0. */
uint64_t tr2_span_take_count(enum tr2_span_misuse misuse);

/* A span that this call may change. */
struct tr2_span_hold {
	struct tr2_open_span *span; /* NULL: no span */
	uint32_t place;
	uint64_t id;
};

/* Make a span with an id, and hold it. false: there is no room, and the failure
 * was counted. The caller sets start_ns, trace and flags before it releases the
 * span. */
bool tr2_span_make(struct tr2_span_hold *hold);
/* Set the trace. parent->id 0: the span begins a trace. */
void tr2_span_set_trace(const struct tr2_span_hold *hold,
			const struct tr2_context *parent);
void tr2_span_set_flags(const struct tr2_span_hold *hold, uint32_t flags,
			uint32_t one_in);

static inline struct tr2_span_table *tr2_span_the_table(void)
{
	return __atomic_load_n(&tr2_span_table, __ATOMIC_ACQUIRE);
}

/* Return the entry at a place. It must be in use or claimed by the caller.
 * Acquire: pairs with map_piece(). */
TR2_INLINE struct tr2_open_span *
tr2_span_at(const struct tr2_span_table *table, uint32_t place)
{
	return __atomic_load_n(&table->piece[place / TR2_SPANS_PIECE],
			       __ATOMIC_ACQUIRE) + place % TR2_SPANS_PIECE;
}

/* Release the span. true: the caller must end it, because another call asked
 * for that. */
TR2_INLINE bool tr2_span_release(const struct tr2_span_hold *hold)
{
	__atomic_store_n(&tr2_span_the_table()->state[hold->place], hold->id,
			 __ATOMIC_RELEASE);
	/* Order the store before the load: pairs with the barrier of ask(). */
	if (likely(tr2_barrier_works))
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	else
		tr2_fence(__ATOMIC_SEQ_CST);
	return unlikely((__atomic_load_n(&hold->span->asked, __ATOMIC_RELAXED) &
			 ~(uint64_t)1) == hold->id);
}

/* Return the index of the entry; TR2_SPANS_MAX: the handle has no entry. */
TR2_INLINE uint32_t tr2_span_place(const struct tr2_span_table *table,
				   trace2_span_t span)
{
	uint32_t at = (uint32_t)span.place - 1;

	return table && !(span.id & TR2_SPAN_HELD) && span.id &&
			       at < TR2_SPANS_MAX ?
		       at : TR2_SPANS_MAX;
}

/* Swap the state of an entry. Acquire: pairs with the release of the entry's
 * last owner. */
TR2_INLINE bool tr2_span_swap(uint64_t *state, uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n(state, &from, to, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* Return a number that identifies this thread. */
static inline uint64_t tr2_span_self(void)
{
	return tr2_tls_thread();
}

/* Record this thread as the holder. false: the span is another process's. */
TR2_INLINE bool tr2_span_note_holder(const struct tr2_span_hold *hold)
{
	__atomic_store_n(&hold->span->holder, tr2_span_self(),
			 __ATOMIC_RELAXED);
	return likely(hold->span->process ==
		      __atomic_load_n(&tr2_span_nr_forks, __ATOMIC_RELAXED));
}

/* Hold an open span of this process that no other call holds. */
TR2_INLINE struct tr2_span_hold tr2_span_hold_at_once(trace2_span_t span)
{
	struct tr2_span_hold hold = { NULL, 0, span.id };
	struct tr2_span_table *table = tr2_span_the_table();
	uint32_t place = tr2_span_place(table, span);

	if (unlikely(place == TR2_SPANS_MAX) ||
	    unlikely(!tr2_span_swap(&table->state[place], span.id,
				    span.id | TR2_SPAN_HELD)))
		return hold;
	hold.place = place;
	hold.span = tr2_span_at(table, place);
	if (likely(tr2_span_note_holder(&hold)))
		return hold;
	tr2_span_release(&hold);
	hold.span = NULL;
	return hold;
}

struct tr2_span_hold tr2_span_hold_slow(trace2_span_t span);
struct tr2_span_hold tr2_span_hold_to_end_slow(trace2_span_t span, bool failed);

/* Hold an open span of this process. hold.span NULL: this was not possible, and
 * was counted. */
TR2_INLINE struct tr2_span_hold tr2_span_hold(trace2_span_t span)
{
	const struct tr2_span_hold hold = tr2_span_hold_at_once(span);

	return likely(hold.span != NULL) ? hold : tr2_span_hold_slow(span);
}

/*
 * Hold a span to end it; hold.span NULL: the span is not open, or its holder
 * was asked to end it.
 */
TR2_INLINE struct tr2_span_hold tr2_span_hold_to_end(trace2_span_t span,
						     bool failed)
{
	const struct tr2_span_hold hold = tr2_span_hold_at_once(span);

	return likely(hold.span != NULL) ?
		       hold : tr2_span_hold_to_end_slow(span, failed);
}

/* Return whether another call has asked to end the span as failed. */
static inline bool tr2_span_shall_fail(const struct tr2_span_hold *hold)
{
	return __atomic_load_n(&hold->span->asked, __ATOMIC_RELAXED) ==
	       (hold->id | 1);
}
/* Free the entry of a span. */
void tr2_span_free(const struct tr2_span_hold *hold);

static inline trace2_span_t tr2_span_handle(const struct tr2_span_hold *hold,
					    bool unrecorded)
{
	const trace2_span_t span = {
		.id = hold->id,
		.place = (hold->place + UINT64_C(1)) |
			 (unrecorded ? TR2_PLACE_UNRECORDED : 0),
	};

	return span;
}

/* Return the data of a span, to record it. */
static inline struct tr2_span_data
tr2_span_data_of(const struct tr2_span_hold *hold, uint64_t end_ns)
{
	const struct tr2_open_span *span = hold->span;
	const struct tr2_span_data data = {
		.self = { { span->trace[0], span->trace[1] }, hold->id },
		.parent = span->parent,
		.start_ns = span->start_ns,
		.end_ns = end_ns,
		.flags = span->flags,
		.one_in = span->one_in,
		.lost = span->lost,
		.nesting = 1,
		.bytes = span->bytes,
		.len = span->used,
	};

	return data;
}

/* Read an open span, of this process or its parent, without holding it. false:
 * the span is not open. */
bool tr2_span_look_up(trace2_span_t span, struct tr2_context *context,
		      uint32_t *flags, uint32_t *one_in);

/* Hold the next open span of this process from *place on, and move *place past
 * it. false: there is no such span. For the end of the process. */
bool tr2_span_hold_next(struct tr2_span_hold *hold, uint32_t *place);

/* Return a new, unique id for a trace or a session. */
uint64_t tr2_span_random(void);

void tr2_spans_forked(void);
void tr2_spans_unmap(void);

/* The ids of the session in its trace. They are set while no other thread
 * emits. */
struct tr2_session_trace {
	struct tr2_context self; /* id 0: in no trace */
	uint64_t parent;
	bool sampled;
};
extern struct tr2_session_trace tr2_session_trace;
