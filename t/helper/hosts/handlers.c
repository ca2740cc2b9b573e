/* SPDX-License-Identifier: MIT */
/*
 * `handlers VERB`: a program whose signal handlers and cancelled threads leave
 * the library at any place.
 */
#include "trace2.h"
#include "../host.h"

#include <setjmp.h>

#define NR_JUMPS 300
#define NR_JUMPS_OFTEN (host_is_long() ? 3000 : 500)
#define NR_STARTS 100
#define NR_CANCELLED (host_is_long() ? 4000 : 600)
#define NR_SAMPLED 300000
#define NR_SAMPLERS 3

TRACE2_COUNTER(sampled, "handlers", "sampled", 0);

static void say(const char *text)
{
	trace2_data_string("handlers", NULL, "who", text);
}

static void on_signal(int signo, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };

	sigaction(signo, &action, NULL);
}

static void mask(int how, int signo)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signo);
	pthread_sigmask(how, &set, NULL);
}

static void alarm_each(long us)
{
	struct itimerval each = { { 0, us }, { 0, us } };

	setitimer(ITIMER_REAL, &each, NULL);
}

/* A handler that only counts, and calls the previous handler. */
static struct sigaction before;
static volatile sig_atomic_t nr_handled;

static void chain(int signo, siginfo_t *info, void *context)
{
	nr_handled++;
	if (before.sa_flags & SA_SIGINFO)
		before.sa_sigaction(signo, info, context);
	else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
		before.sa_handler(signo);
}

static void chained(void)
{
	struct sigaction ours = { .sa_sigaction = chain,
				  .sa_flags = SA_SIGINFO };

	sigaction(SIGPIPE, &ours, &before);
	raise(SIGPIPE);
	raise(SIGPIPE);
	say("after");
	printf("handled %d\n", (int)nr_handled);
}

static void count_handled(int signo)
{
	nr_handled++;
}

static int reader;

/* Keep a reader for descriptor 9, until `reader` is closed. */
static void prepare_reader(void)
{
	int ends[2];

	if (pipe(ends) || (reader = fcntl(ends[0], F_DUPFD, 20)) < 0)
		abort();
	close(ends[0]);
	if (ends[1] == 9)
		return;
	dup2(ends[1], 9);
	close(ends[1]);
}

/* Write lines to a closed pipe while SIGPIPE is pending for the thread or the
 * process. Then print how often SIGPIPE is handled: as often as it was sent. */
static void pending(int of_thread, int of_process)
{
	mask(SIG_BLOCK, SIGPIPE);
	on_signal(SIGPIPE, count_handled);
	if (of_thread)
		raise(SIGPIPE);
	if (of_process)
		kill(getpid(), SIGPIPE);
	close(reader);
	say("to nobody");
	say("to nobody");
	mask(SIG_UNBLOCK, SIGPIPE);
	printf("handled %d\n", (int)nr_handled);
}

static void pending_none(void)
{
	return pending(0, 0);
}

static void pending_thread(void)
{
	return pending(1, 0);
}

static void pending_process(void)
{
	return pending(0, 1);
}

static void pending_both(void)
{
	return pending(1, 1);
}

static void *count_and_die(void *arg)
{
	trace2_counter_add(TRACE2_COUNTER_ID_TEST1, 1);
	raise(SIGPIPE);
	return arg;
}

/* Die by a signal in a thread that has no events in the stream. */
static void dies_in_thread(void)
{
	host_in_thread(count_and_die, NULL);
}

static void child_ends(void)
{
	if (!fork())
		_exit(0);
	wait(NULL);
	raise(SIGCHLD);
	raise(SIGWINCH);
	say("after");
}

/* Jump out of the library at any place, in several threads, and call the
 * library again. */
static sigjmp_buf back;
static volatile sig_atomic_t armed, nr_jumps;

static void jump(int signo)
{
	if (!armed)
		return;
	armed = 0;
	nr_jumps++;
	siglongjmp(back, 1);
}

static void *say_in_thread(void *text)
{
	say(text);
	trace2_counter_add(TRACE2_COUNTER_ID_TEST1, 1);
	return NULL;
}

static void jump_out_of_calls(int times, const char *text)
{
	on_signal(SIGALRM, jump);
	alarm_each(300);
	while (nr_jumps < times) {
		if (!sigsetjmp(back, 1)) {
			armed = 1;
			for (;;)
				say(text);
		}
	}
	alarm_each(0);
	say("after");
}

static void jumps_often(void)
{
	jump_out_of_calls(NR_JUMPS_OFTEN, "in a loop");
}

/* Jump out of writes that wait: a few lines of 20,000 bytes fill a pipe. The
 * test lets strace send SIGALRM at each wait. */
static void jumps_out_of_waiting(void)
{
	static char big[20000];
	volatile int i;

	memset(big, 'y', sizeof(big) - 1);
	on_signal(SIGALRM, jump);
	for (i = 0; i < NR_JUMPS; i++) {
		if (!sigsetjmp(back, 1)) {
			armed = 1;
			say(big);
		}
	}
	mask(SIG_BLOCK, SIGALRM);
	printf("jumped %d times\n", (int)nr_jumps);
}

static void jumps(void)
{
	jump_out_of_calls(NR_JUMPS, "in a loop");
	host_in_thread(say_in_thread, (void *)"thread");
}

/* Jump out of trace2_initialize() after `us` microseconds: the call is too long
 * to stop after each of its instructions. */
static int initializes(long us)
{
	struct itimerval once = { { 0, 0 }, { 0, us } };
	int state;

	on_signal(SIGALRM, jump);
	if (!sigsetjmp(back, 1)) {
		armed = 1;
		setitimer(ITIMER_REAL, &once, NULL);
		trace2_initialize();
		for (;;)
			say("in a loop");
	}
	free(malloc(100000));
	trace2_initialize();
	say("after");
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
	return state != PTHREAD_CANCEL_ENABLE;
}

static void jumps_out_of_the_start(void)
{
	int i, status;
	pid_t pid;

	for (i = 0; i < NR_STARTS; i++) {
		pid = fork();
		if (!pid)
			exit(initializes(1 + i * 20));
		if (waitpid(pid, &status, 0) != pid || status)
			exit(1);
	}
}

static __thread sigjmp_buf thread_back;
static __thread volatile sig_atomic_t thread_armed;

static void jump_in_thread(int signo)
{
	if (!thread_armed)
		return;
	thread_armed = 0;
	siglongjmp(thread_back, 1);
}

static void *start_and_exit(void *arg)
{
	int i;

	if (!sigsetjmp(thread_back, 1)) {
		thread_armed = 1;
		for (i = 0; i < 3; i++) {
			trace2_thread_start("jumper");
			trace2_counter_add(TRACE2_COUNTER_ID_TEST1, 1);
			trace2_thread_exit();
		}
	}
	thread_armed = 0;
	return arg;
}

static void spin(int rounds)
{
	volatile int i;

	for (i = 0; i < rounds; i++)
		;
}

/* Jump out of threads that begin and end, and hold the library's lock. */
static void jumps_in_threads(void)
{
	pthread_t thread;
	int i;

	on_signal(SIGUSR1, jump_in_thread);
	for (i = 0; i < 1000; i++) {
		thread = host_start(start_and_exit, NULL);
		spin(i * 37 % 30000);
		pthread_kill(thread, SIGUSR1);
		pthread_join(thread, NULL);
	}
}

static void *count_for_ever(void *arg)
{
	int type;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
	for (;;)
		trace2_counter_add(TRACE2_COUNTER_ID_TEST1, 1);
	return arg;
}

static void cancels(void)
{
	pthread_t thread;
	int i;

	for (i = 0; i < NR_CANCELLED; i++) {
		thread = host_start(count_for_ever, NULL);
		spin(i * 37 % 20000);
		pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
}

/* Let the handler of a signal end its thread during a write of the library,
 * while other threads write. t/helper/modules/bare-inject.c raises the signal
 * during the write. */
static __thread volatile sig_atomic_t may_end;

static void end_inside(int signo)
{
	if (may_end)
		pthread_exit(NULL);
}

static void *say_and_end(void *arg)
{
	may_end = 1;
	say("in a thread");
	return arg;
}

static void ends_in_a_write(void)
{
	int i;

	for (i = 0; i < 20; i++) {
		host_in_thread(say_and_end, NULL);
		say("after");
	}
}

/* Call exit() in a handler while a line waits for the reader of descriptor
 * 9. */
static int pipe_ends[2];

static void drain(void)
{
	static char sink[1 << 16];
	ssize_t n;

	while ((n = read(pipe_ends[0], sink, sizeof(sink))) > 0)
		if (write(STDOUT_FILENO, sink, (size_t)n) != n)
			_exit(1);
}

static void drain_and_exit(int signo)
{
	drain();
	exit(5);
}

static void exits_in_a_line(void)
{
	static char big[200000];

	memset(big, 'y', sizeof(big) - 1);
	trace2_counter_add(TRACE2_COUNTER_ID_TEST1, 3);
	on_signal(SIGALRM, drain_and_exit);
	alarm_each(5000);
	while (!nr_handled)
		say(big);
}

static void prepare_pipe(void)
{
	if (pipe2(pipe_ends, O_NONBLOCK) ||
	    (pipe_ends[0] = fcntl(pipe_ends[0], F_DUPFD, 20)) < 0 ||
	    dup2(pipe_ends[1], 9) != 9)
		abort();
	atexit(drain);
}

/* A handler that increments the counter that is being sampled. */
static void count_in_handler(int signo)
{
	trace2_counter_add(sampled, 1);
	say("in a handler");
	__atomic_fetch_add(&nr_handled, 1, __ATOMIC_RELAXED);
}

static void *count_sampled(void *arg)
{
	int i;

	for (i = 0; i < NR_SAMPLED; i++)
		trace2_counter_add(sampled, 1);
	return arg;
}

static void samples_in_a_storm(void)
{
	pthread_t thread[NR_SAMPLERS];
	int i;

	on_signal(SIGALRM, count_in_handler);
	alarm_each(100);
	for (i = 0; i < NR_SAMPLERS; i++)
		pthread_create(&thread[i], NULL, count_sampled, NULL);
	count_sampled(NULL);
	mask(SIG_BLOCK, SIGALRM);
	for (i = 0; i < NR_SAMPLERS; i++)
		pthread_join(thread[i], NULL);
	alarm_each(0);
	printf("handled %d, counted %d\n", (int)nr_handled,
	       (NR_SAMPLERS + 1) * NR_SAMPLED + (int)nr_handled);
}

/* A page that a handler makes readable at the first read. */
static char *lazy_page;
static size_t page_bytes;

static void provide_page(int signo, siginfo_t *info, void *context)
{
	if ((char *)info->si_addr < lazy_page ||
	    (char *)info->si_addr >= lazy_page + page_bytes)
		_exit(1);
	nr_handled++;
	mprotect(lazy_page, page_bytes, PROT_READ);
}

static const char *lazily(const char *text)
{
	mprotect(lazy_page, page_bytes, PROT_READ | PROT_WRITE);
	snprintf(lazy_page, page_bytes, "%s", text);
	mprotect(lazy_page, page_bytes, PROT_NONE);
	return lazy_page;
}

static void *wait_for_the_end(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* Start another thread first: with one thread, the library takes no lock. */
static void reads_lazily(void)
{
	struct sigaction action = { .sa_sigaction = provide_page,
				    .sa_flags = SA_SIGINFO };

	host_start(wait_for_the_end, NULL);
	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	lazy_page = mmap(NULL, page_bytes, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (lazy_page == MAP_FAILED)
		abort();
	sigaction(SIGSEGV, &action, NULL);
	trace2_cmd_mode(lazily("mode"));
	trace2_cmd_path(lazily("/path"));
	trace2_cmd_name(lazily("name"));
	say(lazily("after"));
	if (nr_handled != 4)
		exit(1);
}

static void provide_heap(int signo, siginfo_t *info, void *context)
{
	uintptr_t page = (uintptr_t)info->si_addr & ~(page_bytes - 1);

	nr_handled++;
	if (mprotect((void *)page, page_bytes, PROT_READ | PROT_WRITE))
		_exit(1);
}

/* Notice each page of the heap that is written to, as garbage collectors do,
 * while a forked child opens its session. */
static void guards_heap(void)
{
	struct sigaction action = { .sa_sigaction = provide_heap,
				    .sa_flags = SA_SIGINFO };
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long begin, end;
	char line[512];
	int status = 0;
	pid_t pid;

	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	sigaction(SIGSEGV, &action, NULL);
	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "[heap]") &&
		    sscanf(line, "%lx-%lx", &begin, &end) == 2)
			mprotect((void *)begin, end - begin, PROT_READ);
	pid = fork();
	if (!pid) {
		say("child");
		exit(0);
	}
	waitpid(pid, &status, 0);
	say(status || !nr_handled ? "died" : "after");
}

static const struct host_verb verbs[] = {
	{ "chained", chained },
	{ "pending-none", pending_none },
	{ "pending-thread", pending_thread },
	{ "pending-process", pending_process },
	{ "pending-both", pending_both },
	{ "dies-in-thread", dies_in_thread },
	{ "child-ends", child_ends },
	{ "jumps", jumps },
	{ "jumps-often", jumps_often },
	{ "jumps-out-of-waiting", jumps_out_of_waiting },
	{ "jumps-in-threads", jumps_in_threads },
	{ "cancels", cancels },
	{ "exits-in-a-line", exits_in_a_line },
	{ "ends-in-a-write", ends_in_a_write },
	{ "reads-lazily", reads_lazily },
	{ "guards-heap", guards_heap },
	{ "samples-in-a-storm", samples_in_a_storm },
	{ "jumps-out-of-the-start", jumps_out_of_the_start },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	void (*run)(void) = host_verb(verbs, argc, argv)->run;

	if (run == exits_in_a_line)
		prepare_pipe();
	if (!strncmp(argv[1], "pending-", 8))
		prepare_reader();
	/* Install the handler early: the signal comes with the first write. */
	if (run == ends_in_a_write)
		on_signal(SIGUSR1, end_inside);
	if (run != jumps_out_of_the_start) {
		trace2_initialize();
		trace2_cmd_start(argv);
	}
	run();
}
