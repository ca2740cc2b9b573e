/* SPDX-License-Identifier: MIT */
/*
 * clock_fit - from a processor's counter of ticks to CLOCK_MONOTONIC.
 *
 * Now and then the counter and the clock are read together: an anchor. Between
 * anchors the time is a straight line, a scale, that holds for a window of
 * ticks and no longer. Arithmetic only, for whoever keeps others out.
 *
 * What holds, whatever anchors say: no scale gives a time before one that the
 * scale before it gave. Behind (a step of the clock, a scale that ran ahead)
 * is made good by a slower line, never by a step back; ahead by a step on.
 *
 *   suspend     CLOCK_MONOTONIC stands still; a counter may stop, start from
 *               0, or run on: wherever it is then, that is outside the window,
 *               or inside and then wrong by less than a window
 *   migration   between cores: the kernel takes no counter for its clock that
 *               they do not share; of a virtual machine: another rate or a
 *               jump is noticed at the next anchor, and the clock itself is
 *               used until the rate is known again
 */
#ifndef TR2_BASE_CLOCK_FIT_H
#define TR2_BASE_CLOCK_FIT_H

#include <stdbool.h>
#include <stdint.h>

struct tr2_clock_anchor {
	uint64_t ticks, ns;
	uint64_t width; /* ticks that reading both took: the uncertainty */
};

/* For ticks from base_ticks, less than window later. window 0: for none, and
 * base_ns is the latest time that was given. */
struct tr2_scale {
	uint64_t base_ticks, base_ns;
	uint64_t rate; /* ns a tick, times 2^32 */
	uint64_t window; /* ticks */
};

struct tr2_fit {
	struct tr2_scale scale; /* the newest */
	struct tr2_clock_anchor from; /* the rate is measured from here */
	uint64_t rate; /* as of the last anchors; 0: not known */
	uint64_t worst_ns; /* by which a time was ahead of the clock */
	unsigned int doubts;
	bool distrusted; /* for good: the counter is not the clock's */
};

/* Between anchors, at least: until then scale.window is 0. */
#define TR2_FIT_FIRST_NS UINT64_C(1000000)

static inline bool tr2_scale_holds(const struct tr2_scale *scale,
				   uint64_t ticks)
{
	return ticks - scale->base_ticks < scale->window;
}

/* Where it holds. */
static inline uint64_t tr2_scale_ns(const struct tr2_scale *scale,
				    uint64_t ticks)
{
	return scale->base_ns +
	       ((ticks - scale->base_ticks) * scale->rate >> 32);
}

/* The latest time that the scale gives. */
static inline uint64_t tr2_scale_end(const struct tr2_scale *scale)
{
	return scale->base_ns + (scale->window * scale->rate >> 32);
}

/* Without a rate. */
void tr2_fit_start(struct tr2_fit *fit, const struct tr2_clock_anchor *now);

/* A later anchor: makes a new scale, or one without a window; nothing where the
 * last one still holds. */
void tr2_fit_anchor(struct tr2_fit *fit, const struct tr2_clock_anchor *now);

#endif
