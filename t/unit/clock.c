/* SPDX-License-Identifier: MIT */
/*
 * Times from the processor's counter: in a simulated machine with all
 * irregularities of real clocks and counters, and in this machine.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
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

static struct machine boot(double ticks_a_ns)
{
	struct machine m = { .ns = 1e12,
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

/* This machine. */

static uint64_t kernel_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * S + (uint64_t)ts.tv_nsec;
}

static void *watch(void *arg)
{
	uint64_t before, now = 0, last, after = 0, *nr_wrong = arg;
	uint64_t start = kernel_ns();

	while (after < start + 200 * MS) {
		before = kernel_ns();
		last = now;
		now = tr2_clock_now_ns();
		after = kernel_ns();
		*nr_wrong += now < last || now + MS < before ||
			     now > after + MS;
	}
	return NULL;
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
	test_here();
	return done_testing();
}
