/* SPDX-License-Identifier: MIT */
/*
 * `threads VERB`: unusual uses of threads and memory.
 */
#include "trace2.h"
#include "../host.h"

#include <stdatomic.h>

#define NR_KEYS 40
#define NR_READERS 2
#define NR_CHILDREN (host_is_long() ? 2000 : 500)

static atomic_int go = 1, nr_running;
static char **arguments;

/* true while a handler runs: allocations are then counted. */
static __thread volatile sig_atomic_t in_handler;
static atomic_int nr_allocations;

#if defined(__has_feature)
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif
/* Replace the allocator only with glibc: sanitizers have their own one, and
 * musl has no other names for its functions. */
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && \
	!defined(__SANITIZE_THREAD__) && !HAS_FEATURE(address_sanitizer) && \
	!HAS_FEATURE(thread_sanitizer)

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);

__attribute__((visibility("default"))) void *malloc(size_t size)
{
	nr_allocations += in_handler;
	return __libc_malloc(size);
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
	nr_allocations += in_handler;
	return __libc_calloc(count, size);
}

#endif

static void say_in_handler(int signo)
{
	in_handler = 1;
	trace2_data_intmax("threads", NULL, "signo", signo);
	in_handler = 0;
}

static void *interrupted(void *arg)
{
	raise(SIGUSR1);
	return arg;
}

/* Create many keys first, so that a new key needs an allocation. */
static void no_malloc_in_handler(void)
{
	signal(SIGUSR1, say_in_handler);
	host_in_thread(interrupted, NULL);
	printf("allocations %d\n", nr_allocations);
}

static void *look_up(void *arg)
{
	nr_running++;
	while (go)
		getenv("THREADS_NO_SUCH_VARIABLE");
	return arg;
}

/* Set names of commands while other threads read the environment. */
static void names_beside_getenv(void)
{
	pthread_t threads[NR_READERS];
	char **before = environ;
	int i;

	for (i = 0; i < NR_READERS; i++)
		threads[i] = host_start(look_up, NULL);
	while (nr_running < NR_READERS)
		;
	trace2_cmd_name("first");
	trace2_cmd_name("second");
	go = 0;
	for (i = 0; i < NR_READERS; i++)
		pthread_join(threads[i], NULL);
	puts(environ == before ? "same environ" : "another environ");
}

static void *name_often(void *arg)
{
	int i;

	for (i = 0; i < 50; i++)
		trace2_cmd_name(arg);
	return NULL;
}

static void names_at_once(void)
{
	static char names[4][8] = { "aaaa", "bbbb", "cccc", "dddd" };
	pthread_t threads[4];
	int i;

	for (i = 0; i < 4; i++)
		threads[i] = host_start(name_often, names[i]);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	puts(getenv("GIT_TRACE2_PARENT_NAME"));
}

static void *run_children(void *arg)
{
	static const char *argv[] = { "child", NULL };
	struct trace2_child child = { .argv = argv };
	int i;

	nr_running++;
	while (nr_running < 4)
		;
	for (i = 0; i < NR_CHILDREN; i++)
		trace2_child_end(trace2_child_begin(&child), 4711, 0);
	return arg;
}

static void children_at_once(void)
{
	host_in_threads(4, run_children, NULL);
}

static void *say_for_ever(void *arg)
{
	nr_running++;
	while (go)
		trace2_data_string("threads", NULL, "who", "early");
	return arg;
}

/* Let threads call the library as soon as tracing is on. */
static void early_speakers(void)
{
	pthread_t threads[4];
	int i;

	for (i = 0; i < 4; i++)
		threads[i] = host_start(say_for_ever, NULL);
	while (nr_running < 4)
		;
	trace2_initialize();
	go = 0;
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	trace2_cmd_start(arguments);
}

static void *initialize_cancelled(void *arg)
{
	pthread_cancel(pthread_self());
	trace2_initialize();
	*(int *)arg = 1;
	return arg;
}

static void cancelled_initializer(void)
{
	int has_returned = 0;

	host_in_thread(initialize_cancelled, &has_returned);
	puts(has_returned ? "returned" : "cancelled inside");
}

static void say_at_end(void *unused)
{
	trace2_data_string("threads", NULL, "who", "cancelled");
}

static void *cancel_self(void *arg)
{
	pthread_key_t key;
	int type;

	pthread_key_create(&key, say_at_end);
	pthread_setspecific(key, arg);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
	pthread_cancel(pthread_self());
	return arg;
}

/* Let a thread cancel itself. In glibc 2.36 its next cancellation points wait
 * forever if the cancellation is asynchronous. */
static void cancels_itself(void)
{
	host_in_thread(cancel_self, &go);
}

static void say_type(const char *when)
{
	int type, ignored;

	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
	pthread_setcanceltype(type, &ignored);
	printf("%s: %s\n", when,
	       type == PTHREAD_CANCEL_ASYNCHRONOUS ? "asynchronous" :
						     "deferred");
}

static void *end_with_type(void *type)
{
	int ignored;

	pthread_setcanceltype(*(int *)type, &ignored);
	trace2_thread_start("typed");
	say_type("started");
	trace2_thread_exit();
	say_type("ended");
	return NULL;
}

static void keeps_type(void)
{
	int type = PTHREAD_CANCEL_ASYNCHRONOUS;

	host_in_thread(end_with_type, &type);
	type = PTHREAD_CANCEL_DEFERRED;
	host_in_thread(end_with_type, &type);
}

static void *add_one(void *arg)
{
	trace2_counter_add(TRACE2_COUNTER_ID_TEST1, 1);
	return arg;
}

static void exit_in_handler(int signo)
{
	exit(5);
}

/* Call exit() in a handler: all counts must be reported. */
static void exits_in_handler(void)
{
	host_in_thread(add_one, NULL);
	add_one(NULL);
	signal(SIGALRM, exit_in_handler);
	ualarm(5000, 5000);
	for (;;)
		trace2_data_string("threads", NULL, "who", "main");
}

#define NR_LATE (host_is_long() ? 2000 : 300)
#define NR_FEW 64

static pthread_key_t late_key;
static __thread int round_nr;

/* Call the library in the last round of destructors: after it the C library
 * begins no further round. */
static void call_last(void *value)
{
	if (++round_nr < PTHREAD_DESTRUCTOR_ITERATIONS) {
		pthread_setspecific(late_key, value);
		return;
	}
	trace2_region_enter("threads", "late", NULL);
	trace2_counter_add(TRACE2_COUNTER_ID_TEST1, 1);
	trace2_region_leave("threads", "late", NULL);
}

static void *end_late(void *calls_early)
{
	if (calls_early)
		trace2_data_string("threads", NULL, "who", "early");
	pthread_setspecific(late_key, &late_key);
	return NULL;
}

static void call_in_last_round(void *calls_early)
{
	int nr = host_count_descriptors(), i;

	if (pthread_key_create(&late_key, call_last))
		abort();
	for (i = 0; i < NR_LATE; i++)
		host_in_thread(end_late, calls_early);
	nr = host_count_descriptors() - nr;
	printf("%d threads, %s descriptors\n", NR_LATE,
	       nr < NR_FEW ? "few" : "many");
}

static void calls_in_last_round(void)
{
	call_in_last_round(NULL);
}

static void calls_in_last_round_too(void)
{
	call_in_last_round(&late_key);
}

static const struct host_verb verbs[] = {
	{ "early-speakers", early_speakers },
	{ "cancelled-initializer", cancelled_initializer },
	{ "no-malloc-in-handler", no_malloc_in_handler },
	{ "names-beside-getenv", names_beside_getenv },
	{ "names-at-once", names_at_once },
	{ "children-at-once", children_at_once },
	{ "keeps-type", keeps_type },
	{ "cancels-itself", cancels_itself },
	{ "exits-in-handler", exits_in_handler },
	{ "calls-in-last-round", calls_in_last_round },
	{ "calls-in-last-round-too", calls_in_last_round_too },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	void (*run)(void) = host_verb(verbs, argc, argv)->run;
	pthread_key_t keys[NR_KEYS];
	int i;

	arguments = argv;
	if (run != early_speakers && run != cancelled_initializer) {
		for (i = 0; i < NR_KEYS; i++)
			pthread_key_create(&keys[i], NULL);
		trace2_initialize();
		trace2_cmd_start(argv);
	}
	run();
	return 0;
}
