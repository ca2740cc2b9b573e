/* SPDX-License-Identifier: MIT */
/*
 * Large amounts: events, nested regions, processes that write at the same time.
 */
#include "cmd-trace2.h"

#define MAX_BYTES (64 << 20)

static void emit_events(long long nr, size_t size)
{
	/* Static, so that valgrind finds the memory even after a signal has
	 * killed the process. */
	static char *value;
	long long i;

	value = tool_alloc(size + 1, 1);
	memset(value, 'v', size);
	for (i = 0; i < nr; i++) {
		char key[32];

		snprintf(key, sizeof(key), "k%lld", i);
		trace2_data_string("load", NULL, key, value);
	}
	free(value);
}

static int ut_030events(int argc, const char **argv)
{
	long long nr = tool_number(argv[0], 0, LLONG_MAX);

	emit_events(nr,
		    argc > 1 ? (size_t)tool_number(argv[1], 0, MAX_BYTES) : 5);
	return 0;
}

static int ut_031nest(int argc, const char **argv)
{
	long long i, nr = tool_number(argv[0], 0, INT_MAX);
	char label[32];

	for (i = 1; i <= nr; i++) {
		snprintf(label, sizeof(label), "r%lld", i);
		trace2_region_enter("nest", label, NULL);
	}
	trace2_data_intmax("nest", NULL, "depth", nr);
	for (i = nr; i >= 1; i--) {
		snprintf(label, sizeof(label), "r%lld", i);
		trace2_region_leave("nest", label, NULL);
	}
	return 0;
}

/* Leave the given number of regions that were not entered, all at one place of
 * the program. */
static int ut_032leave(int argc, const char **argv)
{
	long long i, nr = tool_number(argv[0], 0, INT_MAX);

	for (i = 0; i < nr; i++)
		trace2_region_leave("leave", "too many", NULL);
	trace2_data_intmax("leave", NULL, "done", nr);
	return 0;
}

static void leave_own(void)
{
	trace2_region_leave("leave", "own", NULL);
}

/* Leave, at one place in the program, its own region and regions of other
 * places. */
static int ut_034leave_others(int argc, const char **argv)
{
	trace2_region_enter("leave", "first", NULL);
	leave_own();
	trace2_region_enter("leave", "own", NULL);
	leave_own();
	trace2_region_enter("leave", "last", NULL);
	leave_own();
	return 0;
}

static void write_in_fork(long long events, size_t size, int fds[2])
{
	char c;

	close(fds[1]);
	/* Wait until all processes have started: the parent then closes its end
	 * of the pipe. */
	if (read(fds[0], &c, 1) != 0)
		_exit(TOOL_CODE_BUG);
	emit_events(events, size);
	tool_exit(0);
}

static int reap(int nr)
{
	int status, bad = 0;

	for (; nr; nr--)
		if (wait(&status) < 0 || status)
			bad = 1;
	return bad;
}

static int ut_033writers(int argc, const char **argv)
{
	int i, nr = (int)tool_number(argv[0], 1, 1000);
	long long events = tool_number(argv[1], 0, INT_MAX);
	size_t size = (size_t)tool_number(argv[2], 0, MAX_BYTES);
	int fds[2];

	if (pipe(fds))
		tool_die("cannot make a pipe: %s", strerror(errno));
	for (i = 0; i < nr; i++) {
		pid_t pid = tool_fork();

		if (!pid)
			write_in_fork(events, size, fds);
	}
	close(fds[1]);
	return reap(nr);
}

const struct tool_verb tool_verbs_load[] = {
	{ "030events", "<events> [<bytes of each value>]", 1, 2,
	  ut_030events },
	{ "031nest", "<depth>", 1, 1, ut_031nest },
	{ "032leave", "<times>", 1, 1, ut_032leave },
	{ "033writers", "<processes> <events> <bytes of each value>", 3, 3,
	  ut_033writers },
	{ "034leave_others", "", 0, 0, ut_034leave_others },
	{ NULL, NULL, 0, 0, NULL },
};
