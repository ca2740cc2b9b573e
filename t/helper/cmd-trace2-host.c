/* SPDX-License-Identifier: MIT */
/*
 * The state of the host that the library must keep: descriptors, dispositions,
 * mask, environment. The lists go to stdout; a test compares those of a traced
 * run with those of a run without tracing.
 */
#include "cmd-trace2.h"
#include "host-state.h"

/* Print a line `FD[ CLOEXEC]` for each open descriptor, in order. */
static int ut_090fds(int argc, const char **argv)
{
	long fd, max = sysconf(_SC_OPEN_MAX);

	if (max < 0 || max > 65536)
		max = 65536;
	for (fd = 0; fd < max; fd++) {
		int flags = fcntl((int)fd, F_GETFD);

		if (flags >= 0)
			printf("%ld%s\n", fd,
			       flags & FD_CLOEXEC ? " CLOEXEC" : "");
	}
	return 0;
}

/* Print a line `SIGNO handled|ignored|blocked` for each signal that does not
 * have the default disposition. */
static int ut_091sigs(int argc, const char **argv)
{
	sigset_t blocked;
	int signo;

	sigprocmask(SIG_BLOCK, NULL, &blocked);
	for (signo = 1; signo < NSIG; signo++) {
		const char *how = host_state_disposition(signo);

		if (how)
			printf("%d %s\n", signo, how);
		if (sigismember(&blocked, signo) == 1)
			printf("%d blocked\n", signo);
	}
	return 0;
}

static int ut_092env(int argc, const char **argv)
{
	int i;

	for (i = 0; i < argc; i++) {
		const char *value = getenv(argv[i]);

		printf("%s%s%s\n", argv[i], value ? "=" : " is not set",
		       value ? value : "");
	}
	return 0;
}

static int ut_093session_id(int argc, const char **argv)
{
	printf("%d %s\n", trace2_is_enabled() ? 1 : 0, trace2_session_id());
	return 0;
}

/* Check that the number of a descriptor that the host closed stays free: the
 * library must not use it. */
static int ut_094fd_stays_free(int argc, const char **argv)
{
	int got, fd = (int)tool_number(argv[0], 0, 1000);

	close(fd);
	trace2_data_intmax("host", NULL, "closed", fd);
	got = open("/dev/null", O_RDONLY | O_CLOEXEC);
	trace2_data_intmax("host", NULL, "opened", got);
	return got == fd ? 0 : 1;
}

/* Pass an argv with many words. The arguments are the number of words, and the
 * number of bytes `x` in each. */
static int ut_095big_argv(int argc, const char **argv)
{
	size_t i, nr = (size_t)tool_number(argv[0], 0, 1 << 20);
	size_t size = (size_t)tool_number(argv[1], 0, 1 << 28);
	const char **words = tool_alloc(nr + 1, sizeof(*words));
	char *word = tool_alloc(size + 1, 1);

	memset(word, 'x', size);
	for (i = 0; i < nr; i++)
		words[i] = word;
	trace2_cmd_alias("big", words);
	free(words);
	free(word);
	return 0;
}

/* Pass a string with every byte except NUL wherever a string is accepted. */
static int ut_096all_bytes(int argc, const char **argv)
{
	char bytes[256];
	const char *words[] = { bytes, NULL };
	int i;

	for (i = 1; i < 256; i++)
		bytes[i - 1] = (char)i;
	bytes[255] = '\0';
	trace2_cmd_alias(bytes, words);
	trace2_cmd_error("%s", bytes);
	trace2_def_param(bytes, bytes, TRACE2_SCOPE_LOCAL);
	trace2_region_enter(bytes, bytes, NULL);
	trace2_data_string(bytes, NULL, bytes, bytes);
	trace2_data_json(bytes, NULL, bytes, bytes);
	trace2_region_leave(bytes, bytes, NULL);
	trace2_printf("%s", bytes);
	return 0;
}

const struct tool_verb tool_verbs_host[] = {
	{ "090fds", "", 0, 0, ut_090fds },
	{ "091sigs", "", 0, 0, ut_091sigs },
	{ "092env", "<variable>...", 1, -1, ut_092env },
	{ "093session_id", "", 0, 0, ut_093session_id },
	{ "094fd_stays_free", "<fd>", 1, 1, ut_094fd_stays_free },
	{ "095big_argv", "<words> <bytes of each>", 2, 2, ut_095big_argv },
	{ "096all_bytes", "", 0, 0, ut_096all_bytes },
	{ NULL, NULL, 0, 0, NULL },
};
