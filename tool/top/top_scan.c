/* SPDX-License-Identifier: MIT */
/*
 * top_scan - read the watched processes and their CPU time, once. The time of
 * ended processes stays in the sum.
 *
 * A watched process stays watched, whatever its parent is later.
 */
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "common/memory.h"
#include "common/order.h"
#include "top/top.h"

enum member { UNKNOWN, NO, YES };

/* A process of this machine, as /proc showed it. */
struct seen {
	struct tr2_procfs_stat stat;
	enum member member;
};

struct scan {
	struct tr2_top *top;
	struct seen *seen; /* seen[0] is unused */
	uint32_t nr, alloc;
	struct tr2_map by_pid;
	struct tr2_top_files files;
};

static uint64_t key_of(int32_t pid)
{
	return tr2_key(0, (uint32_t)pid);
}

struct tr2_top_process *tr2_top_find(const struct tr2_top *top, int32_t pid)
{
	uint32_t i = tr2_map_get(&top->by_pid, key_of(pid));

	return i ? &top->process[i] : NULL;
}

static struct seen *seen_of(const struct scan *s, int32_t pid)
{
	uint32_t i = tr2_map_get(&s->by_pid, key_of(pid));

	return i ? &s->seen[i] : NULL;
}

/* Read all processes first. The CPU time of a child that is read later is then
 * not yet in its parent's time. */
static void list_all(struct scan *s)
{
	DIR *dir = tr2_procfs_open(TR2_PROCFS_ALL);
	struct seen *seen;
	int32_t pid;

	s->nr = 1;
	while (dir && tr2_procfs_next(dir, &pid)) {
		tr2_grow(s->seen, s->nr, s->alloc);
		seen = &s->seen[s->nr];
		memset(seen, 0, sizeof(*seen));
		if (tr2_procfs_stat(pid, 0, &seen->stat))
			*tr2_map_slot(&s->by_pid, key_of(pid)) = s->nr++;
	}
	if (dir)
		closedir(dir);
}

/* Return the parent; NULL: the parent was not read, another process has its pid
 * now, or `record -p` attached after the child's start. */
static struct seen *parent_of(const struct scan *s, const struct seen *child)
{
	struct seen *parent = seen_of(s, child->stat.ppid);

	if (s->top->nr_roots &&
	    child->stat.start_ns + tr2_procfs_tick_ns() < s->top->began_ns)
		return NULL;
	return parent && parent->stat.start_ns <= child->stat.start_ns ?
		       parent : NULL;
}

static void set_member(const struct scan *s, int32_t pid)
{
	struct seen *seen = seen_of(s, pid);

	if (seen)
		seen->member = YES;
}

/* Mark the processes that are watched in any case: the processes of the
 * previous reading; at the first reading, the roots; and the processes that
 * write in a directory with `adopts`. mark_below() finds their descendants. */
static void mark_known(const struct scan *s)
{
	const struct tr2_top *top = s->top;
	const struct tr2_top_process *p;
	struct seen *seen;
	uint32_t i;

	for (i = 1; i < top->nr; i++) {
		p = &top->process[i];
		seen = seen_of(s, p->pid);
		if (seen && seen->stat.start_ns == p->start_ns)
			seen->member = YES;
	}
	/* Use the pids of the roots only in the first reading: later, other
	 * processes may have them. */
	if (!top->nr_readings) {
		set_member(s, top->root);
		set_member(s, top->recorder);
		for (i = 0; i < top->nr_roots; i++)
			set_member(s, top->roots[i]);
	}
	for (i = 0; i < s->files.nr; i++) {
		seen = seen_of(s, s->files.file[i].pid);
		if (seen && s->files.file[i].adopts &&
		    seen->stat.start_ns <= s->files.file[i].start_ns)
			seen->member = YES;
	}
}

/* If a process has a marked ancestor, mark the process and all processes
 * between the two. */
static void mark_below(const struct scan *s, struct seen *seen)
{
	struct seen *at = seen;

	/* Stop at the mark NO, which also ends a cycle: reused pids may seem to
	 * form a cycle. */
	for (; at && at->member == UNKNOWN; at = parent_of(s, at))
		at->member = NO;
	if (!at || at->member == NO)
		return;
	for (; seen != at; seen = parent_of(s, seen))
		seen->member = YES;
}

static enum tr2_top_state state_of(char letter)
{
	switch (letter) {
	case 'R':
		return TR2_TOP_RUN;
	case 'T':
	case 't':
		return TR2_TOP_STOPPED;
	case 'Z':
	case 'X':
		return TR2_TOP_ZOMBIE;
	default:
		return TR2_TOP_WAIT;
	}
}

/* Combine the state of a thread with the state of the threads before it. A
 * thread that runs, or that waits for something outside of the process, says
 * more than a thread that waits for another thread. */
static void add_thread(struct tr2_top_process *p, int32_t tid, char letter)
{
	enum tr2_top_state state = state_of(letter);
	int64_t ready_ns;

	if (tr2_procfs_ready(p->pid, tid, &ready_ns))
		p->now.ready_ns += ready_ns;
	if (state < p->state)
		p->state = (uint8_t)state;
	if (state == TR2_TOP_WAIT && p->state == state &&
	    (p->cause == TR2_CAUSE_unknown || p->cause == TR2_CAUSE_lock))
		p->cause = tr2_top_cause(p->pid, tid, p->function);
}

static void set_state(struct tr2_top_process *p, enum tr2_top_state state)
{
	p->state = (uint8_t)state;
	p->cause = TR2_CAUSE_unknown;
	*p->function = '\0';
}

static void read_threads(struct tr2_top_process *p,
			 const struct tr2_procfs_stat *stat)
{
	DIR *dir = stat->nr_threads > 1 ? tr2_procfs_open(p->pid) : NULL;
	struct tr2_procfs_stat thread;
	int32_t tid;

	set_state(p, TR2_TOP_ZOMBIE);
	p->now.ready_ns = 0;
	if (!dir)
		add_thread(p, 0, stat->state);
	while (dir && tr2_procfs_next(dir, &tid))
		if (tr2_procfs_stat(p->pid, tid, &thread))
			add_thread(p, tid, thread.state);
	if (dir)
		closedir(dir);
	if (p->state != TR2_TOP_WAIT)
		set_state(p, p->state);
}

static int64_t boot_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void read_process(struct tr2_top_process *p,
			 const struct tr2_procfs_stat *stat)
{
	p->before = p->now;
	p->now.at_ns = boot_ns();
	p->ppid = stat->ppid;
	p->nr_threads = stat->nr_threads;
	if (strcmp(p->comm, stat->comm) != 0)
		p->nr_readings = 0;
	p->nr_readings++;
	memcpy(p->comm, stat->comm, sizeof(p->comm));
	read_threads(p, stat);
	p->now.waited_ns = stat->waited_ns;
	if (!tr2_procfs_cpu(p->pid, &p->now.cpu_ns))
		p->now.cpu_ns = stat->cpu_ns;
	/* Do not let the value fall: values are in ticks, and a thread that
	 * just ended may be missing in the sum. */
	if (p->now.cpu_ns < p->before.cpu_ns)
		p->now.cpu_ns = p->before.cpu_ns;
}

/* Add a process to the new list, with its data from the old list if it was
 * there. */
static void scan_process(struct tr2_top *top, struct tr2_top_process *old,
			 const struct tr2_procfs_stat *stat)
{
	struct tr2_top_process *p;

	tr2_grow(top->process, top->nr, top->alloc);
	p = &top->process[top->nr++];
	memset(p, 0, sizeof(*p));
	if (old) {
		*p = *old;
		p->has_before = true;
		old->pid = 0;
	} else {
		p->pid = stat->pid;
		p->start_ns = stat->start_ns;
		p->is_recorder = p->pid == top->recorder;
	}
	read_process(p, stat);
}

static void scan_ended(struct tr2_top *top, struct tr2_top_process *old)
{
	struct tr2_top_process *p;

	if (old->state == TR2_TOP_ENDED) {
		tr2_top_free_process(old);
		return;
	}
	tr2_grow(top->process, top->nr, top->alloc);
	p = &top->process[top->nr++];
	*p = *old;
	p->before = p->now;
	set_state(p, TR2_TOP_ENDED);
	top->nr_ended += !p->is_recorder;
}

TR2_ORDER(compare_starts, struct tr2_top_process,
	  TR2_UP(start_ns) ?: TR2_UP(pid))

/* Return the CPU time of a process: its own time, and the time of the children
 * for which it has waited. */
static int64_t time_of(const struct tr2_top_process *p)
{
	return p->now.waited_ns + (p->is_recorder ? 0 : p->now.cpu_ns);
}

/*
 * Account for the CPU time of an ended process and of its children: the kernel
 * adds it to the process that waits for the ended process. If the parent is
 * watched, add the time to parent->owed_ns: the parent gets at least this much.
 * If the parent has ended, too, any other process may get the time: add it to
 * *any. If the parent is not watched, the sum loses the time.
 */
static void owe(struct tr2_top *top, const struct tr2_top_process *ended,
		int64_t *any)
{
	struct tr2_top_process *parent = tr2_top_find(top, ended->ppid);

	if (!parent)
		top->lost_ns += time_of(ended);
	else if (parent->state == TR2_TOP_ENDED)
		*any += time_of(ended);
	else
		parent->owed_ns += time_of(ended);
}

/* Return the CPU time that the kernel has added to a process, since the
 * previous reading, for its ended children. Read that time again: children may
 * have ended after the process was read. */
static int64_t got(const struct tr2_top_process *p)
{
	struct tr2_procfs_stat stat;

	return p->has_before && tr2_procfs_stat(p->pid, 0, &stat) &&
	       stat.start_ns == p->start_ns ?
		       stat.waited_ns - p->before.waited_ns : 0;
}

/* Return the CPU time of ended processes for which no parent has waited: the
 * kernel has added this time to no other process. */
static int64_t missing(const struct tr2_top *top, int64_t any)
{
	/* Ignore differences of up to two ticks: the times that are subtracted
	 * are both rounded to ticks. */
	int64_t rounded_ns = 2 * tr2_procfs_tick_ns(), sum = 0, left;
	struct tr2_top_process *p;
	uint32_t i;

	for (i = 1; i < top->nr; i++) {
		p = &top->process[i];
		if (p->state == TR2_TOP_ENDED || (!p->owed_ns && !any))
			continue;
		left = p->owed_ns - got(p);
		if (left > rounded_ns)
			sum += left;
		else if (left < 0)
			any += left;
		p->owed_ns = 0;
	}
	return any > rounded_ns ? sum + any : sum;
}

static void add_times(struct tr2_top *top)
{
	int64_t sum = 0, any = 0;
	uint32_t i;

	for (i = 1; i < top->nr; i++)
		if (top->process[i].state == TR2_TOP_ENDED)
			owe(top, &top->process[i], &any);
		else
			sum += time_of(&top->process[i]);
	top->lost_ns += missing(top, any);
	top->before_cpu_ns = top->cpu_ns;
	/* Do not let the sum fall: the time of a child that ended between two
	 * reads is missing only until the next reading. */
	if (top->cpu_ns < sum + top->lost_ns)
		top->cpu_ns = sum + top->lost_ns;
}

static void build_tree(struct tr2_top *top)
{
	struct tr2_top_process *p, *all = top->process;
	uint32_t i, parent;

	top->nr_live = 0;
	all[0].first = all[0].last = 0;
	for (i = 1; i < top->nr; i++)
		all[i].first = all[i].last = all[i].next = 0;
	for (i = 1; i < top->nr; i++) {
		p = &all[i];
		top->nr_live += !p->is_recorder && p->state < TR2_TOP_ZOMBIE;
		parent = tr2_map_get(&top->by_pid, key_of(p->ppid));
		if (parent == i || all[parent].is_recorder ||
		    all[parent].start_ns > p->start_ns ||
		    all[parent].state == TR2_TOP_ENDED)
			parent = 0;
		p->parent = parent;
		if (all[parent].last)
			all[all[parent].last].next = i;
		else
			all[parent].first = i;
		all[parent].last = i;
	}
}

static void sort_processes(struct tr2_top *top)
{
	uint32_t i;

	if (top->nr > 2)
		qsort(top->process + 1, top->nr - 1, sizeof(*top->process),
		      compare_starts);
	tr2_map_release(&top->by_pid);
	for (i = 1; i < top->nr; i++)
		*tr2_map_slot(&top->by_pid, key_of(top->process[i].pid)) = i;
}

static void start_list(struct tr2_top *top)
{
	top->alloc = 0;
	top->nr = 0;
	top->process = NULL;
	tr2_grow(top->process, top->nr, top->alloc);
	memset(&top->process[top->nr++], 0, sizeof(*top->process));
}

struct tr2_top_process *tr2_top_add_ended(struct tr2_top *top, int32_t pid)
{
	struct tr2_top_process *p;

	free(top->process);
	start_list(top);
	tr2_grow(top->process, top->nr, top->alloc);
	p = &top->process[top->nr++];
	memset(p, 0, sizeof(*p));
	p->pid = pid;
	p->state = TR2_TOP_ENDED;
	build_tree(top);
	return p;
}

/* Make the new list of processes from the old list and the processes that were
 * read. */
static void scan_all(struct scan *s)
{
	struct tr2_top *top = s->top;
	struct tr2_top_process *old = top->process, *p;
	uint32_t nr_old = top->nr, i;

	start_list(top);
	for (i = 1; i < s->nr; i++) {
		const struct tr2_procfs_stat *stat = &s->seen[i].stat;
		uint32_t known;

		if (s->seen[i].member != YES)
			continue;
		known = tr2_map_get(&top->by_pid, key_of(stat->pid));
		p = known ? &old[known] : NULL;
		if (p && p->start_ns != stat->start_ns)
			p = NULL;
		scan_process(top, p, stat);
	}
	for (i = 1; i < nr_old; i++)
		if (old[i].pid)
			scan_ended(top, &old[i]);
	free(old);
}

void tr2_top_scan(struct tr2_top *top)
{
	struct scan s = { .top = top };
	uint32_t i;

	top->before_ns = top->at_ns;
	top->at_ns = boot_ns();
	tr2_top_files_find(top, &s.files);
	list_all(&s);
	mark_known(&s);
	for (i = 1; i < s.nr; i++)
		mark_below(&s, &s.seen[i]);
	scan_all(&s);
	sort_processes(top);
	add_times(top);
	build_tree(top);
	tr2_top_files_attach(top, &s.files);
	top->nr_readings++;
	tr2_top_files_release(&s.files);
	tr2_map_release(&s.by_pid);
	free(s.seen);
}

int64_t tr2_top_wall_ns(const struct tr2_top_process *p)
{
	int64_t ns = p->now.at_ns - p->start_ns, tick_ns = tr2_procfs_tick_ns();

	return ns > tick_ns ? ns : tick_ns;
}

static double share(const struct tr2_top_process *p, int64_t now_ns,
		    int64_t before_ns)
{
	int64_t ns = p->has_before ? p->now.at_ns - p->before.at_ns :
				     tr2_top_wall_ns(p);

	/* Return 0 if the sum over threads has fallen, as it does when a thread
	 * ends. */
	return now_ns > before_ns && ns > 0 ?
		       (double)(now_ns - before_ns) / (double)ns : 0;
}

double tr2_top_cpu(const struct tr2_top_process *p)
{
	return share(p, p->now.cpu_ns, p->before.cpu_ns);
}

double tr2_top_ready(const struct tr2_top_process *p)
{
	double ready = share(p, p->now.ready_ns, p->before.ready_ns);

	/* Limit the share to the number of threads. When a thread gets a CPU,
	 * the kernel adds the whole time for which the thread was ready, also
	 * the time before the previous reading. */
	return ready < p->nr_threads ? ready : p->nr_threads;
}
