/* SPDX-License-Identifier: MIT */
/*
 * Metrics, in one thread and in many.
 */
#include "cmd-trace2.h"
#include "host.h"

TRACE2_TIMER(timer_histogram, "tool", "histogram",
	     TRACE2_PER_THREAD | TRACE2_HISTOGRAM);
TRACE2_TIMER(timer_handed, "tool", "handed", 0);
TRACE2_TIMER(timer_clocked, "tool", "clocked", 0);
/* One metric with two definitions. */
TRACE2_COUNTER(counter_merged_1, "tool", "merged", 0);
TRACE2_COUNTER(counter_merged_2, "tool", "merged", 0);

#define MAX_THREADS 4096

void tool_sleep_ms(int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	while (nanosleep(&t, &t))
		;
}

struct intervals {
	int count, ms;
};

static struct intervals parse_intervals(const char **argv)
{
	struct intervals v;

	v.count = (int)tool_number(argv[0], 0, INT_MAX);
	v.ms = (int)tool_number(argv[1], 0, INT_MAX);
	return v;
}

static unsigned int parse_threads(const char *arg)
{
	return (unsigned int)tool_number(arg, 0, MAX_THREADS);
}

static void run_test1(const struct intervals *v)
{
	int i;

	for (i = 0; i < v->count; i++) {
		trace2_timer_start(TRACE2_TIMER_ID_TEST1);
		tool_sleep_ms(v->ms);
		trace2_timer_stop(TRACE2_TIMER_ID_TEST1);
	}
}

static void *thread_100(void *arg)
{
	trace2_thread_start("ut_100");
	run_test1(arg);
	trace2_thread_exit();
	return NULL;
}

static int ut_100timer(int argc, const char **argv)
{
	struct intervals v = parse_intervals(argv);

	if (argc < 3)
		run_test1(&v);
	else
		tool_run_threads(parse_threads(argv[2]), thread_100, &v);
	return 0;
}

static void *thread_101(void *arg)
{
	const struct intervals *v = arg;
	int i;

	trace2_thread_start("ut_101");
	for (i = 0; i < v->count; i++) {
		trace2_timer_start(TRACE2_TIMER_ID_TEST2);
		tool_sleep_ms(v->ms);
		trace2_timer_stop(TRACE2_TIMER_ID_TEST2);
	}
	trace2_thread_exit();
	return NULL;
}

static int ut_101timer(int argc, const char **argv)
{
	struct intervals v = parse_intervals(argv);

	tool_run_threads(parse_threads(argv[2]), thread_101, &v);
	return 0;
}

/* Time sleeps of the given numbers of ms. Each interval is at least as long as
 * its sleep. */
static int ut_110timer_histogram(int argc, const char **argv)
{
	int i;

	for (i = 0; i < argc; i++) {
		trace2_timer_start(timer_histogram);
		tool_sleep_ms((int)tool_number(argv[i], 0, INT_MAX));
		trace2_timer_stop(timer_histogram);
	}
	return 0;
}

static void *stop_handed(void *arg)
{
	trace2_thread_start("stopper");
	trace2_timer_stop(timer_handed);
	trace2_thread_exit();
	return NULL;
}

static int ut_111timer_handed(int argc, const char **argv)
{
	trace2_timer_start(timer_handed);
	tool_run_thread(stop_handed, NULL);
	return 0;
}

static void *leave_running(void *arg)
{
	trace2_thread_start("runner");
	trace2_timer_start(TRACE2_TIMER_ID_TEST2);
	trace2_thread_exit();
	return NULL;
}

static int ut_112timer_unfinished(int argc, const char **argv)
{
	unsigned int nr = argc ? parse_threads(argv[0]) : 0;

	if (nr)
		tool_run_threads(nr, leave_running, NULL);
	else
		trace2_timer_start(TRACE2_TIMER_ID_TEST2);
	return 0;
}

/* Bounds of the time that the intervals took. */
struct taken {
	uint64_t inner_ns, outer_ns;
};

static void take_interval(struct taken *t, const char *how, uint64_t ns)
{
	bool called = !strcmp(how, "called");
	uint64_t before = host_now_ns(), from, to;

	if (!strcmp(how, "histogram"))
		trace2_timer_start(timer_histogram);
	else if (called)
		trace2_timer_start_on_(&timer_clocked);
	else
		trace2_timer_start(timer_clocked);
	from = to = host_now_ns();
	if (ns > 20000000)
		tool_sleep_ms((int)(ns / 1000000 - 10));
	while (to < from + ns)
		to = host_now_ns();
	if (!strcmp(how, "histogram"))
		trace2_timer_stop(timer_histogram);
	else if (called)
		trace2_timer_stop_on_(&timer_clocked, __FILE__, __LINE__);
	else if (!strcmp(how, "killed"))
		trace2_data_intmax("tool", NULL, "running", 1);
	else
		trace2_timer_stop(timer_clocked);
	t->inner_ns += to - from;
	t->outer_ns += host_now_ns() - before;
}

/* Print the least and the greatest time that the timer may show. Use another
 * timer first: the library needs 1 ms until it knows the rate of the
 * processor's counter. */
static int ut_114timer_clock(int argc, const char **argv)
{
	uint64_t nr = tool_unsigned(argv[1]),
		 ns = tool_unsigned(argv[2]) * 1000;
	uint64_t until = host_now_ns(), i;
	struct taken taken = { 0, 0 };

	if (argc > 3)
		until += tool_unsigned(argv[3]) * 1000;
	do {
		trace2_timer_start(TRACE2_TIMER_ID_TEST1);
		trace2_timer_stop(TRACE2_TIMER_ID_TEST1);
	} while (host_now_ns() < until);
	for (i = 0; i < nr; i++)
		take_interval(&taken, argv[0], ns);
	printf("%" PRIu64 " %" PRIu64 "\n", taken.inner_ns, taken.outer_ns);
	fflush(stdout);
	if (!strcmp(argv[0], "killed"))
		kill(getpid(), SIGKILL);
	return 0;
}

static int ut_200counter(int argc, const char **argv)
{
	int i;

	for (i = 0; i < argc; i++)
		trace2_counter_add(TRACE2_COUNTER_ID_TEST1,
				   tool_unsigned(argv[i]));
	return 0;
}

struct addends {
	uint64_t v1, v2;
};

static void *thread_201(void *arg)
{
	const struct addends *v = arg;

	trace2_thread_start("ut_201");
	trace2_counter_add(TRACE2_COUNTER_ID_TEST2, v->v1);
	trace2_counter_add(TRACE2_COUNTER_ID_TEST2, v->v2);
	trace2_thread_exit();
	return NULL;
}

static int ut_201counter(int argc, const char **argv)
{
	struct addends v;

	v.v1 = tool_unsigned(argv[0]);
	v.v2 = tool_unsigned(argv[1]);
	tool_run_threads(parse_threads(argv[2]), thread_201, &v);
	return 0;
}

static int ut_210counter_merged(int argc, const char **argv)
{
	trace2_counter_add(counter_merged_1, tool_unsigned(argv[0]));
	trace2_counter_add(counter_merged_2, tool_unsigned(argv[1]));
	return 0;
}

/* Define timer test1 twice more, and counter test2 once more, with other flags,
 * as modules might. */
static int ut_213redefined(int argc, const char **argv)
{
	static struct trace2_timer timer[] = {
		{ "test", "test1", TRACE2_HISTOGRAM, TRACE2_UNREGISTERED_ },
		{ "test", "test1", TRACE2_HISTOGRAM, TRACE2_UNREGISTERED_ },
	};
	static struct trace2_counter counter = {
		"test", "test2", 0, TRACE2_UNREGISTERED_
	};

	trace2_register_timer_(&timer[0]);
	trace2_register_timer_(&timer[1]);
	trace2_register_counter_(&counter);
	return 0;
}

#define MAX_DEFINITIONS 99999

/*
 * Return a name for a definition that is made at run time. The name lives as
 * long as the process, like the names of a module that is never unloaded.
 */
static const char *many_name(char kind, unsigned int i)
{
	static char names[2][MAX_DEFINITIONS][8];
	char *name = names[kind == 't'][i];

	snprintf(name, sizeof(names[0][0]), "%c%u", kind, i % MAX_DEFINITIONS);
	return name;
}

static int ut_113timer_many(int argc, const char **argv)
{
	static struct trace2_timer timers[MAX_DEFINITIONS];
	bool histograms = !strcmp(argv[0], "--histograms");
	unsigned int i, nr;

	nr = (unsigned int)tool_number(argv[argc - 1], 1, MAX_DEFINITIONS);
	for (i = 0; i < nr; i++) {
		timers[i].category = "many";
		timers[i].name = many_name('t', i);
		timers[i].flags = histograms ? TRACE2_HISTOGRAM : 0;
		timers[i].index = TRACE2_UNREGISTERED_;
		trace2_register_timer_(&timers[i]);
		trace2_timer_start(timers[i]);
		trace2_timer_stop(timers[i]);
	}
	return 0;
}

/* Define and use the given number of metrics of a type. */
#define VERB_MANY(verb, type, kind, use)                              \
	static int verb(int argc, const char **argv)                  \
	{                                                             \
		static struct trace2_##type many[MAX_DEFINITIONS];    \
		unsigned int i, nr = (unsigned int)tool_number(       \
					argv[0], 1, MAX_DEFINITIONS); \
		for (i = 0; i < nr; i++) {                            \
			many[i].category = "many";                    \
			many[i].name = many_name(kind, i);            \
			many[i].index = TRACE2_UNREGISTERED_;         \
			trace2_register_##type##_(&many[i]);          \
			use;                                          \
		}                                                     \
		return 0;                                             \
	}

VERB_MANY(ut_211counter_many, counter, 'c', trace2_counter_add(many[i], i + 1))
VERB_MANY(ut_221distribution_many, distribution, 't',
	  trace2_distribution_add(many[i], i))
VERB_MANY(ut_231gauge_many, gauge, 't', trace2_gauge_set(many[i], i))

/* Arrays with holes, as in a program that numbers its metrics. */
static struct trace2_timer timer_array[] = {
	[1] = TRACE2_TIMER_INIT("array", "first", 0),
	[3] = TRACE2_TIMER_INIT("array", "last", TRACE2_PER_THREAD),
};
static struct trace2_counter counter_array[] = {
	[0] = TRACE2_COUNTER_INIT("array", "first", 0),
	[2] = TRACE2_COUNTER_INIT("array", "last", 0),
};
static struct trace2_distribution distribution_array[] = {
	TRACE2_DISTRIBUTION_INIT("array", "size", "bytes"),
};
TRACE2_TIMERS(timer_array);
TRACE2_COUNTERS(counter_array);
TRACE2_DISTRIBUTIONS(distribution_array);

static int ut_222arrays(int argc, const char **argv)
{
	int i;

	for (i = 0; i < 4; i++) {
		trace2_timer_start(timer_array[i]);
		trace2_timer_stop(timer_array[i]);
	}
	for (i = 0; i < 3; i++)
		trace2_counter_add(counter_array[i], (uint64_t)i + 1);
	trace2_distribution_add(distribution_array[0], 4096);
	return 0;
}

struct words {
	int nr;
	const char **word;
};

static void *add_values(void *arg)
{
	const struct words *w = arg;
	int i;

	trace2_thread_start("adder");
	for (i = 0; i < w->nr; i++) {
		trace2_distribution_add(tool_sizes, tool_unsigned(w->word[i]));
		trace2_timer_add(timer_histogram, tool_unsigned(w->word[i]));
	}
	trace2_thread_exit();
	return NULL;
}

static int ut_220values(int argc, const char **argv)
{
	struct words w = { argc - 1, argv + 1 };

	tool_run_threads(parse_threads(argv[0]), add_values, &w);
	return 0;
}

TRACE2_GAUGE_SHARED(tool_open, "tool", "open", "files");

/*
 * Take back each addition except the first: each thread leaves 1 in the gauge.
 */
static void *open_and_close(void *arg)
{
	const unsigned int *times = arg;
	unsigned int i;

	trace2_gauge_add(tool_open, 1);
	for (i = 0; i < *times; i++) {
		trace2_gauge_add(tool_open, 3);
		trace2_gauge_sub(tool_open, 3u);
	}
	return NULL;
}

static int ut_230gauge(int argc, const char **argv)
{
	unsigned int times = (unsigned int)tool_number(argv[1], 0, INT_MAX);

	tool_run_threads(parse_threads(argv[0]), open_and_close, &times);
	return 0;
}

/* Emit the value that was read, so that a test finds it in the stream. */
static void tell(const char *name, int known,
		 const struct trace2_metric_value *v)
{
	trace2_printf("%s: %d count:%" PRIu64 " sum:%" PRIu64 " min:%" PRId64
		      " max:%" PRId64 " last:%" PRId64 " unfinished:%" PRIu64,
		      name, known, v->count, v->sum, v->min, v->max, v->last,
		      v->unfinished);
}

static void *count_in_thread(void *arg)
{
	trace2_counter_add(TRACE2_COUNTER_ID_TEST1, 5);
	trace2_timer_add(TRACE2_TIMER_ID_TEST1, 700);
	trace2_distribution_add(tool_sizes, 3);
	trace2_gauge_sub(tool_open, 4);
	return NULL;
}

/* Read values of an ended thread and of this one, in which a timer runs. */
static int ut_240read(int argc, const char **argv)
{
	struct trace2_metric_value v;

	memset(&v, 0xff, sizeof(v));
	tell("unset", trace2_gauge_read(tool_open, &v), &v);
	tool_run_thread(count_in_thread, NULL);
	count_in_thread(NULL);
	trace2_timer_add(TRACE2_TIMER_ID_TEST1, 300);
	trace2_timer_start(TRACE2_TIMER_ID_TEST1);
	trace2_timer_read(TRACE2_TIMER_ID_TEST1, &v);
	v.sum -= v.sum % 100; /* cut off some ns, since the timer is running */
	tell("timer", 1, &v);
	trace2_timer_stop(TRACE2_TIMER_ID_TEST1);
	tell("counter", trace2_counter_read(TRACE2_COUNTER_ID_TEST1, &v), &v);
	tell("sizes", trace2_distribution_read(tool_sizes, &v), &v);
	tell("gauge", trace2_gauge_read(tool_open, &v), &v);
	return 0;
}

static int ut_241open(int argc, const char **argv)
{
	const struct trace2_label labels[] = {
		{ "method", "GET" }, { "code", "\"2\\\"" }, { NULL, NULL },
	};
	const struct trace2_label reversed[] = { labels[1], labels[0] };
	struct trace2_counter *counter, *again;
	struct trace2_metric_value v;

	counter = trace2_counter_open("http/requests", 0, labels, 2);
	again = trace2_counter_open("http/requests", 0, reversed, 2);
	trace2_counter_add(*counter, 40);
	trace2_counter_add(*again, 2);
	tell(counter == again ? "same" : "other",
	     trace2_counter_read(*counter, &v), &v);
	trace2_timer_add(*trace2_timer_open("plain", TRACE2_HISTOGRAM, NULL, 0),
			 9000);
	trace2_distribution_add(
		*trace2_distribution_open("a/b/c", "bytes", labels, 1), 7);
	trace2_gauge_set(*trace2_gauge_open("a/b/c", NULL, labels, 1), -7);
	/*
	 * The metric that is opened below is the same as this one, which the
	 * program defines.
	 */
	trace2_counter_add(TRACE2_COUNTER_ID_TEST1, 1);
	trace2_counter_add(*trace2_counter_open("test/test1", 0, NULL, 0), 2);
	trace2_counter_add(*trace2_counter_open(NULL, 0, labels + 2, 1), 6);
	return 0;
}

static int ut_242open_many(int argc, const char **argv)
{
	unsigned int i, nr = (unsigned int)tool_number(argv[0], 1, 99999);
	char code[16], text[300] = "";
	struct trace2_label labels[9] = { { "code", code } };

	for (i = 0; i < nr; i++) {
		snprintf(code, sizeof(code), "%u", i);
		trace2_counter_add(
			*trace2_counter_open("many/c", 0, labels, 1), 1);
	}
	/* opens that fail: too many labels, too long a name, an unknown kind */
	trace2_counter_add(*trace2_counter_open("many/d", 0, labels, 9), 1);
	memset(text, 'x', sizeof(text) - 1);
	trace2_counter_add(*trace2_counter_open(text, 0, NULL, 0), 1);
	trace2_metric_open((enum trace2_metric_kind)99, "many/c", NULL, 0, NULL,
			   0);
	return 0;
}

static void *call_module(void *arg)
{
	void (*use)(void);

	*(void **)&use = dlsym(arg, "module_use");
	if (use)
		use();
	return NULL;
}

/* Load a module, use its metrics here and in a thread, unload the module, and
 * go on. */
static void use_module(const char *path, bool keep)
{
	void *module = dlopen(path, RTLD_NOW);

	if (!module)
		tool_die("cannot load '%s': %s", path, dlerror());
	if (!dlsym(module, "module_use"))
		tool_die("'%s' has no module_use()", path);
	call_module(module);
	tool_run_thread(call_module, module);
	if (!keep && dlclose(module))
		tool_die("cannot unload '%s': %s", path, dlerror());
	trace2_data_string("module", NULL, "used", path);
}

static int ut_212module(int argc, const char **argv)
{
	bool keep = !strcmp(argv[0], "--keep");
	int i;

	for (i = keep; i < argc; i++)
		use_module(argv[i], keep);
	trace2_counter_add(TRACE2_COUNTER_ID_TEST1, 1);
	return 0;
}

const struct tool_verb tool_verbs_metric[] = {
	{ "100timer", "<count> <ms_delay> [<threads>]", 2, 3, ut_100timer },
	{ "101timer", "<count> <ms_delay> <threads>", 3, 3, ut_101timer },
	{ "110timer_histogram", "<ms_delay>...", 1, -1,
	  ut_110timer_histogram },
	{ "111timer_handed", "", 0, 0, ut_111timer_handed },
	{ "112timer_unfinished", "[<threads>]", 0, 1,
	  ut_112timer_unfinished },
	{ "113timer_many", "[--histograms] <definitions>", 1, 2,
	  ut_113timer_many },
	{ "114timer_clock",
	  "(inline|called|histogram|killed) <intervals> <us> [<us before>]", 3,
	  4, ut_114timer_clock },
	{ "200counter", "<value>...", 1, -1, ut_200counter },
	{ "201counter", "<value1> <value2> <threads>", 3, 3, ut_201counter },
	{ "210counter_merged", "<value1> <value2>", 2, 2,
	  ut_210counter_merged },
	{ "211counter_many", "<definitions>", 1, 1, ut_211counter_many },
	{ "212module", "[--keep] <path>...", 1, -1, ut_212module },
	{ "213redefined", "", 0, 0, ut_213redefined },
	{ "220values", "<threads> <value>...", 1, -1, ut_220values },
	{ "222arrays", "", 0, 0, ut_222arrays },
	{ "240read", "", 0, 0, ut_240read },
	{ "241open", "", 0, 0, ut_241open },
	{ "242open_many", "<definitions>", 1, 1, ut_242open_many },
	{ "230gauge", "<threads> <times>", 2, 2, ut_230gauge },
	{ "231gauge_many", "<definitions>", 1, 1, ut_231gauge_many },
	{ "221distribution_many", "<definitions>", 1, 1,
	  ut_221distribution_many },
	{ NULL, NULL, 0, 0, NULL },
};
