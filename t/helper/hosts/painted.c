/* SPDX-License-Identifier: MIT */
/*
 * `painted`: a program whose handler makes each call that is documented as
 * signal-safe, on a painted stack. For each call it prints the bytes of stack
 * that the first and the second one took beyond a handler that does nothing. It
 * prints the same for the first call of a thread, and of a forked child, if
 * that call comes from a handler. The line `binding` has the bytes of the
 * dynamic linker, `kernel` the frame of the signal with the processor's
 * registers.
 */
#include "trace2.h"
#include "../host.h"

#include <sys/auxv.h>

#define STACK_BYTES (64 * 1024)
#define PAINT 0xa5
#define SECRET "password=hunter2 --token ghp_0123456789abcdefghijklmnopqrstuvwxyz"

TRACE2_COUNTER(counted, "painted", "counted", TRACE2_PER_THREAD);
TRACE2_TIMER(timed, "painted", "timed", TRACE2_HISTOGRAM);
TRACE2_DISTRIBUTION(spread, "painted", "spread", "bytes");
TRACE2_GAUGE(gauged, "painted", "gauged", "things");

static trace2_span_t span;
static char long_text[3000];
static void (*volatile act)(void);

static void do_nothing(void)
{
}

/* Call a64l(), so that the dynamic linker looks it up: no other code of this
 * program has called it. */
static void bind_names(void)
{
	if (a64l("zz") == 1)
		abort();
}

static void add(void)
{
	trace2_counter_add(counted, 1);
}

static void take_time(void)
{
	trace2_timer_start(timed);
	trace2_timer_stop(timed);
	trace2_timer_add(timed, 7);
}

static void measure_some(void)
{
	trace2_distribution_add(spread, 7);
	trace2_gauge_set(gauged, 7);
	trace2_gauge_add(gauged, 1);
}

static void enter(void)
{
	trace2_region_enter("painted", "region", NULL);
	trace2_region_leave("painted", "region", NULL);
}

static void enter_others(void)
{
	char name[] = "made at run time";

	trace2_region_enter_fl("file", 1, name, name, NULL);
	trace2_region_leave_fl("file", 1, "another", name, NULL);
	trace2_region_leave("none", "is open", NULL);
}

static void tell(void)
{
	trace2_data_string("painted", NULL, "key", "value");
	trace2_data_intmax("painted", NULL, "key", -7);
	trace2_data_uintmax("painted", NULL, "key", 7);
	trace2_data_double("painted", NULL, "key", 1.7976931348623157e308);
}

static void tell_much(void)
{
	trace2_data_string("painted", NULL, "key", long_text);
	trace2_data_string("painted", NULL, "key", SECRET "\n" SECRET);
	trace2_data_string("painted", NULL, "password", "hunter2");
}

static void start(void)
{
	span = trace2_span_start("painted", "span", TRACE2_SPAN_NONE);
	trace2_span_enter(span);
	trace2_span_leave(span);
}

static void set(void)
{
	char key[] = "a key made at run time: " SECRET;

	trace2_span_set_string(span, "key", SECRET);
	trace2_span_set_string(span, key, long_text);
	trace2_span_set_intmax(span, key, 7);
	trace2_span_set_double(span, "largest", 1.7976931348623157e308);
	trace2_span_set_bool(span, "yes", 1);
}

static void end(void)
{
	trace2_span_end(span);
}

static void fail(void)
{
	start();
	set();
	trace2_span_fail(span, SECRET);
}

static void end_by_signal(void)
{
	trace2_signal(SIGTERM);
}

static void on_signal(int signo)
{
	(void)signo;
	act();
}

/* Return how much of the calling thread's alternate stack a handler takes. */
static long depth_of(unsigned char *stack, void (*call)(void))
{
	long i;

	memset(stack, PAINT, STACK_BYTES);
	act = call;
	raise(SIGUSR1);
	for (i = 0; i < STACK_BYTES && stack[i] == PAINT; i++)
		;
	return STACK_BYTES - i;
}

static unsigned char *take_stack(void)
{
	unsigned char *stack = malloc(STACK_BYTES);
	const stack_t alternate = { .ss_sp = stack, .ss_size = STACK_BYTES };

	if (!stack || sigaltstack(&alternate, NULL))
		abort();
	return stack;
}

static void print(unsigned char *stack, const char *name, void (*call)(void))
{
	long none = depth_of(stack, do_nothing), first = depth_of(stack, call);

	printf("%s %ld %ld\n", name, first - none,
	       depth_of(stack, call) - none);
	fflush(stdout);
}

static void *begin_in_handler(void *name)
{
	print(take_stack(), name, tell);
	return name;
}

static const struct {
	const char *name;
	void (*call)(void);
} calls[] = {
	{ "counter", add },	  { "timer", take_time },
	{ "values", measure_some }, { "region", enter },
	{ "regions", enter_others }, { "data", tell },
	{ "text", tell_much },	  { "start", start },
	{ "set", set },		  { "end", end },
	{ "fail", fail },	  { "signal", end_by_signal },
};

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal,
				    .sa_flags = SA_ONSTACK };
	static char in_thread[] = "thread";
	unsigned char *stack = take_stack();
	size_t i;

	(void)argc;
	sigaction(SIGUSR1, &action, NULL);
	memset(long_text, 'x', sizeof(long_text) - 1);
	memcpy(long_text + 900, "\n" SECRET "\t", sizeof(SECRET) + 1);
	trace2_initialize();
	trace2_cmd_start(argv);
#ifdef AT_MINSIGSTKSZ
	printf("kernel %lu 0\n", getauxval(AT_MINSIGSTKSZ));
#else
	puts("kernel 0 0");
#endif
	print(stack, "binding", bind_names);
	host_in_thread(begin_in_handler, in_thread);
	if (!fork()) {
		print(stack, "child", tell);
		_exit(0);
	}
	wait(NULL);
	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		print(stack, calls[i].name, calls[i].call);
	return 0;
}
