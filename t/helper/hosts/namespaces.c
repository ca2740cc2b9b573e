/* SPDX-License-Identifier: MIT */
/*
 * `namespaces HOW MS`: a program that begins another time namespace, in which
 * the monotonic clock is MS milliseconds ahead, or back if MS is negative:
 *
 *	fork		in a child
 *	bare-fork	in a child of a fork that runs no handlers
 *	resume		in a child that goes on in its parent's session
 *	enter		in the process itself
 *
 * With the prefix kernel- the library may not read the processor's counter.
 *
 * If there is one session, a region and a timer last from before the change
 * until after it. Others last 0.1 s after it. Code 77: namespaces are
 * forbidden.
 */
#include "trace2.h"
#include "../system.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif

TRACE2_TIMER(timed, "namespaces", "timed", 0);

static void rest(void)
{
	const struct timespec a_while = { 0, 100000000 };

	nanosleep(&a_while, NULL);
}

/* Open the file of /proc first: after unshare() it would be another one. */
static void make_namespace(const char *text_ms)
{
	long ms = strtol(text_ms, NULL, 10), part = (ms % 1000 + 1000) % 1000;
	int fd = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC), len;
	char text[64];

	len = snprintf(text, sizeof(text), "monotonic %ld %ld\n",
		       (ms - part) / 1000, part * 1000000);
	if (fd < 0 || unshare(CLONE_NEWTIME) ||
	    write(fd, text, (size_t)len) != len)
		_exit(77);
	close(fd);
}

static void enter_namespace(const char *ms)
{
	int fd;

	make_namespace(ms);
	fd = open("/proc/self/ns/time_for_children", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWTIME))
		_exit(77);
	close(fd);
}

static void work(const char *name)
{
	trace2_span_t span =
		trace2_span_start("namespaces", name, TRACE2_SPAN_NONE);

	trace2_region_enter("namespaces", name, NULL);
	trace2_timer_start(timed);
	rest();
	trace2_timer_stop(timed);
	trace2_region_leave("namespaces", name, NULL);
	trace2_span_end(span);
}

static pid_t fork_as(const char *how)
{
	if (!strcmp(how, "bare-fork"))
		return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	return fork();
}

static int run_child(const char *how)
{
	if (!strcmp(how, "resume"))
		trace2_session_resume();
	work("behind");
	trace2_region_leave("namespaces", "around", NULL);
	return trace2_cmd_exit(0);
}

static const char *without_prefix(const char *how)
{
	if (strncmp(how, "kernel-", 7))
		return how;
#ifdef PR_SET_TSC
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
#endif
	return how + 7;
}

int main(int argc, char **argv)
{
	const char *how;
	int status;
	pid_t pid;

	if (argc != 3)
		return 129;
	how = without_prefix(argv[1]);
	trace2_initialize();
	trace2_cmd_start(argv);
	work("before");
	trace2_region_enter("namespaces", "around", NULL);
	trace2_timer_start(timed);
	if (!strcmp(how, "enter")) {
		enter_namespace(argv[2]);
		trace2_timer_stop(timed);
		return run_child(how);
	}
	make_namespace(argv[2]);
	pid = fork_as(how);
	if (!pid)
		exit(run_child(how));
	if (waitpid(pid, &status, 0) != pid || status)
		return 1;
	if (!strcmp(how, "resume"))
		_exit(0);
	trace2_timer_stop(timed);
	trace2_region_leave("namespaces", "around", NULL);
	return trace2_cmd_exit(0);
}
