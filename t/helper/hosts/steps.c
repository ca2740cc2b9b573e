/* SPDX-License-Identifier: MIT */
/*
 * `steps CALL HOW [MOST]`: a program with a signal at each single instruction
 * of a call of the library. It checks its own state after each run. At the
 * first instruction, then the second, and so on to the last, the handler does
 * HOW:
 *
 *	jumps	siglongjmp()
 *	calls	calls the library, and returns
 *	often	calls it more often than the library expects of a handler
 *	ends	pthread_exit()
 *	cancels	has another thread cancel this one, asynchronously at every
 *		second instruction
 *	exits	exit(5)
 *	forks	has another thread fork: by fork(), with a handler that was there
 *		before the library's, by _Fork() or by clone(). In the child one
 *		public function after the other is the first to be called.
 *	divides	fork(), and returns in both processes
 *	_Forks	the same by _Fork() and by clone() in turns
 *
 * With more than MOST instructions, it leaves some out, evenly. It prints the
 * number of instructions, how many of the last recording no run reached, and
 * the numbers of events, counts and forks. Code 77 on processors other than
 * x86-64, and under valgrind, where single-stepping does not work.
 */
#include "trace2.h"
#include "trace2_perf.h"
#include "../breakpoint.h"
#include "../system.h"

#include <semaphore.h>
#include <setjmp.h>
#include <stdnoreturn.h>

#define SKIP 77
#define NEVER -1
#define ROUNDS 20 /* most rounds of runs; fewer if at most one stop in ENOUGH
		   * was missed */
#define ENOUGH 50

TRACE2_COUNTER(sampled, "steps", "sampled", 0);
TRACE2_COUNTER(plain, "steps", "plain", 0);
TRACE2_COUNTER(other, "steps", "other", 0);
TRACE2_TIMER(timer, "steps", "timer", TRACE2_HISTOGRAM);
#include "../first-calls.h" /* uses the timer that is defined above */

static struct path *path;
static volatile long stop_at = NEVER;
static volatile bool *has_stopped; /* in memory that is shared with children */
static __thread volatile bool is_blocked;
static volatile bool is_running; /* true during the call that is to be
				  * interrupted */
static sigjmp_buf back;
static void (*handle)(void);
/* Numbers of events, counts and jumps. A call that a jump interrupted may count
 * or not. */
static volatile unsigned long nr_said, nr_counted, nr_jumps;

__attribute__((format(printf, 1, 2))) noreturn static void
die(const char *fmt, ...)
{
	va_list ap;

	printf("# behind instruction %ld: ", (long)stop_at);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	_exit(1);
}

/*
 * Replace libc's function, also for the library: never block SIGTRAP, because a
 * stop would then end the program. Callers see the mask that they set. While
 * SIGTRAP seems blocked, the handler does nothing.
 */
__attribute__((visibility("default"))) int
pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
	sigset_t without, was;
	bool was_blocked = is_blocked, blocked = is_blocked;

	sigemptyset(&was);
	if (set) {
		without = *set;
		sigdelset(&without, SIGTRAP);
		if (how == SIG_SETMASK)
			blocked = sigismember(set, SIGTRAP);
		else if (sigismember(set, SIGTRAP))
			blocked = how == SIG_BLOCK;
		if (blocked)
			is_blocked = true;
	}
	if (syscall(SYS_rt_sigprocmask, how, set ? &without : NULL, &was, 8L))
		return errno;
	is_blocked = blocked;
	sigdelset(&was, SIGTRAP);
	if (was_blocked)
		sigaddset(&was, SIGTRAP);
	if (before)
		*before = was;
	return 0;
}

static pthread_t stopped;
static sem_t has_asked;
static volatile bool is_cancelled;

/*
 * Cancel from another thread: a thread that cancels itself asynchronously waits
 * forever at the next cancellation point of its destructors, in glibc 2.36.
 */
static void *cancel_others(void *arg)
{
	for (;;) {
		if (sem_wait(&has_asked))
			continue;
		pthread_cancel(stopped);
		is_cancelled = true;
	}
	return arg;
}

/* Cancel this thread from another one. If cancellation is not asynchronous,
 * return, with the cancellation pending. */
static void cancel_thread(void)
{
	is_cancelled = false;
	stopped = pthread_self();
	sem_post(&has_asked);
	while (!is_cancelled)
		sched_yield();
	/* Make a system call, at whose end the signal comes. */
	sched_yield();
}

/* A call that a child makes first: see the table `firsts` below. */
struct call {
	const char *name;
	void (*run)(void);
};
static const struct call *first_call(void);
static volatile size_t nr_forks;
static volatile bool calls_in_atfork;

static void call_first(void)
{
	if (first_call()->run)
		first_call()->run();
}

/* A handler of fork() that runs before the library's, as it is registered
 * before trace2_initialize(). */
static void in_early_handler(void)
{
	if (calls_in_atfork)
		call_first();
}

static pid_t fork_somehow(size_t how)
{
	calls_in_atfork = how == 0;
	switch (how) {
	case 0:
		return fork();
	case 1:
		return _Fork();
	default:
		return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	}
}

static sem_t has_forked;
static int end_of_child;

/* Fork for other threads, in a thread that is never single-stepped. */
static void *fork_for_others(void *arg)
{
	pid_t pid;

	for (;;) {
		if (sem_wait(&has_asked))
			continue;
		pid = fork_somehow(nr_forks % 3);
		if (!pid) {
			/* Let the child end with its parent: a child that hangs
			 * has all signals blocked. */
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (!calls_in_atfork)
				call_first();
			exit(0);
		}
		calls_in_atfork = false;
		if (waitpid(pid, &end_of_child, 0) != pid)
			end_of_child = -1;
		sem_post(&has_forked);
	}
	return arg;
}

static void start_thread(void *(*function)(void *))
{
	pthread_t thread;

	if (sem_init(&has_asked, 0, 0) || sem_init(&has_forked, 0, 0) ||
	    pthread_create(&thread, NULL, function, NULL))
		die("no thread");
}

static void have_another_fork(void)
{
	sem_post(&has_asked);
	while (sem_wait(&has_forked))
		;
	if (end_of_child)
		die("a child that calls %s first ended with %d",
		    first_call()->name, end_of_child);
	nr_forks++;
}

static bool is_divided; /* true in a process that the handler has forked */

static void divide(bool with_handlers)
{
	const pid_t pid = with_handlers ? fork() :
					  fork_somehow(1 + nr_forks % 2);
	int status;

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		is_divided = true;
		return;
	}
	if (waitpid(pid, &status, 0) != pid || status)
		die("a child that its handler made ended with %x",
		    (unsigned int)status);
	nr_forks++;
}

static void fork_itself(void)
{
	divide(true);
}

static void fork_itself_bare(void)
{
	divide(false);
}

static void on_trap(int signo, siginfo_t *info, void *context)
{
	/* Use a breakpoint: a signal mask does not hold back another thread. */
	if (!breakpoint_is_hit(path, context,
			       is_running && (!is_blocked ||
					      handle == cancel_thread ||
					      handle == have_another_fork)))
		return;
	*has_stopped = true;
	handle();
}

static void count_up(volatile unsigned long *p)
{
	__atomic_fetch_add(p, 1, __ATOMIC_RELAXED);
}

/* The following functions make the calls to interrupt. */

static void say(void)
{
	trace2_data_string("steps", NULL, "who", "call");
	count_up(&nr_said);
}

static void regions(void)
{
	trace2_region_enter("steps", "region", NULL);
	trace2_region_leave("steps", "region", NULL);
}

static void print(void)
{
	trace2_printf("%s and %d", "text", 42);
}

static void count(void)
{
	trace2_counter_add(plain, 1);
	count_up(&nr_counted);
}

static void count_sampled(void)
{
	trace2_counter_add(sampled, 1);
	count_up(&nr_counted);
}

static void take_time(void)
{
	trace2_timer_start(timer);
	trace2_timer_stop(timer);
}

static void start_and_exit(void)
{
	trace2_thread_start("stepper");
	trace2_counter_add(other, 1);
	trace2_thread_exit();
}

static void open_counter(void)
{
	static const struct trace2_perf_attr attr = {
		.type = TRACE2_PERF_TYPE_PROCESS,
	};
	struct trace2_perf *event;
	uint64_t value;

	if (trace2_perf_open(&attr, 0, -1, NULL, &event))
		return;
	trace2_perf_read(event, &value, 1);
	trace2_perf_close(event);
}

static char opened_name[32];
static volatile bool is_opening;
static struct trace2_counter *volatile opened_by_handler;

/* true: the handler opens another metric than the interrupted call. */
static bool opens_another(void)
{
	return stop_at & 1;
}

static void open_in_handler(void)
{
	const struct trace2_label label = { "in", "handler" };

	if (is_opening)
		opened_by_handler = trace2_counter_open(
			opened_name, 0, &label, opens_another());
}

/* Open a new metric in the interrupted call, until the names are used up. */
static void open_metrics(void)
{
	static unsigned int nr;
	char text[8];
	const struct trace2_label label = { "nr", text };
	struct trace2_counter *opened;
	struct trace2_timer *opened_timer;

	opened_by_handler = NULL;
	nr += is_running;
	snprintf(text, sizeof(text), "%u", nr % 450);
	snprintf(opened_name, sizeof(opened_name), "steps/opened%s", text);
	is_opening = true;
	opened = trace2_counter_open(opened_name, 0, NULL, 0);
	is_opening = false;
	if (opened_by_handler &&
	    (opened_by_handler == opened) == opens_another())
		die("names and metrics do not agree");
	trace2_counter_add(*opened, 1);
	opened_timer = trace2_timer_open("steps/opened", TRACE2_HISTOGRAM,
					 &label, 1);
	trace2_timer_add(*opened_timer, 1);
}

static void read_counter(void)
{
	struct trace2_metric_value value;

	trace2_counter_read(other, &value);
}

static struct trace2_counter loaded =
	TRACE2_COUNTER_INIT("steps", "loaded", 0);

/* Make the calls of a module's constructors and destructors. */
static void load_module(void)
{
	trace2_register_counter_(&loaded);
	trace2_counter_add(loaded, 1);
	trace2_unregister_counter_(&loaded);
}

/*
 * Where an operation runs. THREAD_AGAIN: in a thread that called the library
 * before.
 */
enum where { HERE, THREAD, THREAD_AGAIN, CHILD };

static const struct operation {
	const char *name;
	void (*run)(void);
	enum where where;
} operations[] = {
	{ "say", say, HERE },
	{ "regions", regions, HERE },
	{ "print", print, HERE },
	{ "count", count, HERE },
	{ "count-sampled", count_sampled, HERE },
	{ "time", take_time, HERE },
	{ "perf", open_counter, HERE },
	{ "open", open_metrics, HERE },
	{ "open-in-thread", open_metrics, THREAD },
	{ "read", read_counter, HERE },
	{ "module", load_module, HERE },
	{ "say-in-thread", say, THREAD },
	{ "say-again-in-thread", say, THREAD_AGAIN },
	{ "count-in-thread", count, THREAD },
	{ "thread", start_and_exit, THREAD },
	{ "say-in-child", say, CHILD },
	{ "count-in-child", count, CHILD },
};
static const struct operation *operation;

/* The following functions are the actions of the handler. */

static void jump(void)
{
	siglongjmp(back, 1);
}

static void call(void)
{
	open_in_handler();
	trace2_data_string("steps", NULL, "who", "handler");
	trace2_counter_add(sampled, 1);
	trace2_timer_start(timer);
	trace2_timer_stop(timer);
	count_up(&nr_said);
	count_up(&nr_counted);
}

static void call_often(void)
{
	for (int i = 0; i < 130; i++)
		trace2_data_intmax("steps", NULL, "who", i);
}

static void end_thread(void)
{
	pthread_exit(NULL);
}

static void end_process(void)
{
	exit(5);
}

static const struct {
	const char *name;
	void (*handle)(void);
} ways[] = {
	{ "jumps", jump },
	{ "calls", call },
	{ "often", call_often },
	{ "ends", end_thread },
	{ "cancels", cancel_thread },
	{ "exits", end_process },
	{ "forks", have_another_fork },
	{ "divides", fork_itself },
	{ "_Forks", fork_itself_bare },
};

/* Return the type of cancellation for this run: asynchronous at every second
 * instruction. */
static int type_of_run(void)
{
	return stop_at & 1 ? PTHREAD_CANCEL_ASYNCHRONOUS :
			     PTHREAD_CANCEL_DEFERRED;
}

static void set_type(int type)
{
	int before;

	pthread_setcanceltype(type, &before);
}

/* The calls that children make first. */
static const struct call firsts[] = {
	{ "trace2_counter_add", count },
	{ "trace2_counter_read", read_counter },
	{ "trace2_counter_open", open_metrics },
	{ "a module with a counter", load_module },
	{ "trace2_data_string", say },
	{ "trace2_region_enter", regions },
	{ "trace2_timer_start", take_time },
	{ "trace2_timer_add", first_timer },
	{ "trace2_distribution_add", first_distribution },
	{ "trace2_gauge_set", first_gauge },
	{ "trace2_timer_read", first_readings },
	{ "trace2_span_start", first_span },
	{ "trace2_pthread_create", first_thread },
	{ "trace2_thread_start", start_and_exit },
	{ "trace2_child_begin", first_child },
	{ "trace2_perf_open", open_counter },
	{ "trace2_flush", first_control },
	{ "trace2_session_id", first_id },
	{ "trace2_session_resume", first_resume },
	{ "exit", NULL },
};

static const struct call *first_call(void)
{
	return &firsts[nr_forks % (sizeof(firsts) / sizeof(*firsts))];
}

/* Check that errno, cancellation and the mask are unchanged. */
static void look(const char *when, int wanted_type)
{
	int state, type;
	sigset_t mask;
	int signo;

	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
	if (state != PTHREAD_CANCEL_ENABLE)
		die("%s: cancellation is disabled", when);
	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
	if (type != wanted_type)
		die("%s: cancellation has another type", when);
	set_type(wanted_type);
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	for (signo = 1; signo < 32; signo++)
		if (sigismember(&mask, signo) == 1)
			die("%s: signal %d is blocked", when, signo);
}

static __attribute__((noinline)) void run_operation(void)
{
	errno = 4711;
	operation->run();
	if (errno != 4711)
		die("errno is %d", errno);
}

static void *say_and_count(void *arg)
{
	trace2_data_string("steps", NULL, "who", "thread");
	trace2_counter_add(other, 1);
	if (!trace2_counter_open("steps/after", 0, NULL, 0)->name)
		die("another thread opens no metric");
	look("another thread", PTHREAD_CANCEL_DEFERRED);
	return arg;
}

/* Make the call by the same instructions, whether the run is recorded or
 * not. */
static __attribute__((noinline)) void run_stepped(void)
{
	is_running = true;
	operation->run();
	is_running = false;
}

static __attribute__((noinline)) void run_interrupted(void)
{
	*has_stopped = false;
	set_type(type_of_run());
	if (!sigsetjmp(back, 1)) {
		if (stop_at == NEVER) {
			breakpoint_record(path, true);
			run_stepped();
			breakpoint_record(path, false);
		} else {
			if (path->nr)
				breakpoint_set(path, stop_at);
			run_stepped();
			breakpoint_clear();
		}
	}
	is_running = false;
	if (is_divided) {
		run_operation();
		trace2_data_string("steps", NULL, "who", "divided");
		trace2_counter_add(other, 1);
		exit(0);
	}
	if (!*has_stopped || handle != jump)
		look("behind the call", type_of_run());
	else if (++nr_jumps)
		trace2_printf("%s", "behind a jump");
	run_operation();
	look("behind the next call", type_of_run());
	set_type(PTHREAD_CANCEL_DEFERRED);
}

static void run_thread(void *(*function)(void *))
{
	pthread_t thread;
	void *result;

	if (pthread_create(&thread, NULL, function, NULL) ||
	    pthread_join(thread, &result))
		die("no thread");
}

static void *return_at_once(void *arg)
{
	return arg;
}

static bool is_in_thread(void)
{
	return operation->where == THREAD || operation->where == THREAD_AGAIN;
}

static void *run_in_thread(void *arg)
{
	if (operation->where == THREAD_AGAIN)
		run_operation();
	run_interrupted();
	return arg;
}

/* Make more calls at the end, in the process in which the operation ran. */
static void go_on(void)
{
	say_and_count(NULL);
	run_thread(say_and_count);
}

static void run_here(void)
{
	if (is_in_thread())
		run_thread(run_in_thread);
	else
		run_interrupted();
	go_on();
}

static int end_of(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		die("no child");
	return WIFEXITED(status) ? WEXITSTATUS(status) :
				   1000 + WTERMSIG(status);
}

static void run_in_child(void)
{
	pid_t pid;
	int code;

	fflush(stdout);
	*has_stopped = false;
	pid = fork();
	if (pid < 0)
		die("no child");
	if (!pid) {
		/* In a forked child, begin the session first, unless its
		 * beginning is the call under test. */
		if (operation->where != CHILD)
			say();
		run_here();
		exit(0);
	}
	code = end_of(pid);
	if (code != (handle == end_process && *has_stopped ? 5 : 0))
		die("the child ended with %d", code);
}

/* Make a run to an instruction of the path. Return false if the run did not
 * reach it. */
static bool run_once(long at)
{
	stop_at = at;
	if (operation->where == CHILD || handle == end_process)
		run_in_child();
	else
		run_here();
	return *has_stopped;
}

/* Places at which a run was stopped. */
static struct place {
	uintptr_t at;
	long pass;
} places[PATH_LENGTH];
static long nr_places, nr_missed;

static bool is_new(const struct place *place)
{
	long i;

	for (i = 0; i < nr_places; i++)
		if (places[i].at == place->at && places[i].pass == place->pass)
			return false;
	return nr_places < PATH_LENGTH;
}

/* Record a path, and make a run to each of its instructions. Numbers of digits
 * and sizes of buffers sometimes change the path of a run. A new process also
 * calibrates its clock, which later runs do not do. */
static void run_round(long most)
{
	long stride, at, nr = 0;
	struct place place;

	path_begin(path);
	do
		run_once(NEVER);
	while (!path->is_whole);
	nr_missed = 0;
	stride = (path_stops(path) + most - 1) / most;
	for (at = 0; at < path->nr; at++) {
		if (!path->counts[at] || nr++ % stride)
			continue;
		place = (struct place){ path->at[at], path_passes(path, at) };
		if (!is_new(&place))
			continue;
		if (run_once(at))
			places[nr_places++] = place;
		else
			nr_missed++;
	}
}

static void run_all(long most)
{
	int i = 0;

	run_once(0);
	do {
		run_round(most);
	} while (nr_missed * ENOUGH > path->nr && ++i < ROUNDS);
	if (!path->nr) {
		puts("nothing stops behind each instruction here");
		exit(SKIP);
	}
	printf("%ld instructions, missed %ld\n", nr_places, nr_missed);
	printf("said %lu, counted %lu, jumped %lu\n", nr_said, nr_counted,
	       nr_jumps);
	printf("forked %zu times\n", (size_t)nr_forks);
}

static const struct operation *find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(operations) / sizeof(*operations); i++)
		if (!strcmp(operations[i].name, name))
			return &operations[i];
	return NULL;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = on_trap,
				    .sa_flags = SA_SIGINFO };
	size_t i;

	if (argc > 2)
		operation = find(argv[1]);
	for (i = 0; argc > 2 && i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(ways[i].name, argv[2]))
			handle = ways[i].handle;
	if (!operation || !handle ||
	    ((handle == end_thread || handle == cancel_thread) &&
	     !is_in_thread())) {
		fputs("usage: steps <call> <how> [<most stops>]\n", stderr);
		return 129;
	}
	pthread_atfork(NULL, NULL, in_early_handler);
	/* Let a thread look up all functions now: main must not look one up
	 * while a thread is stopped in the dynamic linker. */
	run_thread(return_at_once);
	path = path_new();
	has_stopped = (volatile bool *)path_new();
	trace2_initialize();
	trace2_cmd_start(argv);
	/* From now on a handler finds an existing counter. */
	trace2_counter_add(other, 1);
	sigaction(SIGTRAP, &action, NULL);
	if (handle == cancel_thread)
		start_thread(cancel_others);
	else if (handle == have_another_fork)
		start_thread(fork_for_others);
	run_all(argc > 3 ? atol(argv[3]) : 1000000);
	return 0;
}
