/* SPDX-License-Identifier: MIT */
/*
 * `locked`: a program that locks all memory which it maps from now on; it may
 * lock 8 MB. It prints how many KB more the library locked for one span, for as
 * many spans at once as a server has, and for a forged span.
 */
#include "trace2.h"

#include <linux/capability.h>

#include "../system.h"

#define MOST_LOCKED (8u << 20)
#define NR_SPANS 300

TRACE2_COUNTER(counted, "locked", "counted", TRACE2_PER_THREAD);

/* Drop all capabilities: with them, no limit holds for root. */
static void drop_capabilities(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct none[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

	if (syscall(SYS_capset, &head, none))
		abort();
}

static long locked_kb(void)
{
	static char text[4096];
	FILE *f = fopen("/proc/self/status", "re");
	long kb = -1;

	while (f && fgets(text, sizeof(text), f))
		if (sscanf(text, "VmLck: %ld", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb;
}

static void print_more(const char *what)
{
	static long before;
	long now = locked_kb();

	if (what)
		printf("%s %ld\n", what, now - before);
	before = locked_kb();
}

int main(int argc, char **argv)
{
	static trace2_span_t span[NR_SPANS];
	trace2_span_t forged;
	struct rlimit limit = { MOST_LOCKED, MOST_LOCKED };
	int i;

	print_more("start");
	drop_capabilities();
	if (setrlimit(RLIMIT_MEMLOCK, &limit) || mlockall(MCL_FUTURE))
		return 77;
	trace2_initialize();
	trace2_cmd_start(argv);
	trace2_counter_add(counted, 1);
	print_more("session");
	span[0] = trace2_span_start("locked", "one", TRACE2_SPAN_NONE);
	print_more("one");
	forged = span[0];
	forged.place += 10000;
	trace2_span_set_intmax(forged, "key", 1);
	trace2_span_end(trace2_span_start("locked", "child", forged));
	trace2_span_end(forged);
	for (i = 1; i < NR_SPANS; i++)
		span[i] = trace2_span_start("locked", "many", TRACE2_SPAN_NONE);
	print_more("many");
	for (i = 0; i < NR_SPANS; i++)
		trace2_span_end(span[i]);
	return trace2_cmd_exit(0);
}
