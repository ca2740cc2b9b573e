/* SPDX-License-Identifier: MIT */
/*
 * `forks VERB`: a program that forks in unusual ways. It waits for its
 * children, and fails if one fails.
 */
#include "trace2.h"
#include "../host.h"

#include <linux/kcmp.h>
#include <semaphore.h>
#include <stdatomic.h>

#define NR_THREADS 4

static int failed;

static void wait_for_children(void)
{
	int status;

	while (wait(&status) > 0)
		failed |= status;
}

static void *say(void *text)
{
	trace2_data_string("forks", NULL, "who", text);
	return NULL;
}

static void *count(void *arg)
{
	trace2_counter_add(TRACE2_COUNTER_ID_TEST1, 7);
	return arg;
}

/*
 * In the child, let another thread than the forking one emit the first event.
 */
static void other_thread_first(void)
{
	if (!fork()) {
		host_in_thread(say, (void *)"thread");
		say((void *)"main");
		exit(0);
	}
}

static pthread_barrier_t barrier;

static void *say_together(void *text)
{
	pthread_barrier_wait(&barrier);
	return say(text);
}

static void threads_at_once(void)
{
	if (fork())
		return;
	pthread_barrier_init(&barrier, NULL, NR_THREADS);
	host_in_threads(NR_THREADS, say_together, (void *)"together");
	exit(0);
}

static int waits_for_name; /* true: the next thread in gethostname() waits
			    * there */
static int wakes_urgent; /* true: the next thread in gethostname() wakes the
			  * urgent thread */
static sem_t urgent_is_ready, urgent_is_due;

/* Replace libc's function, which the library calls to open a child's
 * session. */
__attribute__((visibility("default"))) int gethostname(char *name,
						       size_t size_bytes)
{
	snprintf(name, size_bytes, "host");
	if (waits_for_name) {
		waits_for_name = 0;
		pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);
	}
	if (wakes_urgent) {
		wakes_urgent = 0;
		sem_post(&urgent_is_due);
	}
	return 0;
}

static void be_urgent(void)
{
	const struct sched_param param = { .sched_priority = 1 };

	if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &param))
		exit(77);
}

static void stay_on_one_cpu(void)
{
	cpu_set_t cpus;
	int cpu = sched_getcpu();

	CPU_ZERO(&cpus);
	CPU_SET(cpu < 0 ? 0 : cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		exit(77);
}

/* Abort if `call` used 0.5 s of CPU time: it must sleep, not spin. The kernel
 * lets other threads run only after this thread has run for 0.95 s. */
static void check_urgent(void (*call)(void))
{
	struct timespec used;

	while (sem_wait(&urgent_is_due))
		;
	call();
	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) || used.tv_sec ||
	    used.tv_nsec > 500000000)
		abort();
}

static void say_urgently(void)
{
	say((void *)"urgent");
}

static void ask_urgently(void)
{
	if (!*trace2_session_id())
		abort();
}

static void *run_urgent(void *call)
{
	be_urgent();
	sem_post(&urgent_is_ready);
	check_urgent(*(void (**)(void))call);
	return NULL;
}

/* Run `call` in a thread of real-time priority, on the CPU of the thread for
 * which the call waits. The call must sleep. */
static void urgent_thread(void (*first)(void), void (*call)(void))
{
	pthread_t thread;

	stay_on_one_cpu();
	sem_init(&urgent_is_ready, 0, 0);
	sem_init(&urgent_is_due, 0, 0);
	thread = host_start(run_urgent, &call);
	while (sem_wait(&urgent_is_ready))
		;
	wakes_urgent = 1;
	first();
	pthread_join(thread, NULL);
}

static void say_usually(void)
{
	say((void *)"usual");
}

static void may_be_urgent(void)
{
	stay_on_one_cpu();
	be_urgent();
}

static void urgent_while_it_opens(void)
{
	if (!fork()) {
		urgent_thread(say_usually, say_urgently);
		exit(0);
	}
}

static void urgent_while_its_id_is_made(void)
{
	urgent_thread(ask_urgently, ask_urgently);
}

/* The child forks while another thread is about to open its session. */
static void while_it_opens(void)
{
	pthread_t thread;

	if (fork())
		return;
	pthread_barrier_init(&barrier, NULL, 2);
	waits_for_name = 1;
	thread = host_start(say, (void *)"child");
	pthread_barrier_wait(&barrier);
	if (!fork()) {
		say((void *)"grandchild");
		exit(0);
	}
	wait_for_children();
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	exit(failed != 0);
}

static void only_a_thread_counts(void)
{
	if (!fork()) {
		host_in_thread(count, NULL);
		exit(0);
	}
}

/* Fork without the handlers of pthread_atfork(). */
static void raw_clone(void)
{
	if (!syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)) {
		say((void *)"child");
		exit(0);
	}
}

static pid_t clone_alone(void)
{
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

/* Die of a signal in a child that shares its parent's memory, or whose fork the
 * library has not noticed. Then the parent emits an event. */
static void die(void)
{
	kill(getpid(), SIGTERM); /* do not use raise(): musl's raise() signals
				  * the parent */
	_exit(0);
}

static void expect_death(pid_t pid)
{
	int status = 0;

	if (!pid)
		die();
	failed |= waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status) ||
		  WTERMSIG(status) != SIGTERM;
	say((void *)"after");
}

static void dies_after_vfork(void)
{
	expect_death(vfork());
}

static void tell_and_die(int signo)
{
	trace2_signal(signo);
	signal(signo, SIG_DFL);
	kill(getpid(), signo); /* the signal arrives when this handler
				* returns */
}

static void dies_after_vfork_and_tells(void)
{
	signal(SIGTERM, tell_and_die);
	expect_death(vfork());
}

static void dies_after_clone(void)
{
	expect_death(clone_alone());
}

static void dies_after_fork_alone(void)
{
	expect_death(_Fork());
}

/*
 * Raise a signal in a child. A child that is the first process of a PID
 * namespace survives the signal.
 */
static void child_is_signalled(void)
{
	if (!fork()) {
		say((void *)"before");
		raise(SIGTERM);
		say((void *)"after");
		exit(0);
	}
}

static void count_to(int most)
{
	int i;

	for (i = 0; i < most; i++)
		trace2_counter_add(TRACE2_COUNTER_ID_TEST1, 1);
}

/* Use a timer, and count to 1,000, in the parent. Then use the timer, and count
 * 1, in a child whose fork runs no handler of the library. */
static void count_after(pid_t (*fork_alone)(void))
{
	trace2_timer_start(TRACE2_TIMER_ID_TEST1);
	trace2_timer_stop(TRACE2_TIMER_ID_TEST1);
	count_to(1000);
	if (!fork_alone()) {
		trace2_timer_start(TRACE2_TIMER_ID_TEST1);
		trace2_timer_stop(TRACE2_TIMER_ID_TEST1);
		count_to(1);
		exit(0);
	}
}

static void counts_after_clone(void)
{
	count_after(clone_alone);
}

static void counts_after_fork_alone(void)
{
	count_after(_Fork);
}

/* Call the library in a thread of the child, before the thread that forked
 * does. */
static void *speak_and_count(void *arg)
{
	say((void *)"thread");
	count_to(1);
	return arg;
}

static void thread_first_after_clone(void)
{
	say((void *)"parent");
	trace2_region_enter("forks", "parent", NULL);
	count_to(1000);
	if (!clone_alone()) {
		host_in_thread(speak_and_count, NULL);
		count_to(2);
		say((void *)"main");
		count_to(3);
		host_in_thread(speak_and_count, NULL);
		say((void *)"main");
		exit(0);
	}
	trace2_region_leave("forks", "parent", NULL);
}

static void (*early_handler)(void);

/* A handler of fork() that runs before the library's, as it is registered
 * before trace2_initialize(). */
static void in_early_handler(void)
{
	if (early_handler)
		early_handler();
}

static void say_early(void)
{
	say((void *)"early");
	count_to(2);
}

/* Fork with a handler that begins the child's session. */
static void early_handler_speaks(void)
{
	early_handler = say_early;
	count_to(1000);
	if (!fork()) {
		say((void *)"child");
		count_to(3);
		exit(0);
	}
}

static void count_early(void)
{
	count_to(2);
}

static void early_handler_counts(void)
{
	early_handler = count_early;
	count_to(1000);
	if (!fork()) {
		count_to(3);
		exit(0);
	}
}

static void *fork_here(void *arg)
{
	if (!fork()) {
		host_in_thread(say, (void *)"thread");
		say((void *)"main");
		exit(0);
	}
	wait_for_children();
	return arg;
}

/* Fork in a thread that never called the library. */
static void in_a_silent_thread(void)
{
	host_in_thread(fork_here, NULL);
}

static void timer_runs(void)
{
	trace2_timer_start(TRACE2_TIMER_ID_TEST1);
	if (!fork()) {
		trace2_timer_stop(TRACE2_TIMER_ID_TEST1);
		exit(0);
	}
	trace2_timer_stop(TRACE2_TIMER_ID_TEST1);
}

static void formats_errno(void)
{
	if (!fork()) {
		errno = EPERM;
		trace2_printf("%m");
		exit(errno != EPERM);
	}
}

static void names_itself(void)
{
	trace2_cmd_name("parent");
	if (!fork()) {
		trace2_cmd_name("child");
		exit(0);
	}
}

static void three_children(void)
{
	int i;

	for (i = 0; i < 3; i++)
		if (!fork()) {
			say((void *)"child");
			exit(0);
		}
}

/* Print how many more descriptors than its parent the child has: none, as the
 * child's own descriptors replace its parent's. */
static void same_descriptors(void)
{
	int nr;

	say((void *)"parent");
	nr = host_count_descriptors();
	if (!fork()) {
		say((void *)"child");
		printf("%d more\n", host_count_descriptors() - nr);
		exit(0);
	}
}

static void may_compare_tables(void)
{
	if (prctl(PR_GET_SECCOMP) ||
	    syscall(SYS_kcmp, getppid(), getpid(), KCMP_FILES, 0, 0) < 0)
		exit(77);
}

/* Make children that have their own memory but share the parent's table of
 * descriptors. One of them ends without exit handlers. The parent must lose no
 * descriptor, and get none. */
static void shared_descriptors(void)
{
	int nr, i;

	say((void *)"before");
	nr = host_count_descriptors();
	for (i = 0; i < 3; i++) {
		if (!syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0)) {
			say((void *)"child");
			count_to(1);
			if (!i)
				_exit(0);
			exit(0);
		}
		wait_for_children();
	}
	printf("%d more\n", host_count_descriptors() - nr);
	say((void *)"after");
}

/*
 * Start programs in several threads at the same time, each thread in a trace of
 * its own. Every second program is started by a child of a child. Each program
 * is this one, and compares the trace in its environment with the trace of its
 * thread.
 */
#define NR_STARTED (getenv("GIT_TEST_LONG") ? 1000 : 100)

static char *self_path;
static atomic_int nr_wrong;
static int started;

static int check_trace(const char *trace)
{
	const char *parent = getenv("TRACEPARENT");

	return !parent ||
	       strncmp(parent + 3 * !!*parent, trace, strlen(trace)) ||
	       !*trace != !*parent;
}

static void start_program(const char *trace, int by_grandchild)
{
	char *argv[] = { self_path, (char *)"check-trace", (char *)trace,
			 NULL };
	int status = -1;
	pid_t pid = fork();

	if (!pid && by_grandchild) {
		pid = fork();
		if (pid)
			_exit(waitpid(pid, &status, 0) != pid || status);
	}
	if (!pid) {
		execv(self_path, argv);
		_exit(1);
	}
	nr_wrong += waitpid(pid, &status, 0) != pid || status;
}

static trace2_span_t enter_trace(char *trace, size_t size_bytes,
				 unsigned long nr)
{
	char parent[64];
	trace2_span_t span;

	snprintf(trace, size_bytes, "%032lx", nr);
	snprintf(parent, sizeof(parent), "00-%s-00000000000000ff-01", trace);
	span = trace2_span_start_remote("forks", "thread", parent, NULL);
	trace2_span_enter(span);
	return span;
}

static void *start_programs(void *nr)
{
	struct trace2_child child = TRACE2_CHILD_INIT;
	char trace[33];
	trace2_span_t span = enter_trace(trace, sizeof(trace), (uintptr_t)nr);
	int i;

	pthread_barrier_wait(&barrier);
	for (i = 0; i < NR_STARTED; i++) {
		trace2_child_start(&child);
		start_program(trace, i % 2);
		child.pid = 1;
		trace2_child_exit(&child, 0);
	}
	trace2_span_end(span);
	return NULL;
}

static void programs_at_once(void)
{
	pthread_t threads[NR_THREADS];
	uintptr_t i;

	pthread_barrier_init(&barrier, NULL, NR_THREADS);
	for (i = 0; i < NR_THREADS; i++)
		threads[i] = host_start(start_programs, (void *)(i + 1));
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%d wrong\n", nr_wrong);
}

static void *end_started(void *arg)
{
	trace2_child_end(started, 1, 0);
	return arg;
}

/* Let another thread report the end of a child: a program that is started
 * afterwards must not belong to that child. */
static void ended_elsewhere(void)
{
	struct trace2_child child = TRACE2_CHILD_INIT;
	char trace[33];
	trace2_span_t span = enter_trace(trace, sizeof(trace), 1);

	started = trace2_child_begin(&child);
	start_program(trace, 0);
	host_in_thread(end_started, NULL);
	start_program("", 0);
	trace2_span_end(span);
	printf("%d wrong\n", nr_wrong);
}

/* Fork in a handler during a call: SIGALRM arrives while a write of the library
 * waits for the reader of descriptor 9, which is this process. */
static int pipe_ends[2];
static volatile sig_atomic_t handler_is_done;

static void drain(void)
{
	static char sink[1 << 16];

	while (read(pipe_ends[0], sink, sizeof(sink)) == sizeof(sink))
		;
}

static void fork_in_handler(int signo)
{
	if (handler_is_done++)
		return;
	if (!fork())
		say((void *)"in handler");
	else
		drain();
}

static void prepare_pipe(void)
{
	if (pipe2(pipe_ends, O_NONBLOCK | O_CLOEXEC) ||
	    (pipe_ends[0] = fcntl(pipe_ends[0], F_DUPFD, 20)) < 0 ||
	    dup2(pipe_ends[1], 9) != 9)
		abort();
}

static bool child_tells;

static void handler_forks(void)
{
	static char big[200000];
	struct itimerval soon = { .it_value.tv_usec = 5000,
				  .it_interval.tv_usec = 5000 };
	pid_t self = getpid();

	memset(big, 'x', sizeof(big) - 1);
	signal(SIGALRM, fork_in_handler);
	setitimer(ITIMER_REAL, &soon, NULL);
	while (!handler_is_done)
		say(big);
	memset(&soon, 0, sizeof(soon));
	setitimer(ITIMER_REAL, &soon, NULL);
	if (getpid() != self)
		prepare_pipe(); /* a pipe of the child's own: the parent fills
				 * the other one */
	say((void *)"after");
	if (getpid() == self)
		return;
	if (child_tells)
		printf("child: tracing is %s\n",
		       trace2_is_enabled() ? "on" : "off");
	exit(0);
}

static void handler_forks_and_child_tells(void)
{
	child_tells = true;
	handler_forks();
}

static const struct host_verb verbs[] = {
	{ "other-thread-first", other_thread_first },
	{ "threads-at-once", threads_at_once },
	{ "while-it-opens", while_it_opens },
	{ "only-a-thread-counts", only_a_thread_counts },
	{ "may-be-urgent", may_be_urgent },
	{ "urgent-while-it-opens", urgent_while_it_opens },
	{ "urgent-while-its-id-is-made", urgent_while_its_id_is_made },
	{ "raw-clone", raw_clone },
	{ "dies-after-vfork", dies_after_vfork },
	{ "dies-after-vfork-and-tells", dies_after_vfork_and_tells },
	{ "dies-after-clone", dies_after_clone },
	{ "dies-after-fork-alone", dies_after_fork_alone },
	{ "child-is-signalled", child_is_signalled },
	{ "counts-after-clone", counts_after_clone },
	{ "counts-after-fork-alone", counts_after_fork_alone },
	{ "thread-first-after-clone", thread_first_after_clone },
	{ "early-handler-speaks", early_handler_speaks },
	{ "early-handler-counts", early_handler_counts },
	{ "in-a-silent-thread", in_a_silent_thread },
	{ "timer-runs", timer_runs },
	{ "formats-errno", formats_errno },
	{ "names-itself", names_itself },
	{ "three-children", three_children },
	{ "same-descriptors", same_descriptors },
	{ "may-compare-tables", may_compare_tables },
	{ "shared-descriptors", shared_descriptors },
	{ "programs-at-once", programs_at_once },
	{ "ended-elsewhere", ended_elsewhere },
	{ "handler-forks", handler_forks },
	{ "handler-forks-and-child-tells", handler_forks_and_child_tells },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	const struct host_verb *verb;

	if (argc == 3 && !strcmp(argv[1], "check-trace"))
		return check_trace(argv[2]);
	self_path = argv[0];
	verb = host_verb(verbs, argc, argv);
	if (verb->run == handler_forks ||
	    verb->run == handler_forks_and_child_tells)
		prepare_pipe();
	pthread_atfork(NULL, NULL, in_early_handler);
	trace2_initialize();
	trace2_cmd_start(argv);
	verb->run();
	wait_for_children();
	return failed != 0;
}
