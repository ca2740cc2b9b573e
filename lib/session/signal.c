/* SPDX-License-Identifier: MIT */
#include "session/signal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "session/call.h"
#include "session/quick.h"
#include "session/ring.h"

#define DEFAULT_SIGNALS "PIPE"
#define MAX_SIGNO 64

static const struct {
	const char *name;
	int signo;
} names[] = {
	{ "HUP", SIGHUP },   { "INT", SIGINT },	  { "QUIT", SIGQUIT },
	{ "ILL", SIGILL },   { "TRAP", SIGTRAP }, { "ABRT", SIGABRT },
	{ "BUS", SIGBUS },   { "FPE", SIGFPE },	  { "USR1", SIGUSR1 },
	{ "SEGV", SIGSEGV }, { "USR2", SIGUSR2 }, { "PIPE", SIGPIPE },
	{ "ALRM", SIGALRM }, { "TERM", SIGTERM }, { "XCPU", SIGXCPU },
	{ "XFSZ", SIGXFSZ }, { "SYS", SIGSYS },	  { "VTALRM", SIGVTALRM },
	{ "PROF", SIGPROF }, { "IO", SIGIO },
};

/* The handler's own memory: the thread's buffers may be in use. */
static struct {
	atomic_bool taken;
	struct tr2_thread thread;
	char line[8192];
	char redacted[16];
} last;

static bool installed[MAX_SIGNO + 1];

static void on_signal(int signo, siginfo_t *info, void *context);

static bool is_ours(int signo)
{
	struct sigaction now;

	return !sigaction(signo, NULL, &now) && (now.sa_flags & SA_SIGINFO) &&
	       now.sa_sigaction == on_signal;
}

static void reset(int signo)
{
	struct sigaction usual = { .sa_handler = SIG_DFL };

	sigemptyset(&usual.sa_mask);
	sigaction(signo, &usual, NULL);
}

static void prepare_thread(struct tr2_thread *thread)
{
	const struct tr2_thread *self = tr2_self;

	/* One that never spoke has no name. */
	if (!self || !self->announced)
		self = tr2_thread_main();
	memset(thread, 0, sizeof(*thread));
	thread->announced = true;
	tr2_buf_init_fixed(&thread->render.line, last.line, sizeof(last.line));
	tr2_buf_init_fixed(&thread->render.redacted, last.redacted,
			   sizeof(last.redacted));
	if (self)
		thread->who = self->who;
	if (tr2_self)
		thread->tid = tr2_self->tid;
	thread->is_main = self == tr2_thread_main();
}

static void write_last_event(int signo)
{
	struct tr2_call call = { .thread = &last.thread,
				 .who = &last.thread.who,
				 .file = __FILE__,
				 .line = __LINE__,
				 .generation = tr2_session.generation };

	prepare_thread(&last.thread);
	if (!last.thread.who.thread_name)
		return;
	tr2_dest_set_urgent();
	tr2_session_give_up_record();
	call.now_ns = tr2_clock_now_ns();
	TR2_EMIT(&call, signal, .signo.i = signo);
	tr2_session_end_ring(TR2_ARENA_SIGNALLED, signo, true);
}

/* Raised by the kernel for what the thread just did: it happens again when the
 * handler returns, with the right address in a core dump. */
static bool happens_again(const siginfo_t *info)
{
	return info && info->si_code > 0 &&
	       (info->si_signo == SIGSEGV || info->si_signo == SIGBUS ||
		info->si_signo == SIGILL || info->si_signo == SIGFPE);
}

static void on_signal(int signo, siginfo_t *info, void *context)
{
	int saved_errno = errno, expected = TR2_SESSION_ON;

	(void)context;
	/* The host's own handler, installed since, calls the one before it,
	 * which without tracing there was none: it decides what happens. */
	if (!is_ours(signo)) {
		errno = saved_errno;
		return;
	}
	/* Tracing off, or a forked child that wrote nothing: as if this handler
	 * were not there. */
	if (trace2_is_enabled() &&
	    !atomic_exchange(&last.taken, true) &&
	    atomic_compare_exchange_strong(&tr2_session.state, &expected,
					   TR2_SESSION_CLOSED)) {
		write_last_event(signo);
		__atomic_store_n(&trace2_enabled_, 0, __ATOMIC_SEQ_CST);
		tr2_quick_stop();
	}
	reset(signo);
	errno = saved_errno;
	if (!happens_again(info))
		raise(signo);
}

/* Their default is not to end the process. */
static bool is_harmless(int signo)
{
	return signo == SIGCHLD || signo == SIGCONT || signo == SIGURG ||
	       signo == SIGWINCH || signo == SIGSTOP || signo == SIGTSTP ||
	       signo == SIGTTIN || signo == SIGTTOU;
}

static void install(int signo)
{
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };
	struct sigaction before;

	if (signo < 1 || signo > MAX_SIGNO || installed[signo] ||
	    is_harmless(signo))
		return;
	if (sigaction(signo, NULL, &before) || (before.sa_flags & SA_SIGINFO) ||
	    before.sa_handler != SIG_DFL)
		return;
	sigemptyset(&action.sa_mask);
	installed[signo] = !sigaction(signo, &action, NULL);
}

static int signal_number(const char *text, size_t len)
{
	long number;
	size_t i;

	if (len > 3 && !strncasecmp(text, "SIG", 3)) {
		text += 3;
		len -= 3;
	}
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i].name) == len &&
		    !strncasecmp(names[i].name, text, len))
			return names[i].signo;
	number = strtol(text, NULL, 10);
	return number > 0 && number <= MAX_SIGNO ? (int)number : 0;
}

void tr2_signal_install(const char *list)
{
	static const char between[] = ", \t";
	size_t len;

	for (list = list ? list : DEFAULT_SIGNALS; *list; list += len) {
		list += strspn(list, between);
		len = strcspn(list, between);
		if (len)
			install(signal_number(list, len));
	}
}

/* Also before the code may be unmapped, in a child that never closed. */
__attribute__((destructor)) void tr2_signal_restore(void)
{
	int signo;

	for (signo = 1; signo <= MAX_SIGNO; signo++)
		if (installed[signo] && is_ours(signo))
			reset(signo);
}
