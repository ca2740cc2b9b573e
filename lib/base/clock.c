/* SPDX-License-Identifier: MIT */
/*
 * Make the scale from ticks to nanoseconds, publish it to other threads, and
 * ask the kernel while no scale is valid; civil time.
 */
#include "base/clock.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/macros.h"
#include "base/raw.h"

#define NS_PER_S 1000000000u
#define DAY_S 86400
#define FORK_TOLERANCE_NS 10000000u

/*
 * While one thread makes the first scale, other threads may read the kernel's
 * clock. They subtract this margin from its time, because the anchor of the
 * scale is slightly uncertain.
 */
#define MARGIN_NS 200u

#define SOURCE_FILE \
	"/sys/devices/system/clocksource/clocksource0/current_clocksource"

struct tr2_clock tr2_clock;

#define load(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define store(p, value) __atomic_store_n((p), (value), __ATOMIC_RELAXED)

static bool is_forbidden; /* reading the counter is forbidden */
static bool is_fitting;

/*
 * A thread that finds an expired scale sets `taken` while it takes one anchor.
 * During that time other threads, and a signal handler, use the kernel's clock.
 * If the handler jumps away, `taken` stays set, and all threads use the
 * kernel's clock from then on.
 */
static struct {
	uint32_t taken;
	struct tr2_fit fit;
} maker;
/*
 * The library's monotonic time minus the kernel's. If the process gets into
 * another time namespace, which has another clock, this shift changes: the
 * library's times then continue without a jump. So intervals across the change
 * are right, and other processes can compare the times.
 */
static uint64_t shift_ns;
static uint64_t first_ns; /* time of tr2_clock_start() */
static uint64_t due_ns; /* an anchor before this time is useless */

static uint64_t read_clock(clockid_t id)
{
	int saved_errno = errno, error;
	struct timespec ts;

#if defined(__x86_64__)
	if (unlikely(load(&is_forbidden)))
		error = (int)syscall(SYS_clock_gettime, id, &ts);
	else
#endif
		error = clock_gettime(id, &ts);
	if (unlikely(error)) {
		errno = saved_errno;
		return 0;
	}
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static uint64_t read_monotonic(void)
{
	return read_clock(CLOCK_MONOTONIC) + load(&shift_ns);
}

/* Take the narrowest of three anchors: an interruption may separate the two
 * reads. */
static void take_anchor(struct tr2_clock_anchor *anchor)
{
	uint64_t before, ns, width;
	int i;

	anchor->width = UINT64_MAX;
	for (i = 0; i < 3; i++) {
		before = tr2_clock_ticks();
		ns = read_monotonic();
		width = tr2_clock_ticks() - before;
		if (width >= anchor->width)
			continue;
		anchor->ticks = before + width / 2;
		anchor->ns = ns;
		anchor->width = width;
	}
}

static void publish_fit(const struct tr2_fit *fit)
{
	uint32_t generation = load(&tr2_clock.generation) + 1;
	struct tr2_scale *to = &tr2_clock.scale[generation & 1];
	struct tr2_clock_line *line = &tr2_clock.line[generation & 1];

	/*
	 * Pairs with the readers' fence. The following stores overwrite the
	 * scale of two generations ago: a reader that sees one of them also
	 * sees that a newer scale was published.
	 */
	tr2_clock_fence(__ATOMIC_RELEASE);
	store(&to->base_ticks, fit->scale.base_ticks);
	store(&to->base_ns, fit->scale.base_ns);
	store(&to->rate, fit->scale.rate);
	store(&to->window, fit->scale.window);
	store(&line->ticks, fit->line.ticks);
	store(&line->ns, fit->line.ns);
	store(&line->rate, fit->line.rate);
	__atomic_store_n(&tr2_clock.generation, generation, __ATOMIC_RELEASE);
}

struct tr2_scale tr2_clock_newest(void)
{
	const struct tr2_scale *from;
	struct tr2_scale scale;
	uint32_t generation;

	do {
		generation = __atomic_load_n(&tr2_clock.generation,
					     __ATOMIC_ACQUIRE);
		from = &tr2_clock.scale[generation & 1];
		scale.base_ticks = load(&from->base_ticks);
		scale.base_ns = load(&from->base_ns);
		scale.rate = load(&from->rate);
		scale.window = load(&from->window);
		tr2_clock_fence(__ATOMIC_ACQUIRE);
	} while (load(&tr2_clock.generation) != generation);
	return scale;
}

static struct tr2_clock_line newest_line(void)
{
	const struct tr2_clock_line *from;
	struct tr2_clock_line line;
	uint32_t generation;

	do {
		generation = __atomic_load_n(&tr2_clock.generation,
					     __ATOMIC_ACQUIRE);
		from = &tr2_clock.line[generation & 1];
		line.ticks = load(&from->ticks);
		line.ns = load(&from->ns);
		line.rate = load(&from->rate);
		tr2_clock_fence(__ATOMIC_ACQUIRE);
	} while (load(&tr2_clock.generation) != generation);
	return line;
}

static void set_due(void)
{
	const struct tr2_fit *fit = &maker.fit;

	store(&due_ns, fit->distrusted ? UINT64_MAX :
		       fit->rate       ? 0 :
					 fit->from.ns + TR2_FIT_FIRST_NS);
}

static uint64_t size_of(int64_t ns)
{
	return ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
}

/*
 * Return by how much the monotonic clock has got ahead of the wall clock since
 * the wall clock's offset was looked up.
 */
static int64_t ahead_of_wall(uint64_t now_ns)
{
	uint64_t wall_ns = read_clock(CLOCK_REALTIME) - now_ns;

	return load(&tr2_clock.wall_until_ns) ?
		       (int64_t)(load(&tr2_clock.wall_ns) - wall_ns) : 0;
}

/*
 * Return how far the clock is ahead because it is the clock of another time
 * namespace; 0: the namespace is the same. ahead_ns: by how much the clock
 * seems to be ahead. The namespace is another one in two cases: the clock is
 * also ahead of the wall clock by about this time; or the clock went back,
 * which the clock of one namespace never does.
 */
static int64_t ahead_by_namespace(const struct tr2_clock_anchor *now,
				  int64_t ahead_ns)
{
	int64_t of_wall_ns = ahead_of_wall(now->ns);

	if (size_of(of_wall_ns - ahead_ns) <= size_of(ahead_ns) / 8)
		return ahead_ns;
	return now->ns < maker.fit.from.ns ? ahead_ns : 0;
}

/* If the process is in another time namespace, set shift_ns so that times
 * continue. */
static void follow_namespace(struct tr2_clock_anchor *now)
{
	int64_t ahead_ns = 0;

	if (maker.fit.rate && !maker.fit.distrusted)
		ahead_ns = tr2_fit_ahead(&maker.fit, now);
	else if (now->ns < maker.fit.from.ns)
		ahead_ns = (int64_t)(now->ns - maker.fit.from.ns);
	if (likely(!ahead_ns))
		return;
	ahead_ns = ahead_by_namespace(now, ahead_ns);
	store(&shift_ns, shift_ns - (uint64_t)ahead_ns);
	now->ns -= (uint64_t)ahead_ns;
}

static void draw_line(struct tr2_clock_anchor *now)
{
	follow_namespace(now);
	tr2_fit_anchor(&maker.fit, now);
	publish_fit(&maker.fit);
	set_due();
}

static void make_scale(void)
{
	struct tr2_clock_anchor anchor;

	/* Pairs with the release below: the next maker sees all writes of the
	 * last one. */
	if (__atomic_exchange_n(&maker.taken, 1, __ATOMIC_ACQUIRE))
		return;
	take_anchor(&anchor);
	draw_line(&anchor);
	__atomic_store_n(&maker.taken, 0, __ATOMIC_RELEASE);
}

/* Read the time by the newest scale and the counter. false: no scale is valid;
 * *ns is the latest time that a scale gave. */
static bool ask_scale(uint64_t *ns)
{
	struct tr2_scale scale = tr2_clock_newest();
	uint64_t ticks;

	if (scale.window) {
		ticks = tr2_clock_ticks();
		if (tr2_scale_holds(&scale, ticks)) {
			*ns = tr2_scale_ns(&scale, ticks);
			return true;
		}
	}
	*ns = tr2_scale_end(&scale);
	return false;
}

uint64_t tr2_clock_now_slow(void)
{
	uint64_t ns, given_ns;

	/* If no counter is used, ask the kernel. Else ask the scale again:
	 * another thread may have replaced it since the caller's read. */
	if (!load(&is_fitting))
		return read_monotonic();
	if (ask_scale(&given_ns))
		return given_ns;
	ns = read_monotonic();
	if (ns >= load(&due_ns) || given_ns - ns - 1 < INT64_MAX) {
		make_scale();
		if (ask_scale(&given_ns))
			return given_ns;
		ns = read_monotonic();
	}
	return ns - MARGIN_NS > given_ns ? ns - MARGIN_NS : given_ns;
}

/* Use ticks only where inline code takes them: elsewhere ticks save no time. */
#if defined(__x86_64__) && !TR2_TSAN
#define HAS_TICKS 1
#else
#define HAS_TICKS 0
#endif

bool tr2_clock_ticks_now(struct tr2_ticks *out)
{
	struct tr2_scale scale = tr2_clock_newest();

	if (!HAS_TICKS || !scale.window)
		return false;
	out->now = tr2_clock_ticks();
	out->until = scale.base_ticks + scale.window - 1;
	out->line = newest_line();
	return tr2_scale_holds(&scale, out->now);
}

uint64_t tr2_clock_past_ns(uint64_t ticks)
{
	const struct tr2_clock_line line = newest_line();

	return tr2_fit_past(&maker.fit, &line, ticks, load(&first_ns));
}

void tr2_clock_prepare(void)
{
#if defined(__x86_64__)
	int mode = PR_TSC_ENABLE; /* initialised: valgrind does not see that
				   * prctl() writes it */

	store(&is_forbidden,
	      !tr2_raw_call(SYS_prctl, PR_GET_TSC, (long)(intptr_t)&mode, 0, 0,
			    0, 0) &&
		      mode != PR_TSC_ENABLE);
#endif
}

/*
 * The clock sources whose counter can be trusted. The kernel uses the counter
 * for its own clock only while the counter is invariant and the same on all
 * cores. Do not ask the processor (CPUID) as well: that is slow in a virtual
 * machine, and may be forbidden. In a virtual machine that may move, the host
 * makes this promise: see is_answered_here().
 */
static const struct source {
	const char *name;
	bool moves; /* the virtual machine may move to another host */
} sources[] = {
#if defined(__x86_64__)
	{ "tsc\n", false },
	{ "kvm-clock\n", true },
	{ "hyperv_clocksource_tsc_page\n", true },
#elif defined(__aarch64__)
	{ "arch_sys_counter\n", false },
#endif
	{ NULL, false }
};

static const struct source *read_source(int fd)
{
	const struct source *source;
	char found[32] = "";

	if (read(fd, found, sizeof(found) - 1) < 0)
		return NULL;
	for (source = sources; source->name; source++)
		if (!strcmp(found, source->name))
			return source;
	return NULL;
}

static uint64_t ticks_of_clock(void)
{
	uint64_t before = tr2_clock_ticks();

	read_monotonic();
	return tr2_clock_ticks() - before;
}

/* Read 0 bytes from the file, and return how many ticks the call took.
 * UINT64_MAX: the read failed. */
static uint64_t ticks_of_call(int fd)
{
	uint64_t before = tr2_clock_ticks();
	char nothing;

	if (tr2_raw_call(SYS_read, fd, (long)(intptr_t)&nothing, 0, 0, 0, 0))
		return UINT64_MAX;
	return tr2_clock_ticks() - before;
}

/* The number of measurements: the first ones fill caches, and others may be
 * interrupted. */
#define NR_TRIES 4

/*
 * Return whether clock_gettime() makes no system call. In a virtual machine
 * that may move, the kernel avoids the call only while the host promises that
 * all processors share the counter.
 *
 * A clock_gettime() that makes a system call takes longer than a system call
 * that does nothing, such as a read() of 0 bytes from the file. No sandbox
 * forbids that read(), since the last call was a read(), too. Measure both in
 * turns, because the processor's speed may change. *widest: half the ticks of
 * the read().
 */
static bool is_answered_here(int fd, uint64_t *widest)
{
	uint64_t ticks, clock = UINT64_MAX, call = UINT64_MAX;
	int i;

	for (i = 0; i < NR_TRIES; i++) {
		ticks = ticks_of_clock();
		clock = ticks < clock ? ticks : clock;
		ticks = ticks_of_call(fd);
		call = ticks < call ? ticks : call;
	}
	*widest = call / 2;
	return call != UINT64_MAX && clock < *widest;
}

/* Return whether the counter can be trusted. *widest: see tr2_fit_may_move();
 * or 0. */
static bool is_trusted(uint64_t *widest)
{
	const struct source *source;
	bool is;
	int fd;

	if (load(&is_forbidden) || !sources[0].name)
		return false;
	fd = open(SOURCE_FILE, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	source = read_source(fd);
	is = source && (!source->moves || is_answered_here(fd, widest));
	close(fd);
	return is;
}

void tr2_clock_start(void)
{
	struct tr2_clock_anchor anchor;
	uint64_t widest = 0;

	if (load(&is_fitting) || !is_trusted(&widest))
		return;
	tr2_fit_may_move(&maker.fit, widest);
	take_anchor(&anchor);
	store(&first_ns, anchor.ns);
	tr2_fit_start(&maker.fit, &anchor);
	set_due();
	store(&is_fitting, true);
}

/* Start again in a forked child: if another thread was making a scale, the
 * scale is incomplete. */
static void begin_again(const struct tr2_clock_anchor *now)
{
	maker.fit = (struct tr2_fit){ .scale = tr2_clock_newest(),
				      .line = newest_line(),
				      .widest = maker.fit.widest };
	maker.fit.scale.base_ns = tr2_scale_end(&maker.fit.scale);
	maker.fit.scale.window = 0;
	tr2_fit_start(&maker.fit, now);
	publish_fit(&maker.fit);
	set_due();
	maker.taken = 0;
}

void tr2_clock_before_fork(void)
{
	if (!load(&is_fitting) && load(&tr2_clock.wall_until_ns))
		tr2_clock_look_up_wall();
}

/* Without a counter, only a comparison with the wall clock shows another time
 * namespace. A wall clock that was set would look the same, but that is
 * unlikely in the short time since the fork began. */
static void follow_by_wall(void)
{
	int64_t ahead_ns = ahead_of_wall(read_monotonic());

	if (size_of(ahead_ns) > FORK_TOLERANCE_NS)
		store(&shift_ns, shift_ns - (uint64_t)ahead_ns);
}

void tr2_clock_after_fork(void)
{
	struct tr2_clock_anchor anchor;

	if (!load(&is_fitting) || maker.taken || !maker.fit.rate)
		follow_by_wall();
	if (load(&is_fitting)) {
		take_anchor(&anchor);
		if (maker.taken) {
			begin_again(&anchor);
		} else {
			draw_line(&anchor);
		}
	}
	if (load(&tr2_clock.wall_until_ns))
		tr2_clock_look_up_wall();
}

uint64_t tr2_clock_worst_ns(void)
{
	uint64_t given_ns, before_ns, after_ns, worst_ns;
	struct tr2_clock_anchor anchor;

	if (__atomic_exchange_n(&maker.taken, 1, __ATOMIC_ACQUIRE))
		return 0;
	if (load(&is_fitting)) {
		take_anchor(&anchor);
		follow_namespace(&anchor);
	}
	worst_ns = maker.fit.worst_ns;
	__atomic_store_n(&maker.taken, 0, __ATOMIC_RELEASE);
	before_ns = read_monotonic();
	given_ns = tr2_clock_now_ns();
	after_ns = read_monotonic();
	if (worst_ns < tr2_clock_since(after_ns, given_ns))
		worst_ns = tr2_clock_since(after_ns, given_ns);
	if (worst_ns < tr2_clock_since(given_ns, before_ns))
		worst_ns = tr2_clock_since(given_ns, before_ns);
	return worst_ns;
}

void tr2_clock_look_up_wall(void)
{
	uint64_t mono = read_monotonic();

	store(&tr2_clock.wall_ns, read_clock(CLOCK_REALTIME) - mono);
	store(&tr2_clock.wall_until_ns, mono + TR2_WALL_REFRESH_NS);
}

/* Convert days to a date in the proleptic Gregorian calendar: count 400-year
 * eras from 1 March of year 0, so that the leap day ends each year. */
void tr2_clock_civil(struct tr2_civil *out, uint64_t seconds)
{
	uint64_t days = seconds / DAY_S + 719468;
	uint64_t era = days / 146097;
	unsigned int of_era = (unsigned int)(days % 146097);
	unsigned int year = (of_era - of_era / 1460 + of_era / 36524 -
			     of_era / 146096) / 365;
	unsigned int of_year = of_era - (365 * year + year / 4 - year / 100);
	unsigned int shifted = (5 * of_year + 2) / 153;
	unsigned int of_day = (unsigned int)(seconds % DAY_S);

	out->day = of_year - (153 * shifted + 2) / 5 + 1;
	out->month = shifted < 10 ? shifted + 3 : shifted - 9;
	out->year = (unsigned int)(era * 400) + year + (out->month <= 2);
	out->hour = of_day / 3600;
	out->minute = of_day / 60 % 60;
	out->second = of_day % 60;
}
