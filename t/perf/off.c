/* SPDX-License-Identifier: MIT */
/* The cost of calls while tracing is off, and of finding out that it is off. */
#include "metrics.h"
#include "session/settings.h"

static volatile int never;

static void branch(size_t n)
{
	while (n--) {
		if (__builtin_expect(never, 0))
			abort();
		bench_clobber();
	}
}

#define CALLS(name, call) BENCH_LOOP(name, call; bench_clobber())
CALLS(region_off, trace2_region_enter("bench", "region", NULL))
CALLS(printf_off, trace2_printf("%d %s", 1, "two"))
CALLS(counter_off, trace2_counter_add(bench_counter, 1))
CALLS(timer_off, trace2_timer_start(bench_timer))
CALLS(span_off, (void)trace2_span_start("bench", "span", TRACE2_SPAN_NONE))
CALLS(value_off, trace2_distribution_add(bench_distribution, 1))
CALLS(gauge_off, trace2_gauge_set(bench_gauge, 1))

static void read_settings(size_t n)
{
	struct tr2_settings settings;

	while (n--)
		if (tr2_settings_load(&settings, NULL))
			abort();
}

/* Read the files that exist, and the variables of the table. */
static void read_bare(size_t n)
{
#define NAME(end) "GIT_TRACE2" end
	static const char *const names[] = {
		NAME(""), NAME("_BRIEF"), NAME("_PERF"), NAME("_PERF_BRIEF"),
		NAME("_EVENT"), NAME("_EVENT_BRIEF"), NAME("_EVENT_NESTING"),
		NAME("_CONFIG_PARAMS"), NAME("_ENV_VARS"), NAME("_MAX_FILES"),
		NAME("_DST_DEBUG"), NAME("_REDACT"), NAME("_SIGNALS"),
		"GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL", "XDG_CONFIG_HOME",
	};
#undef NAME
	static char text[65536];
	char path[4096];
	const char *home = getenv("HOME");
	size_t i;
	int fd;

	snprintf(path, sizeof(path), "%s/.gitconfig", home ? home : "");
	while (n--) {
		for (i = 0; i < sizeof(names) / sizeof(*names); i++)
			if (getenv(names[i]))
				abort();
		if (!getenv("HOME") || !getenv("GIT_CONFIG_NOSYSTEM"))
			abort();
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || read(fd, text, sizeof(text)) < 0)
			abort();
		close(fd);
	}
}

int main(void)
{
	static const char branching[] = "one branch";
#define OFF(what, work) \
	{ what ", off", branching, work, branch, 100000, NULL, 0 }
	static const struct bench_case cases[] = {
		OFF("region_enter", region_off),
		OFF("printf", printf_off),
		OFF("counter_add", counter_off),
		OFF("timer_start", timer_off),
		OFF("distribution_add", value_off),
		OFF("gauge_set", gauge_off),
		OFF("span_start", span_off),
		{ "settings, nothing on", "getenv, open, read, close",
		  read_settings, read_bare, 10, NULL, 0 },
	};
#undef OFF
	size_t i;

	bench_pin();
	trace2_initialize();
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		bench_run(&cases[i]);
	return 0;
}
