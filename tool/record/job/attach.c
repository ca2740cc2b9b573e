/* SPDX-License-Identifier: MIT */
/* Record processes that run already. */
#include "record/job/attach.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/options.h"
#include "common/order.h"
#include "common/procfs.h"
#include "common/say.h"
#include "format/ring/ring_file.h"
#include "record/job/control_page.h"
#include "record/job/process_sources.h"

/* Threads or processes may start while the events are opened. Then open all
 * events again, at most this many times. */
#define MAX_TRIES 30
/* Characters of names of kernel functions. */
#define NAME_CHARS "abcdefghijklmnopqrstuvwxyz" \
		   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_."

/* The ids of threads, and of children of processes. */
struct ids {
	pid_t *id;
	uint32_t nr, alloc;
};

static void refuse_process(pid_t pid, const char *why)
{
	tr2_error("cannot record process %d: %s", (int)pid, why);
}

/* Return the process of a thread; 0: unknown. */
static int process_of(pid_t tid)
{
	char text[1024];
	const char *at;

	if (!tr2_procfs_text(tid, 0, "status", text, sizeof(text)))
		return 0;
	at = strstr(text, "\nTgid:");
	return at ? atoi(at + strlen("\nTgid:")) : 0;
}

/* Set `why` to the reason why the process cannot be recorded; "": it can be
 * recorded. */
static void find_obstacle(const struct tr2_attached *p,
			  const struct tr2_procfs_stat *stat, char *why,
			  size_t size)
{
	int process = process_of(p->pid);

	*why = '\0';
	if (p->pid == getpid())
		snprintf(why, size, "it is the recorder itself");
	else if (stat->is_kernel)
		snprintf(why, size, "it is a thread of the kernel ('perf "
			 "record -p' records these)");
	else if (stat->state == 'Z' || stat->state == 'X')
		snprintf(why, size, "it has ended, and its parent has not "
			 "waited for it");
	else if (process && process != p->pid)
		snprintf(why, size, "it is a thread of process %d (use -p %d)",
			 process, process);
}

static bool open_process(struct tr2_attached *p)
{
	struct tr2_procfs_stat stat;
	char why[160];
	int err;

	p->pidfd.fd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	err = errno;
	if (!tr2_procfs_stat(p->pid, 0, &stat)) {
		refuse_process(p->pid,
			       p->pidfd.fd < 0 && err == ESRCH ?
			       "there is no such process ('ps -e' lists them)" :
			       "/proc hides it, since it belongs to another "
			       "user (root may record it)");
		return false;
	}
	p->ppid = stat.ppid;
	p->start_ns = stat.start_ns;
	snprintf(p->name, sizeof(p->name), "%s", stat.comm);
	find_obstacle(p, &stat, why, sizeof(why));
	if (!*why && p->pidfd.fd < 0)
		snprintf(why, sizeof(why), "pidfd_open: %s", strerror(err));
	if (*why)
		refuse_process(p->pid, why);
	else
		p->ring = tr2_ring_mapped(p->pid);
	return !*why;
}

TR2_ORDER(compare_starts, struct tr2_attached, TR2_UP(start_ns) ?: TR2_UP(pid))

/* Move a process after its parent, if both began in the same tick. */
static bool move_after_parent(struct tr2_attach *a, size_t i)
{
	struct tr2_attached moved = a->process[i];
	size_t j = i + 1;

	while (j < a->nr && a->process[j].pid != moved.ppid)
		j++;
	if (j == a->nr)
		return false;
	memmove(&a->process[i], &a->process[i + 1], (j - i) * sizeof(moved));
	a->process[j] = moved;
	return true;
}

/* Sort each parent before its children. */
static void sort_processes(struct tr2_attach *a)
{
	size_t i;

	qsort(a->process, a->nr, sizeof(*a->process), compare_starts);
	for (i = 0; i < a->nr; i++)
		while (move_after_parent(a, i))
			;
}

int tr2_attach_open(struct tr2_attach *a, const pid_t *pids, size_t nr)
{
	size_t i;

	a->process = tr2_calloc(nr, sizeof(*a->process));
	a->nr = nr;
	for (i = 0; i < nr; i++) {
		a->process[i].pid = pids[i];
		a->process[i].pidfd.fd = -1;
	}
	for (i = 0; i < nr; i++) {
		if (!open_process(&a->process[i]))
			return TR2_EXIT_FATAL;
		a->has_rings |= a->process[i].ring != NULL;
	}
	sort_processes(a);
	/* Each thread needs a descriptor for each event and CPU. */
	tr2_raise_file_limit();
	return 0;
}

void tr2_attach_release(struct tr2_attach *a)
{
	size_t i;

	for (i = 0; i < a->nr; i++) {
		free(a->process[i].ring);
		if (a->loop)
			tr2_loop_close(a->loop, &a->process[i].pidfd);
		else if (a->process[i].pidfd.fd >= 0)
			close(a->process[i].pidfd.fd);
	}
	free(a->process);
	memset(a, 0, sizeof(*a));
}

static void add_id(struct ids *ids, pid_t id)
{
	tr2_grow(ids->id, ids->nr, ids->alloc);
	ids->id[ids->nr++] = id;
}

static void add_threads(struct ids *ids, pid_t pid)
{
	DIR *dir = tr2_procfs_open(pid);
	int32_t tid;

	while (dir && tr2_procfs_next(dir, &tid))
		add_id(ids, tid);
	if (dir)
		closedir(dir);
}

/* Without the list of children, which some kernels lack, find no child. */
static void add_children(struct ids *ids, pid_t pid, pid_t tid)
{
	char path[96];
	int child;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid,
		 (int)tid);
	f = fopen(path, "re");
	while (f && fscanf(f, "%d", &child) == 1)
		add_id(ids, child);
	if (f)
		fclose(f);
}

TR2_ORDER(compare_ids, pid_t, tr2_order(*a, *b))

/* List the threads of all processes, and the children of the processes. */
static struct ids list_all(const struct tr2_attach *a)
{
	struct ids ids = { 0 };
	uint32_t j, first, last;
	size_t i;

	for (i = 0; i < a->nr; i++) {
		first = ids.nr;
		add_threads(&ids, a->process[i].pid);
		last = ids.nr;
		for (j = first; j < last; j++)
			add_children(&ids, a->process[i].pid, ids.id[j]);
	}
	if (ids.nr)
		qsort(ids.id, ids.nr, sizeof(*ids.id), compare_ids);
	return ids;
}

static bool is_in(const struct ids *ids, pid_t id)
{
	return ids->nr && bsearch(&id, ids->id, ids->nr, sizeof(id),
				  compare_ids);
}

/* Does `now` have an id that `before` lacks? */
static bool has_new(const struct ids *now, const struct ids *before)
{
	uint32_t i;

	for (i = 0; i < now->nr; i++)
		if (!is_in(before, now->id[i]))
			return true;
	return false;
}

/* Print why the events of a process cannot be opened. */
static void refuse_events(pid_t pid, int err, uint32_t nr_events)
{
	struct stat st;
	struct passwd *user;
	char path[64], why[256];

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	user = stat(path, &st) ? NULL : getpwuid(st.st_uid);
	if (err == EMFILE || err == ENFILE)
		snprintf(why, sizeof(why), "it has too many threads: each "
			 "takes %u descriptors for each CPU ('ulimit -Hn' is "
			 "the limit)", nr_events);
	else if ((err == EACCES || err == EPERM) && user &&
		 user->pw_uid != geteuid())
		snprintf(why, sizeof(why), "it belongs to %s (only %s%s may "
			 "record it)", user->pw_name, user->pw_name,
			 user->pw_uid ? " and root" : "");
	else if (err == EACCES || err == EPERM)
		snprintf(why, sizeof(why), "it has other privileges than you "
			 "(root may record it)");
	else
		snprintf(why, sizeof(why), "perf_event_open: %s",
			 strerror(err));
	refuse_process(pid, why);
}

/* Open the events of all threads of a process. Return 0, or the exit code after
 * an error message. */
static int open_threads(pid_t pid, struct tr2_kernel_records *kernel)
{
	struct ids ids = { 0 };
	int err = ESRCH;
	bool any = false;
	uint32_t i;

	add_threads(&ids, pid);
	for (i = 0; i < ids.nr; i++) {
		err = -tr2_kernel_records_attach(kernel, ids.id[i]);
		any |= !err;
		if (err && err != ESRCH)
			break;
	}
	free(ids.id);
	if (any && (!err || err == ESRCH))
		return 0;
	if (err == ESRCH)
		refuse_process(pid, "it has just ended");
	else
		refuse_events(pid, err, kernel->nr);
	return TR2_EXIT_FATAL;
}

bool tr2_attach_traces(const struct tr2_attach *a)
{
	struct tr2_control_page page;
	size_t i;

	for (i = 0; i < a->nr; i++) {
		if (a->process[i].ring)
			return true;
		if (tr2_control_page_open(&page, a->process[i].pid))
			continue;
		tr2_control_page_release(&page);
		return true;
	}
	return false;
}

/*
 * Open the events of all threads. A thread or process that starts during this
 * time inherits only some events, so open all events again. After MAX_TRIES,
 * accept that new threads lack some events.
 */
int tr2_attach_threads(struct tr2_attach *a, struct tr2_watch *w)
{
	struct ids before = list_all(a), now;
	bool again = w->has_tasks;
	int code = 0, tries;
	size_t i;

	for (tries = 0; again && !code && tries < MAX_TRIES; tries++) {
		tr2_kernel_records_detach(&w->kernel);
		for (i = 0; !code && i < a->nr; i++)
			code = open_threads(a->process[i].pid, &w->kernel);
		now = list_all(a);
		again = has_new(&now, &before);
		free(before.id);
		before = now;
	}
	free(before.id);
	return code;
}

static void process_ended(struct tr2_source *source, uint32_t events)
{
	struct tr2_attached *p = (struct tr2_attached *)source;
	struct tr2_attach *a = p->attach;
	const struct tr2_task_event e = {
		.kind = TR2_TASK_EXIT, .pid = p->pid, .tid = p->pid,
		.ppid = p->ppid, .ptid = p->ppid,
		.time_ns = tr2_kernel_now_ns(),
	};

	(void)events;
	/* Without records of tasks and without the connector, only this
	 * callback reports the end of the process. */
	if (!a->watch->has_tasks && !a->watch->has_connector)
		tr2_watch_add(a->watch, &e);
	tr2_loop_close(a->loop, source);
	if (!--a->nr_running)
		a->loop->stop = true;
}

/* Return the thread's start, its state and the kernel function in which it
 * waits, as JSON from malloc(). */
static char *describe_thread(const struct tr2_procfs_stat *stat, pid_t tid)
{
	int64_t begun_ns = stat->start_ns - tr2_suspended_ns() -
			   tr2_kernel_shift_ns();
	char function[TR2_PROCFS_NAME_SIZE], *text;
	bool waits = stat->state != 'R' &&
		     tr2_procfs_text(stat->pid, tid, "wchan", function,
				     sizeof(function)) &&
		     function[strspn(function, NAME_CHARS)] == '\0' &&
		     strcmp(function, "0") != 0;

	if (asprintf(&text, ",\"begun_ns\":%lld,\"state\":\"%c\"%s%s%s",
		     (long long)(begun_ns > 0 ? begun_ns : 0), stat->state,
		     waits ? ",\"wchan\":\"" : "", waits ? function : "",
		     waits ? "\"" : "") < 0)
		return NULL;
	return text;
}

/* Add a record of an existing thread to the log. */
static void add_thread(struct tr2_watch *w, const struct tr2_attached *p,
		       pid_t tid, uint64_t now)
{
	struct tr2_task_event e = { .kind = TR2_TASK_FORK, .pid = p->pid,
				    .tid = tid, .time_ns = now };
	struct tr2_procfs_stat stat;

	if (!tr2_procfs_stat(p->pid, tid, &stat))
		return;
	e.ppid = e.ptid = tid == p->pid ? stat.ppid : p->pid;
	e.more = describe_thread(&stat, tid);
	tr2_watch_add(w, &e);
	e.kind = TR2_TASK_COMM;
	e.more = NULL;
	memcpy(e.comm, stat.comm, sizeof(e.comm) - 1);
	tr2_watch_add(w, &e);
	tr2_kernel_records_name(&w->kernel, p->pid, tid, e.comm, now);
}

static void add_process(struct tr2_watch *w, const struct tr2_attached *p,
			uint64_t now)
{
	struct ids ids = { 0 };
	uint32_t i;

	add_thread(w, p, p->pid, now);
	tr2_kernel_records_maps(&w->kernel, p->pid, now);
	if (w->wants_maps)
		tr2_code_maps_look(&w->code_maps, p->pid);
	add_threads(&ids, p->pid);
	for (i = 0; i < ids.nr; i++)
		if (ids.id[i] != p->pid)
			add_thread(w, p, ids.id[i], now);
	free(ids.id);
}

void tr2_attach_start(struct tr2_attach *a, struct tr2_loop *loop,
		      struct tr2_watch *w)
{
	uint64_t now = tr2_kernel_now_ns();
	size_t i;

	a->loop = loop;
	a->watch = w;
	a->nr_running = a->nr;
	tr2_watch_run(w);
	for (i = 0; i < a->nr; i++)
		add_process(w, &a->process[i], now);
	for (i = 0; i < a->nr; i++)
		tr2_watch_argv(w, a->process[i].pid, now);
	tr2_tasklog_write(&w->log, UINT64_MAX);
	for (i = 0; i < a->nr; i++) {
		a->process[i].attach = a;
		a->process[i].pidfd.ready = process_ended;
		(void)tr2_loop_add(loop, &a->process[i].pidfd, EPOLLIN);
	}
}
