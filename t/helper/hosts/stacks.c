/* SPDX-License-Identifier: MIT */
/*
 * `stacks STACK [MOST]`: a program with a signal after each single instruction
 * of a call, or after at most MOST of them. The handler calls the library on
 * another stack, with a string that needs much memory. STACK is the stack on
 * which the handler runs, or to which it switches:
 *
 *	same		the interrupted stack
 *	plain-above, plain-below	an alternate stack
 *	disarmed-above, disarmed-below	one with SS_AUTODISARM: the kernel
 *			forgets it while the handler runs
 *	context-above, context-below	that of another context
 *
 * above and below: by address. After each handler the interrupted call goes on.
 * With the prefix format- the strings are messages, which the library formats.
 *
 * Or the handler jumps out of the call, and the program makes more calls:
 *
 *	jumps-up	far up the stack
 *	jumps-down	further down the stack
 *
 * There the call's part of the stack is not overwritten. It prints how often it
 * did each, and how much memory that took. Code 77 on processors without
 * single-stepping.
 *
 *	coroutines	eight on one thread: the handler of a timer switches to
 *			the next, whatever the one before does. It prints how
 *			often they counted.
 */
#include "trace2.h"

#include "../breakpoint.h"

#include <setjmp.h>

#include "../system.h"

#define SKIP 77
#define NEVER -1
#define STACK_BYTES (256 * 1024)
#define LONG_BYTES 150000 /* size of a string whose memory is freed at the end
			   * of the call */
#define KEPT_BYTES 5000 /* size of a string whose memory is kept for later
			 * calls */
#define HOLE_BYTES (100 * 1024)
#define NR_DOWN 150 /* number of jumps: larger than the number of calls that the
		     * library rejects */

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

TRACE2_COUNTER(jumped, "stacks", "jumped", 0);

static char long_text[LONG_BYTES], kept_text[KEPT_BYTES];
static struct path *path;
static volatile bool is_running, has_stopped;
static bool is_formatted;
static volatile long stop_at = NEVER;
static volatile unsigned long nr_said, nr_jumps;
static long pages_before; /* number of pages after the first jumps: these jumps
			   * may take some pages */
static sigjmp_buf back;
static void (*handle)(void);

static void say(const char *text)
{
	if (is_formatted)
		trace2_printf("%s: %s", "who", text);
	else
		trace2_data_string("stacks", NULL, "who", text);
	__atomic_fetch_add(&nr_said, 1, __ATOMIC_RELAXED);
}

static void shout(void)
{
	say(long_text);
}

static void on_step(int signo, siginfo_t *info, void *context)
{
	if (!breakpoint_is_hit(path, context, is_running))
		return;
	has_stopped = true;
	handle();
}

#ifdef __GLIBC__
static ucontext_t here, there;

static void shout_for_ever(void)
{
	for (;;) {
		shout();
		swapcontext(&there, &here);
	}
}

static void shout_there(void)
{
	swapcontext(&here, &there);
}

static bool prepare_context(char *stack)
{
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = STACK_BYTES;
	makecontext(&there, shout_for_ever, 0);
	handle = shout_there;
	return true;
}

#define NR_ROUTINES 8
#define NR_SWITCHES 2000

TRACE2_COUNTER(counted, "stacks", "counted", 0);

static ucontext_t routine[NR_ROUTINES];
static volatile int running;
static volatile unsigned long nr_switches, nr_counted;

static void switch_routine(int signo)
{
	int from = running;

	running = (from + 1) % NR_ROUTINES;
	nr_switches++;
	swapcontext(&routine[from], &routine[running]);
}

static void set_timer(long us)
{
	const struct itimerval every = { { 0, us }, { 0, us } };

	setitimer(ITIMER_REAL, &every, NULL);
}

/* Block SIGALRM: the handler must not switch between the two counts. */
static void count(void)
{
	sigset_t alarm, before;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_BLOCK, &alarm, &before);
	trace2_counter_add(counted, 1);
	nr_counted++;
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void run_routine(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	while (nr_switches < NR_SWITCHES) {
		/* With a ring as target, only this call takes the slow path, on
		 * which a thread may get another context. */
		trace2_region_enter_printf("stacks", "routine", NULL, "%d", 1);
		trace2_data_intmax("stacks", NULL, "k", 1);
		trace2_region_leave("stacks", "routine", NULL);
		count();
	}
	set_timer(0);
	printf("counted %lu\n", nr_counted);
	exit(trace2_cmd_exit(0));
}

static int run_coroutines(void)
{
	struct sigaction action = { .sa_handler = switch_routine,
				    .sa_flags = SA_RESTART };
	int i;

	for (i = 0; i < NR_ROUTINES; i++) {
		getcontext(&routine[i]);
		routine[i].uc_stack.ss_sp = malloc(STACK_BYTES);
		routine[i].uc_stack.ss_size = STACK_BYTES;
		/* Block SIGALRM during the switch: swapcontext() sets the mask
		 * before it has switched. A timer in between would save half of
		 * each routine. */
		sigaddset(&routine[i].uc_sigmask, SIGALRM);
		makecontext(&routine[i], run_routine, 0);
	}
	sigaction(SIGALRM, &action, NULL);
	set_timer(300);
	setcontext(&routine[0]);
	return SKIP;
}
#else
static int run_coroutines(void)
{
	return SKIP;
}

static bool prepare_context(char *stack)
{
	return false;
}
#endif

static void take_steps(int flags)
{
	struct sigaction action = { .sa_sigaction = on_step,
				    .sa_flags = SA_SIGINFO | flags };

	sigaction(SIGTRAP, &action, NULL);
}

static bool prepare_alternate(char *stack, unsigned int flags)
{
	stack_t alternate = { .ss_sp = stack,
			      .ss_size = STACK_BYTES,
			      .ss_flags = (int)flags };

	take_steps(SA_ONSTACK);
	return !sigaltstack(&alternate, NULL);
}

static bool prepare(const char *name, char *stack)
{
	handle = shout;
	take_steps(0);
	is_formatted = !strncmp(name, "format-", 7);
	if (is_formatted)
		name += 7;
	if (!strncmp(name, "plain-", 6))
		return prepare_alternate(stack, 0);
	if (!strncmp(name, "disarmed-", 9))
		return prepare_alternate(stack, SS_AUTODISARM);
	if (!strncmp(name, "context-", 8))
		return prepare_context(stack);
	return !strcmp(name, "same");
}

/* Make the call by the same instructions, whether the run is recorded or
 * not. */
static __attribute__((noinline)) void say_stepped(void)
{
	is_running = true;
	say("call");
	is_running = false;
}

static void run_once(long at)
{
	say(kept_text);
	has_stopped = false;
	if (at == NEVER)
		breakpoint_record(path, true);
	else
		breakpoint_set(path, at);
	say_stepped();
	if (at == NEVER)
		breakpoint_record(path, false);
	else
		breakpoint_clear();
}

static void record(void)
{
	int i;

	/* Emit some lines first: the first ones take another path. */
	for (i = 0; i < 20; i++) {
		trace2_region_enter("stacks", "first", NULL);
		trace2_region_leave("stacks", "first", NULL);
	}
	say(kept_text);
	say_stepped();
	path_begin(path);
	do
		run_once(NEVER);
	while (!path->is_whole);
}

/* Repeat the run until it stops at the place: a clock makes it take another way
 * now and then. */
static void run_until_stopped(void (*run)(long at), long at)
{
	int i;

	has_stopped = false;
	for (i = 0; i < PATIENCE && !has_stopped; i++)
		run(at);
}

/* Make a run to each stop of the path, or to about `most` stops, spread evenly.
 * Fail if over 10 % of the stops are missed: runs led there only while the path
 * was recorded. */
static int run_each(void (*run)(long at), long most)
{
	long stops = path_stops(path), stride = 1 + stops / most, nr = 0, at;
	long nr_runs = 0, nr_missed = 0;

	for (at = 0; at < path->nr; at++) {
		if (!path->counts[at] || nr++ % stride)
			continue;
		run_until_stopped(run, at);
		nr_runs++;
		nr_missed += !has_stopped;
	}
	printf("missed %ld of %ld\n", nr_missed, nr_runs);
	return nr_missed * 10 > nr_runs;
}

static void jump(void)
{
	siglongjmp(back, 1);
}

/* Run below a large frame, most of which is not written to. */
static __attribute__((noinline)) void run_deeper(void (*run)(void))
{
	char hole[HOLE_BYTES];

	__asm__ volatile("" : : "r"(hole) : "memory");
	run();
	__asm__ volatile("" : : "r"(hole) : "memory");
}

static void call(void)
{
	run_once(stop_at);
}

static long pages_of_memory(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	long pages = 0;

	if (!f || fscanf(f, "%ld", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages;
}

static void count_jump(void)
{
	is_running = false;
	if (++nr_jumps == 5)
		pages_before = pages_of_memory();
}

static void say_after_jump(void)
{
	say("behind a jump");
	trace2_counter_add(jumped, 1);
}

static void jump_up(long at)
{
	stop_at = at;
	if (!sigsetjmp(back, 1)) {
		run_deeper(call);
		return;
	}
	count_jump();
	say_after_jump();
}

static void say_often(void)
{
	int i;

	for (i = 0; i < NR_DOWN; i++)
		say("further down");
	say_after_jump();
}

static void jump_down(long at)
{
	if (!sigsetjmp(back, 1)) {
		run_once(at);
		return;
	}
	count_jump();
	run_deeper(say_often);
}

static int run_jumps(void (*jump_out)(long at), long most)
{
	int code;

	handle = jump;
	take_steps(0);
	record();
	if (!path->nr)
		return SKIP;
	code = run_each(jump_out, most);
	printf("said %lu, jumped %lu\n", nr_said, nr_jumps);
	printf("took %ld pages\n", pages_of_memory() - pages_before);
	return code;
}

static __attribute__((noinline)) int run_all(long most)
{
	int code;

	record();
	if (!path->nr)
		return SKIP;
	code = run_each(run_once, most);
	printf("said %lu\n", nr_said);
	return code;
}

/* above: memory that is further up the stack than the frames of all functions
 * called here. */
static __attribute__((noinline)) int run_below(const char *name, char *above,
					       long most)
{
	static char below[STACK_BYTES] __attribute__((aligned(64)));

	if (!prepare(name, strstr(name, "-above") ? above : below))
		return SKIP;
	return run_all(most);
}

static int run_stepped(const char *name, long most)
{
	char above[STACK_BYTES] __attribute__((aligned(64)));

	above[0] = 0;
	return run_below(name, above, most) + above[0];
}

int main(int argc, char **argv)
{
	trace2_initialize();
	trace2_cmd_start(argv);
	memset(long_text, 'x', sizeof(long_text) - 1);
	memset(kept_text, 'x', sizeof(kept_text) - 1);
	if (argc < 2)
		return 129;
	if (!strcmp(argv[1], "coroutines"))
		return run_coroutines();
	path = path_new();
	if (!strcmp(argv[1], "jumps-up"))
		return run_jumps(jump_up, argc > 2 ? atol(argv[2]) : 1000000);
	if (!strcmp(argv[1], "jumps-down"))
		return run_jumps(jump_down, argc > 2 ? atol(argv[2]) : 1000000);
	return run_stepped(argv[1], argc > 2 ? atol(argv[2]) : 1000000);
}
