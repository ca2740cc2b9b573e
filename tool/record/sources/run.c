/* SPDX-License-Identifier: MIT */
/* Run one command, and handle signals during that time. */
#include "record/sources/run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/macros.h"
#include "common/procfs.h"
#include "record/kernel/syscalls.h"

static const int forwarded[] = { SIGHUP,  SIGINT,  SIGQUIT,
				 SIGTERM, SIGUSR1, SIGUSR2 };
static const int ending[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
static const int stopping[] = { SIGTSTP, SIGTTIN, SIGTTOU };

#define FIRST_INTERNAL 32
#define NR_INTERNAL 3

/* The signal state of the process before the first tr2_run_prepare(). Commands
 * start with this state. */
static struct {
	bool known;
	sigset_t mask;
	struct sigaction sigchld;
	bool ignored[NR_INTERNAL];
} before;

/*
 * A signal's disposition for the system call, for the signals that libc
 * reserves: sigaction() refuses these, and libc handles them from the first
 * thread on. A command that starts with such a signal ignored shall keep
 * ignoring it.
 */
struct kernel_sigaction {
	void (*handler)(int);
	unsigned long rest[15]; /* other members, whose order differs between
				 * architectures */
};

static void keep_ignored(void)
{
	struct kernel_sigaction old = { 0 };
	int i;

	for (i = 0; i < NR_INTERNAL; i++)
		before.ignored[i] =
			!syscall(SYS_rt_sigaction, FIRST_INTERNAL + i, NULL,
				 &old, _NSIG / 8) &&
			old.handler == SIG_IGN;
}

static void ignore_again(void)
{
	const struct kernel_sigaction ignore = { .handler = SIG_IGN };
	int i;

	for (i = 0; i < NR_INTERNAL; i++)
		if (before.ignored[i])
			syscall(SYS_rt_sigaction, FIRST_INTERNAL + i, &ignore,
				NULL, _NSIG / 8);
}

static bool is_in(const int *list, size_t nr, int signo)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (list[i] == signo)
			return true;
	return false;
}

/*
 * Did the command get the signal already? The terminal and the kernel signal
 * the whole foreground process group. The command is in this group unless it
 * left the group.
 */
static bool command_has_it(const struct tr2_run *run,
			   const struct signalfd_siginfo *info)
{
	return info->ssi_code == SI_KERNEL && getpgid(run->pid) == getpgrp();
}

static void forward(struct tr2_run *run, const struct signalfd_siginfo *info)
{
	/* The command is not reaped yet, so the pid is still its own. */
	if (run->pid && !run->ended && !command_has_it(run, info))
		kill(run->pid, (int)info->ssi_signo);
}

/* Stop the recorder as the signal would have, so that a shell sees the whole
 * job stopped. Return when it is continued. */
static void stop_here(int signo)
{
	sigset_t only, mask;

	sigemptyset(&only);
	sigaddset(&only, signo);
	raise(signo);
	sigprocmask(SIG_UNBLOCK, &only, &mask);
	sigprocmask(SIG_SETMASK, &mask, NULL);
}

/* Was the signal sent twice? timeout(1) sends a signal to the process, and at
 * once again to the process's group. */
static bool is_repeated(struct tr2_run *run,
			const struct signalfd_siginfo *info)
{
	pid_t by = info->ssi_code == SI_USER ? (pid_t)info->ssi_pid : 0;
	bool repeated = !run->pid && by && by == run->stopped_by;

	run->stopped_by = by;
	return repeated;
}

static void take_signal(struct tr2_run *run,
			const struct signalfd_siginfo *info)
{
	int signo = (int)info->ssi_signo;

	if (signo == SIGCHLD) {
		run->on_child(run->data);
		return;
	}
	forward(run, info);
	if (is_in(ending, ARRAY_SIZE(ending), signo))
		run->signo = signo;
	if (signo == SIGUSR1 && !run->pid && run->on_usr1)
		run->on_usr1(run->data);
	else if (is_in(stopping, ARRAY_SIZE(stopping), signo))
		stop_here(signo);
	else if (is_in(forwarded, ARRAY_SIZE(forwarded), signo) &&
		 (!run->pid || run->ended) && !is_repeated(run, info))
		run->on_stop(run->data);
}

static void signals_ready(struct tr2_source *source, uint32_t events)
{
	struct tr2_run *run = (struct tr2_run *)source;
	struct signalfd_siginfo info;

	(void)events;
	while (read(source->fd, &info, sizeof(info)) == sizeof(info))
		take_signal(run, &info);
}

static void fill_signals(sigset_t *set)
{
	size_t i;

	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	sigaddset(set, SIGCONT);
	for (i = 0; i < ARRAY_SIZE(forwarded); i++)
		sigaddset(set, forwarded[i]);
	for (i = 0; i < ARRAY_SIZE(stopping); i++)
		sigaddset(set, stopping[i]);
}

int tr2_run_prepare(struct tr2_run *run, struct tr2_loop *loop)
{
	struct sigaction dfl;
	sigset_t set;

	run->loop = loop;
	run->go_fd = run->error_fd = run->mark_fd = -1;
	getrlimit(RLIMIT_NOFILE, &run->files);
	run->signals.ready = signals_ready;
	fill_signals(&set);
	run->signals.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (run->signals.fd < 0)
		return -1;
	/* Block SIGPIPE and SIGXFSZ: writing to a closed pipe, or beyond a
	 * limit, then returns an errno. */
	sigaddset(&set, SIGPIPE);
	sigaddset(&set, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &set, before.known ? NULL : &before.mask);
	/* If SIGCHLD were ignored, children would disappear without a
	 * status. */
	memset(&dfl, 0, sizeof(dfl));
	dfl.sa_handler = SIG_DFL;
	sigaction(SIGCHLD, &dfl, before.known ? NULL : &before.sigchld);
	if (!before.known)
		keep_ignored();
	before.known = true;
	return tr2_loop_add(loop, &run->signals, EPOLLIN);
}

void tr2_run_release(struct tr2_run *run)
{
	if (run->signals.fd >= 0)
		tr2_loop_close(run->loop, &run->signals);
}

static int check_file(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno == ENOENT || errno == ENOTDIR ?
			       TR2_EXIT_NOT_FOUND :
			       TR2_EXIT_CANNOT_RUN;
	errno = S_ISDIR(st.st_mode) ? EISDIR : EACCES;
	return S_ISDIR(st.st_mode) || access(path, X_OK) ? TR2_EXIT_CANNOT_RUN :
							   0;
}

/* Check for a program in a directory of PATH: a file that is not executable is
 * remembered and skipped, as execvp() does; any other obstacle counts as
 * missing. */
static int check_in_path(const char *dir, size_t len, const char *name)
{
	struct stat st;
	char *file;
	int found;

	if (asprintf(&file, "%.*s%s%s", (int)len, dir, len ? "/" : "",
		     name) < 0)
		return 0;
	found = stat(file, &st) || S_ISDIR(st.st_mode) ? TR2_EXIT_NOT_FOUND :
							 check_file(file);
	free(file);
	return found;
}

int tr2_run_check(const char *name)
{
	const char *path = getenv("PATH"), *end;
	int result = TR2_EXIT_NOT_FOUND, found;

	if (strchr(name, '/'))
		return check_file(name);
	for (path = path ? path : "/bin:/usr/bin"; *name && path; path = end) {
		end = strchrnul(path, ':');
		found = check_in_path(path, (size_t)(end - path), name);
		if (!found)
			return 0;
		if (found == TR2_EXIT_CANNOT_RUN)
			result = found;
		end = *end ? end + 1 : NULL;
	}
	errno = result == TR2_EXIT_CANNOT_RUN ? EACCES : ENOENT;
	return result;
}

/* Run the child's part. It shares nothing with the recorder except two
 * pipes. */
static _Noreturn void be_child(const struct tr2_run *run, int go, int error,
			       char *const argv[], char *const envp[])
{
	char word;
	int err;
	ssize_t n;

	do
		n = read(go, &word, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(TR2_EXIT_CANNOT_RUN);
	setrlimit(RLIMIT_NOFILE, &run->files);
	sigaction(SIGCHLD, &before.sigchld, NULL);
	sigprocmask(SIG_SETMASK, &before.mask, NULL);
	ignore_again();
	tr2_syscalls_mark(run->mark_fd);
	execvpe(argv[0], argv, envp);
	err = errno;
	if (write(error, &err, sizeof(err)) < 0)
		_exit(TR2_EXIT_CANNOT_RUN);
	_exit(TR2_EXIT_CANNOT_RUN);
}

int tr2_run_start(struct tr2_run *run, char *const argv[], char *const envp[])
{
	int go[2], error[2], err;

	if (pipe2(go, O_CLOEXEC))
		return -1;
	if (pipe2(error, O_CLOEXEC)) {
		err = errno;
		close(go[0]);
		close(go[1]);
		errno = err;
		return -1;
	}
	/* Adopt orphans only from now on: orphans that sudo left do not belong
	 * to the command. */
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	run->pid = fork();
	if (!run->pid) {
		/* Close the writing end, or the child would keep its own pipe
		 * open and wait for ever. */
		close(go[1]);
		be_child(run, go[0], error[1], argv, envp);
	}
	err = errno;
	close(go[0]);
	close(error[1]);
	run->go_fd = go[1];
	run->error_fd = error[0];
	if (run->pid > 0)
		return 0;
	run->pid = 0;
	close(go[1]);
	close(error[0]);
	errno = err;
	return -1;
}

int tr2_run_go(struct tr2_run *run)
{
	int err = 0;
	ssize_t n;

	n = write(run->go_fd, "", 1);
	close(run->go_fd);
	do
		n = read(run->error_fd, &err, sizeof(err));
	while (n < 0 && errno == EINTR);
	close(run->error_fd);
	run->go_fd = run->error_fd = -1;
	if (n != (ssize_t)sizeof(err))
		return 0;
	errno = err;
	return -1;
}

static bool read_number(const char *text, const char *key, uint64_t *value)
{
	const char *at = strstr(text, key);

	return at && sscanf(at + strlen(key), "%" SCNu64, value) == 1;
}

/* Read the amounts that a process read and wrote. Return the size of the text
 * of /proc/PID/io, or 0. */
static size_t read_io(pid_t pid, struct tr2_io *io)
{
	char text[400];
	ssize_t n = tr2_procfs_read(pid, "io", text, sizeof(text) - 1);

	if (n <= 0)
		return 0;
	text[n] = '\0';
	io->known = true;
#define TR2_META_IO(key, field, name, unit) \
	io->known &= read_number(text, field ": ", &io->key);
#include "format/recording/meta.def"
	return io->known ? (size_t)n : 0;
}

static bool has_ended(const struct tr2_run *run)
{
	siginfo_t info = { .si_pid = 0 };

	return run->pid && !run->ended &&
	       !waitid(P_PID, (id_t)run->pid, &info,
		       WEXITED | WNOHANG | WNOWAIT) &&
	       info.si_pid;
}

static pid_t wait_for(pid_t pid, int *status, struct rusage *usage)
{
	pid_t found;

	do
		found = wait4(pid, status, WNOHANG, usage);
	while (found < 0 && errno == EINTR);
	return found;
}

/*
 * Reap the command. Its reads and writes are the increase of the recorder's own
 * numbers: the kernel adds a child's numbers to the parent's when the child is
 * reaped. An ordinary user cannot read the numbers of an ended process, since
 * the process has no memory left by which to check the owner. Between the two
 * texts, the recorder makes only one read, in order to read the first text:
 * subtract this read.
 */
static pid_t reap_with_io(struct tr2_run *run, int *status,
			  struct rusage *usage)
{
	struct tr2_io first = { 0 }, then = { 0 };
	size_t size = read_io(getpid(), &first);
	pid_t pid = wait_for(run->pid, status, usage);

	if (!size || !read_io(getpid(), &then))
		return pid;
#define TR2_META_IO(key, field, name, unit) run->io.key = then.key - first.key;
#include "format/recording/meta.def"
	run->io.read_bytes -= size;
	run->io.reads--;
	run->io.known = true;
	return pid;
}

pid_t tr2_run_reap(struct tr2_run *run, int *status, struct rusage *usage)
{
	bool ended = has_ended(run);
	pid_t pid = ended && !read_io(run->pid, &run->io) ?
			    reap_with_io(run, status, usage) :
			    wait_for(-1, status, usage);

	if (pid > 0 && pid == run->pid && !run->ended) {
		run->ended = true;
		run->status = *status;
		run->usage = *usage;
	}
	return pid;
}
