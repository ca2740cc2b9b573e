/* SPDX-License-Identifier: MIT */
/*
 * host-state - write the state of a program at its end, to compare a run with
 * tracing to a run without. $HOST_STATE names a file. host_state_watch() must
 * be called before the library is initialized: the file is then written after
 * the library's exit handlers. It contains open descriptors with their flags,
 * dispositions, mask and pending signals, children, the directory, the umask,
 * and the environment except GIT_* and TRACEPARENT. Forked children write
 * nothing, and neither does a process that does not run its exit handlers.
 */
#pragma once

#include "system.h"

/* Look at descriptors below this number; valgrind's own are above. */
#define HOST_STATE_FDS 1024

static char host_state_path[PATH_MAX];
static pid_t host_state_pid;

static void host_state_print_fds(FILE *f)
{
	int fd;

	for (fd = 0; fd < HOST_STATE_FDS; fd++) {
		int flags = fcntl(fd, F_GETFD), status = fcntl(fd, F_GETFL);

		if (flags >= 0 && fd != fileno(f))
			fprintf(f, "fd %d flags %x status %x\n", fd,
				(unsigned int)flags, (unsigned int)status);
	}
}

static const char *host_state_disposition(int signo)
{
	struct sigaction action;

	if (sigaction(signo, NULL, &action))
		return NULL;
	if (action.sa_flags & SA_SIGINFO)
		return "handled";
	if (action.sa_handler == SIG_IGN)
		return "ignored";
	return action.sa_handler == SIG_DFL ? NULL : "handled";
}

static void host_state_print_signals(FILE *f)
{
	sigset_t blocked, pending;
	int signo;

	sigprocmask(SIG_BLOCK, NULL, &blocked);
	sigpending(&pending);
	for (signo = 1; signo < NSIG; signo++) {
		const char *how = host_state_disposition(signo);

		if (how)
			fprintf(f, "signal %d %s\n", signo, how);
		if (sigismember(&blocked, signo) == 1)
			fprintf(f, "signal %d blocked\n", signo);
		if (sigismember(&pending, signo) == 1)
			fprintf(f, "signal %d pending\n", signo);
	}
}

static void host_state_print_rest(FILE *f)
{
	char cwd[PATH_MAX];
	mode_t mask = umask(0);
	siginfo_t info;
	char **v;

	umask(mask);
	fprintf(f, "umask %o\n", (unsigned int)mask);
	fprintf(f, "children %s\n",
		waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) ? "none" :
								       "some");
	fprintf(f, "directory %s\n", getcwd(cwd, sizeof(cwd)) ? cwd : "gone");
	for (v = environ; v && *v; v++)
		if (strncmp(*v, "GIT_", 4) != 0 &&
		    strncmp(*v, "TRACEPARENT=", 12) != 0)
			fprintf(f, "variable %s\n", *v);
}

/* Lift the limit of file sizes: the environment may be larger than the
 * limit. */
static void host_state_lift_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_FSIZE, &limit);
}

static void host_state_print(void)
{
	FILE *f;

	if (getpid() != host_state_pid)
		return;
	host_state_lift_limit();
	f = fopen(host_state_path, "we");
	if (!f)
		return;
	host_state_print_fds(f);
	host_state_print_signals(f);
	host_state_print_rest(f);
	fclose(f);
}

static inline void host_state_watch(void)
{
	const char *path = getenv("HOST_STATE");

	if (!path)
		return;
	snprintf(host_state_path, sizeof(host_state_path), "%s", path);
	unsetenv("HOST_STATE");
	host_state_pid = getpid();
	atexit(host_state_print);
	at_quick_exit(host_state_print);
}
