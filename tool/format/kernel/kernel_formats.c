/* SPDX-License-Identifier: MIT */
/* kernel_formats - parse the formats of tracepoints. */
#include "format/kernel/kernel_formats.h"

#include <string.h>

struct text {
	const char *p;
	size_t len;
};

/* Move behind `want`. false: it is not in the text. */
static bool skip_to(struct text *t, const char *want)
{
	size_t len = strlen(want);
	const char *at = memmem(t->p, t->len, want, len);

	if (!at)
		return false;
	at += len;
	t->len -= (size_t)(at - t->p);
	t->p = at;
	return true;
}

static uint32_t number(const struct text *t)
{
	uint32_t value = 0;
	size_t i;

	for (i = 0; i < t->len && i < 9 && t->p[i] >= '0' && t->p[i] <= '9';
	     i++)
		value = value * 10 + (uint32_t)(t->p[i] - '0');
	return value;
}

/* The format of an event is "name: NAME\nID: N\nformat:\n", lines with fields,
 * and "print fmt". */
static bool find_event(struct text *t, const char *name, uint64_t *id)
{
	const char *end;

	if (!skip_to(t, name))
		return false;
	end = memmem(t->p, t->len, "print fmt:", 10);
	if (end)
		t->len = (size_t)(end - t->p);
	*id = number(t);
	return *id != 0;
}

/* "field:TYPE NAME;\toffset:N;\tsize:N;": `name` includes the text around it. */
static void find_field(const struct text *event, const char *name,
		       struct tr2_kernel_field *field)
{
	struct text t = *event;

	if (!skip_to(&t, name) || !skip_to(&t, "offset:"))
		return;
	field->at = number(&t);
	if (skip_to(&t, "size:"))
		field->size = number(&t);
}

void tr2_kernel_formats_read(struct tr2_kernel_formats *formats,
			     const char *text, size_t len)
{
	struct text event = { text, len };

	if (find_event(&event, "name: sched_switch\nID: ",
		       &formats->switch_id)) {
		find_field(&event, " prev_pid;", &formats->prev_pid);
		find_field(&event, " prev_comm[", &formats->prev_comm);
		find_field(&event, " prev_state;", &formats->prev_state);
		find_field(&event, " next_pid;", &formats->next_pid);
		find_field(&event, " next_comm[", &formats->next_comm);
	}
	event = (struct text){ text, len };
	if (find_event(&event, "name: sched_waking\nID: ",
		       &formats->waking_id)) {
		find_field(&event, " pid;", &formats->pid);
		find_field(&event, " common_flags;", &formats->flags);
		find_field(&event, " common_preempt_count;", &formats->depth);
	}
}
