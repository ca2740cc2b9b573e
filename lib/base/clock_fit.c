/* SPDX-License-Identifier: MIT */
/*
 * Draw a new scale at each anchor, and judge whether the counter can be
 * trusted.
 */
#include "base/clock_fit.h"

/*
 * A window is as long as the distance of the anchors: then a read error at most
 * doubles until its end. Anchors far apart say nothing about the rate: the
 * machine may have been suspended.
 */
#define LONGEST_WINDOW_NS UINT64_C(16000000)
#define FAR_APART_NS UINT64_C(1000000000)

/* A clock that differs by more was set, however long ago it was read. */
#define SET_NS UINT64_C(1000000)
#define SET_PART 128

/* Reading both takes some 30 ns without an interruption. */
#define WIDEST_NS 1000u

/* The kernel's maximal slew of its clock, and slack for a short window. */
#define JUMP_NS(gap_ns) ((gap_ns) / 256 + 20000u)

/* Good anchors reduce doubt by one each, so that only a counter that fails
 * repeatedly is given up. */
#define DOUBT_NARROW 1u
#define DOUBT_JUMP 8u
#define MAX_DOUBTS 32u

void tr2_fit_start(struct tr2_fit *fit, const struct tr2_clock_anchor *now)
{
	fit->from = *now;
	fit->rate = 0;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static uint64_t ns_of(uint64_t ticks, uint64_t rate)
{
	unsigned __int128 ns = (unsigned __int128)ticks * rate >> 32;

	return ns < INT64_MAX ? (uint64_t)ns : INT64_MAX;
}

/* Note by how much the counter passed the clock. */
static void note_stop(struct tr2_fit *fit, const struct tr2_clock_anchor *now)
{
	uint64_t gap_ns = now->ns - fit->from.ns;
	uint64_t ticks = now->ticks - fit->from.ticks;
	uint64_t ns = ns_of(ticks, fit->line.rate);
	uint64_t slack_ns = JUMP_NS(gap_ns) + ns_of(now->width, fit->line.rate);
	unsigned int i = fit->nr_stops;

	if (ticks > INT64_MAX || ns <= gap_ns + slack_ns)
		return;
	i -= i == TR2_FIT_STOPS;
	__atomic_store_n(&fit->stop[i].ticks, now->ticks, __ATOMIC_RELAXED);
	__atomic_store_n(&fit->stop[i].ns, fit->stop[i].ns + ns - gap_ns,
			 __ATOMIC_RELAXED);
	/* Release: pairs with tr2_fit_past(). */
	__atomic_store_n(&fit->nr_stops, i + 1, __ATOMIC_RELEASE);
}

/* Return the time for which the clock stood still since these ticks. */
static uint64_t stopped_since(const struct tr2_fit *fit, uint64_t ticks)
{
	unsigned int i = __atomic_load_n(&fit->nr_stops, __ATOMIC_ACQUIRE);
	uint64_t ns = 0;

	while (i--)
		if (__atomic_load_n(&fit->stop[i].ticks, __ATOMIC_RELAXED) >
		    ticks)
			ns += __atomic_load_n(&fit->stop[i].ns,
					      __ATOMIC_RELAXED);
	return ns;
}

uint64_t tr2_fit_past(const struct tr2_fit *fit,
		      const struct tr2_clock_line *line, uint64_t ticks,
		      uint64_t first_ns)
{
	uint64_t since = ticks - line->ticks, ns, stopped_ns;
	uint64_t most_ns = line->ns - first_ns;

	if (since <= INT64_MAX)
		return line->ns + ns_of(since, line->rate);
	ns = ns_of(0 - since, line->rate);
	stopped_ns = stopped_since(fit, ticks);
	ns = ns > stopped_ns ? ns - stopped_ns : 0;
	if (ns <= most_ns)
		return line->ns - ns;
	return ns - most_ns <= JUMP_NS(most_ns) ? first_ns : line->ns;
}

int64_t tr2_fit_ahead(const struct tr2_fit *fit,
		      const struct tr2_clock_anchor *now)
{
	int64_t gap_ns = (int64_t)(now->ns - fit->from.ns);
	uint64_t ticks = now->ticks - fit->from.ticks;
	uint64_t passed_ns = ticks <= INT64_MAX ? ns_of(ticks, fit->rate) : 0;
	int64_t ahead_ns = gap_ns - (int64_t)passed_ns;
	uint64_t slack_ns = SET_NS + passed_ns / SET_PART;

	return distance((uint64_t)ahead_ns + slack_ns, 0) > 2 * slack_ns ?
		       ahead_ns : 0;
}

/* Draw a line from here that gives no time before the last one; at the end of
 * its window, if half the speed suffices, it meets the clock. */
static void draw(struct tr2_fit *fit, const struct tr2_clock_anchor *now,
		 uint64_t window_ns)
{
	struct tr2_scale *scale = &fit->scale;
	uint64_t given = tr2_scale_end(scale);
	uint64_t ahead = given > now->ns ? given - now->ns : 0;

	if (fit->worst_ns < ahead)
		fit->worst_ns = ahead;
	if (ahead > window_ns / 2)
		ahead = window_ns / 2;
	if (given < now->ns)
		given = now->ns;
	fit->line = (struct tr2_clock_line){ now->ticks, now->ns, fit->rate };
	scale->base_ticks = now->ticks;
	scale->base_ns = given;
	scale->rate = fit->rate - fit->rate / window_ns * ahead;
	scale->window = (window_ns << 32) / fit->rate;
}

/* Set no line until the rate is known (again). */
static void draw_none(struct tr2_fit *fit)
{
	fit->scale.base_ns = tr2_scale_end(&fit->scale);
	fit->scale.window = 0;
}

static void doubt(struct tr2_fit *fit, unsigned int how_much)
{
	fit->doubts += how_much;
	fit->distrusted |= fit->doubts >= MAX_DOUBTS;
	draw_none(fit);
}

/* false: the counter's rate changed. */
static bool agrees(const struct tr2_fit *fit, uint64_t ticks, uint64_t gap_ns)
{
	return !fit->rate || distance(ticks * fit->rate >> 32, gap_ns) <=
				     JUMP_NS(gap_ns);
}

/* Whether the gap is long enough, and so short that the product of ticks does
 * not overflow. */
static bool is_usable(const struct tr2_fit *fit, uint64_t ticks,
		      uint64_t gap_ns)
{
	uint64_t product;

	return ticks && ticks <= UINT64_C(1) << 40 &&
	       (gap_ns << 32) / ticks &&
	       !__builtin_mul_overflow(ticks, fit->rate, &product);
}

void tr2_fit_anchor(struct tr2_fit *fit, const struct tr2_clock_anchor *now)
{
	uint64_t gap_ns = now->ns - fit->from.ns;
	uint64_t ticks = now->ticks - fit->from.ticks;
	uint64_t rate;

	if (fit->distrusted || gap_ns < TR2_FIT_FIRST_NS ||
	    tr2_scale_holds(&fit->scale, now->ticks))
		return;
	note_stop(fit, now);
	if (gap_ns > FAR_APART_NS) {
		fit->from = *now;
		if (fit->rate)
			draw(fit, now, TR2_FIT_FIRST_NS);
		return;
	}
	if (!is_usable(fit, ticks, gap_ns) || !agrees(fit, ticks, gap_ns)) {
		tr2_fit_start(fit, now);
		doubt(fit, DOUBT_JUMP);
		return;
	}
	rate = (gap_ns << 32) / ticks;
	if (now->width >= ((uint64_t)WIDEST_NS << 32) / rate) {
		doubt(fit, DOUBT_NARROW);
		return;
	}
	fit->doubts -= fit->doubts > 0;
	fit->rate = rate;
	if (gap_ns > LONGEST_WINDOW_NS)
		gap_ns = LONGEST_WINDOW_NS;
	if (gap_ns == LONGEST_WINDOW_NS)
		fit->from = *now;
	draw(fit, now, gap_ns);
}
