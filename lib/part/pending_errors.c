/* SPDX-License-Identifier: MIT */
/* Keep texts of errors until the session can emit them. */
#include <string.h>

#include "base/clock.h"
#include "part/part.h"
#include "perfevent/perfevent.h"

#define MAX_BYTES 16384 /* bytes of all texts: enough for a setting that lists
			 * only invalid events */
#define TEXT_BYTES (4 * TR2_PERFEVENT_BYTES)

/* The texts one after the other, each with its NUL. */
static struct tr2_buf pending;
static atomic_bool is_any;

void tr2_pending_errors_add(const char *why)
{
	if (pending.len > MAX_BYTES)
		return;
	tr2_buf_add(&pending, why, strlen(why) + 1);
	is_any = true;
}

void tr2_pending_errors_add_threads(const char *why, unsigned int nr_threads)
{
	char memory[TEXT_BYTES];
	struct tr2_buf b;

	tr2_buf_init_fixed(&b, memory, sizeof(memory));
	tr2_buf_addstr(&b, why);
	tr2_buf_addlit(&b, " (in ");
	tr2_buf_add_u64(&b, nr_threads);
	tr2_buf_addstr(&b, nr_threads == 1 ? " thread)" : " threads)");
	tr2_pending_errors_add(tr2_buf_str(&b));
}

void tr2_pending_errors_emit_one(struct tr2_call *call, const char *why)
{
	char memory[TEXT_BYTES];
	struct tr2_buf b;

	tr2_buf_init_fixed(&b, memory, sizeof(memory));
	tr2_buf_addlit(&b, "trace2: ");
	tr2_buf_addstr(&b, why);
	TR2_EMIT(call, error, .msg.s = tr2_buf_str(&b),
		 .fmt.s = "trace2: event '%s': %s");
}

static void emit_all(struct tr2_call *call)
{
	const char *why;

	if (!atomic_exchange(&is_any, false))
		return;
	/*
	 * Use a later time than the start event has: that event lies in another
	 * ring, and readers order the two events by time.
	 */
	call->now_ns = tr2_clock_now_ns();
	for (why = pending.p; why < pending.p + pending.len;
	     why += strlen(why) + 1)
		tr2_pending_errors_emit_one(call, why);
	tr2_buf_reset(&pending);
}

static void release_errors(void)
{
	tr2_buf_release(&pending);
}

const struct tr2_part tr2_part_pending_errors = {
	.emit_begun = emit_all,
	.emit_errors = emit_all,
	.release = release_errors,
};
