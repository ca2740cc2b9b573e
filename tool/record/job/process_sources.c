/* SPDX-License-Identifier: MIT */
/*
 * Choose the sources of information on recorded processes, and combine them.
 * tr2_watch_open() tries the sources in the kernel, tr2_watch_start() begins
 * ptrace.
 */
#include "record/job/process_sources.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/text.h"
#include "common/procfs.h"
#include "common/say.h"
#include "record/refusal.h"
#include "record/sources/ptrace_proc.h"

#define WRITE_EVERY_NS 100000000u
/* The kernel publishes a record at most this long after the record's time. */
#define SLACK_NS 50000000u
/* Write data at this interval, for readers during the recording. */
#define LIVE_NS 1000000000u
/* The observer looks only at programs older than this. */
#define YOUNG_NS 5000000u
/* Keep at most this many records until the next look at their processes. */
#define MOST_UNREAD 4096
/* Wait for the last exit codes for LATE_MS, at most LATE_TRIES times. */
#define LATE_MS 10
#define LATE_TRIES 10

void tr2_watch_init(struct tr2_watch *w)
{
	memset(w, 0, sizeof(*w));
	tr2_procs_init(&w->procs);
	tr2_kernel_records_init(&w->kernel);
	tr2_tasklog_init(&w->log, -1);
	tr2_connector_init(&w->connector);
	tr2_cpu_limit_init(&w->limit);
	tr2_oom_kills_init(&w->oom_kills);
	w->own_pid = getpid();
	w->timer.fd = w->look_timer.fd = -1;
	snprintf(w->why_not, sizeof(w->why_not), "no command was run");
}

void tr2_watch_release(struct tr2_watch *w)
{
	tr2_loop_close(w->loop, &w->timer);
	tr2_loop_close(w->loop, &w->look_timer);
	tr2_cpu_limit_release(&w->limit);
	tr2_oom_kills_release(&w->oom_kills);
	while (w->nr_unread)
		free(w->unread[--w->nr_unread].more);
	tr2_code_maps_release(&w->code_maps);
	free(w->unread);
	tr2_pidfds_release(&w->pidfds);
	tr2_kernel_records_release(&w->kernel);
	tr2_connector_release(&w->connector);
	if (w->run)
		tr2_ptrace_release(&w->ptrace);
	tr2_buf_release(&w->text);
	tr2_tasklog_release(&w->log);
	tr2_procs_release(&w->procs);
}

/* Copy the text to malloc() memory, as the log requires. */
static char *copy_text(struct tr2_buf *b)
{
	return b->failed ? NULL : strdup(tr2_buf_str(b));
}

static bool was_oom_killed(struct tr2_watch *w, pid_t pid, int status)
{
	const struct tr2_proc *p = tr2_procs_find(&w->procs, pid);

	return p && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL &&
	       tr2_oom_kills_has(&w->oom_kills, pid, p->start_ns);
}

static void log_status(struct tr2_watch *w, pid_t pid, int status,
		       enum tr2_status_source from, uint64_t time_ns,
		       const struct tr2_usage *usage)
{
	struct tr2_task_event e = { .kind = TR2_TASK_STATUS, .pid = pid,
				    .time_ns = time_ns };
	struct tr2_buf *b = &w->text;

	tr2_buf_reset(b);
	if (!tr2_buf_room(b, 512))
		return;
	tr2_meta_add_status(b, status);
	if (was_oom_killed(w, pid, status))
		tr2_buf_addlit(b, ",\"oom_killed\":true");
	tr2_buf_addlit(b, ",\"from\":");
	tr2_json_add_string(b, tr2_meta_source(from));
	if (usage)
		tr2_meta_add_usage(b, usage);
	e.more = copy_text(b);
	if (e.more)
		tr2_tasklog_add(&w->log, &e);
}

/* Write the records that are older than `now` by more than SLACK_NS: a whole
 * pass over the rings has read them. Exit codes may still be in the kernel, so
 * read the connector first. */
static void write_log(struct tr2_watch *w, uint64_t now)
{
	if (now < w->written_ns + WRITE_EVERY_NS)
		return;
	w->written_ns = now;
	tr2_connector_read(&w->connector);
	tr2_tasklog_write(&w->log, now - SLACK_NS);
}

static void rings_ready(void *data)
{
	struct tr2_watch *w = data;
	uint64_t now = tr2_kernel_now_ns();

	tr2_kernel_rings_copy(&w->kernel.rings);
	write_log(w, now);
}

static void see_mapping(void *data, pid_t pid, const char *path)
{
	struct tr2_watch *w = data;

	tr2_code_maps_see(&w->code_maps, pid, path);
}

/* Keep the map of code of a process when the process or its recording has
 * ended: the map is complete then. */
static void keep_code_map(struct tr2_watch *w, pid_t pid)
{
	const struct tr2_proc *p = tr2_procs_find(&w->procs, pid);

	if (w->wants_maps && p)
		tr2_code_maps_keep(&w->code_maps, w->dir_fd, pid,
				   p->start_ns);
}

static void look_at_parent(struct tr2_watch *w, pid_t pid)
{
	const struct tr2_proc *p = tr2_procs_find(&w->procs, pid);

	if (p)
		tr2_ninja_logs_see(&w->ninja_logs, p->comm, pid, p->start_ns);
}

void tr2_watch_add(struct tr2_watch *w, const struct tr2_task_event *e)
{
	if (e->kind == TR2_TASK_EXIT && e->pid == e->tid) {
		keep_code_map(w, e->pid);
		tr2_ninja_logs_keep(&w->ninja_logs, w->dir_fd, e->pid);
	}
	if (e->kind == TR2_TASK_FORK)
		look_at_parent(w, e->ppid);
	tr2_procs_event(&w->procs, e);
	tr2_tasklog_add(&w->log, e);
}

/* Keep a record until the next look at its process. */
static void note_for_look(struct tr2_watch *w, const struct tr2_task_event *e)
{
	struct tr2_task_event *unread = NULL;
	size_t alloc = w->alloc_unread ? w->alloc_unread * 2 : 64;

	if (w->nr_unread == w->alloc_unread) {
		if (alloc <= MOST_UNREAD)
			unread = realloc(w->unread, alloc * sizeof(*unread));
		if (!unread) {
			free(e->more);
			return;
		}
		w->unread = unread;
		w->alloc_unread = alloc;
	}
	w->unread[w->nr_unread++] = *e;
}

/* Log a program's arguments if the kernel passed them. The program may be any
 * program on the machine. Return false if the arguments are missing, or if the
 * process is not (yet) in the list. */
static bool add_args(struct tr2_watch *w, const struct tr2_task_event *e)
{
	const struct tr2_proc *p = tr2_procs_find(&w->procs, e->pid);

	if (!e->more || !p || e->time_ns < p->start_ns ||
	    (p->ended && e->time_ns > p->end_ns))
		return false;
	tr2_tasklog_add(&w->log, e);
	return true;
}

/*
 * Without the connector, which reports each exec and end at once, note the
 * process for a look. The look reads the arguments of a process that still
 * runs, and follows its end. Also note arguments that arrived before the
 * process's fork, since another CPU reports the fork.
 */
static void handle_record(void *data, const struct tr2_task_event *e)
{
	struct tr2_watch *w = data;

	if (e->kind == TR2_TASK_ARGV) {
		if (!add_args(w, e))
			note_for_look(w, e);
		return;
	}
	tr2_watch_add(w, e);
	if (!w->has_connector &&
	    ((e->kind == TR2_TASK_EXEC && !w->kernel.has_args) ||
	     (e->kind == TR2_TASK_FORK && e->pid == e->tid)))
		note_for_look(w, e);
}

static void read_comm(pid_t pid, char comm[TR2_COMM_SIZE])
{
	ssize_t n = tr2_procfs_read(pid, "comm", comm, TR2_COMM_SIZE);

	if (n < 1)
		n = 1;
	comm[n - 1] = '\0'; /* replaces the newline */
}

/* Is this an event of a recorded process? If a recorded process has ended,
 * another process may have its pid. */
static bool is_ours(struct tr2_watch *w, const struct tr2_task_event *e)
{
	pid_t pid = e->kind == TR2_TASK_FORK ? e->ppid : e->pid;
	struct tr2_proc *p = tr2_procs_find(&w->procs, pid);

	/* The process is unknown or dead. Its fork may not have been read yet.
	 * Or its first thread has ended, and another thread has called exec. */
	if (w->has_tasks && (!p || p->status_from ||
			     (p->ended && e->kind == TR2_TASK_EXEC))) {
		tr2_kernel_rings_scan(&w->kernel.rings);
		p = tr2_procs_find(&w->procs, pid);
	}
	/* The found process may be an earlier one with this pid. */
	if (!p || p->status_from == TR2_STATUS_CONNECTOR ||
	    e->time_ns < p->start_ns)
		return false;
	return !p->ended || e->kind == TR2_TASK_EXIT || e->time_ns <= p->end_ns;
}

/* Did the process end before `now`, the time at which its files in /proc were
 * read? If so, the files may belong to another process. */
static bool had_ended(struct tr2_watch *w, pid_t pid, uint64_t now)
{
	const struct tr2_proc *p;

	if (w->has_tasks)
		tr2_kernel_rings_scan(&w->kernel.rings);
	p = tr2_procs_find(&w->procs, pid);
	return p && p->ended && p->end_ns < now;
}

/* Log the arguments of a program, unless it may have ended or called exec. */
void tr2_watch_argv(struct tr2_watch *w, pid_t pid, uint64_t time_ns)
{
	struct tr2_task_event e = { .kind = TR2_TASK_ARGV, .pid = pid,
				    .time_ns = time_ns };
	struct tr2_buf *b = &w->text;
	uint64_t now = tr2_kernel_now_ns();

	tr2_buf_reset(b);
	if (!tr2_ptrace_add_argv(b, pid) || had_ended(w, pid, now))
		return;
	e.more = copy_text(b);
	if (e.more)
		tr2_tasklog_add(&w->log, &e);
}

static void follow_to_end(struct tr2_watch *w, pid_t pid)
{
	size_t nr = w->pidfds.nr;

	tr2_pidfds_add(&w->pidfds, pid);
	if (w->pidfds.nr > nr && had_ended(w, pid, tr2_kernel_now_ns()))
		tr2_pidfds_drop_last(&w->pidfds);
}

static void handle_end(void *data, pid_t pid, int status)
{
	struct tr2_watch *w = data;
	const struct tr2_proc *p = tr2_procs_find(&w->procs, pid);
	uint64_t now = tr2_kernel_now_ns();

	/* Keep a status that is known already: the status of the recorder's
	 * child comes from wait4(), which returns more than a pidfd. */
	if (!p || p->status_from)
		return;
	tr2_procs_status(&w->procs, pid, status, TR2_STATUS_PIDFD, now, NULL);
	log_status(w, pid, status, TR2_STATUS_PIDFD, now, NULL);
}

/* Scan the rings if the process is unknown: the kernel wrote the record of its
 * fork before its exec. */
static void look_at_args(struct tr2_watch *w, const struct tr2_task_event *e)
{
	if (add_args(w, e))
		return;
	tr2_kernel_rings_scan(&w->kernel.rings);
	if (add_args(w, e))
		return;
	if (e->more)
		free(e->more);
	else if (is_ours(w, e))
		tr2_watch_argv(w, e->pid, e->time_ns);
}

static void look_at_process(struct tr2_watch *w, const struct tr2_task_event *e)
{
	if (e->kind == TR2_TASK_FORK)
		follow_to_end(w, e->pid);
	else if (e->kind == TR2_TASK_EXEC)
		tr2_watch_argv(w, e->pid, e->time_ns);
	else
		look_at_args(w, e);
}

static void look_for_processes(struct tr2_watch *w)
{
	struct tr2_task_event e;
	size_t i;

	if (!w->has_tasks || (w->has_connector && !w->kernel.has_args))
		return;
	tr2_kernel_rings_scan(&w->kernel.rings);
	/* Copy the entry: a look may append to the list, and thereby move
	 * it. */
	for (i = 0; i < w->nr_unread; i++) {
		e = w->unread[i];
		look_at_process(w, &e);
	}
	w->nr_unread = 0;
	tr2_pidfds_read(&w->pidfds, handle_end, w);
}

static void handle_exit(struct tr2_watch *w, const struct tr2_task_event *e,
			int status)
{
	if (!w->has_tasks)
		tr2_watch_add(w, e);
	if (e->pid != e->tid)
		return;
	tr2_procs_status(&w->procs, e->pid, status, TR2_STATUS_CONNECTOR,
			 e->time_ns, NULL);
	/* Leave the recorder's children to wait4(), which also returns the
	 * usage. */
	if (e->ppid != w->own_pid)
		log_status(w, e->pid, status, TR2_STATUS_CONNECTOR, e->time_ns,
			   NULL);
}

static void look_at_limit(struct tr2_watch *w)
{
	struct tr2_task_event e = { .kind = TR2_TASK_THROTTLED };
	struct tr2_buf *b = &w->text;
	struct tr2_throttled t;

	if (!tr2_cpu_limit_look(&w->limit, &t))
		return;
	e.time_ns = t.to_ns;
	tr2_buf_reset(b);
	tr2_buf_addlit(b, ",\"since_ns\":");
	tr2_buf_add_u64(b, t.from_ns);
	tr2_buf_addlit(b, ",\"throttled_ns\":");
	tr2_buf_add_u64(b, t.ns);
	e.more = copy_text(b);
	if (e.more)
		tr2_tasklog_add(&w->log, &e);
}

static void look_at_source(struct tr2_source *source, uint32_t events)
{
	void *at = (char *)source - offsetof(struct tr2_watch, look_timer);
	struct tr2_watch *w = at;
	uint64_t ticks;

	(void)events;
	if (read(source->fd, &ticks, sizeof(ticks)) < 0)
		return;
	look_at_limit(w);
	look_for_processes(w);
	tr2_kernel_rings_check(&w->kernel.rings);
}

/* Handle an event of the connector, which reports all processes of the
 * machine. */
static void handle_connector(void *data, const struct tr2_task_event *from,
			     int status)
{
	struct tr2_watch *w = data;
	struct tr2_task_event e = *from;

	if (!is_ours(w, &e))
		return;
	switch (e.kind) {
	case TR2_TASK_FORK:
		tr2_watch_add(w, &e);
		break;
	case TR2_TASK_EXEC:
		if (!w->has_tasks) {
			read_comm(e.pid, e.comm);
			tr2_watch_add(w, &e);
		}
		tr2_watch_argv(w, e.pid, e.time_ns);
		break;
	default:
		handle_exit(w, &e, status);
	}
}

/* Return the command or condition that would permit the refused sources; NULL:
 * none was refused, or it is not known. */
static const char *remedy(const struct tr2_watch *w)
{
	bool whole = w->has_tasks && !tr2_kernel_records_lack(&w->kernel);

	return !w->was_opened || whole ? NULL : tr2_refusal_remedy();
}

void tr2_watch_say_remedy(const struct tr2_watch *w)
{
	const char *text = remedy(w);

	if (text)
		fprintf(stderr, "trace2 record: for more: %s (see 'trace2 "
			"check --record')\n", text);
}

static void say_no_tasks(const struct tr2_watch *w)
{
	if (w->quiet)
		return;
	fprintf(stderr, "trace2 record: going on without the kernel's "
		"task records: %s\n", w->why_not);
	tr2_watch_say_remedy(w);
}

static void say_nothing_to_record(const struct tr2_watch *w)
{
	const char *text = remedy(w);

	tr2_error("cannot record processes that run already: %s (%s%s%s"
		  "'trace2 top' shows them without)", w->why_not,
		  text ? "for more: " : "", text ? text : "", text ? "; " : "");
}

static void skip_kernel(struct tr2_watch *w)
{
	size_t i;

	w->why_not[0] = '\0';
	for (i = 0; i < TR2_KERNEL_SOURCES; i++)
		snprintf(w->kernel.refused[i], sizeof(w->kernel.refused[i]),
			 "%s", i < TR2_KERNEL_SAMPLES ? "--ptrace was given" :
							"not requested");
}

void tr2_watch_open(struct tr2_watch *w, struct tr2_loop *loop, int data_fd)
{
	w->loop = loop;
	if (w->wants_ptrace == TR2_PTRACE_ALWAYS) {
		skip_kernel(w);
		return;
	}
	w->was_opened = true;
	w->kernel.tasks.take = handle_record;
	w->kernel.tasks.mapped = w->wants_maps ? see_mapping : NULL;
	w->kernel.rings.ready = rings_ready;
	w->kernel.tasks.data = w->kernel.rings.data = w;
	tr2_pidfds_init(&w->pidfds);
	w->has_tasks = tr2_kernel_records_open(&w->kernel, loop, data_fd);
	w->connector.take = handle_connector;
	w->connector.data = w;
	w->has_connector = tr2_connector_open(
		&w->connector, loop, !w->has_tasks ? TR2_CONNECTOR_ALL :
		w->kernel.has_args ? TR2_CONNECTOR_EXITS : TR2_CONNECTOR_EXECS);
	w->why_not[0] = '\0';
	if (w->has_tasks || w->has_connector)
		return;
	snprintf(w->why_not, sizeof(w->why_not), "%s; %s", w->kernel.why_not,
		 w->connector.why_not);
	if (w->is_needed)
		say_nothing_to_record(w);
	else if (w->wants_ptrace == TR2_PTRACE_NEVER)
		say_no_tasks(w);
}

static void timer_ready(struct tr2_source *source, uint32_t events)
{
	struct tr2_watch *w = (struct tr2_watch *)source;
	uint64_t ticks;

	(void)events;
	if (read(source->fd, &ticks, sizeof(ticks)) < 0)
		return;
	tr2_connector_read(&w->connector);
	rings_ready(w);
}

/* Is the program too young to look at? A young program may end before the
 * observer learns anything about it. A process without an exec is never too
 * young: it shares memory with other processes. */
static bool is_young(const struct tr2_proc *p, uint64_t now)
{
	return p->exec_ns + YOUNG_NS > now;
}

static void observe_new(struct tr2_watch *w)
{
	uint64_t now = tr2_kernel_now_ns();
	size_t i, first_young = w->procs.nr;

	for (i = w->nr_observed; i < w->procs.nr; i++) {
		struct tr2_proc *p = &w->procs.proc[i];

		if (p->ended || p->observed)
			continue;
		if (is_young(p, now)) {
			if (first_young > i)
				first_young = i;
			continue;
		}
		p->observed = true;
		tr2_observer_add(w->observer, p->pid, p->ran ? 0 : p->ppid,
				 p->start_ns);
	}
	w->nr_observed = first_young;
}

/* Pass new and ended processes to the observer. */
static void update_observer(void *data)
{
	struct tr2_watch *w = data;
	struct tr2_observer *o = w->observer;
	struct tr2_observed *seen;
	const struct tr2_proc *p;
	size_t i;

	tr2_watch_read(w);
	/* Read the events of ptrace before the next look. */
	tr2_ptrace_hurry(&w->ptrace);
	observe_new(w);
	for (i = 0; i < o->nr; i++) {
		seen = o->processes[i];
		p = tr2_procs_find(&w->procs, seen->pid);
		seen->ended |= !p || p->ended || p->start_ns != seen->start_ns;
		if (seen->ended)
			continue;
		seen->exec_ns = p->exec_ns;
		memcpy(seen->comm, p->comm, sizeof(seen->comm));
	}
}

static void handle_observed(void *data, const struct tr2_task_event *e)
{
	struct tr2_watch *w = data;

	tr2_tasklog_add(&w->log, e);
}

static bool has_states(const struct tr2_watch *w)
{
	return w->has_tasks && w->kernel.wanted.states &&
	       !w->kernel.refused[TR2_KERNEL_STATES][0];
}

static void start_observer(struct tr2_watch *w)
{
	w->observer = tr2_observer_start(w->loop);
	if (!w->observer)
		return;
	w->observer->update = update_observer;
	w->observer->take = handle_observed;
	w->observer->data = w;
	w->observer->records_ends = !has_states(w);
}

void tr2_watch_run(struct tr2_watch *w)
{
	tr2_oom_kills_open(&w->oom_kills);
	tr2_kernel_records_start(&w->kernel);
	w->timer.ready = timer_ready;
	(void)tr2_loop_add_timer(w->loop, &w->timer, LIVE_NS, LIVE_NS);
	w->look_timer.ready = look_at_source;
	if ((w->has_tasks && !w->has_connector) || w->limit.fd >= 0 ||
	    w->kernel.rings.is_checked || w->kernel.has_args)
		(void)tr2_loop_add_timer(w->loop, &w->look_timer,
					 TR2_KERNEL_RINGS_CHECK_NS,
					 TR2_KERNEL_RINGS_CHECK_NS);
	start_observer(w);
}

static void start_ptrace(struct tr2_watch *w, struct tr2_run *run)
{
	size_t len = strlen(w->why_not);

	w->run = run;
	if (!tr2_ptrace_start(&w->ptrace, run->pid)) {
		snprintf(w->why_not + len, sizeof(w->why_not) - len, "%s%s",
			 len ? "; " : "", w->ptrace.why_not);
		say_no_tasks(w);
		return;
	}
	w->why_not[0] = '\0';
	if (!w->quiet && tr2_ptrace_takes_privileges())
		fprintf(stderr, "trace2 record: processes are followed by "
			"ptrace, so sudo and other set-user-ID programs get "
			"no privileges (%s)\n",
			w->wants_ptrace == TR2_PTRACE_ALWAYS ?
			"without --ptrace they get them" :
			"with --no-ptrace they get them, but only the command "
			"is recorded");
}

void tr2_watch_start(struct tr2_watch *w, struct tr2_run *run)
{
	const struct tr2_task_event e = {
		.kind = TR2_TASK_FORK, .pid = run->pid, .tid = run->pid,
		.ppid = getpid(), .ptid = getpid(),
		.time_ns = tr2_kernel_now_ns(),
	};

	tr2_watch_add(w, &e);
	if (w->wants_ptrace && !w->has_tasks && !w->has_connector)
		start_ptrace(w, run);
	tr2_watch_run(w);
}

static void handle_traced(void *data, struct tr2_ptrace_item *item)
{
	struct tr2_watch *w = data;
	const struct tr2_task_event *e = &item->e;
	struct tr2_usage usage;

	if (e->kind == TR2_TASK_ARGV) {
		tr2_tasklog_add(&w->log, e);
		return;
	}
	if (e->kind != TR2_TASK_STATUS) {
		tr2_watch_add(w, e);
		return;
	}
	if (item->has_usage)
		tr2_usage_from_rusage(&usage, &item->usage);
	tr2_procs_status(&w->procs, e->pid, item->status, TR2_STATUS_WAIT,
			 e->time_ns, item->has_usage ? &usage : NULL);
	log_status(w, e->pid, item->status, TR2_STATUS_WAIT, e->time_ns,
		   item->has_usage ? &usage : NULL);
	if (e->pid != w->run->pid || w->run->ended)
		return;
	w->run->ended = true;
	w->run->status = item->status;
	w->run->usage = item->usage;
	w->run->io = w->ptrace.io;
}

static bool reap_traced(struct tr2_watch *w)
{
	uint64_t now = tr2_kernel_now_ns();
	bool more = tr2_ptrace_take(&w->ptrace, handle_traced, w);

	write_log(w, now);
	return more;
}

bool tr2_watch_reap(struct tr2_watch *w, struct tr2_run *run)
{
	struct tr2_usage usage;
	struct rusage ru;
	uint64_t now = tr2_kernel_now_ns();
	int status;
	pid_t pid;

	if (w->ptrace.on)
		return reap_traced(w);
	tr2_kernel_rings_scan(&w->kernel.rings);
	write_log(w, now);
	while ((pid = tr2_run_reap(run, &status, &ru)) > 0) {
		now = tr2_kernel_now_ns();
		tr2_usage_from_rusage(&usage, &ru);
		tr2_procs_status(&w->procs, pid, status, TR2_STATUS_WAIT, now,
				 &usage);
		log_status(w, pid, status, TR2_STATUS_WAIT, now, &usage);
	}
	return pid == 0;
}

void tr2_watch_read(struct tr2_watch *w)
{
	if (w->has_tasks)
		tr2_kernel_rings_scan(&w->kernel.rings);
	tr2_connector_read(&w->connector);
}

static bool exit_codes_missing(const struct tr2_watch *w)
{
	size_t i;

	for (i = 0; i < w->procs.nr; i++)
		if (w->procs.proc[i].ended && !w->procs.proc[i].status_from)
			return true;
	return false;
}

/* Wait for the exit codes of the last processes: the connector reports an end
 * only after the parent can reap the process. */
static void wait_for_exit_codes(struct tr2_watch *w)
{
	int i;

	for (i = 0; i < LATE_TRIES && exit_codes_missing(w); i++) {
		tr2_connector_wait(&w->connector, LATE_MS);
		tr2_connector_read(&w->connector);
	}
}

void tr2_watch_finish(struct tr2_watch *w)
{
	size_t i;

	tr2_observer_stop(w->observer, &w->observed);
	w->observer = NULL;
	w->traced = w->ptrace.on;
	tr2_ptrace_stop(&w->ptrace);
	if (w->traced)
		tr2_ptrace_take(&w->ptrace, handle_traced, w);
	tr2_kernel_rings_scan(&w->kernel.rings);
	look_for_processes(w);
	tr2_connector_read(&w->connector);
	if (w->has_connector)
		wait_for_exit_codes(w);
	tr2_ninja_logs_end(&w->ninja_logs, w->dir_fd);
	for (i = 0; i < w->procs.nr && w->wants_maps; i++)
		if (!w->procs.proc[i].ended)
			keep_code_map(w, w->procs.proc[i].pid);
	if (w->code_maps.nr_left_out)
		tr2_warning("%llu lists of generated functions (jit-PID.dump, "
			    "perf-PID.map) are missing, or cut after 64 MiB",
			    (unsigned long long)w->code_maps.nr_left_out);
	tr2_kernel_records_finish(&w->kernel);
	look_at_limit(w);
	tr2_tasklog_write(&w->log, UINT64_MAX);
}

void tr2_watch_result(const struct tr2_watch *w, struct tr2_meta *m)
{
	size_t i;

	m->remedy = remedy(w);
	m->no_task_records = w->why_not[0] ? w->why_not : NULL;
	m->task_source = w->has_tasks ? "perf" :
			 w->has_connector ? "connector" :
			 w->traced ? "ptrace" : "none";
	for (i = 0; i < TR2_KERNEL_SOURCES; i++)
		m->refused[i] = w->kernel.refused[i];
	m->no_exit_codes = w->has_connector ? NULL :
			   w->traced ? "ptrace" :
			   w->connector.why_not[0] ? w->connector.why_not :
						     "no command was run";
	m->procs = &w->procs;
	m->observed = w->observed;
	m->lost_kernel_data = w->kernel.file.lost;
	m->lost_kernel_records = w->kernel.tasks.lost +
				 w->kernel.tasks.damaged + w->ptrace.lost;
	m->lost_task_log = w->log.lost;
	m->oom_kills = tr2_oom_kills_count(&w->oom_kills);
	m->lost_exit_codes = w->connector.lost;
}
