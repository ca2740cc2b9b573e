/* SPDX-License-Identifier: MIT */
/* Record the first call before trace2_initialize(), and report it later. */
#include "part/call_before_init.h"

#include <string.h>

#include "base/clock.h"
#include "base/tls.h"
#include "part/part.h"
#include "thread/stream.h"

/* The state is not in trace2_enabled_, which two copies of the library may
 * share. */
enum { NONE, BEING_NOTED, NOTED, OVER };

struct tr2_early tr2_early TR2_HIDDEN TR2_TLS_USED;

/*
 * An ELF note, by which another copy of the library in the process finds the
 * variable: the dynamic linker knows no name of a variable in the program
 * itself.
 */
#define TEXT_(word) #word
#define TEXT(word) TEXT_(word)
__asm__(".pushsection .note.trace2,\"a\",%note\n"
	".balign 4\n"
	".long 2f - 1f, 4, " TEXT(TR2_EARLY_NOTE) "\n"
	"1: .asciz \"" TR2_EARLY_NAME "\"\n"
	"2: .balign 4\n"
	".long " TEXT(tr2_early) " - .\n"
	".popsection");

static void switch_off(void)
{
	int early = TR2_ENABLED_EARLY;

	__atomic_compare_exchange_n(&trace2_enabled_, &early, 0, false,
				    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void tr2_early_note(const char *file, int line)
{
	int none = NONE;

	if (atomic_load_explicit(&tr2_early.state, memory_order_relaxed) !=
		    NONE ||
	    !atomic_compare_exchange_strong(&tr2_early.state, &none,
					    BEING_NOTED))
		return;
	switch_off();
	if (file)
		memcpy(tr2_early.file, file,
		       strnlen(file, sizeof(tr2_early.file) - 1));
	tr2_early.line = line;
	/* Release: pairs with tr2_early_is_noted(). */
	atomic_store_explicit(&tr2_early.state, NOTED, memory_order_release);
}

void tr2_early_end(void)
{
	int none = NONE;

	(void)atomic_compare_exchange_strong(&tr2_early.state, &none, OVER);
	switch_off();
}

bool tr2_early_is_noted(const struct tr2_early *early)
{
	return atomic_load_explicit(&early->state, memory_order_acquire) ==
	       NOTED;
}

/* Emit the error event, if the program made a call before
 * trace2_initialize(). */
static void emit_error(struct tr2_call *call)
{
	const char *file = call->file;
	int line = call->line;

	if (!tr2_early_is_noted(&tr2_early) ||
	    atomic_exchange(&tr2_early.state, OVER) != NOTED)
		return;
	if (*tr2_early.file) {
		call->file = tr2_early.file;
		call->line = tr2_early.line;
	}
	/*
	 * Use a later time than the start event has: the two events lie in
	 * different rings.
	 */
	call->now_ns = tr2_clock_now_ns();
	tr2_call_error(call, "trace2: a call came before trace2_initialize(); "
			     "such calls are lost");
	call->file = file;
	call->line = line;
}

const struct tr2_part tr2_part_call_before_init = {
	.emit_begun = emit_error,
	.emit_errors = emit_error,
};
