/* SPDX-License-Identifier: MIT */
/*
 * Call any public functions by name, in any order; and check the promises that
 * hold for all of them: errno and the signal mask are kept, NULL is allowed.
 */
#include "cmd-trace2.h"

#define MAX_OBJECTS 8

static struct trace2_repo repos[MAX_OBJECTS];
static struct trace2_child children[MAX_OBJECTS];
static trace2_span_t spans[MAX_OBJECTS];
static int last_exec = -1, begun_child = -1;
static struct trace2_metric_value read_back;

TRACE2_TIMER(timer_hist, "tool", "hist", TRACE2_HISTOGRAM);
TRACE2_TIMER(timer_plain, "tool", "plain", 0);
TRACE2_COUNTER(counter_plain, "tool", "plain", 0);
TRACE2_DISTRIBUTION_SHARED(tool_sizes, "tool", "size", "bytes");
TRACE2_GAUGE(gauge_busy, "tool", "busy", "workers");
TRACE2_GAUGE(gauge_plain, "tool", "plain", NULL);
/* This metric is registered only when a call uses it: each histogram takes
 * space in every ring. */
static struct trace2_distribution distribution_plain = {
	"tool", "plain", NULL, 0, TRACE2_UNREGISTERED_
};

/*
 * The following functions convert words to arguments. They convert a missing or
 * invalid word to 0 or NULL: they also run in signal handlers, where they must
 * not fail.
 */

static intmax_t intmax_of(const char *s)
{
	return s ? strtoimax(s, NULL, 10) : 0;
}

static uint64_t u64_of(const char *s)
{
	return s ? strtoumax(s, NULL, 10) : 0;
}

static double double_of(const char *s)
{
	int saved_errno = errno; /* strtod() sets ERANGE for a subnormal
				  * number */
	double value = s ? strtod(s, NULL) : 0;

	errno = saved_errno;
	return value;
}

static int int_of(const char *s)
{
	return (int)intmax_of(s);
}

static const char *const *argv_at(const char **a)
{
	return a[0] ? a : NULL;
}

static struct trace2_repo *repo_at(const char *s)
{
	return s ? &repos[u64_of(s) % MAX_OBJECTS] : NULL;
}

static struct trace2_child *child_at(const char *s)
{
	return s ? &children[u64_of(s) % MAX_OBJECTS] : NULL;
}

static trace2_span_t span_at(const char *s)
{
	return s ? spans[u64_of(s) % MAX_OBJECTS] : TRACE2_SPAN_NONE;
}

static struct trace2_timer *timer_at(const char *name)
{
	if (!name)
		return NULL;
	if (!strcmp(name, "test1"))
		return &TRACE2_TIMER_ID_TEST1;
	if (!strcmp(name, "test2"))
		return &TRACE2_TIMER_ID_TEST2;
	return !strcmp(name, "hist") ? &timer_hist : &timer_plain;
}

static struct trace2_distribution *distribution_at(const char *name)
{
	if (!name)
		return NULL;
	return !strcmp(name, "bytes") ? &tool_sizes : &distribution_plain;
}

static struct trace2_gauge *gauge_at(const char *name)
{
	if (!name)
		return NULL;
	return !strcmp(name, "busy") ? &gauge_busy : &gauge_plain;
}

static struct trace2_counter *counter_at(const char *name)
{
	if (!name)
		return NULL;
	if (!strcmp(name, "test1"))
		return &TRACE2_COUNTER_ID_TEST1;
	if (!strcmp(name, "test2"))
		return &TRACE2_COUNTER_ID_TEST2;
	return &counter_plain;
}

static enum trace2_scope scope_of(const char *name)
{
	static const char *const names[] = {
		[TRACE2_SCOPE_UNKNOWN] = "unknown",
		[TRACE2_SCOPE_SYSTEM] = "system",
		[TRACE2_SCOPE_GLOBAL] = "global",
		[TRACE2_SCOPE_LOCAL] = "local",
		[TRACE2_SCOPE_WORKTREE] = "worktree",
		[TRACE2_SCOPE_COMMAND] = "command",
		[TRACE2_SCOPE_SUBMODULE] = "submodule",
	};
	size_t i;

	for (i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], name))
			return (enum trace2_scope)i;
	/* Pass a number unchanged, to test values that are no scope. */
	i = (size_t)intmax_of(name);
	return (enum trace2_scope)i;
}

static void initialize_with(const char **a)
{
	struct trace2_options options = { .version = a[0],
					  .prefix = a[1] };

	trace2_initialize_with(a[0] ? &options : NULL);
}

/* Pointers to functions with formats: the compiler rejects a literal NULL as a
 * format, except through such pointers. */
static void (*const unchecked_error)(const char *file, int line,
				     const char *fmt,
				     ...) = trace2_cmd_error_fl;
static void (*const unchecked_printf)(const char *file, int line,
				      const char *fmt, ...) = trace2_printf_fl;
static void (*const unchecked_enter)(const char *file, int line,
				     const char *category, const char *label,
				     const struct trace2_repo *repo,
				     const char *fmt,
				     ...) = trace2_region_enter_printf_fl;
static void (*const unchecked_leave)(const char *file, int line,
				     const char *category, const char *label,
				     const struct trace2_repo *repo,
				     const char *fmt,
				     ...) = trace2_region_leave_printf_fl;

static void cmd_error(const char *message)
{
	if (message)
		trace2_cmd_error("%s", message);
	else
		unchecked_error(__FILE__, __LINE__, NULL);
}

static void print_text(const char *message)
{
	if (message)
		trace2_printf("%s", message);
	else
		unchecked_printf(__FILE__, __LINE__, NULL);
}

static void region_enter_printf(const char **a)
{
	if (a[3])
		trace2_region_enter_printf(a[0], a[1], repo_at(a[2]), "%s",
					   a[3]);
	else
		unchecked_enter(__FILE__, __LINE__, a[0], a[1], repo_at(a[2]),
				NULL);
}

static void region_leave_printf(const char **a)
{
	if (a[3])
		trace2_region_leave_printf(a[0], a[1], repo_at(a[2]), "%s",
					   a[3]);
	else
		unchecked_leave(__FILE__, __LINE__, a[0], a[1], repo_at(a[2]),
				NULL);
}

/* Wrappers of the functions that take a va_list. They pass NULL unchanged. */

__attribute__((format(printf, 2, 3))) static void
error_va(const char **a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	trace2_cmd_error_va(a[0] ? fmt : NULL, ap);
	va_end(ap);
}

__attribute__((format(printf, 2, 3))) static void
printf_va(const char **a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	trace2_printf_va(a[0] ? fmt : NULL, ap);
	va_end(ap);
}

__attribute__((format(printf, 2, 3))) static void
region_enter_va(const char **a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	trace2_region_enter_printf_va(a[0], a[1], repo_at(a[2]),
				      a[3] ? fmt : NULL, ap);
	va_end(ap);
}

__attribute__((format(printf, 2, 3))) static void
region_leave_va(const char **a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	trace2_region_leave_printf_va(a[0], a[1], repo_at(a[2]),
				      a[3] ? fmt : NULL, ap);
	va_end(ap);
}

static void collect_process_info(const char *which)
{
	/* Any number is possible, to test invalid values. */
	int value = int_of(which);

	trace2_collect_process_info((enum trace2_process_info)value);
}

static void def_repo(const char **a)
{
	struct trace2_repo *repo = repo_at(a[0]);

	if (repo)
		repo->worktree = a[1];
	trace2_def_repo(repo);
}

static void child_start(const char **a)
{
	struct trace2_child *child = child_at(a[0]);

	if (child) {
		memset(child, 0, sizeof(*child));
		child->pid = 4711;
		child->argv = argv_at(a + 1);
	}
	trace2_child_start(child);
}

static void child_begin(const char **a)
{
	const struct trace2_child child = { .argv = a[0] ? a : NULL,
					    .child_class = "begun" };

	begun_child = trace2_child_begin(a[0] ? &child : NULL);
}

static trace2_span_t *span_to_start(const char **a)
{
	return &spans[a[0] ? u64_of(a[0]) % MAX_OBJECTS : 0];
}

static void span_start(const char **a)
{
	*span_to_start(a) = trace2_span_start(a[1], a[2], span_at(a[3]));
}

static void span_start_fl(const char **a)
{
	*span_to_start(a) = trace2_span_start_fl(__FILE__, __LINE__, a[1],
						 a[2], span_at(a[3]));
}

static void span_start_remote(const char **a)
{
	*span_to_start(a) = trace2_span_start_remote(a[1], a[2], a[3], a[4]);
}

static void span_set_double(const char **a)
{
	intmax_t eighths = intmax_of(a[2]);

	trace2_span_set_double(span_at(a[0]), a[1], (double)eighths / 8);
}

static void span_context(const char **a)
{
	char context[TRACE2_SPAN_CONTEXT_BYTES];

	trace2_span_context(span_at(a[0]), context, sizeof(context));
	trace2_span_context(span_at(a[0]), NULL, 0);
}

static void *pthread_body(void *arg)
{
	trace2_data_string("thread", NULL, "arg", arg);
	return NULL;
}

static void run_pthread(const char *base_name)
{
	pthread_t thread;

	if (!trace2_pthread_create(&thread, NULL, base_name, pthread_body,
				   (void *)base_name))
		pthread_join(thread, NULL);
}

#define TOOL_CALL(name, usage, sample, statement) \
	static void call_##name(const char **a)   \
	{                                         \
		(void)a;                          \
		statement;                        \
	}
#include "cmd-trace2-calls.def"
#undef TOOL_CALL

/* Actions of a host between calls, for scripts of `call`. */

static void host_touch(const char **a)
{
	close(open(a[0] ? a[0] : "", O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
}

static void host_wait(const char **a)
{
	char c;

	while (read(STDIN_FILENO, &c, 1) == 1 && c != '\n')
		;
}

static void host_chdir(const char **a)
{
	if (chdir(a[0] ? a[0] : ""))
		tool_die("cannot change to '%s': %s", a[0], strerror(errno));
}

static void host_close(const char **a)
{
	close(int_of(a[0]));
}

static void host_raise(const char **a)
{
	raise(tool_signal(a[0] ? a[0] : ""));
}

static void host_signal(const char **a)
{
	trace2_signal(int_of(a[0]));
}

static void host_setenv(const char **a)
{
	if (a[0] && a[1])
		setenv(a[0], a[1], 1);
	else if (a[0])
		unsetenv(a[0]);
}

static void host_sleep_ms(const char **a)
{
	tool_sleep_ms(int_of(a[0]));
}

/* Fork. Parent and child both go on, the child first. */
static void host_fork(const char **a)
{
	pid_t pid = tool_fork();

	if (pid)
		waitpid(pid, NULL, 0);
}

static void host_print_id(const char **a)
{
	puts(trace2_session_id());
	fflush(stdout);
}

static void host_system(const char **a)
{
	if ((system)(a[0] ? a[0] : ""))
		tool_die("failed: %s", a[0]);
}

static void host_child_again(const char **a)
{
	struct trace2_child *child = child_at(a[0]);

	if (child)
		/* argv points to the words of an earlier call */
		child->argv = NULL;
	trace2_child_start(child);
}

static void host_child_garbage(const char **a)
{
	struct trace2_child *child = child_at(a[0]);

	if (!child)
		return;
	memset(child, 0, sizeof(*child));
	child->child_state = 1;
	child->child_id = 4711;
	trace2_child_start(child);
}

static const struct call {
	/* sample NULL: the row is no function of the library */
	const char *name, *usage, *sample;
	void (*run)(const char **a);
} calls[] = {
#define TOOL_CALL(name, usage, sample, statement) \
	{ #name, usage, sample, call_##name },
#include "cmd-trace2-calls.def"
#undef TOOL_CALL
	{ "touch", "<file>", NULL, host_touch },
	{ "wait", "(for a line on stdin)", NULL, host_wait },
	{ "chdir", "<dir>", NULL, host_chdir },
	{ "close", "<fd>", NULL, host_close },
	{ "raise", "<signal>", NULL, host_raise },
	{ "signal", "<number>", NULL, host_signal },
	{ "setenv", "<name> [<value>]", NULL, host_setenv },
	{ "sleep_ms", "<ms>", NULL, host_sleep_ms },
	{ "fork", "", NULL, host_fork },
	{ "print_id", "", NULL, host_print_id },
	{ "system", "<shell command>", NULL, host_system },
	{ "child_again", "<0..7>", NULL, host_child_again },
	{ "child_garbage", "<0..7>", NULL, host_child_garbage },
};

#define NR_CALLS (sizeof(calls) / sizeof(calls[0]))
/* A number of arguments: more than any row of the table uses. */
#define PADDING 8

static const struct call *find_call(const char *name)
{
	size_t i;

	for (i = 0; i < NR_CALLS; i++)
		if (!strcmp(calls[i].name, name))
			return &calls[i];
	tool_usage_error("there is no function '%s'; 'calls' lists them", name);
}

/* Run the call at argv[0]. Return the number of its words, including the
 * comma. */
static int run_one(int argc, const char **argv)
{
	const struct call *call = find_call(argv[0]);
	const char **a = tool_alloc((size_t)argc + PADDING, sizeof(*a));
	int i;

	for (i = 1; i < argc && strcmp(argv[i], ","); i++)
		a[i - 1] = strcmp(argv[i], "NULL") ? argv[i] : NULL;
	call->run(a);
	free(a);
	return i < argc ? i + 1 : i;
}

static int ut_012call(int argc, const char **argv)
{
	long long times = 1;

	if (!strncmp(argv[0], "--repeat=", 9)) {
		times = tool_number(argv[0] + 9, 0, LLONG_MAX);
		argc--;
		argv++;
	}
	while (times-- > 0) {
		int at = 0;

		while (at < argc)
			at += run_one(argc - at, argv + at);
	}
	return 0;
}

static int ut_013calls(int argc, const char **argv)
{
	size_t i;

	for (i = 0; i < NR_CALLS; i++)
		printf("%s%s%s\n", calls[i].name, *calls[i].usage ? " " : "",
		       calls[i].usage);
	return 0;
}

/* Split the sample into arguments, using the memory of `words`. */
static const char **sample_args(const char *sample, char *words, const char **a)
{
	char *word, *rest = NULL;
	int nr = 0;

	memset(a, 0, 2 * PADDING * sizeof(*a));
	memcpy(words, sample, strlen(sample) + 1);
	for (word = strtok_r(words, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest))
		a[nr++] = word;
	return a;
}

static int ut_014nulls(int argc, const char **argv)
{
	static const char *nothing[2 * PADDING];
	struct trace2_child child = TRACE2_CHILD_INIT;
	struct trace2_options options = { .flags = TRACE2_MORE_OPTIONS };
	struct trace2_repo repo = { NULL, 0 };
	size_t i;

	for (i = 0; i < NR_CALLS; i++)
		if (calls[i].sample)
			calls[i].run(nothing);
	/* Pass pointers to members that are NULL. */
	trace2_initialize_with(&options);
	trace2_cmd_start(nothing);
	trace2_cmd_alias("", nothing);
	trace2_cmd_ancestry(nothing);
	trace2_def_repo(&repo);
	child.argv = nothing;
	trace2_child_start(&child);
	trace2_child_exit(&child, 0);
	trace2_exec_result(trace2_exec("", nothing), 0);
	trace2_data_string_fl(NULL, 0, NULL, NULL, NULL, NULL);
	trace2_data_string("", NULL, "last", "");
	return 0;
}

/* A value of errno that no function sets. */
#define MAGIC_ERRNO 4711

static int errno_is_kept(const struct call *call, const char **a)
{
	errno = MAGIC_ERRNO;
	call->run(a);
	if (errno == MAGIC_ERRNO)
		return 1;
	fprintf(stderr, "trace2_%s() changed errno to %d\n", call->name, errno);
	return 0;
}

/* Return whether the call keeps the signal mask. Use another mask for each
 * call, so that an old mask cannot count as kept. */
static int mask_is_kept(const struct call *call, const char **a)
{
	static int nr;
	int blocked = nr++ % 2 ? SIGUSR1 : SIGUSR2;
	int other = blocked == SIGUSR1 ? SIGUSR2 : SIGUSR1;
	sigset_t mask, after;

	sigemptyset(&mask);
	sigaddset(&mask, blocked);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	call->run(a);
	sigprocmask(SIG_BLOCK, NULL, &after);
	if (sigismember(&after, blocked) && !sigismember(&after, other))
		return 1;
	fprintf(stderr, "trace2_%s() changed the signal mask\n", call->name);
	return 0;
}

static int ut_015errno(int argc, const char **argv)
{
	const char *a[2 * PADDING];
	char words[128];
	int bad = 0;
	size_t i;

	for (i = 0; i < NR_CALLS; i++) {
		if (!calls[i].sample)
			continue;
		bad |= !errno_is_kept(&calls[i],
				      sample_args(calls[i].sample, words, a));
		bad |= !errno_is_kept(&calls[i], sample_args("", words, a));
		bad |= !mask_is_kept(&calls[i],
				     sample_args(calls[i].sample, words, a));
	}
	return bad;
}

/* Call trace2_signal(): after it the other calls must do nothing, and nothing
 * must be closed. */
static int ut_017signal(int argc, const char **argv)
{
	const char *a[2 * PADDING];
	char words[128];

	if (!errno_is_kept(find_call("signal"), sample_args("2", words, a)))
		return 1;
	errno = MAGIC_ERRNO;
	trace2_signal_fl(NULL, 0, 0);
	return errno != MAGIC_ERRNO;
}

const struct tool_verb tool_verbs_call[] = {
	{ "012call", "[--repeat=<n>] <function> [<arg>...] [, <function>...]",
	  1, -1, ut_012call },
	{ "013calls", "", 0, 0, ut_013calls },
	{ "014nulls", "", 0, 0, ut_014nulls },
	{ "015errno", "", 0, 0, ut_015errno },
	{ "017signal", "", 0, 0, ut_017signal },
	{ NULL, NULL, 0, 0, NULL },
};
