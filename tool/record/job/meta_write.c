/* SPDX-License-Identifier: MIT */
/* Write meta.json. */
#include "record/job/meta_write.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "common/procfs.h"
#include "format/recording/meta_read.h"
#include "record/job/live_trace.h"

static void add_key(struct tr2_buf *b, const char *key)
{
	if (!b->len || b->p[b->len - 1] != '{')
		tr2_buf_addch(b, ',');
	tr2_json_add_string(b, key);
	tr2_buf_addch(b, ':');
}

static void add_number(struct tr2_buf *b, const char *key, uint64_t value)
{
	add_key(b, key);
	tr2_buf_add_u64(b, value);
}

/* NULL is null. */
static void add_text(struct tr2_buf *b, const char *key, const char *text)
{
	add_key(b, key);
	if (text)
		tr2_json_add_string(b, text);
	else
		tr2_buf_addlit(b, "null");
}

static void add_comma(struct tr2_buf *b)
{
	if (b->p[b->len - 1] != '[')
		tr2_buf_addch(b, ',');
}

const char *tr2_meta_source(enum tr2_status_source from)
{
	static const char *const names[] = {
		[TR2_STATUS_NONE] = "none",
		[TR2_STATUS_CONNECTOR] = "connector",
		[TR2_STATUS_WAIT] = "wait",
	};

	return names[from];
}

void tr2_meta_add_status(struct tr2_buf *b, int status)
{
	if (!WIFSIGNALED(status)) {
		add_number(b, "code", (uint64_t)WEXITSTATUS(status));
		return;
	}
	add_number(b, "signal", (uint64_t)WTERMSIG(status));
	if (WCOREDUMP(status))
		tr2_buf_addlit(b, ",\"core_dumped\":true");
}

void tr2_meta_add_usage(struct tr2_buf *b, const struct tr2_usage *u)
{
	add_number(b, "user_ns", u->user_us * 1000u);
	add_number(b, "system_ns", u->system_us * 1000u);
	add_number(b, "maxrss_bytes", u->maxrss_bytes);
	add_number(b, "minflt", u->minflt);
	add_number(b, "majflt", u->majflt);
	add_number(b, "inblock", u->inblock);
	add_number(b, "oublock", u->oublock);
	add_number(b, "nvcsw", u->nvcsw);
	add_number(b, "nivcsw", u->nivcsw);
}

static void add_attached(struct tr2_buf *b, const struct tr2_meta *m)
{
	size_t i;

	if (!m->nr_pids)
		return;
	add_key(b, "attached");
	tr2_buf_addch(b, '[');
	for (i = 0; i < m->nr_pids; i++) {
		add_comma(b);
		tr2_buf_add_u64(b, (uint64_t)m->pids[i]);
	}
	tr2_buf_addch(b, ']');
}

static void add_switched(struct tr2_buf *b, const struct tr2_meta *m)
{
	const struct tr2_switch *s = m->switched;
	size_t i;

	if (!m->nr_pids)
		return;
	add_key(b, "switched_on");
	tr2_buf_addch(b, '[');
	for (i = 0; i < s->nr; i++) {
		if (s->process[i].state != TR2_SWITCH_ON)
			continue;
		add_comma(b);
		tr2_buf_add_u64(b, (uint64_t)s->process[i].page.pid);
	}
	tr2_buf_addch(b, ']');
}

static void add_command(struct tr2_buf *b, const struct tr2_meta *m)
{
	char *cwd = getcwd(NULL, 0);
	char *const *word;

	add_key(b, "command");
	tr2_buf_addch(b, '[');
	for (word = m->argv; word && *word; word++) {
		add_comma(b);
		tr2_json_add_string(b, *word);
	}
	tr2_buf_addch(b, ']');
	add_number(b, "command_pid", (uint64_t)m->command_pid);
	add_attached(b, m);
	if (m->trace.self.id) {
		add_key(b, "trace");
		tr2_told_trace_json(b, &m->trace.self, m->trace.parent,
				    m->trace.sampled);
	}
	add_number(b, "recorder_pid", (uint64_t)getpid());
	add_text(b, "cwd", cwd);
	free(cwd);
}

static void add_machine(struct tr2_buf *b)
{
	struct passwd *user = getpwuid(geteuid());
	struct utsname u;

	if (!uname(&u)) {
		add_text(b, "host", u.nodename);
		add_text(b, "kernel", u.sysname);
		/* remove the closing quote: the release is appended */
		b->len--;
		tr2_buf_addch(b, ' ');
		tr2_json_add_escaped(b, u.release, strlen(u.release));
		tr2_buf_addch(b, ' ');
		tr2_json_add_escaped(b, u.version, strlen(u.version));
		tr2_buf_addch(b, '"');
		add_text(b, "machine", u.machine);
	}
	add_text(b, "user", user ? user->pw_name : NULL);
	add_number(b, "uid", geteuid());
	add_number(b, "cpus", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	add_number(b, "memory_bytes", (uint64_t)sysconf(_SC_PHYS_PAGES) *
					      (uint64_t)sysconf(_SC_PAGESIZE));
	add_number(b, "page_size_bytes", (uint64_t)sysconf(_SC_PAGESIZE));
}

static void add_options(struct tr2_buf *b, const struct tr2_meta *m)
{
	size_t i;

	add_key(b, "options");
	tr2_buf_addch(b, '{');
	add_number(b, "nest", (uint64_t)m->nest);
	add_number(b, "timeout_ns", (uint64_t)m->timeout_ns);
	add_number(b, "max_size_bytes", (uint64_t)m->max_size_bytes);
	add_number(b, "rotate_bytes", (uint64_t)m->rotate_bytes);
	add_number(b, "keep", (uint64_t)m->keep);
	add_key(b, "listen");
	tr2_buf_addch(b, '[');
	for (i = 0; i < m->listen->nr_listeners; i++) {
		add_comma(b);
		tr2_json_add_string(b, m->listen->listeners[i].address);
	}
	tr2_buf_addlit(b, "]}");
}

static void add_sources(struct tr2_buf *b, const struct tr2_meta *m)
{
	static const char *const keys[] = {
		[TR2_KERNEL_STATES] = "states",
		[TR2_KERNEL_CAUSES] = "wait_causes",
		[TR2_KERNEL_WAKERS] = "wakers",
		[TR2_KERNEL_SAMPLES] = "profile",
		[TR2_KERNEL_INSIDE] = "profile_kernel",
	};
	size_t i;

	add_text(b, "task_records",
		 m->no_task_records ? m->no_task_records : "kernel");
	add_text(b, "task_source", m->task_source);
	for (i = 0; i < TR2_KERNEL_SOURCES; i++)
		add_text(b, keys[i],
			 *m->refused[i] ? m->refused[i] : "kernel");
	add_text(b, "exit_codes",
		 m->no_exit_codes ? m->no_exit_codes : "connector");
}

uint64_t tr2_meta_lost(const struct tr2_meta *m)
{
	uint64_t lost = m->lost_kernel_records + m->lost_kernel_data +
			m->lost_task_log + m->lost_exit_codes + m->lost_programs +
			m->cut_programs + m->tally.lost;
	int i;

	for (i = 0; i < TR2_LOSS_NR; i++)
		lost += m->listen->sink.lost[i];
	return lost;
}

static void add_losses(struct tr2_buf *b, const struct tr2_meta *m)
{
	int i;

	add_number(b, "lost", tr2_meta_lost(m));
	add_key(b, "losses");
	tr2_buf_addch(b, '{');
	add_number(b, "kernel_records", m->lost_kernel_records);
	add_number(b, "kernel_data", m->lost_kernel_data);
	add_number(b, "task_log", m->lost_task_log);
	add_number(b, "exit_codes", m->lost_exit_codes);
	add_number(b, "programs", m->lost_programs);
	add_number(b, "cut_programs", m->cut_programs);
	add_number(b, "events", m->tally.lost);
	for (i = 0; i < TR2_LOSS_NR; i++)
		add_number(b, tr2_loss_names[i], m->listen->sink.lost[i]);
	tr2_buf_addch(b, '}');
	if (m->listen->nr_listeners) {
		add_number(b, "clients", m->listen->nr_clients);
		add_number(b, "clients_evicted", m->listen->evicted);
		add_number(b, "directories_removed",
			   m->listen->sink.rotate.removed);
	}
}

static void add_proc(struct tr2_buf *b, const struct tr2_proc *p)
{
	tr2_buf_addch(b, '{');
	add_number(b, "pid", (uint64_t)p->pid);
	add_number(b, "ppid", (uint64_t)p->ppid);
	add_text(b, "comm", p->comm);
	add_number(b, "start_ns", p->start_ns);
	add_number(b, "end_ns", p->end_ns);
	if (p->status_from) {
		tr2_meta_add_status(b, p->status);
		add_text(b, "status_from", tr2_meta_source(p->status_from));
	}
	if (p->has_usage) {
		add_key(b, "rusage");
		tr2_buf_addch(b, '{');
		tr2_meta_add_usage(b, &p->usage);
		tr2_buf_addch(b, '}');
	}
	tr2_buf_addch(b, '}');
}

static void add_tasks(struct tr2_buf *b, const struct tr2_procs *procs,
		      bool listed)
{
	size_t nr = listed ? procs->nr : 0, i;

	add_number(b, "unlisted_tasks", procs->nr_seen - nr);
	add_key(b, "tasks");
	tr2_buf_addch(b, '[');
	for (i = 0; i < nr; i++) {
		add_comma(b);
		add_proc(b, &procs->proc[i]);
	}
	tr2_buf_addch(b, ']');
}

static void add_io(struct tr2_buf *b, const struct tr2_io *io)
{
	if (!io->known)
		return;
	add_key(b, "io");
	tr2_buf_addch(b, '{');
	add_number(b, "read_bytes", io->read_bytes);
	add_number(b, "written_bytes", io->written_bytes);
	add_number(b, "reads", io->reads);
	add_number(b, "writes", io->writes);
	tr2_buf_addch(b, '}');
}

static void add_result(struct tr2_buf *b, const struct tr2_meta *m,
		       bool list_tasks)
{
	size_t i;

	if (m->started && WIFSIGNALED(m->status))
		add_number(b, "exit_signal", (uint64_t)WTERMSIG(m->status));
	else if (m->started)
		add_number(b, "exit_code", (uint64_t)WEXITSTATUS(m->status));
	if (m->started) {
		add_number(b, "wall_ns", m->wall_ns);
		add_key(b, "rusage");
		tr2_buf_addch(b, '{');
		tr2_meta_add_usage(b, &m->usage);
		tr2_buf_addch(b, '}');
		add_io(b, &m->io);
	}
	add_number(b, "recorder_exit_code", (uint64_t)m->exit_code);
	add_number(b, "processes", m->processes);
	add_number(b, "files", m->tally.files);
	add_number(b, "events", m->tally.events);
	add_number(b, "event_bytes", m->tally.bytes);
	add_switched(b, m);
	add_losses(b, m);
	add_key(b, "still_running");
	tr2_buf_addch(b, '[');
	for (i = 0; i < m->nr_stragglers; i++) {
		add_comma(b);
		tr2_buf_addch(b, '{');
		add_number(b, "pid", (uint64_t)m->stragglers[i].pid);
		add_text(b, "comm", m->stragglers[i].comm);
		tr2_buf_addch(b, '}');
	}
	tr2_buf_addch(b, ']');
	if (m->counters)
		tr2_event_counters_add_meta(m->counters, b);
	add_tasks(b, m->procs, list_tasks);
}

static int write_meta(const struct tr2_meta *m, struct tr2_store *store,
		      bool list_tasks)
{
	struct tr2_buf b = TR2_BUF_INIT;
	int ret, err;

	if (!tr2_buf_room(&b, 65536)) {
		errno = ENOMEM;
		return -1;
	}
	tr2_buf_addlit(&b, TR2_STORE_MAGIC);
	add_number(&b, "version", TR2_META_VERSION);
	add_text(&b, "state", m->complete ? "complete" : "running");
	add_command(&b, m);
	add_machine(&b);
	add_key(&b, "programs");
	tr2_buf_addlit(&b, "{\"trace2\":");
	tr2_json_add_string(&b, TRACE2_VERSION);
	tr2_buf_addch(&b, '}');
	add_options(&b, m);
	add_number(&b, "start_wall_ns", m->start.wall_ns);
	add_number(&b, "start_monotonic_ns", m->start.monotonic_ns);
	if (m->complete) {
		add_sources(&b, m);
		add_number(&b, "end_wall_ns", m->end.wall_ns);
		add_number(&b, "end_monotonic_ns", m->end.monotonic_ns);
		add_result(&b, m, list_tasks);
	}
	tr2_buf_addlit(&b, "}\n");
	errno = ENOMEM;
	ret = b.failed ? -1 : tr2_store_write_meta(store, b.p, b.len);
	err = errno;
	tr2_buf_release(&b);
	errno = err;
	return ret;
}

int tr2_meta_write(const struct tr2_meta *m, struct tr2_store *store)
{
	int ret = write_meta(m, store, true);

	/* What was reserved is enough without the list of processes. */
	if (ret && m->complete && (errno == ENOSPC || errno == EDQUOT))
		ret = write_meta(m, store, false);
	return ret;
}
