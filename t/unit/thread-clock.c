/* SPDX-License-Identifier: MIT */
/* A thread's copy of the clock's scale: when it is made, when it must stay. */
#include "tap.h"
#include "thread/thread.h"

static struct tr2_thread thread;
static struct tr2_slot slot;

static bool has_counter(void)
{
	const struct timespec distance = { 0, TR2_FIT_FIRST_NS };
	int i;

	tr2_clock_prepare();
	tr2_clock_start();
	for (i = 0; i < 50 && !tr2_clock_newest().window; i++) {
		nanosleep(&distance, NULL);
		tr2_clock_now_ns();
	}
	return tr2_clock_newest().window;
}

/* Ask for the time after the copy's window. Return true if the copy is new. */
static bool is_renewed(void)
{
	thread.scale = (struct tr2_scale){ .base_ns = 1, .window = 1 };
	return tr2_thread_now_ns(&thread) > 1 && thread.scale.base_ns != 1;
}

int main(void)
{
	if (!has_counter()) {
		puts("1..0 # SKIP no counter of the processor is used here");
		return 0;
	}
	ok(is_renewed(),
	   "scale: a thread's is renewed when its window is over");
	tr2_my_slot = &slot;
	ok(is_renewed(), "scale: that of a thread with a ring, too");
	slot.control.nest = 1;
	ok(!is_renewed(),
	   "scale: a write that a handler interrupted keeps its own");
	tr2_my_slot = NULL;
	return done_testing();
}
