/* SPDX-License-Identifier: MIT */
/*
 * One thread defines counters, as modules do when they are loaded. Another one
 * emits the first events of many sites; key and value of each event are equal.
 */
#include "../system.h"
#include "trace2.h"

#define NR_COUNTERS 900
#define NR_SITES 1200

static char names[NR_SITES][16];
static pthread_barrier_t barrier;

static void *define_counters(void *unused)
{
	static struct trace2_counter counters[NR_COUNTERS];
	int i;

	pthread_barrier_wait(&barrier);
	for (i = 0; i < NR_COUNTERS; i++) {
		counters[i].category = "counters";
		counters[i].name = names[i];
		counters[i].index = TRACE2_UNREGISTERED_;
		trace2_register_counter_(&counters[i]);
	}
	return unused;
}

int main(void)
{
	static struct trace2_site sites[NR_SITES];
	pthread_t thread;
	int i;

	for (i = 0; i < NR_SITES; i++)
		snprintf(names[i], sizeof(names[i]), "name%d", i);
	trace2_initialize();
	pthread_barrier_init(&barrier, NULL, 2);
	if (pthread_create(&thread, NULL, define_counters, NULL))
		return 1;
	trace2_data_string("sites", NULL, "first", "first");
	pthread_barrier_wait(&barrier);
	for (i = 0; i < NR_SITES; i++) {
		sites[i].file = __FILE__;
		sites[i].line = i;
		sites[i].category = "sites";
		sites[i].name = names[i];
		trace2_data_string_at_(&sites[i], "sites", NULL, names[i],
				       names[i]);
	}
	return pthread_join(thread, NULL);
}
