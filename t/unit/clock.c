/* SPDX-License-Identifier: MIT */
/*
 * Times from the processor's counter: in a simulated machine with all
 * irregularities of real clocks and counters, and in this machine.
 */
#include "base/clock.h"

#include <sys/auxv.h>
#include <sys/mount.h>

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
	uint64_t grain; /* of the clock, ns */
	uint64_t call_ns; /* of a clock_gettime() that is a system call */
	struct tr2_fit fit;
	uint64_t last;
	uint64_t nr_back, nr_from_scale, nr_reads;
	double worst;
	double last_wrong; /* when a time was wrong by over 25 us */
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
	if (m->grain)
		anchor.ns -= anchor.ns % m->grain;
	anchor.width = (uint64_t)((double)(2 * half + m->call_ns) *
				  m->ticks_a_ns);
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
	if (error > 25000)
		m->last_wrong = m->ns;
}

/* Read the time at random moments for this duration. */
static void run(struct machine *m, uint64_t ns, uint64_t most_apart)
{
	double until = m->ns + (double)ns;

	m->worst = 0;
	m->last_wrong = m->ns;
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
	static const char *const kind[] = { "counting on", "from 0",
					    "stopped" };
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

/* Read no time between two anchors: distant anchors do not determine the rate.
 * */
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

/* The clock sources of a machine. `tsc` keeps its rate; the others may change
 * it when a virtual machine moves. */
static const struct kind {
	const char *name;
	uint64_t widest, grain;
} kinds[] = {
	{ "tsc", 0, 0 },
	{ "kvm-clock", 260, 0 },
	{ "hyperv", 260, 100 }, /* it counts in 100 ns */
};
#define NR_KINDS (sizeof(kinds) / sizeof(*kinds))

static struct machine boot_kind(const struct kind *kind)
{
	struct machine m = boot(2.0);

	m.grain = kind->grain;
	tr2_fit_may_move(&m.fit, kind->widest);
	return m;
}

enum { STAYS, MOVES, NR_WAYS };

/* The changes of a clock: for each the largest error of a time after it, and
 * how long times may be wrong. */
static const struct change {
	const char *what;
	double rate; /* times the one before */
	double jump; /* of the counter: times a random part of two windows */
	double from; /* not 0: the counter goes on from here */
	double leap_ns; /* of the clock, not of the counter */
	double worst_ns[NR_WAYS], for_ns[NR_WAYS];
} changes[] = {
	{ "rate * 1.3", 1.3, 0, 0, 0, { 5e6, 0.2e6 }, { 28e6, 1.2e6 } },
	{ "rate * 0.7", 0.7, 0, 0, 0, { 7e6, 0.22e6 }, { 28e6, 1.2e6 } },
	{ "jump forward", 1, 1, 0, 0, { 16.1e6, 0.51e6 }, { 40e6, 1.6e6 } },
	{ "jump back", 1, -1, 0, 0, { 16.1e6, 0.51e6 }, { 40e6, 1.6e6 } },
	{ "jump forward, rate * 1.3", 1.3, 1, 0, 0,
	  { 16.1e6, 0.51e6 }, { 40e6, 1.6e6 } },
	{ "jump back, rate * 0.7", 0.7, -1, 0, 0,
	  { 23e6, 0.73e6 }, { 40e6, 1.6e6 } },
	{ "stop", 1, 0, 0, 0.3e9, { 301e6, 300.1e6 }, { 17e6, 0.6e6 } },
	{ "stop, rate * 0.7", 0.7, 0, 0, 0.3e9,
	  { 308e6, 300.3e6 }, { 28e6, 1.2e6 } },
	{ "suspend, counting on", 1, 0, 1e16, 0,
	  { 16.1e6, 0.51e6 }, { 40e6, 1.6e6 } },
	{ "suspend, from 0", 1, 0, 5, 0,
	  { 16.1e6, 0.51e6 }, { 40e6, 1.6e6 } },
	{ "migration", 1.3, 0, 1e16, 0, { 16.1e6, 0.51e6 }, { 40e6, 1.6e6 } },
};
#define NR_CHANGES (sizeof(changes) / sizeof(*changes))
#define NR_TRIALS 25

static void change_to(struct machine *m, const struct change *c)
{
	uint64_t ns = below(m, m->fit.widest ? MS : 32 * MS);

	m->ticks += c->jump * m->ticks_a_ns * (double)ns;
	if (c->from > 0)
		m->ticks = c->from;
	m->ticks_a_ns *= c->rate;
	m->ns += c->leap_ns;
}

static void go_through(struct machine *m, const struct change *c, double *worst,
		       double *lasted)
{
	double began;

	change_to(m, c);
	began = m->ns;
	run(m, 50 * MS, 3000);
	if (*worst < m->worst)
		*worst = m->worst;
	if (*lasted < m->last_wrong - began)
		*lasted = m->last_wrong - began;
}

/* Make the change at a random moment of a window, then the change back. */
static bool try_change(struct machine m, const struct change *c, double *worst,
		       double *lasted)
{
	struct change back = *c;

	run(&m, 60 * MS + below(&m, 20 * MS), 20000);
	back.rate = 1 / c->rate;
	back.jump = -c->jump;
	back.from = c->from > 0 ? m.ticks : 0;
	go_through(&m, c, worst, lasted);
	run(&m, 60 * MS + below(&m, 20 * MS), 20000);
	go_through(&m, c->rate == 1 ? c : &back, worst, lasted);
	run(&m, 60 * MS, 20000);
	run(&m, 20 * MS, 20000);
	return m.worst < 500 && !m.fit.distrusted &&
	       (!m.nr_back || c->jump != 0);
}

static void test_change(const struct kind *kind, const struct change *c)
{
	double worst = 0, lasted = 0;
	int way = kind->widest ? MOVES : STAYS, i;
	struct machine m = boot_kind(kind);
	bool is_fine = true;
	char what[100];

	for (i = 0; i < NR_TRIALS; i++) {
		m.random = (uint64_t)i;
		is_fine &= try_change(m, c, &worst, &lasted);
	}
	snprintf(what, sizeof(what), "%s, %s: at most %.3f ms off", kind->name,
		 c->what, c->worst_ns[way] / 1e6);
	ok(worst < c->worst_ns[way], what);
	snprintf(what, sizeof(what), "%s, %s: for at most %.3f ms", kind->name,
		 c->what, c->for_ns[way] / 1e6);
	ok(lasted < c->for_ns[way], what);
	printf("# %.0f ns off, for %.0f ns\n", worst, lasted);
	snprintf(what, sizeof(what), "%s, %s: then right%s", kind->name,
		 c->what, c->jump != 0 ? "" : ", and never back");
	ok(is_fine, what);
}

static void test_changes(void)
{
	size_t i, j;

	for (i = 0; i < NR_KINDS; i++)
		for (j = 0; j < NR_CHANGES; j++)
			test_change(&kinds[i], &changes[j]);
}

/* Move to a host whose processors may not share a counter: the kernel then
 * answers by a system call. */
static void test_call(void)
{
	struct machine m = boot_kind(&kinds[1]);

	run(&m, 1 * S, 20000);
	m.call_ns = 200;
	run(&m, MS / 5, 20000);
	m.call_ns = 0;
	run(&m, 100 * MS, 20000);
	ok(holds(&m) && !m.fit.distrusted,
	   "some clock_gettime() take as long as a call: trusted");
	m.call_ns = 200;
	run(&m, 1 * S, 20000);
	ok(m.fit.distrusted, "all do: the counter is given up");
	below_ns(&m, 300, "and the clock used");
	never_back(&m, "and times do not go back");
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

/* Compute as tr2_timer_cell_elapsed() does. */
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

/* Intervals begin on one host, and end on another or on the first again. */
static void test_moved_intervals(const struct kind *kind, double rate)
{
	struct machine m = boot_kind(kind);
	struct interval before = start(&m), idle, there, whole[6];
	char what[100];
	int n;

	run(&m, 10 * S, 100000);
	m.ticks_a_ns *= rate;
	run(&m, 10 * S, 100000);
	snprintf(what, sizeof(what), "%s, rate * %.3f: an interval across it",
		 kind->name, rate);
	takes(&m, &before, what);
	there = start(&m);
	run(&m, 5 * S, 100000);
	takes(&m, &there, "one that is there alone");
	m.ticks_a_ns /= rate;
	m.ticks += 1e13;
	run(&m, 10 * S, 100000);
	takes(&m, &before, "one from before, and back");
	takes(&m, &there, "one from there to the first host");
	idle = start(&m);
	pass(&m, 100.0 * (double)S);
	m.ticks_a_ns *= rate;
	pass(&m, 100.0 * (double)S);
	takes(&m, &idle, "moved while idle");
	run(&m, 1 * S, 100000);
	takes(&m, &idle, "and with anchors since");
	for (n = 0; n < 6; n++) {
		whole[n] = start(&m);
		run(&m, 3 * S, 100000);
		m.ticks_a_ns *= n & 1 ? rate : 1 / rate;
		run(&m, 3 * S, 100000);
	}
	takes(&m, &whole[5], "moved once");
	takes(&m, &whole[2], "moved four times");
}

/* Check that an interval whose length cannot be known is within its bounds. */
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

/* Tests of the clock of this machine. */

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

#if defined(__x86_64__)
/*
 * Where the kernel does not answer clock_gettime() in the process, libc makes a
 * system call.
 */
static bool by_call;

int clock_gettime(clockid_t id, struct timespec *ts)
{
	static int (*found)(clockid_t, struct timespec *);

	if (!found)
		*(void **)&found = dlsym(RTLD_NEXT, "clock_gettime");
	if (by_call || !found)
		return (int)syscall(SYS_clock_gettime, id, ts);
	return found(id, ts);
}

#define SOURCE \
	"/sys/devices/system/clocksource/clocksource0/current_clocksource"

/* Put a file with this line in place of the kernel's, for this process. */
static bool name_source(const char *name)
{
	char path[] = "/tmp/clock.XXXXXX";
	int fd = mkstemp(path);
	bool is;

	if (fd < 0)
		return false;
	is = dprintf(fd, "%s\n", name) > 0 &&
	     (!unshare(CLONE_NEWNS) || !unshare(CLONE_NEWUSER | CLONE_NEWNS)) &&
	     !mount("", "/", "", MS_REC | MS_PRIVATE, "") &&
	     !mount(path, SOURCE, "", MS_BIND, "");
	close(fd);
	unlink(path);
	return is;
}

/* A busy machine may interrupt any of the readings that are compared, and any
 * reading of an anchor. */
static bool is_ever_used(int tries)
{
	const struct timespec distance = { 0, TR2_FIT_FIRST_NS };
	int i;

	tr2_clock_prepare();
	while (tries--)
		tr2_clock_start();
	for (i = 0; i < 50 && !tr2_clock_newest().rate; i++) {
		nanosleep(&distance, NULL);
		tr2_clock_now_ns();
	}
	return tr2_clock_newest().rate != 0;
}

enum { NOT_USED, USED, CANNOT_NAME };

static int use_source(const char *name, int tries)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(!name_source(name) ? CANNOT_NAME : is_ever_used(tries));
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_source(const char *name, int want)
{
	int got = use_source(name, want == USED ? 1000 : 10);
	char what[100];

	snprintf(what, sizeof(what), "the clock source is %s: %s%s", name,
		 want == USED ? "the counter is read" : "it is not read",
		 by_call ? ", by a system call" : "");
	if (got == CANNOT_NAME)
		printf("# not permitted: %s\n", what);
	else
		is_u64((uint64_t)got, (uint64_t)want, what);
}

static void test_sources(void)
{
	test_source("tsc", USED);
	test_source("hyperv_clocksource_tsc_pages", NOT_USED);
	test_source("hyperv_clocksource_msr", NOT_USED);
	test_source("kvm", NOT_USED);
	test_source("hpet", NOT_USED);
	test_source("nothing", NOT_USED);
	/* valgrind hides the vDSO, and its system calls take other times. */
	if (!getauxval(AT_SYSINFO_EHDR))
		return;
	test_source("kvm-clock", USED);
	test_source("hyperv_clocksource_tsc_page", USED);
	by_call = true;
	test_source("kvm-clock", NOT_USED);
	test_source("hyperv_clocksource_tsc_page", NOT_USED);
	by_call = false;
}
#else
static void test_sources(void)
{
}
#endif

/* Return tr2_fit_ahead() of a clock that is set by set_ns after ns. */
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

/* Simulate another time namespace. */
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
	test_changes();
	test_call();
	test_bad_counter();
	test_intervals();
	test_moved_intervals(&kinds[0], 1.3);
	test_moved_intervals(&kinds[1], 1.3);
	test_moved_intervals(&kinds[1], 0.7);
	test_moved_intervals(&kinds[1], 1.02);
	test_moved_intervals(&kinds[2], 0.97);
	test_strange_intervals();
	test_set_clock();
	test_sources();
	test_here();
	return done_testing();
}
