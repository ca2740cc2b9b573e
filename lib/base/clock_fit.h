/* SPDX-License-Identifier: MIT */
/*
 * clock_fit - convert ticks of a processor's counter to CLOCK_MONOTONIC.
 *
 * An anchor is a read of the counter and the clock together. Between anchors
 * the time is a straight line, a scale, valid for a window of ticks and no
 * longer. Arithmetic only; the caller keeps other threads out.
 *
 * Invariant, for any anchors: no scale gives a time before a time that an
 * earlier scale gave. If the scale is ahead (a step of the clock, a scale that
 * ran too fast), a slower line corrects it, never a step back. A step forward
 * corrects a scale that is late.
 *
 *	suspend     CLOCK_MONOTONIC stops; a counter may stop, restart from 0,
 *	            or continue: the result is outside the window, or inside
 *	            and then wrong by less than a window
 *	migration   between cores: the kernel's clock uses no counter that the
 *	            cores do not share; of a virtual machine: the next anchor
 *	            detects another rate or a jump, and the clock itself is
 *	            used until the rate is known again. Where that may happen
 *	            at any time, windows are short: see tr2_fit_may_move()
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct tr2_clock_anchor {
	uint64_t ticks, ns;
	uint64_t width; /* ticks that reading clock and counter took: the
			 * uncertainty */
};

/* A scale converts the ticks from base_ticks to less than `window` later.
 * window 0: it converts no ticks, and base_ns is the latest time that was
 * given. */
struct tr2_scale {
	uint64_t base_ticks, base_ns;
	uint64_t rate; /* ns per tick, times 2^32 */
	uint64_t window; /* ticks */
};

/* The clock at the last anchor, to convert earlier ticks. Unlike a scale, it
 * has no corrections and no window. rate 0: not known yet. */
struct tr2_clock_line {
	uint64_t ticks, ns;
	uint64_t rate; /* ns per tick, times 2^32 */
};

/*
 * Ticks that passed while the clock stood still, found by the anchor at
 * `ticks`: the machine was suspended, or stopped and continued elsewhere. If
 * there were more than TR2_FIT_STOPS stops, the last entry is their sum.
 */
#define TR2_FIT_STOPS 16
struct tr2_clock_stop {
	uint64_t ticks, ns;
};

/* The anchor at `ticks` and ns found that the rate changed; line is the last
 * one before the change. */
#define TR2_FIT_TURNS 16
struct tr2_clock_turn {
	uint64_t ticks, ns;
	struct tr2_clock_line line;
};

struct tr2_fit {
	struct tr2_scale scale; /* the newest */
	struct tr2_clock_line line;
	struct tr2_clock_anchor from; /* the anchor from which the rate is
				       * measured */
	uint64_t rate; /* rate between the last anchors; 0: unknown */
	uint64_t long_rate; /* the rate of the last whole measurement; 0: none
			     * so far */
	uint64_t worst_ns; /* the most by which a time was ahead of the clock */
	/* The following members are read by other threads while an anchor is
	 * added. */
	unsigned int nr_stops;
	struct tr2_clock_stop stop[TR2_FIT_STOPS];
	unsigned int nr_turns; /* number of all turns; turn n is kept at index n
				* % TR2_FIT_TURNS */
	struct tr2_clock_turn turn[TR2_FIT_TURNS];
	uint64_t widest; /* 0: the machine does not move; else see
			  * tr2_fit_may_move() */
	unsigned int doubts;
	bool distrusted; /* the counter and the clock differ: never use the
			  * counter */
};

/* The least distance of the first two anchors; until the second, scale.window
 * is 0. */
#define TR2_FIT_FIRST_NS UINT64_C(1000000)

static inline bool tr2_scale_holds(const struct tr2_scale *scale,
				   uint64_t ticks)
{
	return ticks - scale->base_ticks < scale->window;
}

/* Convert ticks; valid only within the window. */
static inline uint64_t tr2_scale_ns(const struct tr2_scale *scale,
				    uint64_t ticks)
{
	return scale->base_ns +
	       ((ticks - scale->base_ticks) * scale->rate >> 32);
}

/* Return the latest time that the scale gives. */
static inline uint64_t tr2_scale_end(const struct tr2_scale *scale)
{
	return scale->base_ns + (scale->window * scale->rate >> 32);
}

/*
 * Return the time of past ticks that lay in the window of a scale. The time is
 * wrong by at most some 100 ns, or by a thousandth of the distance to the last
 * anchor, even if the rate was another one then.
 *
 * If the counter went back, ticks from before lie in the future, or never
 * occurred: they get the time of the last anchor, so compare by
 * tr2_clock_since(). first_ns: the time of the first anchor. The line is a copy
 * of the fit's.
 */
uint64_t tr2_fit_past(const struct tr2_fit *fit,
		      const struct tr2_clock_line *line, uint64_t ticks,
		      uint64_t first_ns);

/*
 * Return by how much the clock is ahead of the counter since the last anchor;
 * negative: the counter is ahead. Return 0 if the two differ by no more than
 * their possible errors. Clock and counter keep their rates, so a larger
 * difference means that one of them was set: the counter, by the machine; or
 * the clock, by a time namespace that the process entered or was forked into.
 */
int64_t tr2_fit_ahead(const struct tr2_fit *fit,
		      const struct tr2_clock_anchor *now);

/*
 * Prepare for a machine that may move at any time to another one, whose counter
 * has another rate and value, and which the kernel may not trust. Windows are
 * then short: until the first anchor there, a time is at most
 *
 *	0.20 ms ahead    rate * 1.3
 *	0.22 ms late     rate * 0.7
 *	0.51 ms ahead    the counter jumps, and rate * 1.3
 *	0.73 ms late     the counter jumps back, and rate * 0.7
 *
 * or late by the leap of the clock itself; each lasts less than 1.6 ms. Where
 * machines do not move, these are 5, 7, 16 and 23 ms, for less than 40 ms. A
 * counter that jumps back by less than a window repeats times.
 *
 * An anchor that takes `widest` ticks (not 0) or more is doubted: the clock
 * made a system call, since this host does not promise a counter for all
 * processors.
 */
static inline void tr2_fit_may_move(struct tr2_fit *fit, uint64_t widest)
{
	fit->widest = widest;
}

/* Start without a rate. */
void tr2_fit_start(struct tr2_fit *fit, const struct tr2_clock_anchor *now);

/* Add an anchor and make a new scale, without a window if the rate is unknown.
 * Do nothing while the last scale is valid. */
void tr2_fit_anchor(struct tr2_fit *fit, const struct tr2_clock_anchor *now);
