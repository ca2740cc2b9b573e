/* SPDX-License-Identifier: MIT */
/* Open events of the kernel for each CPU. */
#include "record/kernel_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Functions of the kernel in a callchain: the innermost name the cause of a
 * wait. */
#define MAX_STACK 10

void tr2_kernel_event_to_data(struct perf_event_attr *attr)
{
	attr->size = sizeof(*attr);
	/* perf script requires IP and PERIOD even of an event without samples;
	 * only samples have them. */
	attr->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
			    PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			    PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	attr->read_format |= PERF_FORMAT_ID;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->inherit = 1;
	attr->watermark = 1;
}

static void init(struct tr2_kernel_event *event, const char *name,
		 uint32_t type, uint64_t config)
{
	struct perf_event_attr *attr = &event->attr;

	memset(event, 0, sizeof(*event));
	event->name = name;
	attr->type = type;
	attr->config = config;
	attr->disabled = 1;
	attr->enable_on_exec = 1;
	attr->exclude_hv = 1;
	tr2_kernel_event_to_data(attr);
}

void tr2_kernel_event_tasks(struct tr2_kernel_event *event, bool states)
{
	struct perf_event_attr *attr = &event->attr;

	init(event, states ? "task-clock:u" : "dummy:u",
			      PERF_TYPE_SOFTWARE,
			      states ? PERF_COUNT_SW_TASK_CLOCK :
				       PERF_COUNT_SW_DUMMY);
	attr->task = 1;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->exclude_kernel = 1;
	attr->inherit_stat = states;
	attr->context_switch = states;
}

/* Every occurrence is a sample. */
static void sample_all(struct perf_event_attr *attr)
{
	attr->sample_period = 1;
	if (attr->type == PERF_TYPE_TRACEPOINT)
		attr->sample_type |= PERF_SAMPLE_RAW;
}

void tr2_kernel_event_switches(struct tr2_kernel_event *event,
			       uint64_t tracepoint)
{
	struct perf_event_attr *attr = &event->attr;

	if (tracepoint)
		init(event, "sched:sched_switch",
				      PERF_TYPE_TRACEPOINT, tracepoint);
	else
		init(event, "context-switches:k",
				      PERF_TYPE_SOFTWARE,
				      PERF_COUNT_SW_CONTEXT_SWITCHES);
	sample_all(attr);
	attr->exclude_user = !tracepoint;
	attr->sample_type |= TR2_CALLCHAINS_TYPE;
	attr->exclude_callchain_user = 1;
	attr->sample_max_stack = MAX_STACK;
}

void tr2_kernel_event_wakings(struct tr2_kernel_event *event,
			      uint64_t tracepoint)
{
	init(event, "sched:sched_waking", PERF_TYPE_TRACEPOINT,
			      tracepoint);
	sample_all(&event->attr);
}

static long nr_cpus(void)
{
	long nr = sysconf(_SC_NPROCESSORS_CONF);

	return nr < 1 ? 1 : nr;
}

static bool make_room(struct tr2_kernel_event *event, size_t nr)
{
	event->fds = calloc(nr, sizeof(*event->fds));
	event->ids = calloc(nr, sizeof(*event->ids));
	errno = ENOMEM;
	return event->fds && event->ids;
}

/* Open the next of its descriptors, in the group of the leader's. -1: errno. */
static int open_next(struct tr2_kernel_event *event, pid_t pid, int cpu,
		     const struct tr2_kernel_event *leader)
{
	uint32_t i = event->nr;
	int fd = (int)syscall(SYS_perf_event_open, &event->attr, pid, cpu,
			      leader ? leader->fds[i] : -1,
			      PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -1;
	event->fds[event->nr++] = fd;
	return ioctl(fd, PERF_EVENT_IOC_ID, &event->ids[i]);
}

/* -1: errno, and nothing is open. */
static int undo(struct tr2_kernel_event *event)
{
	int err = errno;

	tr2_kernel_event_close(event);
	errno = err;
	return -1;
}

/* -1: errno. */
static int open_ring(struct tr2_kernel_event *event,
		     struct tr2_kernel_rings *rings, int cpu, size_t size_bytes)
{
	if (open_next(event, 0, cpu, NULL))
		return errno == ENODEV ? 0 : -1;
	return tr2_kernel_rings_add(rings, event->fds[event->nr - 1], cpu,
				    size_bytes);
}

int tr2_kernel_event_open_rings(struct tr2_kernel_event *event,
				struct tr2_kernel_rings *rings, bool states)
{
	size_t size_bytes = tr2_kernel_ring_bytes(nr_cpus(), states);
	bool ok;
	int cpu;

	event->attr.wakeup_watermark = (uint32_t)(size_bytes / 2);
	rings->ring = calloc((size_t)nr_cpus(), sizeof(*rings->ring));
	ok = make_room(event, (size_t)nr_cpus()) && rings->ring;
	for (cpu = 0; ok && cpu < nr_cpus(); cpu++)
		ok = !open_ring(event, rings, cpu, size_bytes);
	if (ok && rings->nr)
		return 0;
	undo(event);
	tr2_kernel_rings_release(rings);
	return -1;
}

int tr2_kernel_event_open(struct tr2_kernel_event *event,
			  const struct tr2_kernel_rings *rings,
			  const struct tr2_kernel_event *leader)
{
	bool ok = make_room(event, rings->nr);
	size_t i;

	for (i = 0; ok && i < rings->nr; i++)
		ok = !open_next(event, 0, rings->ring[i].cpu, leader) &&
		     !ioctl(event->fds[i], PERF_EVENT_IOC_SET_OUTPUT,
			    rings->ring[i].source.fd);
	return ok ? 0 : undo(event);
}

int tr2_kernel_event_open_task(struct tr2_kernel_event *event, pid_t pid,
			       const struct tr2_kernel_event *leader)
{
	if (make_room(event, 1) && !open_next(event, pid, -1, leader))
		return 0;
	return undo(event);
}

int tr2_kernel_event_open_own(struct tr2_kernel_event *event)
{
	init(event, "dummy:u", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	event->attr.inherit = 0;
	event->attr.enable_on_exec = 0;
	event->attr.exclude_kernel = 1;
	return tr2_kernel_event_open_task(event, 0, NULL);
}

void tr2_kernel_event_stop(const struct tr2_kernel_event *event)
{
	uint32_t i;

	for (i = 0; i < event->nr; i++)
		ioctl(event->fds[i], PERF_EVENT_IOC_DISABLE, 0);
}

void tr2_kernel_event_close(struct tr2_kernel_event *event)
{
	uint32_t i;

	for (i = 0; i < event->nr; i++)
		close(event->fds[i]);
	free(event->fds);
	free(event->ids);
	event->fds = NULL;
	event->ids = NULL;
	event->nr = 0;
}
