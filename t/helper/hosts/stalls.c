/* SPDX-License-Identifier: MIT */
/*
 * `stalls VERB`: a program whose reader does not read. VERB is one of
 *
 *	still-clock   the program's clock stands still
 *	signal        the program gets SIGTERM while the library blocks signals
 *	              and waits for the reader
 *
 * `stalls two-signals`: a signal ends the program in one thread, which stops
 * before it has written the signal's event. Then a signal comes to main. The
 * clock stands still.
 */
#include "trace2.h"
#include "../system.h"

#include <stdatomic.h>

#define TRACE_FD 9

TRACE2_COUNTER(counter, "stalls", "counter", 0);

/* INSTEAD: a function that replaces libc's, for the library, too. */
#define INSTEAD __attribute__((visibility("default")))

static bool stands_still;
static atomic_bool has_stopped;
static __thread bool is_to_stop;

/* Stop in this function: the library calls it for a write to a file of limited
 * size. */
INSTEAD int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
	while (is_to_stop) {
		atomic_store(&has_stopped, true);
		pause();
	}
	return syscall(SYS_rt_sigprocmask, how, set, before, NSIG / 8) ? errno :
									 0;
}

INSTEAD int clock_gettime(clockid_t id, struct timespec *t)
{
	if (!stands_still)
		return (int)syscall(SYS_clock_gettime, id, t);
	*t = (struct timespec){ .tv_sec = 1577836800 };
	return 0;
}

static void open_pipe(void)
{
	int ends[2];

	if (pipe(ends) || dup2(ends[1], TRACE_FD) != TRACE_FD)
		abort();
}

static void fill_pipe(void)
{
	static const char lines[4096];

	if (fcntl(TRACE_FD, F_SETFL, O_NONBLOCK))
		abort();
	while (write(TRACE_FD, lines, sizeof(lines)) > 0)
		;
	if (fcntl(TRACE_FD, F_SETFL, 0))
		abort();
}

static void begin(char **argv)
{
	trace2_initialize();
	trace2_cmd_start((const char **)argv);
	trace2_counter_add(counter, 1);
}

static char state_of_main(void)
{
	char path[64], text[512] = "";
	const char *end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)getpid());
	f = fopen(path, "r");
	if (!f || !fgets(text, sizeof(text), f))
		abort();
	fclose(f);
	end = strrchr(text, ')');
	return end ? end[2] : '?';
}

/* Send SIGTERM from a thread that blocks it, so that another thread takes it.
 * */
static void *end_it(void *arg)
{
	sigset_t term;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &term, NULL);
	while (state_of_main() != 'S')
		sched_yield();
	kill(getpid(), SIGTERM);
	return arg;
}

static void *end_in_thread(void *arg)
{
	is_to_stop = true;
	raise(SIGINT);
	return arg;
}

static int two_signals(char **argv)
{
	const struct rlimit limit = { 1u << 30, RLIM_INFINITY };
	pthread_t thread;

	stands_still = true;
	if (setrlimit(RLIMIT_FSIZE, &limit))
		abort();
	begin(argv);
	if (pthread_create(&thread, NULL, end_in_thread, NULL))
		abort();
	while (!atomic_load(&has_stopped))
		sched_yield();
	raise(SIGTERM);
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc == 2 && !strcmp(argv[1], "two-signals"))
		return two_signals(argv);
	open_pipe();
	if (argc == 2 && !strcmp(argv[1], "still-clock")) {
		stands_still = true;
		fill_pipe();
		begin(argv);
		trace2_cmd_exit(0);
		puts("alive");
		return 0;
	}
	if (argc != 2 || strcmp(argv[1], "signal")) {
		fputs("usage: stalls still-clock | signal | two-signals\n",
		      stderr);
		return 129;
	}
	begin(argv);
	fill_pipe();
	if (pthread_create(&thread, NULL, end_it, NULL))
		abort();
	trace2_flush();
	pause();
	return 0;
}
