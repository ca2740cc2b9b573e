/* SPDX-License-Identifier: MIT */
/* A part of the tracer that is removed: it does not compile. */
#error "this is the tracer that the adapter replaces"
static struct tr2_counter_metadata tr2_counter_metadata[] = {
	[TRACE2_COUNTER_ID_PACKS] = {
		.category = "pack",
		.name = "opened",
		.want_per_thread_events = 0,
	},
	[TRACE2_COUNTER_ID_OBJECTS] = {
		.category = "pack",
		.name = "objects",
		.want_per_thread_events = 1,
	},
};
