/* SPDX-License-Identifier: MIT */
/*
 * Signals that the program raises, handles, ignores, and handlers that call the
 * library. `test-tool --handle=`, `--ignore=` and `--block=` set this up before
 * the library starts; the verbs here do so afterwards.
 */
#include "cmd-trace2.h"

static void set_handler(int signo, void (*handler)(int))
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	action.sa_flags = SA_RESTART;
	sigemptyset(&action.sa_mask);
	if (sigaction(signo, &action, NULL))
		tool_die("cannot handle signal %d: %s", signo,
			 strerror(errno));
}

/* Show that the process survived the signal. */
static void tell_survival(int signo)
{
	trace2_data_intmax("signal", NULL, "survived", signo);
}

static int ut_080raise(int argc, const char **argv)
{
	int signo = tool_signal(argv[0]);

	trace2_region_enter("signal", "open", NULL);
	raise(signo);
	tell_survival(signo);
	return 0;
}

static int ut_081raise_handled(int argc, const char **argv)
{
	int signo = tool_signal(argv[0]);

	set_handler(signo, tool_telling_handler);
	raise(signo);
	tell_survival(signo);
	return 0;
}

static int ut_082raise_ignored(int argc, const char **argv)
{
	int signo = tool_signal(argv[0]);

	set_handler(signo, SIG_IGN);
	raise(signo);
	tell_survival(signo);
	return 0;
}

static void end_by(int signo)
{
	trace2_signal(signo);
	tell_survival(signo);
	/* NOLINTNEXTLINE(*-signal-handler,cert-sig30-c): a host may do so */
	signal(signo, SIG_DFL);
	raise(signo);
}

static int ut_088raise_own(int argc, const char **argv)
{
	int signo = tool_signal(argv[0]);

	set_handler(signo, end_by);
	trace2_region_enter("signal", "open", NULL);
	raise(signo);
	return 0;
}

static void call_from_handler(int signo)
{
	trace2_region_enter("handler", "inside", NULL);
	trace2_data_intmax("handler", NULL, "signo", signo);
	trace2_timer_start(TRACE2_TIMER_ID_TEST1);
	trace2_counter_add(TRACE2_COUNTER_ID_TEST1, 1);
	trace2_timer_stop(TRACE2_TIMER_ID_TEST1);
	trace2_region_leave("handler", "inside", NULL);
}

static int ut_083handler_calls(int argc, const char **argv)
{
	int signo = tool_signal(argv[0]);

	set_handler(signo, call_from_handler);
	trace2_region_enter("main", "around", NULL);
	raise(signo);
	trace2_region_leave("main", "around", NULL);
	return 0;
}

static volatile sig_atomic_t nr_alarms;

static void count_alarm(int signo)
{
	nr_alarms++;
	call_from_handler(signo);
}

static void set_timer(long us)
{
	struct itimerval every = { { 0, us }, { 0, us } };

	setitimer(ITIMER_REAL, &every, NULL);
}

/*
 * Raise alarms at random places of the library until the given number has come.
 * The handler of the alarms calls the library, too.
 */
static int ut_084handler_storm(int argc, const char **argv)
{
	long long nr = tool_number(argv[0], 1, 10000000);

	set_handler(SIGALRM, count_alarm);
	set_timer(100);
	while (nr_alarms < nr) {
		trace2_region_enter("main", "storm", NULL);
		trace2_data_string("main", NULL, "key", "value");
		trace2_counter_add(TRACE2_COUNTER_ID_TEST2, 1);
		trace2_region_leave("main", "storm", NULL);
	}
	set_timer(0);
	return 0;
}

/* Write to a pipe without a reader, as a program does in `program | head`. */
static int ut_085sigpipe(int argc, const char **argv)
{
	int fds[2];

	if (pipe(fds))
		tool_die("cannot make a pipe: %s", strerror(errno));
	close(fds[0]);
	if (write(fds[1], "x", 1) < 0)
		tell_survival(SIGPIPE);
	return 0;
}

static void fault(int signo)
{
	/* The default action is restored: the second signal ends the
	 * process. */
	raise(signo);
}

/* Act like a crash reporter: the handler runs once and raises the signal again.
 * */
static int ut_086raise_resethand(int argc, const char **argv)
{
	struct sigaction action;
	int signo = tool_signal(argv[0]);

	memset(&action, 0, sizeof(action));
	action.sa_handler = fault;
	action.sa_flags = SA_RESETHAND | SA_NODEFER;
	sigemptyset(&action.sa_mask);
	sigaction(signo, &action, NULL);
	raise(signo);
	tell_survival(signo);
	return 0;
}

/* Read address 0, so that the kernel raises the signal, not raise(). */
static int ut_087segfault(int argc, const char **argv)
{
	volatile const char *volatile nowhere = NULL;

	return *nowhere;
}

const struct tool_verb tool_verbs_signal[] = {
	{ "080raise", "<signal>", 1, 1, ut_080raise },
	{ "081raise_handled", "<signal>", 1, 1, ut_081raise_handled },
	{ "082raise_ignored", "<signal>", 1, 1, ut_082raise_ignored },
	{ "083handler_calls", "<signal>", 1, 1, ut_083handler_calls },
	{ "084handler_storm", "<alarms>", 1, 1, ut_084handler_storm },
	{ "085sigpipe", "", 0, 0, ut_085sigpipe },
	{ "086raise_resethand", "<signal>", 1, 1, ut_086raise_resethand },
	{ "088raise_own", "<signal>", 1, 1, ut_088raise_own },
	{ "087segfault", "", 0, 0, ut_087segfault },
	{ NULL, NULL, 0, 0, NULL },
};
