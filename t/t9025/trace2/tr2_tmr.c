/* SPDX-License-Identifier: MIT */
/* A part of the tracer that is removed: it does not compile. */
#error "this is the tracer that the adapter replaces"
static struct tr2_timer_metadata tr2_timer_metadata[] = {
	[TRACE2_TIMER_ID_READ] = {
		.category = "index",
		.name = "read",
		.want_per_thread_events = 0,
	},
};
