/* SPDX-License-Identifier: MIT */
/*
 * Very many definitions: each is marked while it is sampled, as long as its
 * module is loaded, and costs no more than if there were few. Threads may
 * define the same ones at once. The cost is counted in instructions, if the
 * processor can stop after each. Valgrind cannot do that, and ThreadSanitizer
 * delays signals.
 */
#include "../helper/single-step.h"
#include "base/lock.h"
#include "base/sanitize.h"
#include "metric/metric.h"
#include "tap.h"

#define MANY 4000u
#define FEW 70u
#define PROBES 16u

static struct trace2_counter many[MANY];
static volatile uint64_t steps;

static void on_step(int signal)
{
	steps++;
}

static void define(unsigned int i)
{
	many[i].category = "unit";
	many[i].name = "many";
	many[i].index = TRACE2_UNREGISTERED_;
	trace2_register_counter_(&many[i]);
}

static void define_up_to(unsigned int from, unsigned int nr)
{
	while (from < nr)
		define(from++);
}

/* Return the cost of PROBES definitions, beginning at this number. */
static uint64_t cost_to_define(unsigned int from)
{
	steps = 0;
	stop_after_each(!TR2_TSAN);
	define_up_to(from, from + PROBES);
	stop_after_each(false);
	return steps;
}

/*
 * Return the cost of removing PROBES of the first nr definitions, both old and
 * new ones.
 */
static uint64_t cost_to_forget(unsigned int nr)
{
	unsigned int i;

	steps = 0;
	stop_after_each(!TR2_TSAN);
	for (i = 0; i < PROBES; i++)
		trace2_unregister_counter_(&many[i * nr / PROBES]);
	stop_after_each(false);
	for (i = 0; i < PROBES; i++)
		define(i * nr / PROBES);
	return steps;
}

static void test_cost(void)
{
	uint64_t few_define, few_forget, many_define, many_forget;

	define_up_to(0, FEW);
	cost_to_define(FEW); /* the first call may resolve symbols */
	few_define = cost_to_define(FEW);
	cost_to_forget(FEW);
	few_forget = cost_to_forget(FEW);
	define_up_to(FEW, MANY - PROBES);
	many_define = cost_to_define(MANY - PROBES);
	many_forget = cost_to_forget(MANY);
	if (!few_define) {
		puts("# nothing stops behind each instruction here");
		return;
	}
	printf("# few: %" PRIu64 ", %" PRIu64 "; many: %" PRIu64 ", %" PRIu64
	       "\n",
	       few_define, few_forget, many_define, many_forget);
	ok(many_define < 3 * few_define, "the 4,000th is as cheap");
	ok(many_forget < 3 * few_forget, "and as cheap to forget");
}

static unsigned int count_marked(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < MANY; i++)
		nr += (many[i].index & TR2_METRIC_SAMPLED) != 0;
	return nr;
}

static void test_marks(void)
{
	unsigned int index = many[0].index, i, round;

	tr2_metric_sample(TR2_METRIC_COUNTER, index, true);
	is_u64(count_marked(), MANY, "all are marked");
	for (i = 0; i < MANY; i += 2)
		trace2_unregister_counter_(&many[i]);
	tr2_metric_sample(TR2_METRIC_COUNTER, index, false);
	is_u64(count_marked(), MANY / 2, "what was unloaded is not touched");
	for (round = 0; round < 20; round++) {
		for (i = 0; i < MANY; i += 2)
			define(i);
		for (i = 0; i < MANY; i += 2)
			trace2_unregister_counter_(&many[i]);
	}
	tr2_metric_sample(TR2_METRIC_COUNTER, index, true);
	is_u64(count_marked(), MANY / 2, "however often it comes and goes");
	define(0);
	ok(many[0].index == many[1].index, "and marked when it comes");
	tr2_metric_sample(TR2_METRIC_COUNTER, index, false);
	is_u64(count_marked(), 0, "no mark stays");
}

static struct tr2_arena_cells asked;
static bool has_space;

static bool more(const struct tr2_arena_cells *nr)
{
	asked = *nr;
	return has_space;
}

/* Make definitions in an arena's file, whose disk may be full. */
static void test_space(void)
{
	static struct trace2_counter counter = { "unit", "space", 0,
						 TRACE2_UNREGISTERED_ };

	tr2_metric_back(more);
	trace2_register_counter_(&counter);
	ok(asked.counters && counter.index == TRACE2_UNREGISTERED_,
	   "a counter without space for its cell is refused");
	has_space = true;
	trace2_register_counter_(&counter);
	ok(!counter.index, "one with space is not");
	tr2_metric_back(NULL);
}

#define NR_THREADS 4
#define NR_NAMES 200u

static struct trace2_timer *opened[NR_THREADS][NR_NAMES];
static pthread_barrier_t barrier;

static struct trace2_timer *open_timer(unsigned int nr)
{
	char text[16];
	const struct trace2_label label = { "nr", text };

	snprintf(text, sizeof(text), "%u", nr);
	return trace2_timer_open("unit/at-once",
				 nr % 4 ? 0 : TRACE2_HISTOGRAM, &label, 1);
}

/* Begin at another definition in each thread, while a module comes and goes. */
static void *open_all(void *number)
{
	unsigned int first = *(unsigned int *)number, i, nr;
	struct trace2_counter counter = { "unit", "at-once", 0,
					  TRACE2_UNREGISTERED_ };

	pthread_barrier_wait(&barrier);
	for (i = 0; i < NR_NAMES; i++) {
		nr = (i / 8 * 8 + (i + first * 2) % 8) % NR_NAMES;
		opened[first][nr] = open_timer(nr);
		trace2_register_counter_(&counter);
		trace2_unregister_counter_(&counter);
	}
	return NULL;
}

static void *sample_meanwhile(void *unused)
{
	unsigned int i;

	pthread_barrier_wait(&barrier);
	for (i = 0; i < NR_NAMES; i++) {
		tr2_lock();
		tr2_metric_sample(TR2_METRIC_COUNTER, 0, i % 2 == 0);
		tr2_unlock();
	}
	return unused;
}

static unsigned int count_different(void)
{
	unsigned int i, t, nr = 0;

	for (i = 0; i < NR_NAMES; i++)
		for (t = 1; t < NR_THREADS; t++)
			nr += opened[t][i] != opened[0][i];
	return nr;
}

static void test_threads(void)
{
	unsigned int before = tr2_metric_nr(TR2_METRIC_TIMER), i,
		     histograms = 0, at_last = 0, numbers[NR_THREADS];
	const struct tr2_metric_def *def;
	pthread_t threads[NR_THREADS + 1];

	pthread_barrier_init(&barrier, NULL, NR_THREADS + 1);
	for (i = 0; i < NR_THREADS; i++) {
		numbers[i] = i;
		pthread_create(&threads[i], NULL, open_all, &numbers[i]);
	}
	pthread_create(&threads[NR_THREADS], NULL, sample_meanwhile, NULL);
	for (i = 0; i <= NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	is_u64(count_different(), 0,
	       "threads that open the same at once get it");
	is_u64(tr2_metric_nr(TR2_METRIC_TIMER), before + NR_NAMES,
	       "and each is there once");
	for (i = 0; i < before + NR_NAMES; i++) {
		def = tr2_metric_def(TR2_METRIC_TIMER, i);
		histograms += def->histogram != 0;
		at_last = def->histogram ? def->histogram : at_last;
	}
	is_u64(at_last, histograms, "histograms have numbers without gaps");
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_step };

	test_space();
	sigaction(SIGTRAP, &action, NULL);
	test_cost();
	test_marks();
	test_threads();
	is_u64(tr2_metric_nr_refused(TR2_REFUSED_ROOM), 1,
	       "there was room for all others");
	return done_testing();
}
