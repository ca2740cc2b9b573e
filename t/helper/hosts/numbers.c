/* SPDX-License-Identifier: MIT */
/*
 * `numbers trap|flags`: a program that gives all kinds of numbers to the
 * library. With `trap` each exception of the floating-point unit kills it. With
 * `flags` it prints the exceptions whose flags changed. On processors other
 * than x86-64 it only gives the numbers.
 */
#include "trace2.h"
#include "../system.h"

#if defined(__x86_64__)
#define CALM 0x1f80u
static void begin(bool traps)
{
	__builtin_ia32_ldmxcsr(traps ? 0 : CALM);
}

static unsigned int raised(void)
{
	return __builtin_ia32_stmxcsr() & 0x3f;
}
#else
static void begin(bool traps)
{
}

static unsigned int raised(void)
{
	return 0;
}
#endif

TRACE2_TIMER(timed, "numbers", "timed", TRACE2_PER_THREAD | TRACE2_HISTOGRAM);
TRACE2_COUNTER(counted, "numbers", "counted", TRACE2_PER_THREAD);

static const uint64_t bits[] = {
	0,
	1,
	UINT64_C(0x7fefffffffffffff), /* DBL_MAX */
	UINT64_C(0xfff0000000000000), /* -infinite */
	UINT64_C(0x7ff0000000000001), /* a signalling NaN */
	UINT64_C(0x7ff8000000000000), /* quiet NaN */
	UINT64_C(0x3fb999999999999a), /* 0.1 */
	UINT64_C(0x43e0000000000000), /* 2^63 */
};
#define NR (sizeof(bits) / sizeof(*bits))

static void tell(double value)
{
	trace2_span_t span = trace2_span_start("numbers", "span",
					       TRACE2_SPAN_NONE);

	trace2_data_double("numbers", NULL, "at", value);
	trace2_data_double_fl(__FILE__, __LINE__, "numbers", NULL, "fl", value);
	trace2_span_set_double(span, "value", value);
	trace2_span_end(span);
}

static void tell_all(char **argv)
{
	volatile double value;
	size_t i;

	trace2_initialize();
	trace2_cmd_start(argv);
	trace2_region_enter("numbers", "all", NULL);
	for (i = 0; i < NR; i++) {
		trace2_timer_start(timed);
		memcpy((void *)(uintptr_t)&value, &bits[i], sizeof(value));
		tell(value);
		trace2_counter_add(counted, bits[i]);
		trace2_timer_stop(timed);
	}
	trace2_region_leave("numbers", "all", NULL);
	trace2_printf("%s %d", "message", 1);
	trace2_cmd_exit(0);
}

int main(int argc, char **argv)
{
	begin(argc == 2 && !strcmp(argv[1], "trap"));
	tell_all(argv);
	printf("%x\n", raised());
	return 0;
}
