/* SPDX-License-Identifier: MIT */
/* Open, read and report the events that are counted over a command. */
#include "record/kernel/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "common/memory.h"
#include "common/say.h"
#include "record/refusal.h"

/* The reason for an event that the kernel does not count: this machine has no
 * hardware or driver for it. */
static const char not_supported[] = "not supported";

/* Name the counter by its event's full name: cs becomes context-switches. */
static void name_counter(struct tr2_event_counter *c)
{
	const struct tr2_perfevent *ev = &c->event;
	size_t len = strlen(ev->name);
	const struct tr2_perfevent_name *row =
		tr2_perfevent_find(ev->pmu, ev->name, len);

	if (row && !strncmp(ev->text, ev->name, len))
		snprintf(c->name, sizeof(c->name), "%s%s", row->name,
			 ev->text + len);
	else
		snprintf(c->name, sizeof(c->name), "%s", ev->text);
}

static void add_kernel_event(struct tr2_event_counters *cs,
			     const struct tr2_perfevent *ev)
{
	struct tr2_event_counter *item;

	tr2_grow(cs->item, cs->nr, cs->alloc);
	item = &cs->item[cs->nr++];
	memset(item, 0, sizeof(*item));
	item->event = *ev;
	item->fd = -1;
	if (ev->group && ev->group == cs->headless) {
		item->event.is_leader = true;
		cs->headless = 0;
	}
}

static void add_event(struct tr2_event_counters *cs,
		      const struct tr2_perfevent *ev)
{
	size_t i;

	if (tr2_perfevent_is_kernel(ev->pmu)) {
		/* If an event was given twice, count it once. The second event
		 * leads no group. */
		for (i = 0; i < cs->nr; i++) {
			if (strcmp(cs->item[i].event.text, ev->text) != 0)
				continue;
			if (ev->group && ev->is_leader)
				cs->headless = ev->group;
			return;
		}
		add_kernel_event(cs, ev);
		return;
	}
	if (cs->programs.len)
		tr2_buf_addch(&cs->programs, ',');
	tr2_buf_addstr(&cs->programs, ev->text);
	tr2_must(!cs->programs.failed);
}

bool tr2_event_counters_add(struct tr2_event_counters *cs, const char *text)
{
	enum tr2_perfevent_result got;
	struct tr2_perfevents list;
	struct tr2_perfevent ev;
	size_t nr = 0;

	tr2_perfevents_init(&list, text);
	for (; (got = tr2_perfevents_next(&list, &ev)) == TR2_PERFEVENT_OK;
	     nr++) {
		if (ev.period) {
			tr2_error("event '%s': a counted event takes no period "
				  "(to sample, set GIT_TRACE2_SAMPLE)",
				  ev.text);
			return false;
		}
		add_event(cs, &ev);
	}
	if (got == TR2_PERFEVENT_END && !nr) {
		tr2_error("no event in '%s' ('-e list' lists them)",
			  text);
		return false;
	}
	if (got == TR2_PERFEVENT_BAD)
		tr2_error("%s ('-e list' lists the named events)",
			  list.error);
	return got == TR2_PERFEVENT_END;
}

static void warn_of(const char *what, const char *why)
{
	if (why)
		tr2_warning("%s are not counted: %s", what, why);
}

void tr2_event_counters_add_syscalls(struct tr2_event_counters *cs)
{
	const char *why;

	cs->syscalls = tr2_syscalls_open(&why);
	if (!cs->syscalls)
		warn_of("system calls", why);
}

void tr2_event_counters_add_allocations(struct tr2_event_counters *cs)
{
	const char *why;

	cs->allocations = tr2_allocations_open(&why);
	if (!cs->allocations)
		warn_of("allocations", why);
}

void tr2_event_counters_check(const struct tr2_event_counters *cs)
{
	if (cs->syscalls)
		warn_of("system calls", tr2_syscalls_why_not(cs->syscalls));
	if (cs->allocations)
		warn_of("allocations",
			tr2_allocations_why_not(cs->allocations));
}

void tr2_event_counters_release(struct tr2_event_counters *cs)
{
	size_t i;

	for (i = 0; i < cs->nr; i++)
		if (cs->item[i].fd >= 0)
			close(cs->item[i].fd);
	free(cs->item);
	tr2_syscalls_close(cs->syscalls);
	tr2_allocations_close(cs->allocations);
	tr2_buf_release(&cs->programs);
	memset(cs, 0, sizeof(*cs));
}

const char *tr2_event_counters_for_programs(struct tr2_event_counters *cs)
{
	return cs->programs.len ? tr2_buf_str(&cs->programs) : NULL;
}

static void fill_attr(struct perf_event_attr *attr,
		      const struct tr2_perfevent *ev)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	tr2_perfevent_set_attr(attr, ev);
	attr->inherit = 1;
	/* The members of a group count when their leader counts. */
	attr->disabled = ev->is_leader;
	attr->enable_on_exec = ev->is_leader;
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			    PERF_FORMAT_TOTAL_TIME_RUNNING;
}

static int open_attr(struct perf_event_attr *attr, pid_t pid, int leader)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, -1, leader,
			    PERF_FLAG_FD_CLOEXEC);
}

/* Does the event happen in the kernel alone? Its count is always 0 for a user
 * who may not count in the kernel. */
static bool is_in_kernel(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		attr->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
		attr->config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

/* Set the reason why the event is not counted. */
static void refuse_counter(struct tr2_event_counter *c, int err,
			   enum tr2_right right)
{
	char cause[80];

	switch (err) {
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
	case ENOSYS:
		snprintf(c->why_not, sizeof(c->why_not), "%s", not_supported);
		break;
	case EACCES:
	case EPERM:
		tr2_refusal_cause(cause, sizeof(cause), right);
		snprintf(c->why_not, sizeof(c->why_not),
			 TR2_NOT_PERMITTED " (%s)", cause);
		break;
	default:
		snprintf(c->why_not, sizeof(c->why_not), "%s", strerror(err));
	}
}

static void open_one(struct tr2_event_counter *c, pid_t pid, int leader)
{
	struct perf_event_attr attr;
	const char *why;

	if (tr2_perfevent_resolve(&c->event, &why)) {
		snprintf(c->why_not, sizeof(c->why_not), "%s", why);
		return;
	}
	fill_attr(&attr, &c->event);
	if (is_in_kernel(&attr) && attr.exclude_kernel) {
		snprintf(c->why_not, sizeof(c->why_not),
			 "not counted by modes: leave the modifiers out");
		return;
	}
	c->fd = open_attr(&attr, pid, leader);
	c->from_wait4 = c->fd < 0 && is_in_kernel(&attr) &&
			attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES;
	if (c->fd < 0 && (errno == EACCES || errno == EPERM) &&
	    !c->event.exclude && !is_in_kernel(&attr)) {
		/* Count outside of the kernel instead, which every user may do.
		 * Add ":u" to the name, as perf does. */
		attr.exclude_kernel = 1;
		c->fd = open_attr(&attr, pid, leader);
		if (c->fd >= 0)
			strncat(c->name, strchr(c->name, ':') ? "u" : ":u",
				sizeof(c->name) - strlen(c->name) - 1);
	}
	if (c->fd < 0 && !c->from_wait4)
		refuse_counter(c, errno, attr.exclude_kernel ? TR2_RIGHT_USER :
							       TR2_RIGHT_KERNEL);
}

bool tr2_event_works(const struct tr2_perfevent *event)
{
	struct tr2_event_counter c = { .event = *event, .fd = -1 };

	open_one(&c, 0, -1);
	if (c.fd >= 0)
		close(c.fd);
	return c.fd >= 0;
}

void tr2_event_counters_open(struct tr2_event_counters *cs, pid_t pid)
{
	int leader = -1;
	size_t i;

	if (cs->syscalls)
		tr2_syscalls_begin(cs->syscalls);
	if (cs->allocations)
		tr2_allocations_begin(cs->allocations, pid);
	for (i = 0; i < cs->nr; i++) {
		struct tr2_event_counter *c = &cs->item[i];
		bool alone = !c->event.group || c->event.is_leader;

		if (c->fd >= 0)
			close(c->fd);
		c->fd = -1;
		c->why_not[0] = '\0';
		name_counter(c);
		if (alone || leader >= 0)
			open_one(c, pid, alone ? -1 : leader);
		else
			snprintf(c->why_not, sizeof(c->why_not),
				 "the first event of its group could not be "
				 "counted");
		if (alone)
			leader = c->fd;
	}
}

void tr2_event_counters_read(struct tr2_event_counters *cs, uint64_t switches)
{
	uint64_t values[3];
	size_t i;

	if (cs->syscalls)
		tr2_syscalls_end(cs->syscalls);
	if (cs->allocations)
		tr2_allocations_end(cs->allocations);
	for (i = 0; i < cs->nr; i++) {
		struct tr2_event_counter *c = &cs->item[i];
		ssize_t n;

		if (c->from_wait4) {
			c->value = switches;
			/* the count covers all of the time */
			c->enabled_ns = c->running_ns = 1;
		}
		if (c->fd < 0)
			continue;
		n = read(c->fd, values, sizeof(values));
		if (n == (ssize_t)sizeof(values)) {
			c->value = values[0];
			c->enabled_ns = values[1];
			c->running_ns = values[2];
		} else {
			/* End of file: the PMU had no room for a pinned
			 * event. */
			snprintf(c->why_not, sizeof(c->why_not), "%s",
				 n < 0 ? strerror(errno) : "not counted");
		}
		close(c->fd);
		c->fd = -1;
	}
}

static void add_counter(struct tr2_buf *b, const struct tr2_event_counter *c)
{
	tr2_json_add_string(b, c->name);
	if (c->why_not[0]) {
		tr2_buf_addlit(b, ":{\"error\":");
		tr2_json_add_string(b, c->why_not);
	} else {
		tr2_buf_addlit(b, ":{\"value\":");
		tr2_buf_add_u64(b, c->value);
		tr2_buf_addlit(b, ",\"unit\":");
		tr2_json_add_string(b, c->event.unit);
		tr2_buf_addlit(b, ",\"enabled_ns\":");
		tr2_buf_add_u64(b, c->enabled_ns);
		tr2_buf_addlit(b, ",\"running_ns\":");
		tr2_buf_add_u64(b, c->running_ns);
	}
	tr2_buf_addch(b, '}');
}

void tr2_event_counters_add_meta(const struct tr2_event_counters *cs,
				 struct tr2_buf *b)
{
	bool more = false;
	size_t i;

	tr2_buf_addch(b, '{');
	if (cs->allocations)
		more = tr2_allocations_add_meta(cs->allocations, b);
	for (i = 0; i < cs->nr; i++) {
		if (more)
			tr2_buf_addch(b, ',');
		add_counter(b, &cs->item[i]);
		more = true;
	}
	tr2_buf_addch(b, '}');
}
