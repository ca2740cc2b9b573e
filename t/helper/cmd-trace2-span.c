/* SPDX-License-Identifier: MIT */
/* Spans: their attributes, in one thread and in many, and misuse. */
#include "cmd-trace2.h"

#include <stdatomic.h>

#define MAX_THREADS 64

static int ut_501span(int argc, const char **argv)
{
	trace2_span_t request =
		trace2_span_start("http", "request", TRACE2_SPAN_NONE);
	trace2_span_t query = trace2_span_start("db", "query", request);

	trace2_span_set_intmax(request, "status", 100);
	trace2_span_set_string(request, "path", "/a\"\n\xff");
	trace2_span_set_intmax(request, "least", INTMAX_MIN);
	trace2_span_set_double(request, "tenth", 0.1);
	trace2_span_set_double(request, "third", 1.0 / 3);
	trace2_span_set_double(request, "infinite", HUGE_VAL);
	trace2_span_set_bool(request, "cached", 2);
	trace2_span_set_bool(request, "new", 0);
	trace2_span_set_intmax(request, "status", 200);
	trace2_span_fail(query, "no such table");
	trace2_span_end(request);
	trace2_span_fail(trace2_span_start("x", "y", TRACE2_SPAN_NONE), NULL);
	return 0;
}

/* Pass words of any length as each kind of text. */
static int ut_502texts(int argc, const char **argv)
{
	trace2_span_t span = trace2_span_start(argv[0], argv[1],
					       TRACE2_SPAN_NONE);
	int i;

	for (i = 2; i < argc; i += 2)
		trace2_span_set_string(span, argv[i], argv[i + 1]);
	trace2_span_fail(span, argv[0]);
	return 0;
}

/* Set more attributes and intervals than a span has room for. */
static int ut_503much(int argc, const char **argv)
{
	trace2_span_t span = trace2_span_start("much", "of all",
					       TRACE2_SPAN_NONE);
	int i, nr = (int)tool_number(argv[0], 0, INT_MAX);

	for (i = 0; i < nr; i++) {
		trace2_span_enter(span);
		trace2_span_leave(span);
	}
	for (i = 0; i < nr; i++)
		trace2_span_set_intmax(span, "key", i);
	trace2_span_end(span);
	return 0;
}

/* Open the given number of spans, and end all of them; then start one more. */
static int ut_504open(int argc, const char **argv)
{
	size_t nr = (size_t)tool_number(argv[0], 1, INT_MAX), i, nr_none = 0;
	trace2_span_t *spans = calloc(nr, sizeof(*spans));

	if (!spans)
		tool_die("no memory");
	for (i = 0; i < nr; i++) {
		spans[i] = trace2_span_start("many", "open", TRACE2_SPAN_NONE);
		nr_none += !spans[i].place;
	}
	printf("none: %zu\n", nr_none);
	for (i = 0; i < nr; i++)
		trace2_span_end(spans[i]);
	spans[0] = trace2_span_start("many", "again", TRACE2_SPAN_NONE);
	printf("again: %d\n", spans[0].place != 0);
	trace2_span_end(spans[0]);
	free(spans);
	return 0;
}

static int ut_505misuse(int argc, const char **argv)
{
	trace2_span_t span = trace2_span_start("a", "ended", TRACE2_SPAN_NONE);
	trace2_span_t other = span, child;
	char context[TRACE2_SPAN_CONTEXT_BYTES] = "x";
	uint64_t i;

	trace2_span_leave(span);
	trace2_span_end(span);
	trace2_span_end(span);
	trace2_span_set_intmax(span, "late", 1);
	trace2_span_context(span, context, sizeof(context));
	printf("context: '%s'\n", context);
	child = trace2_span_start("a", "child of ended", span);
	trace2_span_end(child);
	for (i = 0; i < 64; i++) {
		other.id = UINT64_C(1) << i;
		other.place = i * UINT64_C(0x9e3779b97f4a7c15) | 1;
		trace2_span_set_string(other, "forged", "x");
		trace2_span_end(other);
		other.place = i;
		trace2_span_fail(other, "forged");
	}
	return 0;
}

/* Spans that threads hand to each other, and one span that all threads
 * share. */
#define PASSED 16
static struct {
	atomic_ullong id[PASSED];
	trace2_span_t span[PASSED]; /* spans that threads have left for others,
				     * each with its id in id[] */
	trace2_span_t shared;
	int rounds;
} pool;

static trace2_span_t take(unsigned int i)
{
	unsigned long long id = atomic_exchange(&pool.id[i], 0);
	trace2_span_t span = TRACE2_SPAN_NONE;

	if (id)
		span = pool.span[i];
	return span;
}

static void *pass_spans(void *arg)
{
	unsigned int at = (unsigned int)(uintptr_t)&arg >> 12;
	trace2_span_t mine, other;
	int i;

	trace2_thread_start("pool");
	for (i = 0; i < pool.rounds; i++, at++) {
		mine = trace2_span_start("pool", "passed", pool.shared);
		trace2_span_enter(mine);
		trace2_span_set_intmax(mine, "round", i);
		trace2_span_set_bool(pool.shared, "used", 1);
		trace2_span_leave(mine);
		/* Take the span that another thread has left at this place, and
		 * leave this thread's span. */
		other = take(at % PASSED);
		if (!other.place) {
			trace2_span_end(mine);
			continue;
		}
		trace2_span_enter(other);
		trace2_span_end(other);
		pool.span[at % PASSED] = mine;
		atomic_store(&pool.id[at % PASSED], mine.id);
	}
	trace2_thread_exit();
	return NULL;
}

static int ut_506pool(int argc, const char **argv)
{
	unsigned int i, nr = (unsigned int)tool_number(argv[0], 1, MAX_THREADS);

	pool.rounds = (int)tool_number(argv[1], 1, INT_MAX);
	pool.shared = trace2_span_start("pool", "shared", TRACE2_SPAN_NONE);
	for (i = 0; i < PASSED; i++) {
		pool.span[i] = trace2_span_start("pool", "first", pool.shared);
		pool.id[i] = pool.span[i].id;
	}
	tool_run_threads(nr, pass_spans, NULL);
	for (i = 0; i < PASSED; i++)
		trace2_span_end(take(i));
	trace2_span_end(pool.shared);
	return 0;
}

static trace2_span_t interrupted;

static void use_spans(int signo)
{
	trace2_span_t span = trace2_span_start("handler", "span", interrupted);

	trace2_span_set_intmax(span, "signo", signo);
	trace2_span_set_intmax(interrupted, "signo", signo);
	trace2_span_end(span);
}

/* Interrupt calls by a handler that makes the same calls. */
static int ut_507handler(int argc, const char **argv)
{
	struct sigaction action = { .sa_handler = use_spans };
	const struct itimerspec often = { { 0, 200000 }, { 0, 200000 } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGALRM };
	int i, nr = (int)tool_number(argv[0], 1, INT_MAX);
	timer_t timer;

	sigaction(SIGALRM, &action, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &often, NULL))
		tool_die("no timer: %s", strerror(errno));
	for (i = 0; i < nr; i++) {
		interrupted = trace2_span_start("main", "span",
						TRACE2_SPAN_NONE);
		trace2_span_set_intmax(interrupted, "i", i);
		trace2_span_end(interrupted);
	}
	timer_delete(timer);
	return 0;
}

static void in_child(trace2_span_t parent)
{
	trace2_span_t span = trace2_span_start("fork", "child", parent);

	trace2_span_set_intmax(parent, "by", 1);
	trace2_span_end(parent);
	trace2_span_end(span);
}

static int ut_508fork(int argc, const char **argv)
{
	trace2_span_t span = trace2_span_start("fork", "parent",
					       TRACE2_SPAN_NONE);
	pid_t pid = tool_fork();

	if (!pid) {
		in_child(span);
		tool_exit(0);
	}
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	trace2_span_end(span);
	return 0;
}

/* Print the TRACEPARENT of a child that starts now, while the thread may work
 * for a span. */
static void show_child(const char *when)
{
	struct trace2_child child = TRACE2_CHILD_INIT;

	trace2_child_start(&child);
	printf("%s: %s\n", when, getenv("TRACEPARENT"));
	child.pid = 1;
	trace2_child_exit(&child, 0);
}

static int ut_509children(int argc, const char **argv)
{
	trace2_span_t span = trace2_span_start_remote("http", "request",
						      argv[0], NULL);
	char context[TRACE2_SPAN_CONTEXT_BYTES];

	trace2_span_context(span, context, sizeof(context));
	printf("span: %s\n", context);
	show_child("before");
	trace2_span_enter(span);
	show_child("within");
	trace2_span_end(span);
	show_child("after");
	return 0;
}

/* End a span after each word's time in ms; the span of "!5" fails. */
static int ut_510took(int argc, const char **argv)
{
	trace2_span_t span;
	int i;

	for (i = 0; i < argc; i++) {
		const char *word = argv[i] + (argv[i][0] == '!');

		span = trace2_span_start("took", word, TRACE2_SPAN_NONE);
		tool_sleep_ms((int)tool_number(word, 0, INT_MAX));
		if (word == argv[i])
			trace2_span_end(span);
		else
			trace2_span_fail(span, "it should");
	}
	return 0;
}

static int ut_511killed(int argc, const char **argv)
{
	trace2_span_t span = trace2_span_start("killed", "open",
					       TRACE2_SPAN_NONE);

	trace2_span_set_intmax(span, "lost", 1);
	trace2_span_end(trace2_span_start("killed", "ended", span));
	raise(SIGKILL);
	return 0;
}

static unsigned long nr_behind;
static trace2_span_t none;

static void *end_and_exit(void *arg)
{
	unsigned long i;

	trace2_span_end(*(const trace2_span_t *)arg);
	for (i = 0; i < nr_behind; i++)
		trace2_data_intmax("exiting", NULL, "behind", i);
	exit(0);
}

/* A thread ends the process, in which a span and a region are open. */
static int ut_512exiting(int argc, const char **argv)
{
	trace2_span_t open = trace2_span_start("exiting", "open",
					       TRACE2_SPAN_NONE);
	trace2_span_t ended = trace2_span_start("exiting", "ended", open);

	trace2_span_set_intmax(open, "i", 1);
	trace2_region_enter("exiting", "region", NULL);
	nr_behind = (unsigned long)tool_number(argv[0], 0, INT_MAX);
	tool_run_thread(end_and_exit, nr_behind ? &ended : &none);
	return 0;
}

const struct tool_verb tool_verbs_span[] = {
	{ "501span", "", 0, 0, ut_501span },
	{ "502texts", "<category> <name> [<key> <value>]...", 2, -1,
	  ut_502texts },
	{ "503much", "<nr>", 1, 1, ut_503much },
	{ "504open", "<nr>", 1, 1, ut_504open },
	{ "505misuse", "", 0, 0, ut_505misuse },
	{ "506pool", "<nr threads> <rounds>", 2, 2, ut_506pool },
	{ "507handler", "<nr>", 1, 1, ut_507handler },
	{ "508fork", "", 0, 0, ut_508fork },
	{ "509children", "<traceparent>", 1, 1, ut_509children },
	{ "510took", "[!]<ms>...", 1, -1, ut_510took },
	{ "511killed", "", 0, 0, ut_511killed },
	{ "512exiting", "<nr data>", 1, 1, ut_512exiting },
	{ NULL, NULL, 0, 0, NULL },
};
