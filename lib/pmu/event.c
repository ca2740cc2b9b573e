/* SPDX-License-Identifier: MIT */
/* Open, group, enable, disable and close events. */
#include <string.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/macros.h"
#include "base/raw.h"
#include "pmu/pmu.h"
#include "pmu/pool.h"
#include "pmu/record.h"

/* Ids of the library's own events; the kernel's ids are far below. */
#define FIRST_ID (UINT64_C(1) << 63)

#define KNOWN_FORMATS                                                         \
	(TRACE2_PERF_FORMAT_TOTAL_TIME_ENABLED |                              \
	 TRACE2_PERF_FORMAT_TOTAL_TIME_RUNNING | TRACE2_PERF_FORMAT_ID |      \
	 TRACE2_PERF_FORMAT_GROUP | TRACE2_PERF_FORMAT_LOST)

#define KNOWN_SAMPLES                                                         \
	(TRACE2_PERF_SAMPLE_IP | TRACE2_PERF_SAMPLE_TID |                     \
	 TRACE2_PERF_SAMPLE_TIME | TRACE2_PERF_SAMPLE_ADDR |                  \
	 TRACE2_PERF_SAMPLE_READ | TRACE2_PERF_SAMPLE_CALLCHAIN |             \
	 TRACE2_PERF_SAMPLE_ID | TRACE2_PERF_SAMPLE_CPU |                     \
	 TRACE2_PERF_SAMPLE_PERIOD)

static struct tr2_pool pool = { sizeof(struct trace2_perf), NULL };
struct trace2_perf *tr2_perf_leaders;
static uint64_t last_id = FIRST_ID;

/* Add the time since the last change of state to the event's times. */
static void account_time(struct trace2_perf *ev, uint64_t now_ns)
{
	uint64_t ns = tr2_clock_since(ev->since_ns, now_ns);

	ev->since_ns = now_ns;
	if (!ev->enabled)
		return;
	if (ev->leader->state == TR2_PERF_WAITING || ev->counting)
		ev->enabled_ns += ns;
	if (ev->counting)
		ev->running_ns += ns;
}

static void account_group(struct trace2_perf *leader)
{
	uint64_t now_ns = tr2_clock_now_ns();
	struct trace2_perf *ev;

	for (ev = leader; ev; ev = ev->member)
		account_time(ev, now_ns);
}

/* Return whether ev is the first enabled event on its PMU in its group. */
static bool is_first_of_pmu(const struct trace2_perf *ev)
{
	const struct trace2_perf *before;

	if (!ev->enabled || !ev->pmu->use)
		return false;
	for (before = ev->leader; before != ev; before = before->member)
		if (before->enabled && before->pmu == ev->pmu)
			return false;
	return true;
}

static bool has_room(const struct trace2_perf *leader)
{
	const struct trace2_perf *ev;

	for (ev = leader; ev; ev = ev->member) {
		if (!is_first_of_pmu(ev) || !ev->pmu->use->nr_groups)
			continue;
		if (ev->pmu->use->is_exclusive || leader->attr.exclusive)
			return false;
	}
	return true;
}

static void use_pmus(struct trace2_perf *leader, bool start)
{
	struct trace2_perf *ev;

	for (ev = leader; ev; ev = ev->member) {
		if (!is_first_of_pmu(ev))
			continue;
		if (start)
			ev->pmu->use->nr_groups++;
		else
			ev->pmu->use->nr_groups--;
		ev->pmu->use->is_exclusive = start && leader->attr.exclusive;
	}
}

static void stop_event(struct trace2_perf *ev)
{
	if (ev->counting)
		ev->pmu->del(ev);
	ev->counting = false;
}

/* Stop all events of the group. Stop the kernel's leader first, so that the
 * kernel stops its whole group at once. */
static void stop_events(struct trace2_perf *leader)
{
	struct trace2_perf *ev;

	tr2_kernel_lead_switch(leader, false);
	for (ev = leader; ev; ev = ev->member)
		stop_event(ev);
}

static int start_event(struct trace2_perf *ev)
{
	int error = ev->enabled && !ev->counting ? ev->pmu->add(ev) : 0;

	ev->counting = ev->enabled && !error;
	return error;
}

/* Start all events of the group, or none. Return 0 or a negative errno. */
static int start_events(struct trace2_perf *leader)
{
	struct trace2_perf *ev;
	int error = 0;

	for (ev = leader->member; ev && !error; ev = ev->member)
		error = start_event(ev);
	if (!error)
		error = start_event(leader);
	if (!error)
		error = tr2_kernel_lead_switch(leader, true);
	if (error)
		stop_events(leader);
	return error;
}

static void start_group(struct trace2_perf *leader)
{
	account_group(leader);
	if (has_room(leader) && !start_events(leader)) {
		use_pmus(leader, true);
		leader->state = TR2_PERF_COUNTING;
	} else {
		leader->state = leader->attr.pinned ? TR2_PERF_ERROR :
						      TR2_PERF_WAITING;
	}
}

static void stop_group(struct trace2_perf *leader, enum tr2_perf_state state)
{
	account_group(leader);
	if (leader->state == TR2_PERF_COUNTING) {
		stop_events(leader);
		use_pmus(leader, false);
	}
	leader->state = state;
}

/* Start waiting groups, now that another group has stopped. */
static void start_waiting(void)
{
	struct trace2_perf *leader;

	for (leader = tr2_perf_leaders; leader; leader = leader->next)
		if (leader->state == TR2_PERF_WAITING)
			start_group(leader);
}

static const struct tr2_pmu *pmu_of(uint32_t type)
{
	switch (type) {
	case TRACE2_PERF_TYPE_APP:
		return &tr2_pmu_app;
	case TRACE2_PERF_TYPE_POWER:
		return &tr2_pmu_power;
	case TRACE2_PERF_TYPE_PROCESS:
		return &tr2_pmu_process;
	default:
		return &tr2_pmu_kernel;
	}
}

/* Move the type out of the upper bits of config, where perf's oldest form of an
 * event has it. */
static void expand_attr(struct trace2_perf_attr *attr)
{
	const uint64_t event_mask = (UINT64_C(1) << 56) - 1;
	uint32_t type = attr->config >> 56 & 0x7f;

	if (attr->type || !(attr->config >> 56))
		return;
	if (attr->config >> 63)
		attr->type = TRACE2_PERF_TYPE_RAW;
	else if (type >= (TRACE2_PERF_TYPE_APP & 0x7f))
		attr->type = (TRACE2_PERF_TYPE_APP & ~0x7fu) | type;
	else
		attr->type = type;
	attr->config &= event_mask;
}

static bool has_unknown(const struct trace2_perf_attr *attr)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(attr->reserved); i++)
		if (attr->reserved[i])
			return true;
	return attr->reserved_bits || (attr->read_format & ~KNOWN_FORMATS) ||
	       (attr->sample_type & ~KNOWN_SAMPLES);
}

bool tr2_perf_wants_records(const struct trace2_perf_attr *attr)
{
	return attr->sample_period || attr->sample_type || attr->freq ||
	       attr->wakeup_events || attr->watermark || attr->inherit_stat ||
	       attr->mmap || attr->comm || attr->task ||
	       attr->exclude_callchain_kernel || attr->exclude_callchain_user;
}

bool tr2_perf_wants_calls(const struct trace2_perf_attr *attr)
{
	struct trace2_perf_attr expanded = *attr;

	expand_attr(&expanded);
	return expanded.type == TRACE2_PERF_TYPE_APP &&
	       expanded.sample_period &&
	       expanded.sample_type & (TRACE2_PERF_SAMPLE_IP |
				       TRACE2_PERF_SAMPLE_CALLCHAIN);
}

bool tr2_perf_is_of_us(const struct trace2_perf *ev)
{
	return !ev->pid || !syscall(SYS_tgkill, getpid(), ev->tid, 0);
}

/* Return whether the kernel may multiplex its own events of the group: these
 * would then count at other times than the group's other events. The kernel
 * multiplexes hardware counters unless they are pinned. */
static bool could_be_shared(const struct trace2_perf *leader,
			    const struct trace2_perf *joining)
{
	bool ours = joining->pmu != &tr2_pmu_kernel;
	bool hardware = !ours && !tr2_kernel_is_software(joining);
	const struct trace2_perf *ev;

	if (leader->pmu != &tr2_pmu_kernel || leader->attr.pinned)
		return false;
	for (ev = leader; ev; ev = ev->member) {
		ours |= ev->pmu != &tr2_pmu_kernel;
		hardware |= ev->pmu == &tr2_pmu_kernel &&
			    !tr2_kernel_is_software(ev);
	}
	return ours && hardware;
}

static int may_join(const struct trace2_perf *leader,
		    const struct trace2_perf *ev)
{
	if (leader->state == TR2_PERF_GONE)
		return -ESRCH;
	if (leader->leader != leader || ev->attr.pinned || ev->attr.exclusive ||
	    ev->attr.inherit != leader->attr.inherit ||
	    ev->tid != leader->tid || ev->cpu != leader->cpu ||
	    could_be_shared(leader, ev))
		return -EINVAL;
	return leader->nr_members < TR2_MAX_GROUP ? 0 : -ENOSPC;
}

static void join_group(struct trace2_perf *leader, struct trace2_perf *ev)
{
	struct trace2_perf **end = &leader->member;

	while (*end)
		end = &(*end)->member;
	*end = ev;
	leader->nr_members++;
}

static int init_event(struct trace2_perf *ev, struct trace2_perf *group)
{
	int error;

	ev->leader = group ? group : ev;
	ev->nr_members = 1;
	ev->kernel.fd = ev->lead.fd = -1;
	ev->poll_pipe = (struct tr2_pipe)TR2_PIPE_INIT;
	ev->package = -1;
	ev->since_ns = tr2_clock_now_ns();
	if (has_unknown(&ev->attr))
		return -EINVAL;
	expand_attr(&ev->attr);
	ev->pmu = pmu_of(ev->attr.type);
	if (tr2_perf_wants_records(&ev->attr) && !ev->pmu->map)
		return -EINVAL;
	error = group ? may_join(group, ev) : 0;
	if (!error && group && ev->pmu == &tr2_pmu_kernel &&
	    group->pmu != &tr2_pmu_kernel && group->lead.fd < 0)
		error = tr2_kernel_lead_open(group);
	if (!error)
		error = ev->pmu->event_init(ev);
	ev->id = ev->pmu == &tr2_pmu_kernel ? ev->kernel.id : ++last_id;
	return error;
}

int tr2_perf_open(const struct trace2_perf_attr *attr, pid_t pid, int cpu,
		  struct trace2_perf *group, struct trace2_perf **out)
{
	struct trace2_perf *ev = tr2_pool_get(&pool);
	int error;

	if (!ev)
		return -ENOMEM;
	ev->attr = *attr;
	ev->pid = pid;
	ev->tid = pid ? pid : (pid_t)tr2_raw_gettid();
	ev->cpu = cpu;
	error = init_event(ev, group);
	if (error) {
		tr2_pool_put(&pool, ev);
		return error;
	}
	if (group)
		join_group(group, ev);
	else
		TR2_LIST_ADD(tr2_perf_leaders, ev);
	if (!attr->disabled)
		tr2_perf_enable(ev);
	*out = ev;
	return 0;
}

static int enable_member(struct trace2_perf *ev)
{
	struct trace2_perf *leader = ev->leader;
	bool counts = leader->state == TR2_PERF_COUNTING;

	if (ev->enabled)
		return 0;
	/*
	 * Stop the whole group and start it again: with this event enabled, the
	 * PMUs may lack room for the group.
	 */
	if (counts)
		stop_group(leader, TR2_PERF_OFF);
	account_time(ev, tr2_clock_now_ns());
	ev->enabled = true;
	if (counts) {
		start_group(leader);
		start_waiting();
	}
	return leader->state == TR2_PERF_ERROR ? -EIO : 0;
}

static int disable_member(struct trace2_perf *ev)
{
	struct trace2_perf *leader = ev->leader;
	bool counts = leader->state == TR2_PERF_COUNTING;

	account_time(ev, tr2_clock_now_ns());
	if (counts)
		use_pmus(leader, false);
	stop_event(ev);
	ev->enabled = false;
	if (counts)
		use_pmus(leader, true);
	start_waiting();
	return 0;
}

int tr2_perf_enable(struct trace2_perf *ev)
{
	struct trace2_perf *member;

	if (ev->state == TR2_PERF_GONE)
		return -ESRCH;
	if (ev->leader != ev)
		return enable_member(ev);
	if (ev->state == TR2_PERF_COUNTING)
		stop_group(ev, TR2_PERF_OFF);
	account_group(ev);
	for (member = ev; member; member = member->member)
		member->enabled = true;
	start_group(ev);
	start_waiting();
	return ev->state == TR2_PERF_ERROR ? -EIO : 0;
}

int tr2_perf_disable(struct trace2_perf *ev)
{
	struct trace2_perf *member;

	if (ev->state == TR2_PERF_GONE)
		return -ESRCH;
	if (ev->leader != ev)
		return disable_member(ev);
	stop_group(ev, TR2_PERF_OFF);
	for (member = ev; member; member = member->member)
		member->enabled = false;
	start_waiting();
	return 0;
}

void tr2_perf_switch_all(bool on)
{
	struct trace2_perf *leader;

	for (leader = tr2_perf_leaders; leader; leader = leader->next) {
		if (on)
			tr2_perf_enable(leader);
		else
			tr2_perf_disable(leader);
	}
}

static void release_event(struct trace2_perf *ev)
{
	if (ev->pmu->release)
		ev->pmu->release(ev);
	tr2_kernel_release(&ev->lead);
	tr2_pipe_close(&ev->poll_pipe);
	tr2_buffer_unmap(&ev->buffer);
	ev->state = TR2_PERF_GONE;
}

/* Take ev out of its group; the other events keep counting. */
static void leave_group(struct trace2_perf *ev)
{
	struct trace2_perf **at = &ev->leader->member;

	tr2_perf_disable(ev);
	while (*at != ev)
		at = &(*at)->member;
	*at = ev->member;
	ev->leader->nr_members--;
	release_event(ev);
}

static void end_group(struct trace2_perf *leader)
{
	struct trace2_perf *ev, *next;

	stop_group(leader, TR2_PERF_OFF);
	TR2_LIST_REMOVE(tr2_perf_leaders, leader);
	for (ev = leader; ev; ev = next) {
		next = ev->member;
		ev->leader = ev;
		ev->member = NULL;
		release_event(ev);
	}
	start_waiting();
}

void tr2_perf_close(struct trace2_perf *ev)
{
	if (ev->state == TR2_PERF_GONE)
		release_event(ev);
	else if (ev->leader == ev)
		end_group(ev);
	else
		leave_group(ev);
	tr2_pool_put(&pool, ev);
}

void tr2_pmu_release(void)
{
	while (tr2_perf_leaders)
		tr2_perf_close(tr2_perf_leaders);
	tr2_pool_release_all();
}

void tr2_pmu_after_fork(void)
{
	struct trace2_perf *leader = tr2_perf_leaders, *next_leader, *ev, *next;
	static const struct tr2_pmu *const ours[] = {
		&tr2_pmu_app, &tr2_pmu_power, &tr2_pmu_process
	};
	size_t i;

	tr2_perf_leaders = NULL;
	tr2_pmu_nr_watching = 0;
	tr2_sample_after_fork();
	for (; leader; leader = next_leader) {
		next_leader = leader->next;
		for (ev = leader; ev; ev = next) {
			next = ev->member;
			/* Do not unmap the kernel's mappings: a child does not
			 * have them, and the host may have mapped other memory
			 * at their addresses. */
			ev->kernel.page = NULL;
			if (ev->pmu == &tr2_pmu_kernel)
				ev->buffer.base = NULL;
			tr2_buffer_unmap(&ev->buffer);
			tr2_kernel_release(&ev->kernel);
			tr2_kernel_release(&ev->lead);
			tr2_pipe_close(&ev->poll_pipe);
			if (ev->pmu == &tr2_pmu_app && ev->attr.sample_period)
				tr2_sample_close(ev);
			ev->state = TR2_PERF_GONE;
			ev->leader = ev;
			ev->member = NULL;
		}
	}
	for (i = 0; i < ARRAY_SIZE(ours); i++)
		*ours[i]->use = (struct tr2_pmu_use){ 0, false };
}
