/* SPDX-License-Identifier: MIT */
/*
 * signals - names of signals, see signals.h. The table is our own since not
 * every C library has one.
 */
#include <signal.h>

#include "base/buf.h"
#include "base/macros.h"
#include "common/signals.h"

const char *tr2_signal_name(int signo)
{
	static const char *const names[] = {
		[SIGHUP] = "HUP",   [SIGINT] = "INT",   [SIGQUIT] = "QUIT",
		[SIGILL] = "ILL",   [SIGTRAP] = "TRAP", [SIGABRT] = "ABRT",
		[SIGBUS] = "BUS",   [SIGFPE] = "FPE",   [SIGKILL] = "KILL",
		[SIGUSR1] = "USR1", [SIGSEGV] = "SEGV", [SIGUSR2] = "USR2",
		[SIGPIPE] = "PIPE", [SIGALRM] = "ALRM", [SIGTERM] = "TERM",
		[SIGCHLD] = "CHLD", [SIGCONT] = "CONT", [SIGSTOP] = "STOP",
		[SIGTSTP] = "TSTP", [SIGTTIN] = "TTIN", [SIGTTOU] = "TTOU",
		[SIGURG] = "URG",   [SIGXCPU] = "XCPU", [SIGXFSZ] = "XFSZ",
		[SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF",
		[SIGWINCH] = "WINCH", [SIGIO] = "IO",   [SIGSYS] = "SYS",
#ifdef SIGSTKFLT
		[SIGSTKFLT] = "STKFLT",
#endif
#ifdef SIGPWR
		[SIGPWR] = "PWR",
#endif
	};

	return signo > 0 && (size_t)signo < ARRAY_SIZE(names) ?
		       names[signo] : NULL;
}

void tr2_signal_add(struct tr2_buf *out, int signo)
{
	const char *name = tr2_signal_name(signo);

	tr2_buf_addlit(out, "SIG");
	if (name)
		tr2_buf_addstr(out, name);
	else
		tr2_buf_add_i64(out, signo);
}
