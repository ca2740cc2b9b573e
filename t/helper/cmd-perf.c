/* SPDX-License-Identifier: MIT */
/* test-tool perf: open counters, and do work for them to count. */
#include "pmu/pmu.h"
#include "test-tool.h"
#include "trace2_perf.h"

#define PAGE_BYTES 4096u
#define MAX_EVENTS 32

/* Cause one page fault per page. */
static void touch(size_t pages)
{
	volatile char *memory;
	size_t i;

	memory = mmap(NULL, pages * PAGE_BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		tool_die("cannot map %zu pages: %s", pages, strerror(errno));
	madvise((void *)memory, pages * PAGE_BYTES, MADV_NOHUGEPAGE);
	for (i = 0; i < pages; i++)
		memory[i * PAGE_BYTES] = 1;
	munmap((void *)memory, pages * PAGE_BYTES);
}

static void *touch_in_thread(void *pages)
{
	touch(*(size_t *)pages);
	trace2_counter_add(TRACE2_COUNTER_ID_TEST1, *(size_t *)pages);
	return NULL;
}

static int perf_touch(int argc, const char **argv)
{
	size_t pages = (size_t)tool_number(argv[0], 1, 1 << 20);
	size_t in_thread = argc > 1 ? (size_t)tool_number(argv[1], 0, 1 << 20) :
				      0;
	size_t in_child = argc > 2 ? (size_t)tool_number(argv[2], 0, 1 << 20) :
				     0;
	pthread_t thread;
	pid_t pid;

	touch_in_thread(&pages);
	if (in_thread) {
		trace2_pthread_create(&thread, NULL, "toucher", touch_in_thread,
				      &in_thread);
		pthread_join(thread, NULL);
	}
	if (in_child) {
		pid = fork();
		if (!pid) {
			touch_in_thread(&in_child);
			exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	return 0;
}

/* Exchange bytes with a child: parent and child wait for each byte. */
static int perf_pingpong(int argc, const char **argv)
{
	long long times = tool_number(argv[0], 1, 1 << 20);
	int there[2], back[2];
	char byte = 0;
	pid_t pid;

	if (pipe(there) || pipe(back))
		tool_die("no pipe: %s", strerror(errno));
	pid = fork();
	if (!pid) {
		close(there[1]);
		while (read(there[0], &byte, 1) == 1)
			if (write(back[1], &byte, 1) != 1)
				_exit(1);
		_exit(0);
	}
	while (times--)
		if (write(there[1], &byte, 1) != 1 ||
		    read(back[0], &byte, 1) != 1)
			tool_die("a broken pipe");
	close(there[1]);
	waitpid(pid, NULL, 0);
	return 0;
}

/* Run in user mode for the given time, without system calls. */
static int perf_spin(int argc, const char **argv)
{
	clock_t ticks = (clock_t)tool_number(argv[0], 1, 60000) *
			(CLOCKS_PER_SEC / 1000);
	clock_t end = clock() + ticks;
	volatile unsigned int n = 0;

	while (clock() < end)
		while (++n % 100000)
			;
	return 0;
}

/* Print the kernel's record of each page fault while pages are touched. */
static int perf_faults(int argc, const char **argv)
{
	struct trace2_perf_attr attr = {
		.type = TRACE2_PERF_TYPE_SOFTWARE,
		.config = 2, /* page faults */
		.sample_period = (uint64_t)tool_number(argv[1], 1, 1 << 20),
		.sample_type = TRACE2_PERF_SAMPLE_IP | TRACE2_PERF_SAMPLE_TID |
			       TRACE2_PERF_SAMPLE_ADDR |
			       TRACE2_PERF_SAMPLE_CALLCHAIN,
		.read_format = TRACE2_PERF_FORMAT_LOST,
		.exclude_kernel = 1,
		.disabled = 1,
	};
	struct {
		struct trace2_perf_record head;
		uint64_t ip;
		uint32_t pid, tid;
		uint64_t addr, calls[256];
	} record;
	unsigned int throttled = 0;
	struct trace2_perf *event;
	uint64_t values[2] = { 0 };
	int result;

	result = trace2_perf_open(&attr, 0, -1, NULL, &event);
	if (!result)
		result = trace2_perf_map(event,
					 (size_t)tool_number(argv[2], 1, 1024));
	if (result < 0)
		tool_die("cannot sample: %s", strerror(-result));
	/* Faults before the buffer is mapped would be counted without a
	 * record. */
	trace2_perf_enable(event);
	touch((size_t)tool_number(argv[0], 1, 1 << 20));
	trace2_perf_disable(event);
	while (trace2_perf_next_record(event, &record, sizeof(record)) > 0) {
		throttled += record.head.type == TRACE2_PERF_RECORD_THROTTLE;
		if (record.head.type == TRACE2_PERF_RECORD_SAMPLE)
			printf("%u %llx %llx\n", record.tid,
			       (unsigned long long)record.ip,
			       (unsigned long long)record.addr);
	}
	trace2_perf_read(event, values, 2);
	printf("value %llu lost %llu throttled %u\n",
	       (unsigned long long)values[0], (unsigned long long)values[1],
	       throttled);
	trace2_perf_close(event);
	return 0;
}

static struct trace2_perf *events[MAX_EVENTS];
static int nr_events;

/* Return the name of an error that the tests expect: musl has no
 * strerrorname_np(). */
static const char *error_name(int number)
{
	static const struct {
		int number;
		const char *name;
	} known[] = {
#define KNOWN(e) { e, #e }
		KNOWN(EACCES), KNOWN(EBADF),   KNOWN(EINVAL),
		KNOWN(ENODEV), KNOWN(ENOENT),  KNOWN(ENOMEM),
		KNOWN(ENOSPC), KNOWN(ENOSYS),  KNOWN(EOPNOTSUPP),
		KNOWN(EPERM),  KNOWN(EMFILE),  KNOWN(ECHILD),
#undef KNOWN
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i].number == number)
			return known[i].name;
	return strerror(number);
}

static void print_error(int result)
{
	if (result < 0)
		puts(error_name(-result));
}

/* Open all events of a list, a group's leader first. */
static void open_list(const char *list)
{
	struct trace2_perf_named named[MAX_EVENTS];
	struct trace2_perf *leader = NULL;
	unsigned int group = 0;
	char error[256];
	int nr = trace2_perf_parse(list, named, MAX_EVENTS, error,
				   sizeof(error)), i, result;

	if (nr < 0)
		printf("%s (%s)\n", error, error_name(-nr));
	for (i = 0; i < nr && nr_events < MAX_EVENTS; i++) {
		if (named[i].group != group || !group)
			leader = NULL;
		group = named[i].group;
		if (group)
			named[i].attr.read_format = TRACE2_PERF_FORMAT_GROUP;
		result = trace2_perf_open(&named[i].attr, 0, -1, leader,
					  &events[nr_events]);
		print_error(result);
		leader = leader ? leader : events[nr_events];
		nr_events += !result;
	}
}

static void read_event(struct trace2_perf *event)
{
	uint64_t values[MAX_EVENTS];
	int nr = trace2_perf_read(event, values, MAX_EVENTS), i;

	print_error(nr);
	if (!nr)
		puts("end of file");
	for (i = 0; i < nr; i++)
		printf("%llu%c", (unsigned long long)values[i],
		       i + 1 < nr ? ' ' : '\n');
}

static void run_shell(const char *command)
{
	fflush(stdout);
	/* The parentheses avoid the macro of banned.h, which forbids system():
	 * a shell is intended here. */
	if ((system)(command))
		tool_die("'%s' failed", command);
}

static void run_step(const char *step, const char *arg)
{
	int i = step[0] == 'o' || step[0] == 's' ?
			0 : (int)tool_number(arg, 0, nr_events - 1);

	if (!strcmp(step, "open"))
		open_list(arg);
	else if (!strcmp(step, "sh"))
		run_shell(arg);
	else if (!strcmp(step, "read"))
		read_event(events[i]);
	else if (!strcmp(step, "count"))
		/* Print the present value of the event, without updating it. */
		printf("%llu\n", (unsigned long long)tr2_perf_count(events[i]));
	else if (!strcmp(step, "enable"))
		print_error(trace2_perf_enable(events[i]));
	else if (!strcmp(step, "disable"))
		print_error(trace2_perf_disable(events[i]));
	else if (!strcmp(step, "reset"))
		print_error(trace2_perf_reset(events[i]));
	else
		tool_usage_error("there is no step '%s'", step);
}

static int perf_run(int argc, const char **argv)
{
	int i;

	if (argc % 2)
		tool_usage_error("each step has one argument");
	for (i = 0; i < argc; i += 2)
		run_step(argv[i], argv[i + 1]);
	for (i = 0; i < nr_events; i++)
		trace2_perf_close(events[i]);
	return 0;
}

int tr2_cmd_perf(int argc, const char **argv)
{
	static const struct tool_verb verbs[] = {
		{ "touch", "<pages> [<in a thread> [<in a child>]]", 1, 3,
		  perf_touch },
		{ "pingpong", "<times>", 1, 1, perf_pingpong },
		{ "spin", "<ms>", 1, 1, perf_spin },
		{ "faults", "<pages to touch> <period> <pages to map>", 3, 3,
		  perf_faults },
		{ "run", "(open <list> | sh <command> | "
			 "(read|count|enable|disable|reset) <event>)...",
		  0, -1, perf_run },
		{ NULL, NULL, 0, 0, NULL },
	};
	static const struct tool_verb *const tables[] = { verbs, NULL };

	return tool_run_verb(tables, argc, argv);
}
