/* SPDX-License-Identifier: MIT */
/* The PMU of the kernel's events: perf_event_open(2). */
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "base/fd.h"
#include "base/fork_guard.h"
#include "base/raw.h"
#include "pmu/kernel.h"

#define MAX_TRIES 1000

#if defined(__x86_64__) || defined(__i386__)
static uint64_t pmc(uint32_t index)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return low | (uint64_t)high << 32;
}

static uint64_t cycles(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return low | (uint64_t)high << 32;
}

static const struct tr2_page_machine this_machine = { pmc, cycles };
#define THIS_MACHINE (&this_machine)
#else
#define THIS_MACHINE NULL
#endif

/* Compute cycles * mult >> shift without overflow. */
static uint64_t scale_by_mult(uint64_t value, uint32_t mult, uint16_t shift)
{
	uint64_t whole = value >> shift;
	uint64_t rest = value & ((UINT64_C(1) << shift) - 1);

	return whole * mult + (rest * mult >> shift);
}

static uint64_t sign_extend(uint64_t value, uint16_t width)
{
	unsigned int unused = 64u - width;

	return (uint64_t)((int64_t)(value << unused) >> unused);
}

/* Read the counter once. The caller checks the page's lock before and after. */
static bool read_value(const volatile struct perf_event_mmap_page *page,
		       const struct tr2_page_machine *machine,
		       struct tr2_page_value *value)
{
	uint64_t ns;
	uint32_t index = page->index;
	uint16_t width = page->pmc_width, shift = page->time_shift;

	if (!page->cap_user_rdpmc || !index || !width ||
	    width > 64)
		return false;
	value->enabled_ns = page->time_enabled;
	value->running_ns = page->time_running;
	if (page->cap_user_time && shift < 64) {
		ns = page->time_offset +
		     scale_by_mult(machine->cycles(), page->time_mult, shift);
		value->enabled_ns += ns;
		value->running_ns += ns;
	}
	value->count = (uint64_t)page->offset +
		       sign_extend(machine->pmc(index - 1), width);
	return true;
}

bool tr2_kernel_page_read(const volatile struct perf_event_mmap_page *page,
			  const struct tr2_page_machine *machine,
			  struct tr2_page_value *value)
{
	uint32_t before, after;
	unsigned int tries;
	bool taken;

	machine = machine ? machine : THIS_MACHINE;
	if (!page || !machine)
		return false;
	for (tries = 0; tries < MAX_TRIES; tries++) {
		before = page->lock;
		/* The kernel writes the page on this CPU: keeping the order of
		 * the instructions suffices. */
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		taken = read_value(page, machine, value);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		after = page->lock;
		if (before == after && !(before & 1))
			return taken;
	}
	return false;
}

#define READ_TRIES 100

/* Every event is opened with this format, so that one read serves both a group
 * and a single event. */
#define READ_FORMAT                                                           \
	(TRACE2_PERF_FORMAT_TOTAL_TIME_ENABLED |                              \
	 TRACE2_PERF_FORMAT_TOTAL_TIME_RUNNING | TRACE2_PERF_FORMAT_ID |      \
	 TRACE2_PERF_FORMAT_GROUP)

static void set_flags(struct perf_event_attr *k,
		      const struct trace2_perf_attr *attr)
{
	k->disabled = 1;
	k->inherit = attr->inherit;
	k->pinned = attr->pinned;
	k->exclusive = attr->exclusive;
	k->exclude_user = attr->exclude_user;
	k->exclude_kernel = attr->exclude_kernel;
	k->exclude_hv = attr->exclude_hv;
	k->exclude_idle = attr->exclude_idle;
	k->mmap = attr->mmap;
	k->comm = attr->comm;
	k->freq = attr->freq;
	k->inherit_stat = attr->inherit_stat;
	k->enable_on_exec = attr->enable_on_exec;
	k->task = attr->task;
	k->watermark = attr->watermark;
	k->precise_ip = attr->precise_ip & 3;
	k->exclude_host = attr->exclude_host;
	k->exclude_guest = attr->exclude_guest;
	k->exclude_callchain_kernel = attr->exclude_callchain_kernel;
	k->exclude_callchain_user = attr->exclude_callchain_user;
	k->use_clockid = 1;
}

static bool is_clock(const struct trace2_perf_attr *attr)
{
	return attr->type == TRACE2_PERF_TYPE_SOFTWARE &&
	       attr->config <= PERF_COUNT_SW_TASK_CLOCK;
}

bool tr2_kernel_is_software(const struct trace2_perf *ev)
{
	return ev->attr.type == TRACE2_PERF_TYPE_SOFTWARE ||
	       ev->attr.type == TRACE2_PERF_TYPE_TRACEPOINT;
}

void tr2_kernel_unmap_page(struct tr2_perf_kernel *kernel)
{
	if (kernel->page)
		munmap(kernel->page, (size_t)sysconf(_SC_PAGESIZE));
	kernel->page = NULL;
}

void tr2_kernel_release(struct tr2_perf_kernel *kernel)
{
	tr2_kernel_unmap_page(kernel);
	if (tr2_kernel_is_there(kernel))
		tr2_fd_close(kernel->fd);
	kernel->fd = -1;
}

bool tr2_kernel_is_there(struct tr2_perf_kernel *kernel)
{
	uint64_t id = 0;

	if (kernel->fd >= 0 &&
	    (ioctl(kernel->fd, PERF_EVENT_IOC_ID, &id) || id != kernel->id))
		kernel->fd = -1;
	return kernel->fd >= 0;
}

/* true: the kernel is older than 6.0, and does not count lost samples. */
static bool has_no_lost;

bool tr2_kernel_has_fixed_period(const struct trace2_perf_attr *attr)
{
	return (attr->type == TRACE2_PERF_TYPE_SOFTWARE ||
		attr->type == TRACE2_PERF_TYPE_TRACEPOINT) &&
	       !is_clock(attr) && !attr->freq &&
	       attr->sample_type & TRACE2_PERF_SAMPLE_PERIOD;
}

static void ask_for_records(struct perf_event_attr *k,
			    const struct trace2_perf_attr *attr)
{
	k->sample_period = attr->sample_period;
	k->sample_type = attr->sample_type;
	if (tr2_kernel_has_fixed_period(attr))
		k->sample_type &= ~(uint64_t)TRACE2_PERF_SAMPLE_PERIOD;
	k->wakeup_events = attr->wakeup_events;
}

static int try_to_open(struct perf_event_attr *k, pid_t pid, int cpu,
		       int group_fd)
{
	return tr2_fd_move_up((int)syscall(SYS_perf_event_open, k, pid, cpu,
					   group_fd, PERF_FLAG_FD_CLOEXEC));
}

static int open_kernel(struct tr2_perf_kernel *kernel,
		       const struct trace2_perf_attr *attr, pid_t pid, int cpu,
		       int group_fd)
{
	/* Use an old size of the struct: older kernels reject a larger
	 * struct. */
	struct perf_event_attr k = { .type = attr->type,
				     .size = PERF_ATTR_SIZE_VER3,
				     .config = attr->config,
				     .config1 = attr->config1,
				     .config2 = attr->config2,
				     .read_format = READ_FORMAT,
				     /* All events of a group must use the same
				      * clock. */
				     .clockid = CLOCK_MONOTONIC };
	bool wants_lost = attr->read_format & TRACE2_PERF_FORMAT_LOST;
	int error;

	set_flags(&k, attr);
	if (tr2_perf_wants_records(attr))
		ask_for_records(&k, attr);
	/* Exclude the kernel for clocks: they count in every mode all the same,
	 * and users who may not count the kernel can then open them. */
	else if (is_clock(attr))
		k.exclude_kernel = 1;
	if (!has_no_lost)
		k.read_format |= TRACE2_PERF_FORMAT_LOST;
	kernel->fd = try_to_open(&k, pid, cpu, group_fd);
	if (kernel->fd < 0 && errno == EINVAL && !has_no_lost && !wants_lost) {
		k.read_format = READ_FORMAT;
		kernel->fd = try_to_open(&k, pid, cpu, group_fd);
		has_no_lost = kernel->fd >= 0;
	}
	if (kernel->fd < 0)
		return -errno;
	kernel->read_format = k.read_format;
	if (ioctl(kernel->fd, PERF_EVENT_IOC_ID, &kernel->id)) {
		error = -errno;
		close(kernel->fd);
		kernel->fd = -1;
		return error;
	}
	return 0;
}

/* Return the descriptor of the group's leader; -1: there is no group, or ev
 * leads it. */
static int group_fd_of(const struct trace2_perf *ev)
{
	if (ev->leader == ev)
		return -1;
	return ev->leader->pmu == &tr2_pmu_kernel ? ev->leader->kernel.fd :
						    ev->leader->lead.fd;
}

int tr2_kernel_lead_open(struct trace2_perf *leader)
{
	const struct trace2_perf_attr attr = {
		.type = TRACE2_PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.inherit = leader->attr.inherit,
		.pinned = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	/* Pass the thread's id: another thread may be calling. */
	int error = open_kernel(&leader->lead, &attr, leader->tid, leader->cpu,
				-1);

	if (!error && leader->state == TR2_PERF_COUNTING)
		error = tr2_kernel_lead_switch(leader, true);
	return error;
}

static int turn(struct tr2_perf_kernel *kernel, bool on)
{
	if (!tr2_kernel_is_there(kernel))
		return -EBADF;
	return ioctl(kernel->fd,
		     on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
		     0) ? -errno : 0;
}

int tr2_kernel_lead_switch(struct trace2_perf *leader, bool on)
{
	return leader->lead.fd < 0 ? 0 : turn(&leader->lead, on);
}

/* Map the page for reading in user space, but only for a hardware counter of
 * the calling thread: the page serves no other events. */
void tr2_kernel_map_page(struct trace2_perf *ev)
{
	void *page;

	if (tr2_kernel_is_software(ev) || ev->attr.inherit || ev->pid ||
	    ev->cpu != -1 || !tr2_fork_guard_is_made())
		return;
	page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED,
		    ev->kernel.fd, 0);
	if (page == MAP_FAILED)
		return;
	ev->kernel.page = page;
	ev->kernel.owner = pthread_self();
}

/* Reject attributes that the kernel accepts but ignores. */
static bool is_honoured(const struct trace2_perf *ev)
{
	const struct trace2_perf_attr *attr = &ev->attr;

	if (is_clock(attr) && !attr->sample_period &&
	    (attr->exclude_user || attr->exclude_kernel ||
	     attr->exclude_host || attr->exclude_guest))
		return false;
	/* exclude_idle means something only for an event of a CPU: the event of
	 * a task never counts the idle task. */
	return !attr->exclude_idle || ev->pid != -1;
}

static int kernel_init(struct trace2_perf *ev)
{
	int error;

	if (!is_honoured(ev))
		return -EINVAL;
	error = open_kernel(&ev->kernel, &ev->attr, ev->pid, ev->cpu,
			    group_fd_of(ev));
	if (error == -ENOENT || error == -ENODEV || error == -ENXIO)
		error = -EOPNOTSUPP;
	if (!error)
		tr2_kernel_map_page(ev);
	return error;
}

static void kernel_release(struct trace2_perf *ev)
{
	tr2_kernel_release(&ev->kernel);
}

static int kernel_add(struct trace2_perf *ev)
{
	return turn(&ev->kernel, true);
}

static void kernel_del(struct trace2_perf *ev)
{
	turn(&ev->kernel, false);
}

/* The group's layout: { value id [lost] } nr times. */
struct group_reading {
	uint64_t nr, enabled_ns, running_ns;
	uint64_t word[3 * (TR2_MAX_GROUP + 1)];
};

static bool has_lost(const struct tr2_perf_kernel *kernel)
{
	return kernel->read_format & TRACE2_PERF_FORMAT_LOST;
}

static void read_reading(struct trace2_perf *ev,
			 const struct group_reading *from, bool lost)
{
	const uint64_t *entry = from->word;
	uint64_t i;

	for (i = 0; i < from->nr && i <= TR2_MAX_GROUP;
	     i++, entry += lost ? 3 : 2) {
		if (entry[1] != ev->kernel.id)
			continue;
		ev->count = entry[0];
		ev->lost = lost ? entry[2] : 0;
		ev->kernel.enabled_ns = from->enabled_ns;
		ev->kernel.running_ns = from->running_ns;
		ev->reading = tr2_perf_reading();
	}
}

static bool read_page(struct trace2_perf *ev)
{
	struct tr2_page_value value;

	if (!ev->kernel.page ||
	    ev->attr.read_format & TRACE2_PERF_FORMAT_LOST ||
	    !pthread_equal(ev->kernel.owner, pthread_self()) ||
	    !tr2_kernel_page_read(ev->kernel.page, NULL, &value))
		return false;
	ev->count = value.count;
	ev->kernel.enabled_ns = value.enabled_ns;
	ev->kernel.running_ns = value.running_ns;
	return true;
}

int tr2_kernel_task_open(struct tr2_perf_kernel *kernel,
			 const struct trace2_perf_attr *attr, pid_t tid)
{
	int error;

	kernel->page = NULL;
	error = open_kernel(kernel, attr, tid, -1, -1);
	if (!error)
		error = turn(kernel, true);
	if (error)
		tr2_kernel_release(kernel);
	return error;
}

int tr2_kernel_task_read(struct tr2_perf_kernel *kernel,
			 struct tr2_perf_times *out)
{
	struct group_reading all;

	if (!tr2_kernel_is_there(kernel))
		return -EBADF;
	if (read(kernel->fd, &all, sizeof(all)) <
	    (ssize_t)offsetof(struct group_reading, word[2]))
		return -EIO;
	out->value = all.word[0];
	out->enabled_ns = all.enabled_ns;
	out->running_ns = all.running_ns;
	return 0;
}

/*
 * Read the group. While a new thread inherits the group, the group is
 * incomplete for an instant. Kernels since about 6.12 then fail to read the
 * group, with ECHILD.
 */
static ssize_t read_group(int fd, struct group_reading *all)
{
	unsigned int tries = READ_TRIES;
	ssize_t n;

	while ((n = read(fd, all, sizeof(*all))) < 0 && errno == ECHILD) {
		if (!--tries) {
			errno = EAGAIN;
			break;
		}
		tr2_let_others_run();
	}
	return n;
}

static int kernel_read(struct trace2_perf *ev)
{
	struct trace2_perf *leader = ev->leader, *member;
	struct tr2_perf_kernel *from = leader->pmu == &tr2_pmu_kernel ?
					       &leader->kernel :
					       &leader->lead;
	struct group_reading all;
	ssize_t n;

	if (leader->nr_members == 1 && read_page(ev))
		return 0;
	if (!tr2_kernel_is_there(from))
		return -EBADF;
	n = read_group(from->fd, &all);
	if (n < 0)
		return -errno;
	if (n < (ssize_t)offsetof(struct group_reading, word))
		return -EIO;
	for (member = leader; member; member = member->member)
		if (member->pmu == &tr2_pmu_kernel)
			read_reading(member, &all, has_lost(from));
	return 0;
}

const struct tr2_pmu tr2_pmu_kernel = {
	.name = "kernel",
	.event_init = kernel_init,
	.release = kernel_release,
	.add = kernel_add,
	.del = kernel_del,
	.read = kernel_read,
	.map = tr2_kernel_map,
	.refresh = tr2_kernel_refresh,
	.set_period = tr2_kernel_set_period,
	.poll_fd = tr2_kernel_poll_fd,
};
