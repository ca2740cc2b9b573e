/* SPDX-License-Identifier: MIT */
/*
 * Times from the processor's counter: in a simulated machine with all
 * irregularities of real clocks and counters, and in this machine.
 */
#include "base/clock.h"
#include "../helper/host.h"
#include "tap.h"

#define MS UINT64_C(1000000)
#define S (1000 * MS)

/* A machine: its clock, its counter, and the library's readings. */
struct machine {
	double ns, ticks;
	double ticks_a_ns;
	uint64_t random;
	uint64_t noise; /* of an anchor, ns */
	struct tr2_fit fit;
	uint64_t last;
	uint64_t nr_back, nr_from_scale, nr_reads;
	double worst;
};

static uint64_t below(struct machine *m, uint64_t limit)
{
	m->random = m->random * UINT64_C(6364136223846793005) + 1442695;
	return (m->random >> 33) % limit;
}

static void pass(struct machine *m, double ns)
{
	m->ns += ns;
	m->ticks += ns * m->ticks_a_ns;
}

static struct tr2_clock_anchor look(struct machine *m)
{
	struct tr2_clock_anchor anchor;
	uint64_t half = m->noise ? below(m, m->noise) : 0;

	anchor.ticks = (uint64_t)m->ticks;
	anchor.ns = (uint64_t)m->ns + half;
	anchor.width = (uint64_t)((double)(2 * half) * m->ticks_a_ns);
	return anchor;
}

static bool holds(const struct machine *m)
{
	const struct tr2_scale *scale = &m->fit.scale;

	return (uint64_t)m->ticks - scale->base_ticks < scale->window;
}

/* Simulate one call of tr2_clock_now_ns(). */
static uint64_t read_time(struct machine *m)
{
	struct tr2_clock_anchor anchor;
	uint64_t end = tr2_scale_end(&m->fit.scale), now = (uint64_t)m->ns;

	if (!holds(m) || !below(m, 10)) { /* some come late */
		anchor = look(m);
		tr2_fit_anchor(&m->fit, &anchor);
	}
	m->nr_reads++;
	if (holds(m)) {
		m->nr_from_scale++;
		return tr2_scale_ns(&m->fit.scale, (uint64_t)m->ticks);
	}
	end = tr2_scale_end(&m->fit.scale);
	return now - 200 > end ? now - 200 : end;
}

static void look_at_time(struct machine *m)
{
	uint64_t now = read_time(m);
	double error = (double)now - m->ns;

	if (now < m->last)
		m->nr_back++;
	m->last = now;
	if (error < 0)
		error = -error;
	if (m->worst < error)
		m->worst = error;
}

/* Read the time at random moments, for so long. */
static void run(struct machine *m, uint64_t ns, uint64_t most_apart)
{
	double until = m->ns + (double)ns;

	m->worst = 0;
	while (m->ns < until) {
		pass(m, (double)(1 + below(m, most_apart)));
		look_at_time(m);
	}
}

#define FIRST_NS 1000000000000 /* where each machine begins */

static struct machine boot(double ticks_a_ns)
{
	struct machine m = { .ns = FIRST_NS,
			     .ticks = 7e12,
			     .ticks_a_ns = ticks_a_ns,
			     .random = 20,
			     .noise = 20 };
	struct tr2_clock_anchor anchor = look(&m);

	tr2_fit_start(&m.fit, &anchor);
	return m;
}

static void below_ns(struct machine *m, double limit, const char *what)
{
	if (!ok(m->worst < limit, what))
		printf("# off by %.0f ns\n", m->worst);
}

static void never_back(const struct machine *m, const char *what)
{
	if (!ok(!m->nr_back, what))
		printf("# %" PRIu64 " steps back\n", m->nr_back);
}

static void test_steady(void)
{
	struct machine m = boot(2.6);

	run(&m, 10 * S, 100000);
	below_ns(&m, 300, "a steady counter gives the clock's time");
	ok(m.nr_from_scale > m.nr_reads * 9 / 10, "without asking the clock");
	never_back(&m, "and never goes back");
	run(&m, 100 * S, 3 * S);
	below_ns(&m, 300, "nor is it off when it is rarely read");
	m = boot(0.024);
	run(&m, 10 * S, 100000);
	below_ns(&m, 500, "a slow counter gives the clock's time");
	never_back(&m, "a slow counter never goes back");
}

static void test_slew(void)
{
	struct machine m = boot(3.1);
	double worst = 0;
	int i;

	for (i = 0; i < 20; i++) {
		m.ticks_a_ns = i & 1 ? 3.1 : 3.1 * 1.0005;
		run(&m, 300 * MS, 50000);
		if (worst < m.worst)
			worst = m.worst;
	}
	m.worst = worst;
	below_ns(&m, 20000, "a clock that is slewed is followed");
	never_back(&m, "a clock that is slewed never goes back");
}

/* The clock stops; the counter goes on, or restarts from 0, or stops. */
static void test_suspend(void)
{
	static const char *const kind[] = { "counting on", "from 0", "stopped" };
	char what[80];
	int i;

	for (i = 0; i < 3; i++) {
		struct machine m = boot(2.0);

		run(&m, 1 * S, 100000);
		if (i == 0)
			m.ticks += 2.0 * 3600e9;
		else if (i == 1)
			m.ticks = 0;
		run(&m, 1 * S, 100000);
		snprintf(what, sizeof(what), "suspended, %s: at most a window",
			 kind[i]);
		below_ns(&m, 17e6, what);
		run(&m, 1 * S, 100000);
		snprintf(what, sizeof(what), "suspended, %s: right soon again",
			 kind[i]);
		below_ns(&m, 300, what);
		snprintf(what, sizeof(what), "suspended, %s: never back",
			 kind[i]);
		never_back(&m, what);
	}
}

static void test_short_suspend(void)
{
	struct machine m = boot(2.0);

	run(&m, 1 * S, 100000);
	m.ticks += 2.0 * 5e6;
	run(&m, 1 * S, 100000);
	ok(m.worst > 1e6, "a moment of suspension puts times ahead");
	ok(m.fit.worst_ns > MS, "which is noticed");
	run(&m, 1 * S, 100000);
	below_ns(&m, 300, "and made good");
	never_back(&m, "by going slower, not back");
}

/* Without readings of the time meanwhile: distant anchors do not determine the
 * rate. */
static void test_idle_suspends(void)
{
	struct machine m = boot(2.0);
	int i;

	run(&m, 1 * S, 100000);
	for (i = 0; i < 100; i++) {
		pass(&m, 3.0 * (double)S);
		m.ticks += (double)(i * S);
		look_at_time(&m);
	}
	ok(!m.fit.distrusted, "suspended while idle: the counter is trusted");
	run(&m, 1 * S, 100000);
	below_ns(&m, 300, "and its rate known");
	never_back(&m, "suspended while idle: never back");
}

static void test_migration(void)
{
	struct machine m = boot(2.0);

	run(&m, 1 * S, 100000);
	m.ticks_a_ns = 3.5;
	m.ticks *= 1.5;
	run(&m, 1 * S, 100000);
	run(&m, 1 * S, 100000);
	below_ns(&m, 300, "another machine's counter is learnt");
	ok(!m.fit.distrusted, "and trusted");
	m.ticks_a_ns = 1.9;
	run(&m, 1 * S, 100000);
	run(&m, 1 * S, 100000);
	below_ns(&m, 300, "another rate without a jump, too");
	never_back(&m, "a migrated machine's time never goes back");
}

static void test_bad_counter(void)
{
	struct machine m = boot(2.0);
	int i;

	for (i = 0; i < 100; i++) {
		run(&m, 20 * MS, 100000);
		m.ticks += 1e9;
		run(&m, 20 * MS, 100000);
		m.ticks -= 1e9;
	}
	ok(m.fit.distrusted, "a counter that jumps about is given up");
	run(&m, 1 * S, 100000);
	below_ns(&m, 300, "and the clock used");
	never_back(&m, "times from a bad counter never go back");
	m = boot(2.0);
	m.noise = 100000;
	run(&m, 1 * S, 100000);
	ok(m.fit.distrusted, "a clock that is slow to read gives no anchors");
	never_back(&m, "a clock that is slow to read never goes back");
}

/* An interval that a timer measures: it begins within a scale. */
struct interval {
	double from_ns;
	uint64_t from_ticks;
};

static struct interval start(struct machine *m)
{
	do {
		pass(m, 1000);
		read_time(m);
	} while (!holds(m));
	return (struct interval){ m->ns, (uint64_t)m->ticks };
}

/* As tr2_timer_cell_elapsed() computes it. */
static double stop(struct machine *m, const struct interval *i)
{
	uint64_t now_ns = read_time(m);
	uint64_t from_ns = tr2_fit_past(&m->fit, &m->fit.line, i->from_ticks,
					FIRST_NS);
	uint64_t ns;

	if (holds(m))
		now_ns = tr2_fit_past(&m->fit, &m->fit.line, (uint64_t)m->ticks,
				      FIRST_NS);
	ns = tr2_clock_since(from_ns, now_ns);
	return (double)ns;
}

static void takes(struct machine *m, const struct interval *i,
		  const char *what)
{
	double true_ns = m->ns - i->from_ns, ns = stop(m, i);

	if (!ok(ns > true_ns * 0.999 - 300 && ns < true_ns * 1.001 + 300, what))
		printf("# %.0f ns instead of %.0f\n", ns, true_ns);
}

static void test_intervals(void)
{
	struct machine m = boot(2.0);
	struct interval i = start(&m), j;
	int n;

	pass(&m, 300);
	takes(&m, &i, "an interval of 300 ns");
	pass(&m, 3 * MS);
	takes(&m, &i, "one of 3 ms");
	run(&m, 100 * S, 100000);
	takes(&m, &i, "one of 100 s, with anchors");
	pass(&m, 5000.0 * (double)S);
	takes(&m, &i, "one of 5,000 s, with none at its end");
	i = start(&m);
	m.ticks += 2.0 * 3600e9;
	pass(&m, 5 * MS);
	takes(&m, &i, "suspended for an hour: that does not count");
	j = start(&m);
	run(&m, 10 * S, 100000);
	takes(&m, &i, "nor later, with other anchors since");
	takes(&m, &j, "an interval after that is as long as it is");
	m.ticks += 2.0 * 7200e9;
	pass(&m, 20.0 * (double)S);
	takes(&m, &i, "suspended twice");
	takes(&m, &j, "and once");
	for (n = 0; n < 2 * TR2_FIT_STOPS; n++) {
		m.ticks += 2.0 * 10e9;
		pass(&m, 20.0 * (double)S);
		look_at_time(&m);
	}
	takes(&m, &i, "suspended many times");
}

/* What cannot be known is within bounds. */
static void is_bounded(struct machine *m, const struct interval *i,
		       const char *what)
{
	double ns = stop(m, i);

	if (!ok(ns >= 0 && ns <= m->ns - FIRST_NS, what))
		printf("# %.0f ns\n", ns);
}

static void test_strange_intervals(void)
{
	struct machine m = boot(2.0);
	struct interval i;

	run(&m, 1 * S, 100000);
	i = start(&m);
	m.ticks = 5;
	pass(&m, 1000);
	is_bounded(&m, &i, "a counter that began anew: not negative, not huge");
	pass(&m, 5 * MS);
	is_bounded(&m, &i, "nor later");
	i = start(&m);
	pass(&m, 5 * MS);
	takes(&m, &i, "the next interval is right");
	i = start(&m);
	m.ticks_a_ns = 3.5;
	m.ticks *= 1.5;
	run(&m, 1 * S, 100000);
	is_bounded(&m, &i, "continued on another machine");
	i = start(&m);
	pass(&m, 5 * MS);
	takes(&m, &i, "there the next interval is right");
	m.ticks = 1.8e19;
	i = start(&m);
	m.ticks = 100;
	run(&m, 1 * S, 100000);
	is_bounded(&m, &i, "a counter that wraps");
	i.from_ticks = UINT64_MAX / 2 + (uint64_t)m.ticks;
	is_bounded(&m, &i, "a start of half of all ticks ago");
	i.from_ticks = (uint64_t)m.ticks - (uint64_t)(3.5 * 500e9);
	is_bounded(&m, &i, "a start from before all times");
}

/* This machine. */

static void *watch(void *arg)
{
	uint64_t before, now = 0, last, after = 0, *nr_wrong = arg;
	uint64_t start = host_now_ns();

	while (after < start + 200 * MS) {
		before = host_now_ns();
		last = now;
		now = tr2_clock_now_ns();
		after = host_now_ns();
		*nr_wrong += now < last || now + MS < before ||
			     now > after + MS;
	}
	return NULL;
}

/* Of a clock that is set by so many ns after this time. */
static int64_t ahead_after(uint64_t ns, double set_ns)
{
	struct machine m = boot(2.6);
	struct tr2_clock_anchor anchor;

	run(&m, S, 100000);
	pass(&m, (double)ns);
	m.ns += set_ns;
	anchor = look(&m);
	return tr2_fit_ahead(&m.fit, &anchor);
}

/* As in another time namespace. */
static void test_set_clock(void)
{
	const double day = 86400e9;

	is_u64((uint64_t)ahead_after(MS, 0), 0, "a clock that was not set");
	is_u64((uint64_t)ahead_after(36000 * S, 0), 0, "nor while idle");
	ok((ahead_after(MS, day) + (int64_t)MS) / (int64_t)S == 86400,
	   "set by a day");
	ok(ahead_after(10 * S, -0.3e9) / (int64_t)S == 0 &&
		   ahead_after(10 * S, -0.3e9) < -290 * (int64_t)MS,
	   "set back a little");
	ok(ahead_after(10 * S, -1000e9) / (int64_t)S <= -999, "or below zero");
}

#define NR_THREADS 4

static void test_here(void)
{
	pthread_t thread[NR_THREADS];
	uint64_t nr_wrong[NR_THREADS] = { 0 }, sum = 0;
	int i, status;
	pid_t pid;

	tr2_clock_prepare();
	watch(&sum);
	is_u64(sum, 0, "before it starts it is the kernel's");
	tr2_clock_start();
	for (i = 0; i < NR_THREADS; i++)
		pthread_create(&thread[i], NULL, watch, &nr_wrong[i]);
	for (i = 0; i < NR_THREADS; i++) {
		pthread_join(thread[i], NULL);
		sum += nr_wrong[i];
	}
	is_u64(sum, 0, "then right, and never back, in all threads");
	ok(tr2_clock_worst_ns() < MS, "and the worst error is below 1 ms");
	fflush(stdout);
	pid = fork();
	if (!pid) {
		tr2_clock_after_fork();
		watch(&sum);
		_exit(sum != 0);
	}
	waitpid(pid, &status, 0);
	is_u64((uint64_t)status, 0, "and in a child");
}

int main(void)
{
	test_steady();
	test_slew();
	test_suspend();
	test_short_suspend();
	test_idle_suspends();
	test_migration();
	test_bad_counter();
	test_intervals();
	test_strange_intervals();
	test_set_clock();
	test_here();
	return done_testing();
}
