/* SPDX-License-Identifier: MIT */
/* Write meta.json: the rows of meta.def. */
#include "record/job/meta_write.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "common/procfs.h"
#include "format/recording/meta_keys.h"
#include "record/job/live_trace.h"

/* The job's data, and further values that the writer looked up. */
struct writer {
	const struct tr2_meta *m;
	bool list_tasks;
	struct utsname uts;
	char kernel[3 * sizeof(((struct utsname *)NULL)->release)];
	char *cwd;
	const char *user;
};

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

/* Add a text; write NULL as null. */
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
		[TR2_STATUS_PIDFD] = "pidfd",
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
#define TR2_META_USAGE(key, value, name, unit) add_number(b, #key, u->key);
#include "format/recording/meta.def"
}

static void add_attached(struct tr2_buf *b, const struct writer *w)
{
	size_t i;

	tr2_buf_addch(b, '[');
	for (i = 0; i < w->m->nr_pids; i++) {
		add_comma(b);
		tr2_buf_add_u64(b, (uint64_t)w->m->pids[i]);
	}
	tr2_buf_addch(b, ']');
}

static void add_switched(struct tr2_buf *b, const struct writer *w)
{
	const struct tr2_switch *s = w->m->switched;
	size_t i;

	tr2_buf_addch(b, '[');
	for (i = 0; i < s->nr; i++) {
		if (s->process[i].state != TR2_SWITCH_ON)
			continue;
		add_comma(b);
		tr2_buf_add_u64(b, (uint64_t)s->process[i].page.pid);
	}
	tr2_buf_addch(b, ']');
}

static void add_command(struct tr2_buf *b, const struct writer *w)
{
	char *const *word;

	tr2_buf_addch(b, '[');
	for (word = w->m->argv; word && *word; word++) {
		add_comma(b);
		tr2_json_add_string(b, *word);
	}
	tr2_buf_addch(b, ']');
}

static void add_trace(struct tr2_buf *b, const struct writer *w)
{
	const struct tr2_record_trace *trace = &w->m->trace;

	tr2_trace_data_json(b, &trace->self, trace->parent, trace->sampled);
}

static void add_programs(struct tr2_buf *b, const struct writer *w)
{
	(void)w;
	tr2_buf_addch(b, '{');
	add_text(b, "trace2", TRACE2_VERSION);
	tr2_buf_addch(b, '}');
}

static void add_options(struct tr2_buf *b, const struct writer *w)
{
	const struct tr2_meta *m = w->m;
	size_t i;

	tr2_buf_addch(b, '{');
#define TR2_META_OPTION(key, value, meaning) add_number(b, #key, value);
#include "format/recording/meta.def"
	add_key(b, "listen");
	tr2_buf_addch(b, '[');
	for (i = 0; i < m->listen->nr_listeners; i++) {
		add_comma(b);
		tr2_json_add_string(b, m->listen->listeners[i].address);
	}
	tr2_buf_addlit(b, "]}");
}

static const char *source(const struct tr2_meta *m,
			  enum tr2_kernel_source source)
{
	return *m->refused[source] ? m->refused[source] : "kernel";
}

uint64_t tr2_meta_lost(const struct tr2_meta *m)
{
	uint64_t lost = 0;

#define TR2_META_LOSS(key, value, meaning) lost += value;
#include "format/recording/meta.def"
	return lost;
}

static void add_losses(struct tr2_buf *b, const struct writer *w)
{
	const struct tr2_meta *m = w->m;

	tr2_buf_addch(b, '{');
#define TR2_META_LOSS(key, value, meaning) add_number(b, #key, value);
#include "format/recording/meta.def"
	tr2_buf_addch(b, '}');
}

static void add_usage(struct tr2_buf *b, const struct tr2_usage *usage)
{
	tr2_buf_addch(b, '{');
	tr2_meta_add_usage(b, usage);
	tr2_buf_addch(b, '}');
}

static void add_rusage(struct tr2_buf *b, const struct writer *w)
{
	add_usage(b, &w->m->usage);
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
		add_usage(b, &p->usage);
	}
	tr2_buf_addch(b, '}');
}

static void add_tasks(struct tr2_buf *b, const struct writer *w)
{
	const struct tr2_procs *procs = w->m->procs;
	size_t i;

	tr2_buf_addch(b, '[');
	for (i = 0; w->list_tasks && i < procs->nr; i++) {
		add_comma(b);
		add_proc(b, &procs->proc[i]);
	}
	tr2_buf_addch(b, ']');
}

static void add_io(struct tr2_buf *b, const struct writer *w)
{
	const struct tr2_io *io = &w->m->io;

	tr2_buf_addch(b, '{');
#define TR2_META_IO(key, field, name, unit) add_number(b, #key, io->key);
#include "format/recording/meta.def"
	tr2_buf_addch(b, '}');
}

static void add_still_running(struct tr2_buf *b, const struct writer *w)
{
	const struct tr2_straggler *s = w->m->stragglers;
	size_t i;

	tr2_buf_addch(b, '[');
	for (i = 0; i < w->m->nr_stragglers; i++) {
		add_comma(b);
		tr2_buf_addch(b, '{');
		add_number(b, "pid", (uint64_t)s[i].pid);
		add_text(b, "comm", s[i].comm);
		tr2_buf_addch(b, '}');
	}
	tr2_buf_addch(b, ']');
}

static void add_counters(struct tr2_buf *b, const struct writer *w)
{
	tr2_event_counters_add_meta(w->m->counters, b);
}

static bool has_syscalls(const struct tr2_meta *m)
{
	return m->counters && m->counters->syscalls &&
	       !tr2_syscalls_why_not(m->counters->syscalls);
}

static void add_syscalls(struct tr2_buf *b, const struct writer *w)
{
	tr2_syscalls_add_meta(w->m->counters->syscalls, b);
}

static void look_up(struct writer *w)
{
	struct passwd *user = getpwuid(geteuid());

	uname(&w->uts);
	snprintf(w->kernel, sizeof(w->kernel), "%s %s %s", w->uts.sysname,
		 w->uts.release, w->uts.version);
	w->cwd = getcwd(NULL, 0);
	w->user = user ? user->pw_name : NULL;
}

static void add_rows(struct tr2_buf *b, const struct writer *w)
{
	const struct tr2_meta *m = w->m;

#define ALWAYS true
#define ENDED m->complete
#define RAN m->complete && m->started
#define ADD_NUMBER(key, value) add_number(b, key, value);
#define ADD_TEXT(key, value) add_text(b, key, value);
#define ADD_JSON(key, function) \
	{                       \
		add_key(b, key); \
		function(b, w); \
	}
#define ADD_WORDS ADD_JSON
#define ADD_OBJECT ADD_JSON
#define TR2_META(key, type, when, value, meaning) \
	if (when)                                 \
		ADD_##type(#key, value)
#include "format/recording/meta.def"
}

static int write_meta(const struct tr2_meta *m, struct tr2_store *store,
		      bool list_tasks)
{
	struct writer w = { .m = m, .list_tasks = list_tasks };
	struct tr2_buf b = TR2_BUF_INIT;
	int ret, err;

	if (!tr2_buf_room(&b, 65536)) {
		errno = ENOMEM;
		return -1;
	}
	look_up(&w);
	tr2_buf_addlit(&b, TR2_STORE_MAGIC);
	add_rows(&b, &w);
	tr2_buf_addlit(&b, "}\n");
	errno = ENOMEM;
	ret = b.failed ? -1 : tr2_store_write_meta(store, b.p, b.len);
	err = errno;
	tr2_buf_release(&b);
	free(w.cwd);
	errno = err;
	return ret;
}

int tr2_meta_write(const struct tr2_meta *m, struct tr2_store *store)
{
	int ret = write_meta(m, store, true);

	/* On a full disk, leave out the list of processes: the rest fits into
	 * the reserved space. */
	if (ret && m->complete && (errno == ENOSPC || errno == EDQUOT))
		ret = write_meta(m, store, false);
	return ret;
}
