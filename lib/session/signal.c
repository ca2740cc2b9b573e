/* SPDX-License-Identifier: MIT */
/* Handlers that emit the signal event, and raise the signal again. */
#include "session/signal.h"

#include <stdlib.h>
#include <strings.h>

#include "base/clock.h"
#include "base/macros.h"
#include "base/raw.h"
#include "base/split.h"
#include "session/fastpath.h"
#include "session/inherit.h"
#include "session/ring.h"
#include "session/session.h"
#include "target/wait.h"
#include "thread/emit.h"
#include "thread/stream.h"

#define MAX_SIGNO 64
#define MAX_WAIT_NS (100u * UINT64_C(1000000))

static const struct {
	char name[8]; /* an array, not a pointer, which the loader would have to
		       * relocate */
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

/* Memory for the handler alone: the buffers of the thread may be in use. */
struct last {
	/* The dying thread, by tr2_tls_thread(); 0: no thread. */
	atomic_uintptr_t owner;
	atomic_bool is_written;
	struct tr2_thread thread;
	char redacted[16];
};
TR2_LARGE struct last tr2_signal_last;
TR2_LARGE char tr2_signal_line[8192];

static bool installed[MAX_SIGNO + 1];

static void on_signal(int signo, siginfo_t *info, void *context);

/*
 * Return whether the handler is ours. Only its address identifies it: a host
 * that restores the handler by signal() drops SA_SIGINFO, SA_ONSTACK and the
 * mask.
 */
static bool is_ours(const struct sigaction *now)
{
	return now->sa_sigaction == on_signal;
}

/*
 * Return whether the host had restored this handler by sysv_signal(), which is
 * signal() in strict C. Such a disposition holds for one signal: the kernel has
 * just reset it, and left its flags. With other flags, the handler was the
 * host's own, and called this one.
 */
static bool was_put_back(const struct sigaction *now)
{
	const unsigned int all = (unsigned int)SA_RESETHAND | SA_NODEFER |
				 SA_SIGINFO | SA_RESTART;

	return ((unsigned int)now->sa_flags & all) ==
	       ((unsigned int)SA_RESETHAND | SA_NODEFER);
}

/*
 * Return false if the host now ignores the signal, or has a handler of its own,
 * which called the previous one. Without tracing there would be no previous
 * handler, so the host's handler decides the end.
 */
static bool is_up_to_us(const struct sigaction *now)
{
	if (is_ours(now))
		return true;
	if (now->sa_handler != SIG_DFL)
		return false;
	return !((unsigned int)now->sa_flags & SA_RESETHAND) ||
	       was_put_back(now);
}

static void reset_action(int signo)
{
	struct sigaction usual = { .sa_handler = SIG_DFL };

	sigemptyset(&usual.sa_mask);
	sigaction(signo, &usual, NULL);
}

static void prepare_thread(struct tr2_thread *thread)
{
	const struct tr2_thread *self = tr2_self;

	/* Use main's name for a thread that is not announced. */
	if (!self || !self->announced)
		self = tr2_thread_main();
	memset(thread, 0, sizeof(*thread));
	thread->announced = true;
	tr2_buf_init_fixed(&thread->render.line, tr2_signal_line,
			   sizeof(tr2_signal_line));
	tr2_buf_init_fixed(&thread->render.redacted, tr2_signal_last.redacted,
			   sizeof(tr2_signal_last.redacted));
	if (self)
		thread->emitter = self->emitter;
	if (tr2_self)
		thread->tid = tr2_self->tid;
	thread->is_main = self == tr2_thread_main();
}

static void write_last_event(const char *file, int line, int signo)
{
	struct tr2_call call = { .thread = &tr2_signal_last.thread,
				 .emitter = &tr2_signal_last.thread.emitter,
				 .file = file,
				 .line = line,
				 .generation = tr2_stream.generation };

	prepare_thread(&tr2_signal_last.thread);
	if (!tr2_signal_last.thread.emitter.thread_name)
		return;
	if (tr2_signal_last.thread.is_main)
		call.emitter = &tr2_thread_main()->emitter;
	tr2_dest_set_urgent();
	tr2_dest_expect_last();
	tr2_session_give_up_record();
	call.now_ns = tr2_clock_now_ns();
	TR2_EMIT(&call, signal, .signo.i = signo);
	tr2_session_end_ring(TR2_ARENA_SIGNALLED, signo, true);
}

/*
 * Return whether the kernel raised the signal for an instruction of the thread.
 * Such a signal occurs again when the handler returns, with the right address
 * in a core dump. Without SA_SIGINFO the kernel need not have passed a siginfo.
 */
static bool happens_again(const struct sigaction *now, const siginfo_t *info)
{
	return is_ours(now) && (now->sa_flags & SA_SIGINFO) &&
	       info->si_code > 0 &&
	       (info->si_signo == SIGSEGV || info->si_signo == SIGBUS ||
		info->si_signo == SIGILL || info->si_signo == SIGFPE);
}

/*
 * Record the first signal that ends the process. A signal of another thread
 * waits until that is done, since it would end the process earlier. A signal
 * that interrupts this function, in the same thread, does end the process. A
 * child in its parent's memory (vfork), or a child that has not noticed its
 * fork, leaves its parent's session alone.
 */
static void end_session(const char *file, int line, int signo)
{
	unsigned int sleeps = MAX_WAIT_NS / TR2_MOMENT_NS;
	uint64_t deadline_ns = tr2_clock_now_ns() + MAX_WAIT_NS;
	uintptr_t owner = 0, self = tr2_tls_thread();
	int expected = TR2_SESSION_ON;

	if (!tr2_inherit_is_made_here())
		return;
	if (!atomic_compare_exchange_strong(&tr2_signal_last.owner, &owner,
					    self)) {
		/* Count the waits: the host's clock may stand still. */
		while (owner != self && !tr2_signal_last.is_written &&
		       sleeps-- && tr2_clock_now_ns() < deadline_ns)
			tr2_let_others_run();
		return;
	}
	/* A forked child without events writes nothing. */
	if (atomic_compare_exchange_strong(&tr2_session.state, &expected,
					   TR2_SESSION_CLOSED)) {
		write_last_event(file, line, signo);
		__atomic_store_n(&trace2_enabled_, 0, __ATOMIC_SEQ_CST);
		tr2_fastpath_disable();
	}
	tr2_signal_last.is_written = true;
}

void tr2_signal_end(const char *file, int line, int signo)
{
	int saved_errno = errno, state;

	tr2_session_await_pause();
	state = tr2_session.state;
	/* CLOSED: another thread may have closed the session, and may still be
	 * writing its end. */
	if (state == TR2_SESSION_ON || state == TR2_SESSION_CLOSED)
		end_session(file, line, signo);
	errno = saved_errno;
}

static void on_signal(int signo, siginfo_t *info, void *context)
{
	int saved_errno = errno;
	struct sigaction now;

	(void)context;
	if (sigaction(signo, NULL, &now) || !is_up_to_us(&now)) {
		errno = saved_errno;
		return;
	}
	/* If tracing is off, behave as if this handler did not exist. */
	if (trace2_is_enabled())
		end_session(__FILE__, __LINE__, signo);
	reset_action(signo);
	errno = saved_errno;
	if (!happens_again(&now, info))
		tr2_raw_raise(signo);
}

/* Return whether the signal's default does not end the process. */
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
	if (sigaction(signo, NULL, &before) || before.sa_handler != SIG_DFL)
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
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i].name) == len &&
		    !strncasecmp(names[i].name, text, len))
			return names[i].signo;
	number = strtol(text, NULL, 10);
	return number > 0 && number <= MAX_SIGNO ? (int)number : 0;
}

/* Return whether this is the first process of a pid namespace: the kernel does
 * not deliver signals without a handler to this process. */
static bool is_first_process(void)
{
	return getpid() == 1;
}

void tr2_signal_install(const char *list)
{
	const char *name;
	size_t len;

	if (is_first_process())
		return;
	while (list && (name = tr2_split(&list, ", \t", &len)))
		install(signal_number(name, len));
}

/*
 * A destructor: remove the handlers before the code is unmapped, also in a
 * child that never closed its session.
 */
__attribute__((destructor)) void tr2_signal_restore(void)
{
	struct sigaction now;
	int signo;

	for (signo = 1; signo <= MAX_SIGNO; signo++)
		if (installed[signo] && !sigaction(signo, NULL, &now) &&
		    is_ours(&now))
			reset_action(signo);
}

void tr2_signal_after_fork(void)
{
	if (is_first_process())
		tr2_signal_restore();
}
