/* SPDX-License-Identifier: MIT */
/* Read TRACEPARENT, and change it in place for children. */
#include "part/traceparent.h"

#include <stdlib.h>
#include <string.h>

#include "base/fork_guard.h"
#include "part/part.h"
#include "span/table.h"
#include "thread/emit_span.h"

#define NAME "TRACEPARENT="
#define WORDS ((TR2_TRACEPARENT_BYTES + 1) / sizeof(uint64_t))
_Static_assert(WORDS * sizeof(uint64_t) == TR2_TRACEPARENT_BYTES + 1,
	       "whole words");

/* The variable that the environment points to. It is never freed: other threads
 * may be reading it. */
struct variable {
	char unused[4];
	char name[sizeof(NAME) - 1];
	uint64_t value[WORDS];
};
_Static_assert(offsetof(struct variable, value) ==
		       offsetof(struct variable, name) + sizeof(NAME) - 1,
	       "one string");

static struct variable *variable;
static char inherited[TR2_TRACEPARENT_BYTES + 1];
/* The context for children that are started without child_start. */
static struct {
	struct tr2_context context;
	bool sampled;
} usual;
static atomic_bool names_any; /* child_start was called in a trace */
static atomic_bool is_due; /* the event with the session's ids must still be
			    * emitted */

/* Set the variable; other threads may change it at the same time. */
static void set_value(const char text[TR2_TRACEPARENT_BYTES + 1])
{
	uint64_t words[WORDS];
	size_t i;

	if (!variable)
		return;
	memcpy(words, text, sizeof(words));
	for (i = WORDS; i--;)
		__atomic_store_n(&variable->value[i], words[i],
				 __ATOMIC_RELEASE);
}

static void set_context(const struct tr2_context *context, bool sampled)
{
	char text[TR2_TRACEPARENT_BYTES + 1] = "";

	if (context->id)
		tr2_context_format(text, context, sampled);
	set_value(text);
}

/* Make the session a child of the span that a TRACEPARENT names. NULL or an
 * invalid value: the session is in no trace. */
static void take_parent(const char *traceparent)
{
	struct tr2_session_trace trace = { .sampled = true };
	struct tr2_context above;

	if (tr2_context_parse(traceparent, &above, &trace.sampled)) {
		trace.self = above;
		trace.self.id = tr2_span_random();
		trace.parent = above.id;
	}
	tr2_session_trace = trace;
	is_due = trace.self.id != 0;
}

/* Let children get the session's context. */
static void use_session(void)
{
	usual.context = tr2_session_trace.self;
	usual.sampled = tr2_session_trace.sampled;
	set_context(&usual.context, usual.sampled);
}

/* Read the variable, make the session's own id, and put the variable into the
 * environment. */
static void begin_trace(void)
{
	const char *value = getenv("TRACEPARENT");

	take_parent(value);
	if (tr2_session_trace.self.id)
		memcpy(inherited, value, TR2_TRACEPARENT_BYTES);
	variable = calloc(1, sizeof(*variable));
	if (!variable)
		return;
	memcpy(variable->name, NAME, sizeof(NAME) - 1);
	use_session();
	putenv(variable->name);
}

/* Begin in a forked child: its parent is the span that the variable names. */
static void begin_in_child(void)
{
	char text[TR2_TRACEPARENT_BYTES + 1];

	if (!variable)
		return;
	memcpy(text, variable->value, sizeof(text));
	take_parent(text);
	use_session();
}

/* Set the variable in a forked child to the value for the thread that forked.
 * If that thread is unknown, leave the variable as it is. A child of this child
 * gets the same value, until a session begins here. */
static void traceparent_after_fork(void)
{
	const struct tr2_thread *self = tr2_self;

	if (!variable || !tr2_fork_guard_is_set())
		return;
	if (self && self->child.nr != TR2_NO_CHILD) {
		usual.context = self->child.context;
		usual.sampled = self->child.sampled;
	}
	set_context(&usual.context, usual.sampled);
}

/* Restore the value that the variable had at the start. */
static void restore_traceparent(void)
{
	set_value(inherited);
	variable = NULL;
}

/*
 * Record the child that this thread starts. If a handler interrupts the stores
 * and forks, it finds no child number.
 */
static void set_child(struct tr2_thread *thread, int child_id,
		      const struct tr2_context *context, bool sampled)
{
	thread->child.nr = TR2_NO_CHILD;
	atomic_signal_fence(memory_order_seq_cst);
	thread->child.context = *context;
	thread->child.sampled = sampled;
	atomic_signal_fence(memory_order_seq_cst);
	thread->child.nr = child_id;
}

void tr2_traceparent_child(struct tr2_thread *thread, int child_id)
{
	struct tr2_context context;
	uint32_t nr = thread->entered.nr, flags, one_in;

	/* Find the innermost span that is still open: another thread may have
	 * ended spans. */
	while (nr &&
	       !tr2_span_look_up(thread->entered.at[nr - 1].span, &context,
				 &flags, &one_in))
		nr--;
	if (!nr) {
		context = tr2_session_trace.self;
		flags = tr2_session_trace.sampled ? TR2_SPAN_DATA_SAMPLED : 0;
	}
	if (context.id) {
		context.id = tr2_context_child(context.id, (uint64_t)child_id);
		names_any = true;
	}
	set_child(thread, child_id, &context, flags & TR2_SPAN_DATA_SAMPLED);
	set_context(&context, flags & TR2_SPAN_DATA_SAMPLED);
}

void tr2_traceparent_no_child(struct tr2_thread *thread, int child_id)
{
	int nr = child_id;

	set_context(&usual.context, usual.sampled);
	/* If this thread did not start the child, look for the thread that
	 * did. */
	if (!atomic_compare_exchange_strong(&thread->child.nr, &nr,
					    TR2_NO_CHILD) && names_any)
		tr2_thread_child_ended(child_id);
}

/* Emit the ids of the session, once, if it is in a trace. */
static void emit_ids(struct tr2_call *call)
{
	if (atomic_exchange(&is_due, false))
		tr2_call_emit_trace(call);
}

const struct tr2_part tr2_part_traceparent = {
	.begin = begin_trace,
	.begin_in_child = begin_in_child,
	.emit_begun = emit_ids,
	.emit_errors = emit_ids,
	.forked = traceparent_after_fork,
	.release = restore_traceparent,
};
