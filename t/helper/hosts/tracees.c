// SPDX-License-Identifier: MIT
/*
 * tracees - programs that a tracer may disturb, by the first argument:
 *
 *	threads N       begin and join N threads, 20 at a time; exit with 5
 *	exec            a thread, one of five, executes a shell that exits with 6
 *	vfork           print how five shells ended, one after another
 *	forks           each of 8 threads forks 20 processes: every other one
 *			executes true, the others exit with 3
 *	signals N       take N signals, and print how many there were
 *	daemon          leave the session and end; the rest executes sleep
 *	tracer          exit with 0 if a child may be traced
 */
#include "../host.h"

#include <sys/ptrace.h>

static volatile sig_atomic_t taken;

static void take(int signo)
{
	(void)signo;
	taken++;
}

static void *nothing(void *arg)
{
	return arg;
}

static void *sleeper(void *arg)
{
	pause();
	return arg;
}

static void *executor(void *arg)
{
	execl("/bin/sh", "sh", "-c", "exit 6", (char *)NULL);
	return arg;
}

static void *forker(void *arg)
{
	int i, status;
	pid_t pid;

	for (i = 0; i < 20; i++) {
		pid = fork();
		if (!pid && i % 2)
			_exit(3);
		if (!pid)
			execlp("true", "true", (char *)NULL);
		waitpid(pid, &status, 0);
	}
	return arg;
}

static int threads(int nr)
{
	for (; nr > 0; nr -= 20)
		host_in_threads(20, nothing, NULL);
	return 5;
}

static int exec_in_thread(void)
{
	pthread_t thread;
	int i;

	for (i = 0; i < 4; i++)
		pthread_create(&thread, NULL, sleeper, NULL);
	pthread_create(&thread, NULL, executor, NULL);
	pause();
	return 9;
}

static int vforks(void)
{
	int i, status;
	pid_t pid;

	for (i = 0; i < 5; i++) {
		pid = vfork();
		if (!pid) {
			execl("/bin/sh", "sh", "-c", "exit 4", (char *)NULL);
			_exit(9);
		}
		waitpid(pid, &status, 0);
		printf("%d\n", WEXITSTATUS(status));
	}
	return 0;
}

static int signals(int nr)
{
	struct sigaction action = { .sa_handler = take };

	sigaction(SIGUSR1, &action, NULL);
	while (nr-- > 0)
		raise(SIGUSR1);
	printf("%d\n", (int)taken);
	return 0;
}

static int leave(void)
{
	if (daemon(1, 0))
		return 9;
	execlp("sleep", "sleep", "0.1", (char *)NULL);
	return 9;
}

/* Call ptrace by its number: trace2 takes a program that needs the symbol
 * ptrace for a debugger, and does not trace it. */
static int trace(void)
{
	pid_t pid = fork();
	bool may;

	if (!pid)
		pause();
	may = pid > 0 && !syscall(SYS_ptrace, PTRACE_SEIZE, pid, NULL, NULL);
	if (pid > 0)
		kill(pid, SIGKILL);
	return !may;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int nr = argc > 2 ? atoi(argv[2]) : 0;

	if (!strcmp(what, "threads"))
		return threads(nr);
	if (!strcmp(what, "exec"))
		return exec_in_thread();
	if (!strcmp(what, "vfork"))
		return vforks();
	if (!strcmp(what, "signals"))
		return signals(nr);
	if (!strcmp(what, "daemon"))
		return leave();
	if (!strcmp(what, "tracer"))
		return trace();
	if (!strcmp(what, "forks"))
		host_in_threads(8, forker, NULL);
	return 0;
}
