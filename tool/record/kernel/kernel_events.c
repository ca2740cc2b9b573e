/* SPDX-License-Identifier: MIT */
/* Open events of the kernel for each CPU. */
#include "record/kernel/kernel_events.h"

#include <errno.h>
#if defined(__x86_64__) || defined(__aarch64__)
#include <asm/perf_regs.h>
#endif
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "record/elevate.h"

#define SEND_MAX 252u /* the kernel passes at most 253 descriptors in a
		       * message */

/* Send the descriptors fds, and the descriptor `also`. */
static bool send_fds(int to, const int *fds, uint32_t nr, int also)
{
	union {
		char bytes[CMSG_SPACE((SEND_MAX + 1) * sizeof(int))];
		struct cmsghdr aligned;
	} control = { { 0 } };
	char byte = 0;
	struct iovec part = { &byte, sizeof(byte) };
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = CMSG_SPACE((nr + 1) * sizeof(int)),
	};
	struct cmsghdr *h = CMSG_FIRSTHDR(&message);

	if (!h)
		return false;
	h->cmsg_level = SOL_SOCKET;
	h->cmsg_type = SCM_RIGHTS;
	h->cmsg_len = CMSG_LEN((nr + 1) * sizeof(int));
	memcpy(CMSG_DATA(h), fds, nr * sizeof(int));
	memcpy(CMSG_DATA(h) + nr * sizeof(int), &also, sizeof(also));
	return sendmsg(to, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

/* Close descriptors by sending them over a socket from which nobody receives.
 * If sending fails, close() waits. */
static void close_some(const int *fds, uint32_t nr)
{
	int pair[2];
	uint32_t i;

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair))
		pair[0] = pair[1] = -1;
	else
		(void)send_fds(pair[0], fds, nr, pair[1]);
	for (i = 0; i < nr; i++)
		close(fds[i]);
	if (pair[0] < 0)
		return;
	close(pair[1]);
	/* Close this end last: closing a socket starts the kernel's garbage
	 * collector. */
	close(pair[0]);
}

/*
 * Close descriptors without waiting for the release of their files: the release
 * of the last event of a tracepoint takes tens of milliseconds.
 *
 * A descriptor that was sent over a socket is open until it is received. If the
 * receiving socket has been sent in the same way, nobody can receive it. The
 * kernel's garbage collector then closes all of them. Since Linux 6.9 the
 * garbage collector runs in a thread of the kernel; in older kernels, in the
 * close() of the sending socket.
 */
static void close_later(const int *fds, uint32_t nr)
{
	uint32_t some;

	for (; nr; fds += some, nr -= some) {
		some = nr < SEND_MAX ? nr : SEND_MAX;
		close_some(fds, some);
	}
}

/* MAX_STACK: kernel functions in a callchain; the innermost ones name the cause
 * of a wait. With the program's functions, a callchain is as long as perf's. */
#define MAX_STACK 10
#define MAX_WHOLE_STACK 127

#define SECOND_NS 1000000000u

/* The registers that perf copies from a thread of a program. */
#ifdef __x86_64__
#define USER_REGS                                                       \
	(((UINT64_C(1) << PERF_REG_X86_64_MAX) - 1) &                   \
	 ~(UINT64_C(1) << PERF_REG_X86_DS | UINT64_C(1) << PERF_REG_X86_ES | \
	   UINT64_C(1) << PERF_REG_X86_FS | UINT64_C(1) << PERF_REG_X86_GS))
#elif defined(__aarch64__)
#define USER_REGS ((UINT64_C(1) << (PERF_REG_ARM64_PC + 1)) - 1)
#else
#define USER_REGS UINT64_C(0)
#endif

/* Fill the fields that all events have. */
static void init_event(struct tr2_kernel_event *event, const char *name,
		       uint32_t type, uint64_t config)
{
	struct perf_event_attr *attr = &event->attr;

	memset(event, 0, sizeof(*event));
	event->name = name;
	attr->size = sizeof(*attr);
	attr->type = type;
	attr->config = config;
	/* Only samples have IP and PERIOD, but perf script requires them even
	 * of an event without samples. */
	attr->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
			    PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			    PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	attr->read_format = PERF_FORMAT_ID;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->disabled = 1;
	attr->enable_on_exec = 1;
	attr->inherit = 1;
	attr->exclude_hv = 1;
	attr->watermark = 1; /* wake the poller when half a ring is full */
}

void tr2_kernel_event_tasks(struct tr2_kernel_event *event, bool states,
			    bool mappings)
{
	struct perf_event_attr *attr = &event->attr;

	init_event(event, states ? "task-clock:u" : "dummy:u",
		   PERF_TYPE_SOFTWARE,
		   states ? PERF_COUNT_SW_TASK_CLOCK : PERF_COUNT_SW_DUMMY);
	attr->task = 1;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->exclude_kernel = 1;
	attr->context_switch = states;
	attr->mmap = attr->mmap2 = attr->build_id = mappings;
}

/* Every occurrence is a sample. */
static void sample_all(struct perf_event_attr *attr)
{
	attr->sample_period = 1;
	if (attr->type == PERF_TYPE_TRACEPOINT)
		attr->sample_type |= PERF_SAMPLE_RAW;
}

void tr2_kernel_event_switches(struct tr2_kernel_event *event,
			       uint64_t tracepoint, bool stacks)
{
	struct perf_event_attr *attr = &event->attr;

	if (tracepoint)
		init_event(event, "sched:sched_switch", PERF_TYPE_TRACEPOINT,
			   tracepoint);
	else
		init_event(event, "context-switches:k", PERF_TYPE_SOFTWARE,
			   PERF_COUNT_SW_CONTEXT_SWITCHES);
	sample_all(attr);
	attr->exclude_user = !tracepoint;
	attr->sample_type |= TR2_CALLCHAINS_TYPE;
	attr->exclude_callchain_user = !stacks;
	attr->sample_max_stack = stacks ? MAX_WHOLE_STACK : MAX_STACK;
}

void tr2_kernel_event_wakings(struct tr2_kernel_event *event,
			      uint64_t tracepoint)
{
	init_event(event, "sched:sched_waking", PERF_TYPE_TRACEPOINT,
		   tracepoint);
	sample_all(&event->attr);
}

void tr2_kernel_event_output(struct tr2_kernel_event *event)
{
	init_event(event, "bpf-output", PERF_TYPE_SOFTWARE,
		   PERF_COUNT_SW_BPF_OUTPUT);
	sample_all(&event->attr);
	event->attr.sample_type |= PERF_SAMPLE_RAW;
	tr2_kernel_event_widen(event);
}

void tr2_kernel_event_widen(struct tr2_kernel_event *event)
{
	event->whole_machine = true;
	event->attr.inherit = event->attr.enable_on_exec = 0;
}

static int open_on_cpu(const struct tr2_kernel_event *event, pid_t tid, int cpu)
{
	struct perf_event_attr attr = event->attr;

	/* The events of threads are enabled together. */
	if (tid)
		attr.enable_on_exec = 0;
	if (event->whole_machine)
		tid = -1;
	if (tr2_elevate_runs())
		return tr2_elevate_event(&attr, cpu, event->whole_machine);
	return (int)syscall(SYS_perf_event_open, &attr, tid, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

bool tr2_kernel_can_see_machine(void)
{
	struct tr2_kernel_event event;
	int fd;

	init_event(&event, "dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	tr2_kernel_event_widen(&event);
	fd = open_on_cpu(&event, 0, 0);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

bool tr2_kernel_can_copy_stacks(void)
{
	return USER_REGS != 0;
}

void tr2_kernel_event_profile(struct tr2_kernel_event *event, uint32_t hz,
			      uint32_t stack_bytes)
{
	struct perf_event_attr *attr = &event->attr;

	init_event(event, "task-clock", PERF_TYPE_SOFTWARE,
		   PERF_COUNT_SW_TASK_CLOCK);
	attr->sample_period = SECOND_NS / hz;
	attr->sample_type |= TR2_CALLCHAINS_TYPE;
	if (!stack_bytes)
		return;
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = USER_REGS;
	attr->sample_stack_user = stack_bytes;
	attr->exclude_callchain_user = 1;
}

/* Add a descriptor. make_room() must have made room for it. */
static int add_fd(struct tr2_kernel_event *event, int fd)
{
	event->fds[event->nr] = fd;
	return ioctl(fd, PERF_EVENT_IOC_ID, &event->ids[event->nr++]);
}

static long nr_cpus(void)
{
	long nr = sysconf(_SC_NPROCESSORS_CONF);

	return nr < 1 ? 1 : nr;
}

/* Make room for one more descriptor on each CPU. Return false with errno. */
static bool make_room(struct tr2_kernel_event *event)
{
	size_t alloc = event->nr + (size_t)nr_cpus();
	uint64_t *ids;
	int *fds;

	if (alloc <= event->alloc)
		return true;
	alloc += event->alloc;
	errno = ENOMEM;
	fds = realloc(event->fds, alloc * sizeof(*fds));
	if (!fds)
		return false;
	event->fds = fds;
	ids = realloc(event->ids, alloc * sizeof(*ids));
	if (!ids)
		return false;
	event->ids = ids;
	event->alloc = (uint32_t)alloc;
	return true;
}

/* Close what was opened. Return -1, and leave errno as it is. */
static int undo(struct tr2_kernel_event *event)
{
	int err = errno;

	tr2_kernel_event_close(event);
	errno = err;
	return -1;
}

/* Return false with errno. */
static bool open_rings(struct tr2_kernel_event *event,
		       struct tr2_kernel_rings *rings)
{
	int nr = (int)nr_cpus(), cpu, fd;

	rings->ring = calloc((size_t)nr, sizeof(*rings->ring));
	if (!make_room(event) || !rings->ring)
		return false;
	for (cpu = 0; cpu < nr; cpu++) {
		fd = open_on_cpu(event, 0, cpu);
		if (fd < 0 && errno == ENODEV)
			continue; /* this CPU is offline */
		if (fd < 0 || add_fd(event, fd))
			return false;
		tr2_kernel_rings_add(rings, fd, cpu);
	}
	event->nr_own = event->nr;
	return rings->nr;
}

int tr2_kernel_event_open_rings(struct tr2_kernel_event *event,
				struct tr2_kernel_rings *rings, bool large)
{
	int err;

	if (open_rings(event, rings) && !tr2_kernel_rings_map(rings, large))
		return 0;
	err = errno;
	tr2_kernel_rings_release(rings);
	errno = err;
	undo(event);
	if (err != EINVAL || !event->attr.build_id)
		return -1;
	event->attr.build_id = 0; /* Linux before 5.12 refuses build_id */
	return tr2_kernel_event_open_rings(event, rings, large);
}

static bool open_to_rings(struct tr2_kernel_event *event,
			  const struct tr2_kernel_rings *rings, pid_t tid)
{
	bool ok = make_room(event);
	size_t i;
	int fd;

	for (i = 0; ok && i < rings->nr; i++) {
		const struct tr2_kernel_ring *r = &rings->ring[i];

		fd = open_on_cpu(event, tid, r->cpu);
		ok = fd >= 0 && !add_fd(event, fd) &&
		     !ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, r->source.fd);
	}
	return ok;
}

int tr2_kernel_event_open(struct tr2_kernel_event *event,
			  const struct tr2_kernel_rings *rings)
{
	if (!open_to_rings(event, rings, 0))
		return undo(event);
	event->nr_own = event->nr;
	return 0;
}

int tr2_kernel_event_attach(struct tr2_kernel_event *event,
			    const struct tr2_kernel_rings *rings, pid_t tid)
{
	return open_to_rings(event, rings, tid) ? 0 : -1;
}

void tr2_kernel_event_detach(struct tr2_kernel_event *event)
{
	while (event->nr > event->nr_own)
		close(event->fds[--event->nr]);
}

void tr2_kernel_event_start(const struct tr2_kernel_event *event)
{
	uint32_t i;

	for (i = event->whole_machine ? 0 : event->nr_own; i < event->nr; i++)
		ioctl(event->fds[i], PERF_EVENT_IOC_ENABLE, 0);
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

	if (event->attr.type == PERF_TYPE_TRACEPOINT)
		close_later(event->fds, event->nr);
	else
		for (i = 0; i < event->nr; i++)
			close(event->fds[i]);
	free(event->fds);
	free(event->ids);
	event->fds = NULL;
	event->ids = NULL;
	event->nr = event->nr_own = event->alloc = 0;
}
