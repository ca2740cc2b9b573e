/* SPDX-License-Identifier: MIT */
/* Open the kernel's events, and write kernel.data. */
#include "record/kernel_records.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "record/meta.h"

void tr2_kernel_records_init(struct tr2_kernel_records *k)
{
	memset(k, 0, sizeof(*k));
	tr2_kernel_file_init(&k->file);
	k->rings.tasks = &k->tasks;
}

void tr2_kernel_records_release(struct tr2_kernel_records *k)
{
	size_t i;

	tr2_kernel_rings_release(&k->rings);
	for (i = 0; i < TR2_KERNEL_NR_EVENTS; i++)
		tr2_kernel_event_close(&k->events[i]);
	tr2_kernel_file_release(&k->file);
	tr2_tasks_release(&k->tasks);
}

static void say_why_not(struct tr2_kernel_records *k, int err)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = 0;

	if (err == ENOSYS)
		snprintf(k->why_not, sizeof(k->why_not),
			 "this kernel has no perf_event_open");
	else if (f && (err == EACCES || err == EPERM) &&
		 fscanf(f, "%d", &level) == 1 && level > 2)
		snprintf(k->why_not, sizeof(k->why_not),
			 "perf_event_open: %s (kernel.perf_event_paranoid is "
			 "%d; at most 2 is needed)", strerror(err), level);
	else
		snprintf(k->why_not, sizeof(k->why_not),
			 "perf_event_open: %s%s", strerror(err),
			 err == EPERM ? " (a seccomp filter, as in containers?)"
				      : "");
	if (f)
		fclose(f);
}

/* The features that describe the machine and the clock. */
static void add_features(struct tr2_perf_file *file)
{
	struct utsname u;
	struct tr2_buf *b = file->features;
	struct tr2_anchor anchor;

	if (!uname(&u)) {
		tr2_perf_add_str(&b[TR2_PERF_HOSTNAME], u.nodename);
		tr2_perf_add_str(&b[TR2_PERF_OSRELEASE], u.release);
		tr2_perf_add_str(&b[TR2_PERF_ARCH], u.machine);
	}
	tr2_perf_add_str(&b[TR2_PERF_VERSION], "trace2 " TRACE2_VERSION);
	tr2_perf_add_u32(&b[TR2_PERF_NRCPUS],
			 (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	tr2_perf_add_u32(&b[TR2_PERF_NRCPUS],
			 (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
	tr2_perf_add_u64(&b[TR2_PERF_CLOCKID], 1); /* resolution: 1 ns */
	tr2_anchor_take(&anchor);
	tr2_perf_add_u32(&b[TR2_PERF_CLOCK_DATA], 1); /* version */
	tr2_perf_add_u32(&b[TR2_PERF_CLOCK_DATA], CLOCK_MONOTONIC);
	tr2_perf_add_u64(&b[TR2_PERF_CLOCK_DATA], anchor.wall_ns);
	tr2_perf_add_u64(&b[TR2_PERF_CLOCK_DATA], anchor.monotonic_ns);
}

static void begin_file(struct tr2_kernel_records *k, int fd)
{
	size_t i;

	for (i = 0; i < TR2_KERNEL_NR_EVENTS; i++)
		k->rows[i] = (struct tr2_perf_file_event){
			.attr = k->events[i].attr,
			.name = k->events[i].name,
			.ids = k->events[i].ids,
			.nr_ids = k->events[i].nr,
		};
	k->file.perf.events = k->rows;
	k->file.perf.nr_events = TR2_KERNEL_NR_EVENTS;
	add_features(&k->file.perf);
	tr2_kernel_file_begin(&k->file, fd);
	k->rings.file = &k->file;
}

bool tr2_kernel_records_open(struct tr2_kernel_records *k, struct tr2_loop *loop, int data_fd)
{
	k->rings.loop = loop;
	tr2_kernel_event_tasks(&k->events[TR2_KERNEL_TASKS], data_fd >= 0);
	if (tr2_kernel_event_open_rings(&k->events[TR2_KERNEL_TASKS],
					&k->rings)) {
		say_why_not(k, errno);
		if (data_fd >= 0)
			close(data_fd);
		return false;
	}
	if (data_fd >= 0)
		begin_file(k, data_fd);
	return true;
}

void tr2_kernel_records_finish(struct tr2_kernel_records *k)
{
	tr2_kernel_rings_copy(&k->rings);
	tr2_kernel_file_finish(&k->file);
}
