/* SPDX-License-Identifier: MIT */
/*
 * `resources VERB NUMBER [BYTES]`: measure limited resources of a process while
 * NUMBER threads live that use the library.
 *
 *	mappings	prints their number
 *	long-lines	each writes BYTES bytes once, and then RESOURCES_SAY
 *			times a short line; prints how many bytes of memory
 *			were added, while they live and after they have ended
 *	long-lines-odd	the same with bytes that are not valid UTF-8
 *	deep-regions	the same, each in 40,000 regions
 *	descriptors	prints how many the process can open
 *	one-by-one	nothing: they live one after the other
 *	use-ring	each writes more than a ring holds, and uses timers that
 *			were defined while it ran
 *	threads		prints how many threads can be created, up to NUMBER
 */
#include "trace2.h"
#include "../host.h"

#define STACK_BYTES 65536
#define NR_REGIONS 40000

TRACE2_COUNTER(counted, "resources", "counted", 0);

static pthread_barrier_t all_are_there, go_on;

static void count_and_say(void)
{
	trace2_counter_add(counted, 1);
	trace2_data_intmax("resources", NULL, "thread", 1);
}

static long count_mappings(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	long nr = 0;
	int c;

	if (!file)
		abort();
	while ((c = getc(file)) != EOF)
		nr += c == '\n';
	fclose(file);
	return nr;
}

static long resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long pages;

	if (!file || fscanf(file, "%*d %ld", &pages) != 1)
		abort();
	fclose(file);
	return pages * sysconf(_SC_PAGESIZE);
}

static long count_openable(void)
{
	static int fds[1 << 16];
	long nr = 0, i;

	while (nr < 1 << 16 && (fds[nr] = open("/dev/null", O_RDONLY)) >= 0)
		nr++;
	for (i = 0; i < nr; i++)
		close(fds[i]);
	return nr;
}

static void nothing(void)
{
}

static char *text;

static void say_long(void)
{
	const char *more = getenv("RESOURCES_SAY");
	int i, nr = more ? atoi(more) : 0;

	trace2_data_string("resources", NULL, "long", text);
	for (i = 0; i < nr; i++)
		count_and_say();
}

static void open_regions(void)
{
	int i;

	for (i = 0; i < NR_REGIONS; i++)
		trace2_region_enter("resources", "deep", NULL);
}

static void (*what_threads_do)(void) = nothing;

static void *be_there(void *arg)
{
	count_and_say();
	what_threads_do();
	pthread_barrier_wait(&all_are_there);
	pthread_barrier_wait(&go_on);
	return arg;
}

static void small_stacks(pthread_attr_t *attr)
{
	pthread_attr_init(attr);
	pthread_attr_setstacksize(attr, STACK_BYTES);
}

static void with_threads(int nr, long (*look)(void))
{
	pthread_t *threads = calloc((size_t)nr, sizeof(*threads));
	pthread_attr_t attr;
	int i;

	small_stacks(&attr);
	pthread_barrier_init(&all_are_there, NULL, (unsigned int)nr + 1);
	pthread_barrier_init(&go_on, NULL, (unsigned int)nr + 1);
	for (i = 0; i < nr; i++)
		if (pthread_create(&threads[i], &attr, be_there, NULL))
			abort();
	pthread_barrier_wait(&all_are_there);
	printf("%ld\n", look());
	pthread_barrier_wait(&go_on);
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

static long bytes_before;

static long more_bytes(void)
{
	return resident_bytes() - bytes_before;
}

static void with_memory(int nr, void (*function)(void))
{
	/*
	 * Forbid huge pages: a huge page is resident as a whole when any byte
	 * is used.
	 */
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	count_and_say();
	what_threads_do = function;
	bytes_before = resident_bytes();
	with_threads(nr, more_bytes);
	printf("%ld\n", more_bytes());
}

static void long_lines(int nr, size_t bytes, int byte)
{
	text = malloc(bytes + 1);
	if (!text)
		abort();
	memset(text, byte, bytes);
	text[bytes] = '\0';
	with_memory(nr, say_long);
	free(text);
}

static void *say(void *arg)
{
	count_and_say();
	return arg;
}

static void one_by_one(int nr)
{
	pthread_t thread;

	while (nr--)
		if (pthread_create(&thread, NULL, say, NULL) ||
		    pthread_join(thread, NULL))
			abort();
}

#define NR_TIMERS 150
#define NR_EVENTS 3000

static void *use_ring(void *arg)
{
	struct trace2_timer *timers = arg;
	int i;

	for (i = 0; i < NR_EVENTS; i++) {
		trace2_timer_start(timers[i % NR_TIMERS]);
		trace2_data_intmax("resources", NULL, "event", i);
		trace2_timer_stop(timers[i % NR_TIMERS]);
		trace2_counter_add(counted, 1);
	}
	return NULL;
}

/* Every twelfth timer has a histogram. The second set of threads uses slots
 * that exist already. */
static void use_ring_in_threads(int nr)
{
	static char names[2][NR_TIMERS][16];
	static struct trace2_timer timers[2][NR_TIMERS];
	int i, round;

	for (round = 0; round < nr; round++) {
		for (i = 0; i < NR_TIMERS; i++) {
			snprintf(names[round & 1][i], sizeof(names[0][0]),
				 "%d.%d", round & 1, i);
			timers[round & 1][i] = (struct trace2_timer){
				"resources", names[round & 1][i],
				i % 12 ? 0 : TRACE2_HISTOGRAM,
				TRACE2_UNREGISTERED_
			};
			trace2_register_timer_(&timers[round & 1][i]);
		}
		host_in_threads(2, use_ring, timers[round & 1]);
	}
	puts("used");
}

static void *say_and_wait(void *arg)
{
	count_and_say();
	pause();
	return arg;
}

static void threads(int nr)
{
	pthread_attr_t attr;
	pthread_t thread;
	int i;

	small_stacks(&attr);
	for (i = 0; i < nr; i++)
		if (pthread_create(&thread, &attr, say_and_wait, NULL))
			break;
	printf("%d\n", i);
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";
	int nr = argc > 2 ? atoi(argv[2]) : 0;
	size_t bytes = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;

	trace2_initialize();
	trace2_cmd_start(argv);
	if (!strcmp(verb, "mappings"))
		with_threads(nr, count_mappings);
	else if (!strcmp(verb, "descriptors"))
		with_threads(nr, count_openable);
	else if (!strcmp(verb, "long-lines"))
		long_lines(nr, bytes, 'x');
	else if (!strcmp(verb, "long-lines-odd"))
		long_lines(nr, bytes, 0xff);
	else if (!strcmp(verb, "deep-regions"))
		with_memory(nr, open_regions);
	else if (!strcmp(verb, "one-by-one"))
		one_by_one(nr);
	else if (!strcmp(verb, "use-ring"))
		use_ring_in_threads(nr);
	else if (!strcmp(verb, "threads"))
		threads(nr);
	else
		return 129;
	return 0;
}
