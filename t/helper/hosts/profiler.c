/* SPDX-License-Identifier: MIT */
/*
 * `profiler`: a program that replaces pthread_mutex_lock() and _unlock(), as a
 * profiler of locks does. Both call the library, in main and in a thread that
 * has made no call before. The program prints how often the library took its
 * lock, and the counter.
 *
 * `profiler strlen` replaces strlen(), too. It makes 200 calls when the library
 * measures the name that a thread is given.
 *
 * `profiler forks`: close(), getrlimit() and pthread_sigmask() call the
 * library, each in a child of its own.
 */
#include "trace2.h"
#include "../system.h"

#define EXPORT __attribute__((visibility("default")))

TRACE2_COUNTER(locks, "profiler", "locks", 0);
TRACE2_COUNTER(seen, "profiler", "read", 0);

static bool is_on, is_strlen_on;
static __thread bool is_inside;
static int nr_calls;

static void profile(const char *name)
{
	struct trace2_metric_value value;

	if (!is_on || is_inside)
		return;
	is_inside = true;
	__atomic_fetch_add(&nr_calls, 1, __ATOMIC_RELAXED);
	trace2_counter_read(seen, &value);
	trace2_region_enter("profiler", name, NULL);
	trace2_counter_add(locks, 1);
	trace2_metric_open(TRACE2_METRIC_COUNTER, "profiler/opened", NULL, 0,
			   NULL, 0);
	trace2_region_leave("profiler", name, NULL);
	trace2_flush();
	is_inside = false;
}

static int call(const char *name, pthread_mutex_t *mutex)
{
	int (*next)(pthread_mutex_t *);
	void *found = dlsym(RTLD_NEXT, name);

	memcpy(&next, &found, sizeof(next));
	return next(mutex);
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	profile("lock");
	return call("pthread_mutex_lock", mutex);
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	int result = call("pthread_mutex_unlock", mutex);

	profile("unlock");
	return result;
}

/* The compiler must not replace the loop by a call of strlen(). */
EXPORT size_t strlen(const char *s)
{
	const char *end = s;
	int i;

	for (; *end; end++)
		__asm__ volatile("" : "+r"(end));
	if (!is_strlen_on || is_inside || s[0] != 't' || s[1] != 'h' ||
	    s[2] != '0')
		return (size_t)(end - s);
	is_inside = true;
	for (i = 0; i < 200; i++)
		trace2_data_intmax("profiler", NULL, "call", i);
	is_inside = false;
	return (size_t)(end - s);
}

static const char *called_in_child; /* name of the function that calls the
				     * library in the child */

__attribute__((unused)) static void call_in_child(const char *name)
{
	if (!called_in_child || strcmp(name, called_in_child) || is_inside)
		return;
	is_inside = true;
	trace2_data_string("profiler", NULL, "in", name);
	is_inside = false;
}

/* Do not replace functions under ThreadSanitizer, which calls them before it is
 * ready. */
#if !defined(__SANITIZE_THREAD__)
EXPORT int close(int fd)
{
	call_in_child("close");
	return (int)syscall(SYS_close, fd);
}

/* In glibc the type of the argument `resource` is an enum. */
#if defined(__GLIBC__)
EXPORT int getrlimit(__rlimit_resource_t resource, struct rlimit *limit)
#else
EXPORT int getrlimit(int resource, struct rlimit *limit)
#endif
{
	call_in_child("getrlimit");
	return (int)syscall(SYS_prlimit64, 0, resource, NULL, limit);
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
	call_in_child("pthread_sigmask");
	return syscall(SYS_rt_sigprocmask, how, set, before, NSIG / 8) ? errno :
									 0;
}
#endif

static void fork_some(void)
{
	static const char *const names[] = { "close", "getrlimit",
					     "pthread_sigmask" };
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		called_in_child = names[i];
		if (!fork()) {
			trace2_data_string("profiler", NULL, "child", names[i]);
			exit(0);
		}
		called_in_child = NULL;
		wait(NULL);
	}
}

static void *work(void *arg)
{
	struct trace2_metric_value value;

	trace2_region_enter("profiler", "work", NULL);
	trace2_counter_add(seen, 1);
	trace2_region_leave("profiler", "work", NULL);
	trace2_counter_read(seen, &value);
	printf("read %d\n", (int)value.count);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	trace2_initialize();
	trace2_cmd_start((const char *const *)argv);
	if (argc > 1 && !strcmp(argv[1], "forks")) {
		fork_some();
		return trace2_cmd_exit(0);
	}
	is_on = true;
	is_strlen_on = argc > 1 && !strcmp(argv[1], "strlen");
	work(NULL);
	if (trace2_pthread_create(&thread, NULL, "work", work, NULL))
		return 1;
	pthread_join(thread, NULL);
	trace2_flush();
	puts(nr_calls ? "called" : "never called");
	return trace2_cmd_exit(0);
}
