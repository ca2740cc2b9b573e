/* SPDX-License-Identifier: MIT */
/* Stop processes where they fork, execute and exit, and let them go on. */
#include "record/sources/ptrace.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/procfs.h"
#include "record/sources/ptrace_proc.h"

#define PROCESS_OPTIONS                                                        \
	(PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |      \
	 PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT)
/* Do not stop a thread at its exit: the status of wait4() is enough. */
#define THREAD_OPTIONS (PROCESS_OPTIONS & ~PTRACE_O_TRACEEXIT)
/* Keep at most this many items (300 MB) for the recorder. */
#define MOST_ITEMS 1000000u
/* Wake the recorder when this many items are kept. */
#define MANY_ITEMS 1024u
#define STOP_NS 1000000

static void signal_loop(void)
{
	kill(getpid(), SIGCHLD);
}

static void add_item(struct tr2_ptrace *p, struct tr2_ptrace_item *item)
{
	struct tr2_ptrace_item *grown;
	bool full = false;
	size_t alloc;

	pthread_mutex_lock(&p->lock);
	if (p->nr == p->alloc) {
		alloc = p->alloc ? p->alloc * 2 : 256;
		grown = alloc > 2 * MOST_ITEMS ? NULL :
			realloc(p->item, alloc * sizeof(*grown));
		if (grown) {
			p->item = grown;
			p->alloc = alloc;
		}
	}
	if (p->nr < p->alloc) {
		p->item[p->nr++] = *item;
		full = p->nr == MANY_ITEMS;
	} else {
		p->lost++;
		free(item->e.more);
	}
	pthread_mutex_unlock(&p->lock);
	if (full)
		signal_loop();
}

/* Return a time after all earlier ones: the log is sorted by time. */
static uint64_t now_ns(void)
{
	static uint64_t last;
	uint64_t now = tr2_kernel_now_ns();

	last = now > last ? now : last + 1;
	return last;
}

static struct tr2_ptrace_item item_of(const struct tr2_ptrace_task *t,
				      enum tr2_task_kind kind)
{
	return (struct tr2_ptrace_item){ .e = {
		.kind = kind, .pid = t->pid, .tid = t->tid,
		.ppid = t->ppid, .ptid = t->ptid, .time_ns = now_ns(),
	} };
}

/* begin_text() returns an empty buffer; handle_text() returns its content in
 * malloc() memory. */
static struct tr2_buf *begin_text(struct tr2_ptrace *p)
{
	tr2_buf_reset(&p->text);
	return &p->text;
}

static char *handle_text(struct tr2_buf *b)
{
	return b->failed || !b->len ? NULL : strdup(tr2_buf_str(b));
}

static void go_on(pid_t tid, int signo)
{
	ptrace(PTRACE_CONT, tid, NULL, (void *)(intptr_t)signo);
}

/* Let a thread go on after its stop, or stay stopped with its process. */
static void go_on_after(pid_t tid, int event, int signo)
{
	if (event != PTRACE_EVENT_STOP)
		go_on(tid, event ? 0 : signo);
	else if (signo == SIGTRAP)
		go_on(tid, 0);
	else
		ptrace(PTRACE_LISTEN, tid, NULL, NULL);
}

static void end_process(struct tr2_ptrace *p, struct tr2_ptrace_task *t,
			int status, const struct rusage *usage)
{
	struct tr2_ptrace_item item = item_of(t, TR2_TASK_EXIT);

	item.e.more = t->at_exit;
	t->at_exit = NULL;
	add_item(p, &item);
	if (t->tid != t->pid)
		return;
	item = item_of(t, TR2_TASK_STATUS);
	item.status = status;
	item.has_usage = usage;
	if (usage)
		item.usage = *usage;
	add_item(p, &item);
	if (t->pid == p->command)
		signal_loop();
}

/*
 * Set the options of a thread. Tasks that it begins inherit them. The command's
 * own threads also stop at their ends: at the end of the last thread, /proc
 * shows what all of them read and wrote.
 */
static void set_options(const struct tr2_ptrace *p,
			const struct tr2_ptrace_task *t)
{
	uintptr_t options = t->tid == t->pid || t->pid == p->command ?
				    PROCESS_OPTIONS : THREAD_OPTIONS;

	if (t->tid != t->pid || t->ptid != t->ppid)
		ptrace(PTRACE_SETOPTIONS, t->tid, NULL, (void *)options);
}

static void announce(struct tr2_ptrace *p, struct tr2_ptrace_task *t)
{
	struct tr2_ptrace_item item = item_of(t, TR2_TASK_FORK);
	enum tr2_ptrace_state state = t->state;

	tr2_ptrace_set_state(&p->tasks, t, TR2_PTRACE_KNOWN);
	add_item(p, &item);
	if (state == TR2_PTRACE_EARLY_DEAD) {
		end_process(p, t, t->status, &t->usage);
		tr2_ptrace_remove(&p->tasks, t->tid);
	} else if (state == TR2_PTRACE_EARLY) {
		t->begun = true;
		set_options(p, t);
		go_on_after(t->tid, PTRACE_EVENT_STOP, t->signo);
	}
}

/*
 * Announce the parent's early children. Call this when the parent has ended, or
 * when it has only one thread left. Some children were killed before the stop
 * of the thread that began them: no later stop announces these.
 */
static void announce_early(struct tr2_ptrace *p, pid_t parent)
{
	struct tr2_ptrace_task *t = NULL;

	while ((t = tr2_ptrace_next_early(&p->tasks, parent)))
		announce(p, t);
}

/* Handle the stop of a thread that began another one. */
static void handle_fork(struct tr2_ptrace *p, const struct tr2_ptrace_task *by,
			int event, pid_t tid)
{
	struct tr2_ptrace_task *t = tr2_ptrace_find(&p->tasks, tid);

	/* Do nothing if /proc has already shown the new thread's parent. */
	if (t && (t->state == TR2_PTRACE_KNOWN))
		return;
	/* Forget an earlier process with the same number, which was let go. */
	if (t && t->state == TR2_PTRACE_LET_GO) {
		tr2_ptrace_remove(&p->tasks, tid);
		t = NULL;
	}
	if (!t)
		t = tr2_ptrace_add(&p->tasks, tid, TR2_PTRACE_KNOWN);
	if (!t) {
		p->blind = true;
		return;
	}
	t->pid = event == PTRACE_EVENT_CLONE &&
				 tr2_ptrace_is_thread_of(tid, by->pid) ?
			 by->pid : tid;
	t->ppid = by->pid;
	t->ptid = by->tid;
	announce(p, t);
}

static void let_go(struct tr2_ptrace *p, struct tr2_ptrace_task *t,
		   const char *comm, const char *why)
{
	if (!p->nr_not_followed++)
		snprintf(p->not_followed, sizeof(p->not_followed), "%s (%s)",
			 comm, why);
	tr2_ptrace_set_state(&p->tasks, t, TR2_PTRACE_LET_GO);
	ptrace(PTRACE_DETACH, t->tid, NULL, NULL);
}

static void handle_exec(struct tr2_ptrace *p, struct tr2_ptrace_task *t,
			pid_t former)
{
	struct tr2_ptrace_item item = item_of(t, TR2_TASK_EXEC);
	const char *why = tr2_ptrace_avoids(&p->avoided, t->pid);
	struct tr2_buf *b = begin_text(p);
	char comm[TR2_COMM_SIZE + 1];
	size_t len;

	announce_early(p, t->pid);
	if (former && former != t->tid) {
		tr2_ptrace_remove(&p->tasks, former);
		ptrace(PTRACE_SETOPTIONS, t->tid, NULL,
		       (void *)(uintptr_t)PROCESS_OPTIONS);
	}
	tr2_procfs_text(t->pid, 0, "comm", comm, sizeof(comm));
	len = strcspn(comm, "\n");
	comm[len < TR2_COMM_SIZE ? len : TR2_COMM_SIZE - 1] = '\0';
	memcpy(item.e.comm, comm, TR2_COMM_SIZE);
	add_item(p, &item);
	item = item_of(t, TR2_TASK_ARGV);
	tr2_ptrace_add_program(b, t->pid);
	if (why) {
		tr2_buf_addlit(b, ",\"not_followed\":\"");
		tr2_buf_addstr(b, why);
		tr2_buf_addch(b, '"');
	}
	item.e.more = handle_text(b);
	if (item.e.more)
		add_item(p, &item);
	if (why)
		let_go(p, t, comm, why);
	else
		go_on(t->tid, 0);
}

static void handle_exit(struct tr2_ptrace *p, struct tr2_ptrace_task *t)
{
	struct tr2_buf *b = begin_text(p);
	struct tr2_io io;

	tr2_ptrace_add_end(b, t->pid, &io);
	free(t->at_exit);
	t->at_exit = handle_text(b);
	if (t->pid == p->command)
		p->io = io;
	go_on(t->tid, 0);
}

/* When a parent gets SIGCHLD from a process that was let go, handle the end of
 * that process. */
static void look_for_let_go(struct tr2_ptrace *p,
			    const struct tr2_ptrace_task *parent)
{
	struct tr2_ptrace_task *t;
	siginfo_t info;
	int status;

	if (ptrace(PTRACE_GETSIGINFO, parent->tid, NULL, &info))
		return;
	t = tr2_ptrace_find(&p->tasks, info.si_pid);
	if (!t || t->state != TR2_PTRACE_LET_GO || t->ppid != parent->pid)
		return;
	if (info.si_code == CLD_EXITED)
		status = (info.si_status & 0xff) << 8;
	else if (info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED)
		status = info.si_status |
			 (info.si_code == CLD_DUMPED ? 0x80 : 0);
	else
		return;
	end_process(p, t, status, NULL);
	tr2_ptrace_remove(&p->tasks, t->tid);
}

/* Take the stop from the kernel, so that it is not reported again. */
static void handle_from_kernel(pid_t tid)
{
	int status;

	(void)waitpid(tid, &status, WNOHANG | __WALL);
}

/* Handle the first stop of an unknown thread. If memory is short, do not record
 * the thread, and let it go on. */
static void handle_first_stop(struct tr2_ptrace *p, pid_t tid, int event,
			      int signo)
{
	struct tr2_ptrace_task *t = NULL;
	const struct tr2_ptrace_task *parent;

	if (event == PTRACE_EVENT_STOP && !p->blind)
		t = tr2_ptrace_add(&p->tasks, tid, TR2_PTRACE_EARLY);
	if (!t) {
		go_on_after(tid, event, signo);
		return;
	}
	t->signo = signo;
	handle_from_kernel(tid);
	if (!tr2_ptrace_parents(tid, &t->pid, &t->ppid))
		return;
	if (t->pid != tid)
		t->ppid = t->pid;
	t->ptid = t->ppid;
	parent = tr2_ptrace_find(&p->tasks, t->ppid);
	/* Announce the task now if its parent is unknown: the parent has
	 * adopted the task, since the thread that began the task has ended. */
	if (!parent || parent->state != TR2_PTRACE_KNOWN)
		announce(p, t);
}

/* what: the upper bytes of wait4()'s status. */
static void handle_stop(struct tr2_ptrace *p, pid_t tid, int what)
{
	struct tr2_ptrace_task *t = tr2_ptrace_find(&p->tasks, tid);
	int event = what >> 8, signo = what & 0xff;
	unsigned long message = 0;

	/* Forget an earlier process with this number: it has gone. */
	if (t && t->state != TR2_PTRACE_KNOWN) {
		tr2_ptrace_remove(&p->tasks, tid);
		t = NULL;
	}
	if (!t) {
		handle_first_stop(p, tid, event, signo);
		return;
	}
	if (event == PTRACE_EVENT_STOP && !t->begun) {
		t->begun = true;
		set_options(p, t);
	}
	/* If a thread other than the first one executed a program, the kernel
	 * accepts no request until the stop is taken. */
	if (event == PTRACE_EVENT_EXEC)
		handle_from_kernel(tid);
	if (event && event != PTRACE_EVENT_STOP && event != PTRACE_EVENT_EXIT)
		ptrace(PTRACE_GETEVENTMSG, tid, NULL, &message);
	switch (event) {
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		if (message)
			handle_fork(p, t, event, (pid_t)message);
		go_on(tid, 0);
		return;
	case PTRACE_EVENT_EXEC:
		handle_exec(p, t, (pid_t)message);
		return;
	case PTRACE_EVENT_EXIT:
		handle_exit(p, t);
		return;
	case 0:
		if (signo == SIGCHLD && p->tasks.nr_let_go)
			look_for_let_go(p, t);
		break;
	default:
		break;
	}
	go_on_after(tid, event, signo);
}

static void handle_end(struct tr2_ptrace *p, pid_t tid)
{
	struct tr2_ptrace_task *t = tr2_ptrace_find(&p->tasks, tid);
	struct tr2_buf *b = begin_text(p);
	struct rusage usage = { 0 };
	bool gone, known = t && t->state != TR2_PTRACE_LET_GO;
	int status = 0;

	if (known) {
		if (t->at_exit)
			tr2_buf_addstr(b, t->at_exit);
		tr2_ptrace_add_times(b, tid);
		free(t->at_exit);
		t->at_exit = handle_text(b);
	}
	gone = wait4(tid, &status, WNOHANG | __WALL, &usage) != tid;
	/* Add an unknown task only if no process was let go: it may be the
	 * orphan of such a process. */
	if (!t && !gone && !p->tasks.nr_let_go)
		t = tr2_ptrace_add(&p->tasks, tid, TR2_PTRACE_EARLY_DEAD);
	if (!t)
		return;
	if (t->state == TR2_PTRACE_EARLY || t->state == TR2_PTRACE_EARLY_DEAD) {
		tr2_ptrace_set_state(&p->tasks, t, TR2_PTRACE_EARLY_DEAD);
		t->status = status;
		t->usage = usage;
		return;
	}
	end_process(p, t, status, &usage);
	tr2_ptrace_remove(&p->tasks, tid);
	announce_early(p, tid);
}

static void wait_for_stops(struct tr2_ptrace *p)
{
	siginfo_t info;

	while (!p->stop) {
		info.si_pid = 0;
		/* Leave stops in the kernel (WNOWAIT): most vanish when the
		 * thread goes on. */
		if (waitid(P_ALL, 0, &info, WEXITED | __WALL | WNOWAIT)) {
			if (errno == EINTR)
				continue;
			break;
		}
		if (info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED)
			handle_stop(p, info.si_pid, info.si_status);
		else
			handle_end(p, info.si_pid);
	}
	if (p->stop)
		return;
	pthread_mutex_lock(&p->lock);
	p->alone = true;
	pthread_mutex_unlock(&p->lock);
	signal_loop();
}

static void *trace(void *data)
{
	struct tr2_ptrace *p = data;
	struct tr2_ptrace_task *t;
	sigset_t others;

	sigfillset(&others);
	sigdelset(&others, SIGRTMIN);
	pthread_sigmask(SIG_SETMASK, &others, NULL);
	p->err = 0;
	if (ptrace(PTRACE_SEIZE, p->command, NULL,
		   (void *)(uintptr_t)PROCESS_OPTIONS)) {
		p->err = errno;
		sem_post(&p->started);
		return NULL;
	}
	t = tr2_ptrace_add(&p->tasks, p->command, TR2_PTRACE_KNOWN);
	if (t)
		t->ppid = t->ptid = getpid();
	sem_post(&p->started);
	wait_for_stops(p);
	sem_post(&p->ended);
	/* The end of this thread lets all its tracees go. */
	return NULL;
}

static void wake_loop(int signo)
{
	(void)signo;
}

/* Let a signal interrupt a wait. Let stopped children send no SIGCHLD. */
static void prepare_signals(void)
{
	struct sigaction wakes = { .sa_handler = wake_loop };
	struct sigaction ends_only = { .sa_handler = SIG_DFL,
				       .sa_flags = SA_NOCLDSTOP };

	sigemptyset(&wakes.sa_mask);
	sigemptyset(&ends_only.sa_mask);
	sigaction(SIGRTMIN, &wakes, NULL);
	sigaction(SIGCHLD, &ends_only, NULL);
}

static int yama_scope(void)
{
	FILE *f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	int value = 0;

	if (f && fscanf(f, "%d", &value) != 1)
		value = 0;
	if (f)
		fclose(f);
	return value;
}

static void explain_failure(struct tr2_ptrace *p)
{
	int scope = yama_scope();

	if (scope > 1)
		snprintf(p->why_not, sizeof(p->why_not),
			 "ptrace: %s (kernel.yama.ptrace_scope is %d; at most "
			 "1%s is needed)", strerror(p->err), scope,
			 scope == 2 ? ", or CAP_SYS_PTRACE," : "");
	else
		snprintf(p->why_not, sizeof(p->why_not), "ptrace: %s%s",
			 strerror(p->err),
			 p->err == EPERM ? " (a seccomp filter, or another "
					   "tracer?)" : "");
}

bool tr2_ptrace_start(struct tr2_ptrace *p, pid_t pid)
{
	/* Do not set p->err here: the thread may have run before this call
	 * returns. */
	int err;

	p->command = pid;
	p->stop = false;
	pthread_mutex_init(&p->lock, NULL);
	sem_init(&p->started, 0, 0);
	sem_init(&p->ended, 0, 0);
	err = pthread_create(&p->thread, NULL, trace, p);
	if (err) {
		p->err = err;
	} else {
		while (sem_wait(&p->started))
			;
		p->on = !p->err;
		if (!p->on)
			pthread_join(p->thread, NULL);
	}
	if (p->on)
		prepare_signals();
	else
		explain_failure(p);
	return p->on;
}

bool tr2_ptrace_take(struct tr2_ptrace *p,
		     void (*take)(void *data, struct tr2_ptrace_item *item),
		     void *data)
{
	struct tr2_ptrace_item *item;
	size_t nr, i;
	bool alone;

	pthread_mutex_lock(&p->lock);
	item = p->item;
	nr = p->nr;
	alone = p->alone;
	p->item = NULL;
	p->nr = p->alloc = 0;
	pthread_mutex_unlock(&p->lock);
	for (i = 0; i < nr; i++)
		take(data, &item[i]);
	free(item);
	return !alone;
}

void tr2_ptrace_hurry(struct tr2_ptrace *p)
{
	bool any;

	if (!p->on)
		return;
	pthread_mutex_lock(&p->lock);
	any = p->nr > 0;
	pthread_mutex_unlock(&p->lock);
	if (any)
		signal_loop();
}

void tr2_ptrace_stop(struct tr2_ptrace *p)
{
	struct timespec until;

	if (!p->on)
		return;
	p->stop = true;
	do {
		pthread_kill(p->thread, SIGRTMIN);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += STOP_NS;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
	} while (sem_timedwait(&p->ended, &until));
	pthread_join(p->thread, NULL);
	p->on = false;
}

static void forget_item(void *data, struct tr2_ptrace_item *item)
{
	(void)data;
	free(item->e.more);
}

void tr2_ptrace_release(struct tr2_ptrace *p)
{
	tr2_ptrace_stop(p);
	tr2_ptrace_take(p, forget_item, NULL);
	tr2_ptrace_tasks_release(&p->tasks);
	tr2_buf_release(&p->text);
}

void tr2_ptrace_say(const struct tr2_ptrace *p)
{
	if (p->nr_not_followed == 1)
		fprintf(stderr, "trace2 record: ptrace does not follow this "
			"program and what it starts: %s\n", p->not_followed);
	else if (p->nr_not_followed)
		fprintf(stderr, "trace2 record: ptrace does not follow these "
			"programs and what they start: %s, and %llu more\n",
			p->not_followed,
			(unsigned long long)p->nr_not_followed - 1);
}

bool tr2_ptrace_takes_privileges(void)
{
	return geteuid() && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0;
}
