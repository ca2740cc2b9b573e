/* SPDX-License-Identifier: MIT */
/*
 * `limits VERB`: a program under resource limits, and with descriptors that
 * change while the library uses them, or that accept no writes.
 */
#include "trace2.h"
#include "../host.h"
#include "../pseudo-terminal.h"

#define TRACE_FD 9
#define NR_EVENTS 5000
#define NR_WRITERS 8
#define NR_WRITER_EVENTS 4000

static char **arguments;

static void initialize(void)
{
	trace2_initialize();
	trace2_cmd_start(arguments);
}

static void say_often(void)
{
	int i;

	for (i = 0; i < NR_EVENTS; i++)
		trace2_data_intmax("limits", NULL, "nr", i);
}

static void place(int from, int to)
{
	if (from == to)
		return;
	if (dup2(from, to) != to)
		abort();
	close(from);
}

/* Move a descriptor away from the low numbers, which the library must get. */
static int away(int fd)
{
	int moved = fcntl(fd, F_DUPFD, 20);

	if (moved < 0)
		abort();
	close(fd);
	return moved;
}

/* Fill the buffer of the descriptor, and make the descriptor block again. */
static void fill(int fd)
{
	static const char zeros[4096];

	fcntl(fd, F_SETFL, O_NONBLOCK);
	while (write(fd, zeros, sizeof(zeros)) > 0)
		;
	fcntl(fd, F_SETFL, 0);
}

/* Send the library's warnings to a pipe without a reader, or to a full one. */
static void warn_on_a_pipe(int is_full)
{
	int ends[2];

	if (pipe(ends))
		abort();
	place(ends[1], STDERR_FILENO);
	if (is_full)
		fill(STDERR_FILENO);
	else
		close(ends[0]);
	initialize();
	puts("alive");
}

static void warn_dead(void)
{
	warn_on_a_pipe(0);
}

static void warn_full(void)
{
	warn_on_a_pipe(1);
}

/* A reading end, from which print_rest() prints the rest of the stream. */
static int rest_fd;

static void print_rest(void)
{
	static char sink[1 << 16];
	ssize_t n;

	while ((n = read(rest_fd, sink, sizeof(sink))) > 0)
		fwrite(sink, 1, (size_t)n, stdout);
}

/* Write a line that does not fit, so that it is cut. The next line must begin
 * on a new line. */
static void cut_line(void)
{
	static char big[30000], got[1 << 18];
	int ends[2];
	ssize_t n;

	if (pipe(ends))
		abort();
	rest_fd = away(ends[0]);
	place(ends[1], TRACE_FD);
	atexit(print_rest);
	initialize();
	memset(big, 'y', sizeof(big) - 1);
	for (n = 0; n < 4; n++)
		trace2_data_string("limits", NULL, "big", big);
	fcntl(rest_fd, F_SETFL, O_NONBLOCK);
	while ((n = read(rest_fd, got, sizeof(got))) > 0)
		fwrite(got, 1, (size_t)n, stdout);
	trace2_cmd_exit(0);
	exit(0);
}

/* Emit some events in a thread. The pipe of roomy_pipe() has room for all
 * events of all threads. */
static void *say_some(void *arg)
{
	int i;

	for (i = 0; i < NR_WRITER_EVENTS; i++)
		trace2_printf("nr %d", i);
	return arg;
}

static void roomy_pipe(void)
{
	int ends[2];

	if (pipe(ends) || fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) < 0)
		abort();
	rest_fd = away(ends[0]);
	place(ends[1], TRACE_FD);
	atexit(print_rest);
	initialize();
	host_in_threads(NR_WRITERS, say_some, NULL);
	fcntl(rest_fd, F_SETFL, O_NONBLOCK);
	trace2_cmd_exit(0);
	exit(0);
}

/* Fill descriptor 9, drain it, and end. */
static void stall(int reader, int then_block)
{
	static char sink[1 << 16];
	ssize_t n;

	/* Register print_rest() before the library's handler, so that it runs
	 * after the session has ended. */
	rest_fd = reader;
	atexit(print_rest);
	if (then_block)
		fcntl(TRACE_FD, F_SETFL, O_NONBLOCK);
	initialize();
	if (then_block)
		fcntl(TRACE_FD, F_SETFL, 0);
	say_often();
	fcntl(reader, F_SETFL, O_NONBLOCK);
	while ((n = read(reader, sink, sizeof(sink))) > 0)
		;
	trace2_cmd_exit(0);
	exit(0);
}

static void stall_socket(int type)
{
	int ends[2];

	if (socketpair(AF_UNIX, type, 0, ends))
		abort();
	ends[0] = away(ends[0]);
	place(ends[1], TRACE_FD);
	stall(ends[0], 0);
}

static void stalled_stream(void)
{
	stall_socket(SOCK_STREAM);
}

static void stalled_datagrams(void)
{
	stall_socket(SOCK_DGRAM);
}

static void stall_pipe(int then_block)
{
	int ends[2];

	if (pipe(ends))
		abort();
	ends[0] = away(ends[0]);
	place(ends[1], TRACE_FD);
	stall(ends[0], then_block);
}

static void stalled_pipe(void)
{
	stall_pipe(0);
}

static void blocking_again(void)
{
	stall_pipe(1);
}

static void stalled_terminal(void)
{
	int slave, master = pseudo_terminal_open(0, &slave);

	master = away(master);
	place(slave, TRACE_FD);
	stall(master, 0);
}

/* Close all descriptors and open new ones, as a daemon does. */
static void close_all(void)
{
	char name[32];
	int i;

	initialize();
	for (i = 3; i < 1024; i++)
		close(i);
	for (i = 0; i < 150; i++) {
		snprintf(name, sizeof(name), "host.%d", i);
		if (open(name, O_CREAT | O_WRONLY, 0666) < 0)
			abort();
	}
	say_often();
}

static void *count(void *arg)
{
	trace2_counter_add(TRACE2_COUNTER_ID_TEST1, 1);
	return arg;
}

/* Do the same as close_all(), but let files of the host use all numbers for at
 * least a second. */
static void close_all_and_take(void)
{
	time_t start;
	int i;

	initialize();
	say_often();
	for (i = 3; i < 1024; i++)
		close(i);
	if (open("host", O_CREAT | O_WRONLY, 0666) != 3)
		abort();
	for (i = 4; i < 1024; i++)
		dup2(3, i);
	for (start = time(NULL); time(NULL) == start;)
		poll(NULL, 0, 1);
	say_often();
	/* Start a new thread, for which a ring's file would have to grow. */
	host_in_thread(count, NULL);
}

static void print_error(void)
{
	initialize();
	fputs("of the host\n", stderr);
	say_often();
}

static void no_descriptor_left(void)
{
	struct rlimit limit = { 3, 3 };

	close(STDERR_FILENO);
	setrlimit(RLIMIT_NOFILE, &limit);
	print_error();
}

static void one_descriptor_left(void)
{
	struct rlimit limit = { 20, 20 };
	int fd, last = -1;

	setrlimit(RLIMIT_NOFILE, &limit);
	while ((fd = dup(STDIN_FILENO)) >= 0)
		last = fd;
	close(last);
	initialize();
	if (open("/dev/null", O_RDONLY | O_CLOEXEC) < 0)
		abort();
}

static void little_memory(void)
{
	struct rlimit limit = { 60 << 20, 60 << 20 };
	pthread_attr_t attr;
	pthread_t thread;
	int i;

	setrlimit(RLIMIT_AS, &limit);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 1 << 16);
	initialize();
	for (i = 0; i < 10; i++) {
		if (pthread_create(&thread, &attr, count, NULL))
			abort();
		pthread_join(thread, NULL);
	}
	trace2_counter_add(TRACE2_COUNTER_ID_TEST1, 100);
}

TRACE2_TIMER(work, "test", "work", TRACE2_HISTOGRAM);
TRACE2_DISTRIBUTION(sizes, "test", "sizes", "bytes");
TRACE2_GAUGE(depth, "test", "depth", "");

static void no_memory_at_end(void)
{
	struct rlimit limit = { 1, 1 };

	initialize();
	trace2_counter_add(TRACE2_COUNTER_ID_TEST1, 100);
	trace2_timer_start(work);
	trace2_timer_stop(work);
	trace2_distribution_add(sizes, 5);
	trace2_gauge_set(depth, 5);
	setrlimit(RLIMIT_AS, &limit);
	trace2_flush();
}

static void *leave(void *arg)
{
	trace2_thread_exit();
	return arg;
}

/* Fork in a thread that has emitted nothing, so that main of the child finds no
 * memory. */
static void *fork_without_memory(void *arg)
{
	struct rlimit before, limit;
	int status;
	pid_t pid;

	getrlimit(RLIMIT_AS, &before);
	limit = before;
	limit.rlim_cur = 1;
	setrlimit(RLIMIT_AS, &limit);
	pid = fork();
	setrlimit(RLIMIT_AS, &before);
	if (!pid) {
		host_in_thread(leave, NULL);
		exit(7);
	}
	if (waitpid(pid, &status, 0) == pid)
		printf("child: %s %d\n", WIFEXITED(status) ? "exit" : "signal",
		       WIFEXITED(status) ? WEXITSTATUS(status) :
					   WTERMSIG(status));
	return arg;
}

static void no_main(void)
{
	initialize();
	host_in_thread(fork_without_memory, NULL);
}

/* Forbid reads of the processor's counter: libc's clock_gettime(), which reads
 * the counter, would then fail, too. */
static void no_counter(void)
{
#ifdef PR_SET_TSC
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
#endif
	initialize();
	say_often();
	trace2_timer_start(TRACE2_TIMER_ID_TEST1);
	trace2_timer_stop(TRACE2_TIMER_ID_TEST1);
}

static const struct host_verb verbs[] = {
	{ "warn-dead", warn_dead },
	{ "warn-full", warn_full },
	{ "stalled-pipe", stalled_pipe },
	{ "blocking-again", blocking_again },
	{ "stalled-stream", stalled_stream },
	{ "stalled-datagrams", stalled_datagrams },
	{ "stalled-terminal", stalled_terminal },
	{ "cut-line", cut_line },
	{ "roomy-pipe", roomy_pipe },
	{ "close-all", close_all },
	{ "close-all-and-take", close_all_and_take },
	{ "no-descriptor-left", no_descriptor_left },
	{ "one-descriptor-left", one_descriptor_left },
	{ "little-memory", little_memory },
	{ "no-memory-at-end", no_memory_at_end },
	{ "no-main", no_main },
	{ "no-counter", no_counter },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	arguments = argv;
	host_verb(verbs, argc, argv)->run();
	return 0;
}
