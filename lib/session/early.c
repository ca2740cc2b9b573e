/* SPDX-License-Identifier: MIT */
/* Record the first call before trace2_initialize(), and report it later. */
#include "session/early.h"

#include <string.h>

#include "base/clock.h"
#include "thread/stream.h"

#define FILE_BYTES 256

/* A copy, since the string's module may be unloaded by then. */
static struct {
	char file[FILE_BYTES]; /* "": unknown */
	int line;
	atomic_bool is_there;
} first;

/* true for the first call. */
static bool switch_off(void)
{
	int early = TR2_ENABLED_EARLY;

	return __atomic_compare_exchange_n(&trace2_enabled_, &early, 0, false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void tr2_early_note(const char *file, int line)
{
	if (!switch_off())
		return;
	if (file)
		memcpy(first.file, file, strnlen(file, FILE_BYTES - 1));
	first.line = line;
	/* Release: pairs with tr2_early_tell(). */
	atomic_store_explicit(&first.is_there, true, memory_order_release);
}

void tr2_early_end(void)
{
	(void)switch_off();
}

void tr2_early_tell(struct tr2_call *call)
{
	const char *file = call->file;
	int line = call->line;

	/* Acquire: pairs with tr2_early_note(). */
	if (!atomic_exchange_explicit(&first.is_there, false,
				      memory_order_acquire))
		return;
	if (*first.file) {
		call->file = first.file;
		call->line = first.line;
	}
	/* Behind the start event, which lies in another ring. */
	call->now_ns = tr2_clock_now_ns();
	tr2_call_error(call, "trace2: a call came before trace2_initialize(); "
			     "such calls are lost");
	call->file = file;
	call->line = line;
}
