/* SPDX-License-Identifier: MIT */
/*
 * `dispositions [--asks] VERB [HOW]`: a program containing a library that
 * changes a signal's disposition as other libraries do; --asks: TRACE2_SIGPIPE.
 * Then it writes to a pipe without a reader, and prints the error, if it
 * survives.
 */
#include "trace2.h"

#include "../host-state.h"
#include "../host.h"

static void write_to_nobody(void)
{
	int ends[2];

	if (pipe(ends))
		abort();
	close(ends[0]);
	if (write(ends[1], "x", 1) < 0)
		printf("%s\n", strerror(errno));
	fflush(stdout);
	close(ends[1]);
}

/* The following functions restore a disposition in different ways. */

static struct sigaction before;

static void by_sigaction(int signo)
{
	sigaction(signo, &before, NULL);
}

/* Restore only the handler, as signal() does. */
static void put_address(int signo, int flags)
{
	struct sigaction action = { .sa_flags = flags };

	action.sa_handler = before.sa_handler;
	sigaction(signo, &action, NULL);
}

static void by_address(int signo)
{
	put_address(signo, 0);
}

static void by_signal(int signo)
{
	put_address(signo, SA_RESTART);
}

/* Restore as signal() of strict C does: the handler runs for one signal only,
 * and does not block that signal. */
static void by_sysv_signal(int signo)
{
	put_address(signo, (int)(SA_RESETHAND | SA_NODEFER));
}

static const struct {
	const char *name;
	void (*put_back)(int signo);
} ways[] = {
	{ "sigaction", by_sigaction },
	{ "address", by_address },
	{ "signal", by_signal },
	{ "sysv_signal", by_sysv_signal },
};

/* Ignore the signal (and raise it, if it is SIGPIPE), then restore the
 * disposition, then raise the signal. */
static void restore(int signo, const char *how, void (*raise_it)(void))
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	size_t i;

	sigaction(signo, &ignore, &before);
	if (signo == SIGPIPE)
		raise_it();
	for (i = 0; how && i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(ways[i].name, how))
			ways[i].put_back(signo);
	trace2_data_string("dispositions", NULL, "put", "back");
	raise_it();
}

static int restores(const char *how)
{
	restore(SIGPIPE, how, write_to_nobody);
	return 0;
}

static void read_nowhere(void)
{
	volatile const char *volatile nowhere = NULL;

	(void)*nowhere;
}

static int faults(const char *how)
{
	restore(SIGSEGV, how, read_nowhere);
	return 0;
}

/* Ignore SIGPIPE if it has the default disposition, then write to a pipe
 * without a reader. */
static int looks(const char *how)
{
	struct sigaction action;

	sigaction(SIGPIPE, NULL, &action);
	if (action.sa_handler == SIG_DFL) {
		action.sa_handler = SIG_IGN;
		sigaction(SIGPIPE, &action, NULL);
	}
	write_to_nobody();
	return 3;
}

/* The following handlers call the previous handler, if there is one. */

static volatile sig_atomic_t nr_handled;

static void handle(int signo)
{
	nr_handled++;
	if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
		before.sa_handler(signo);
}

static void handle_then_ignore(int signo)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGPIPE, &ignore, NULL);
	handle(signo);
}

static int chains(void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_flags = flags };

	action.sa_handler = handler;
	sigaction(SIGPIPE, &action, &before);
	write_to_nobody();
	trace2_data_string("dispositions", NULL, "handled", "once");
	printf("handled %d\n", (int)nr_handled);
	return 0;
}

static int chains_always(const char *how)
{
	return chains(handle, 0);
}

static int chains_once(const char *how)
{
	return chains(handle, (int)SA_RESETHAND);
}

static int chains_and_ignores(const char *how)
{
	return chains(handle_then_ignore, 0);
}

/* Let several threads write at once: none survives its SIGPIPE. */
static pthread_barrier_t all_are_there;

static void *write_at_once(void *arg)
{
	pthread_barrier_wait(&all_are_there);
	write_to_nobody();
	return arg;
}

static int at_once(const char *how)
{
	pthread_barrier_init(&all_are_there, NULL, 4);
	host_in_threads(4, write_at_once, NULL);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(const char *how);
} verbs[] = {
	{ "restores", restores },
	{ "faults", faults },
	{ "looks", looks },
	{ "chains", chains_always },
	{ "chains-once", chains_once },
	{ "chains-and-ignores", chains_and_ignores },
	{ "at-once", at_once },
};

int main(int argc, char **argv)
{
	struct trace2_options options = { .version = "1.0" };
	size_t i;

	if (argc > 1 && !strcmp(argv[1], "--asks")) {
		options.flags = TRACE2_SIGPIPE;
		argc--;
		argv++;
	}
	host_state_watch();
	trace2_initialize_with(&options);
	trace2_cmd_start(argv);
	for (i = 0; argc > 1 && i < sizeof(verbs) / sizeof(*verbs); i++)
		if (!strcmp(verbs[i].name, argv[1]))
			return trace2_cmd_exit(verbs[i].run(argv[2]));
	fputs("usage: dispositions [--asks] <verb> [<how>]\n", stderr);
	return 129;
}
