/* SPDX-License-Identifier: MIT */
/*
 * Draw a new scale at each anchor, and judge whether the counter can be
 * trusted.
 */
#include "base/clock_fit.h"

#include "base/sanitize.h"

#define load(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define store(p, value) __atomic_store_n((p), (value), __ATOMIC_RELAXED)

/*
 * A window is as long as the distance of the anchors: a read error then at most
 * doubles until the end of the window. Anchors far apart say nothing about the
 * rate: the machine may have been suspended.
 */
#define LONGEST_WINDOW_NS UINT64_C(16000000)

/*
 * The window if the machine may move to another one. The rate is still measured
 * over up to 16 ms.
 */
#define MOVING_WINDOW_NS UINT64_C(500000)

#define FAR_APART_NS UINT64_C(1000000000)

/* If clock and counter differ by more than SET_NS plus a part of the time since
 * both were read, one of the two was set. */
#define SET_NS UINT64_C(1000000)
#define SET_PART 128

/* Intervals may be wrong by one part in RATE_PART. */
#define RATE_PART 1024

/* An anchor of this width or more is not used: reading counter and clock takes
 * some 30 ns without an interruption. */
#define WIDEST_NS 1000u

/* The most by which the clock may leave its line within gap_ns: the kernel's
 * maximal slew, and slack for a short window. */
#define JUMP_NS(gap_ns) ((gap_ns) / 256 + 20000u)

/* DOUBT_…: the number of doubts that a bad anchor adds. MAX_DOUBTS: the number
 * at which the counter is given up. A good anchor removes one doubt, so only a
 * counter that fails repeatedly is given up. */
#define DOUBT_NARROW 1u
#define DOUBT_JUMP 8u
#define MAX_DOUBTS 32u

void tr2_fit_start(struct tr2_fit *fit, const struct tr2_clock_anchor *now)
{
	fit->from = *now;
	fit->rate = 0;
}

static uint64_t clock_distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static uint64_t ns_of(uint64_t ticks, uint64_t rate)
{
	unsigned __int128 ns = (unsigned __int128)ticks * rate >> 32;

	return ns < INT64_MAX ? (uint64_t)ns : INT64_MAX;
}

/* Record by how much the counter got ahead of the clock. */
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
	store(&fit->stop[i].ticks, now->ticks);
	store(&fit->stop[i].ns, fit->stop[i].ns + ns - gap_ns);
	/* Release: pairs with tr2_fit_past(). */
	__atomic_store_n(&fit->nr_stops, i + 1, __ATOMIC_RELEASE);
}

/* Record that the last line ends at this anchor. */
static void note_turn(struct tr2_fit *fit, const struct tr2_clock_anchor *at,
		      const struct tr2_clock_line *before)
{
	struct tr2_clock_turn *turn =
		&fit->turn[fit->nr_turns % TR2_FIT_TURNS];

	if (!before->rate)
		return;
	/* Pairs with the fence in find_turn(): a reader that sees one of these
	 * stores, in an entry that it may use, sees that nr_turns grew. */
	tr2_fence(__ATOMIC_RELEASE);
	store(&turn->ticks, at->ticks);
	store(&turn->ns, at->ns);
	store(&turn->line.ticks, before->ticks);
	store(&turn->line.ns, before->ns);
	store(&turn->line.rate, before->rate);
	/* Release: pairs with find_turn(). */
	__atomic_store_n(&fit->nr_turns, fit->nr_turns + 1, __ATOMIC_RELEASE);
}

/* Return the time for which the clock stood still between two ticks. */
static uint64_t stopped_between(const struct tr2_fit *fit, uint64_t from,
				uint64_t to)
{
	unsigned int i = __atomic_load_n(&fit->nr_stops, __ATOMIC_ACQUIRE);
	uint64_t ns = 0, ticks;

	while (i--) {
		ticks = load(&fit->stop[i].ticks);
		if (ticks > from && ticks <= to)
			ns += load(&fit->stop[i].ns);
	}
	return ns;
}

/* Copy the first turn (a change of the rate) after these ticks, if there is
 * one. */
static bool find_turn(const struct tr2_fit *fit, uint64_t ticks,
		      struct tr2_clock_turn *out)
{
	const struct tr2_clock_turn *turn;
	unsigned int nr, i;
	bool found;

	do {
		found = false;
		/* Acquire: pairs with the release in note_turn(). */
		nr = __atomic_load_n(&fit->nr_turns, __ATOMIC_ACQUIRE);
		for (i = 1; i < TR2_FIT_TURNS && i <= nr; i++) {
			turn = &fit->turn[(nr - i) % TR2_FIT_TURNS];
			if (ticks - load(&turn->ticks) <= INT64_MAX)
				break;
			found = true;
			out->ticks = load(&turn->ticks);
			out->ns = load(&turn->ns);
			out->line.ticks = load(&turn->line.ticks);
			out->line.ns = load(&turn->line.ns);
			out->line.rate = load(&turn->line.rate);
		}
		tr2_fence(__ATOMIC_ACQUIRE);
	} while (load(&fit->nr_turns) != nr);
	return found;
}

/* Return the time of ticks that are before the ticks of the line. most_ns: the
 * time from the first anchor to the line; the result is at most this much
 * before the line. */
static uint64_t before_line(const struct tr2_fit *fit,
			    const struct tr2_clock_line *line, uint64_t ticks,
			    uint64_t most_ns)
{
	uint64_t ns = ns_of(line->ticks - ticks, line->rate);
	uint64_t stopped_ns = stopped_between(fit, ticks, line->ticks);

	ns = ns > stopped_ns ? ns - stopped_ns : 0;
	if (ns <= most_ns)
		return line->ns - ns;
	return ns - most_ns <= JUMP_NS(most_ns) ? line->ns - most_ns :
						  line->ns;
}

uint64_t tr2_fit_past(const struct tr2_fit *fit,
		      const struct tr2_clock_line *line, uint64_t ticks,
		      uint64_t first_ns)
{
	struct tr2_clock_turn turn = { .ns = UINT64_MAX };
	uint64_t since, ns;

	if (ticks - line->ticks > INT64_MAX && find_turn(fit, ticks, &turn))
		line = &turn.line;
	since = ticks - line->ticks;
	if (since > INT64_MAX)
		return before_line(fit, line, ticks, line->ns - first_ns);
	ns = line->ns + ns_of(since, line->rate);
	return ns < turn.ns ? ns : turn.ns;
}

int64_t tr2_fit_ahead(const struct tr2_fit *fit,
		      const struct tr2_clock_anchor *now)
{
	int64_t gap_ns = (int64_t)(now->ns - fit->from.ns);
	uint64_t ticks = now->ticks - fit->from.ticks;
	uint64_t passed_ns = ticks <= INT64_MAX ? ns_of(ticks, fit->rate) : 0;
	int64_t ahead_ns = gap_ns - (int64_t)passed_ns;
	uint64_t slack_ns = SET_NS + passed_ns / SET_PART;

	return clock_distance((uint64_t)ahead_ns + slack_ns, 0) > 2 * slack_ns ?
		       ahead_ns : 0;
}

/* Record that the rate was a different one until this anchor. */
static void turn_now(struct tr2_fit *fit, const struct tr2_clock_anchor *now)
{
	note_turn(fit, now, &fit->line);
	fit->line.ticks = now->ticks;
	fit->line.ns = now->ns;
	fit->long_rate = 0;
}

/* Compare the rates of whole measurements. If the rate changes slowly, the
 * change between two anchors is too small to notice, but the changes between
 * many anchors add up. */
static void compare_long_rates(struct tr2_fit *fit)
{
	const struct tr2_clock_line before = { fit->from.ticks, fit->from.ns,
					       fit->long_rate };

	if (clock_distance(fit->rate, fit->long_rate) > fit->rate / RATE_PART)
		note_turn(fit, &fit->from, &before);
	fit->long_rate = fit->rate;
}

static uint64_t window_of(const struct tr2_fit *fit, uint64_t gap_ns)
{
	uint64_t longest_ns = fit->widest ? MOVING_WINDOW_NS :
					    LONGEST_WINDOW_NS;

	return gap_ns < longest_ns ? gap_ns : longest_ns;
}

/* Return the shortest accepted time until the next anchor: less than a window,
 * as windows end a little early or late. */
static uint64_t shortest_gap(const struct tr2_fit *fit)
{
	return fit->widest && fit->rate ? MOVING_WINDOW_NS / 2 :
					  TR2_FIT_FIRST_NS;
}

/* Draw a line from this anchor that gives no time before the last time that was
 * given. If that time is ahead of the clock, draw a slower line, of at least
 * half the speed, so that the line meets the clock at the end of the window if
 * possible. */
static void draw_line(struct tr2_fit *fit, const struct tr2_clock_anchor *now,
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

/* Make the scale invalid until the rate is known (again). */
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

/* Return whether the counter's rate is still the same. */
static bool agrees(const struct tr2_fit *fit, uint64_t ticks, uint64_t gap_ns)
{
	return !fit->rate || clock_distance(ticks * fit->rate >> 32, gap_ns) <=
				     JUMP_NS(gap_ns);
}

/* Return whether the gap is long enough, and so short that products of ticks do
 * not overflow. */
static bool is_usable(const struct tr2_fit *fit, uint64_t ticks,
		      uint64_t gap_ns)
{
	uint64_t product;

	return ticks && ticks <= UINT64_C(1) << 40 &&
	       (gap_ns << 32) / ticks &&
	       !__builtin_mul_overflow(ticks, fit->rate, &product);
}

/* After a pause, the anchor gives no new rate, but may show that the old rate
 * changed. */
static void continue_after_pause(struct tr2_fit *fit,
				 const struct tr2_clock_anchor *now)
{
	uint64_t gap_ns = now->ns - fit->from.ns;
	uint64_t ns = ns_of(now->ticks - fit->from.ticks, fit->line.rate);

	if (ns < gap_ns && gap_ns - ns > JUMP_NS(gap_ns))
		turn_now(fit, now);
	fit->from = *now;
	if (fit->rate)
		draw_line(fit, now, window_of(fit, TR2_FIT_FIRST_NS));
}

static bool is_narrow(const struct tr2_fit *fit,
		      const struct tr2_clock_anchor *now, uint64_t rate)
{
	return now->width < ((uint64_t)WIDEST_NS << 32) / rate &&
	       (!fit->widest || now->width < fit->widest);
}

void tr2_fit_anchor(struct tr2_fit *fit, const struct tr2_clock_anchor *now)
{
	uint64_t gap_ns = now->ns - fit->from.ns;
	uint64_t ticks = now->ticks - fit->from.ticks;
	uint64_t rate;

	if (fit->distrusted || gap_ns < shortest_gap(fit) ||
	    tr2_scale_holds(&fit->scale, now->ticks))
		return;
	note_stop(fit, now);
	if (gap_ns > FAR_APART_NS) {
		continue_after_pause(fit, now);
		return;
	}
	if (!is_usable(fit, ticks, gap_ns) || !agrees(fit, ticks, gap_ns)) {
		turn_now(fit, now);
		tr2_fit_start(fit, now);
		doubt(fit, DOUBT_JUMP);
		return;
	}
	rate = (gap_ns << 32) / ticks;
	if (!is_narrow(fit, now, rate)) {
		doubt(fit, DOUBT_NARROW);
		return;
	}
	fit->doubts -= fit->doubts > 0;
	fit->rate = rate;
	if (gap_ns >= LONGEST_WINDOW_NS) {
		compare_long_rates(fit);
		fit->from = *now;
	}
	draw_line(fit, now, window_of(fit, gap_ns));
}
