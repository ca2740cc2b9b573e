/* SPDX-License-Identifier: MIT */
/*
 * meta_read - read the files that `trace2 record` writes beside the events:
 * DIR/meta.json (with meta_keys.h), and DIR/tasks.jsonl, with the records of
 * tasks.def nearly in order of time.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/macros.h"
#include "common/procfs.h"
#include "common/words.h"
#include "format/events/json.h"
#include "format/events/scan.h"
#include "format/kernel/kernel_data.h"
#include "format/read.h"
#include "format/recording/code_maps_read.h"
#include "format/recording/ninja_log_read.h"
#include "format/recording/meta_keys.h"
#include "format/recording/meta_read.h"
#include "model/build/build.h"
#include "model/json_members.h"

/* Copy a word that begins at p, after its opening quote. Return the position
 * after it. */
static const char *read_word(const char *p, struct tr2_buf *words)
{
	size_t len;

	for (;; p += 2) {
		len = tr2_plain_length(p);
		tr2_buf_add(words, p, len);
		p += len;
		if (*p != '\\')
			break;
		if (p[1] != '"' && p[1] != '\\')
			return NULL;
		tr2_buf_addch(words, p[1]);
	}
	tr2_buf_addch(words, '\0');
	return *p == '"' ? p + 1 : NULL;
}

/* Parse an array of strings; p is after its opening bracket. */
static const char *read_words(const char *p, struct tr2_buf *words,
			      struct tr2_json_value *v)
{
	size_t start = words->len;

	v->type = TR2_JSON_WORDS;
	for (v->nr = 0; *p == '"'; v->nr++) {
		p = read_word(p + 1, words);
		if (!p)
			return NULL;
		if (*p == ',' && p[1] == '"')
			p++;
		else if (*p != ']')
			return NULL;
	}
	if (*p != ']' || words->failed)
		return NULL;
	v->text = (struct tr2_view){ words->p + start, words->len - start };
	return p + 1;
}

static const char *read_value(const char *p, struct tr2_buf *words,
			      struct tr2_json_value *v)
{
	bool value;

	if (*p == '"') {
		v->type = TR2_JSON_STRING;
		return tr2_plain_string(p + 1, &v->text);
	}
	if (*p == '[')
		return read_words(p + 1, words, v);
	if (*p == 't' || *p == 'f') {
		v->type = TR2_JSON_BOOL;
		p = tr2_plain_bool(p, &value);
		v->i = value;
		return p;
	}
	v->type = TR2_JSON_INT;
	return tr2_plain_int(p, &v->i);
}

/* Parse an object as tr2_json_object() does, but copy words to `scratch`.
 * TR2_JSON_PADDING bytes after the text are readable, and the first of them is
 * a newline. Return false if the general parser must parse the text; `member`
 * may have been called for some members. */
static bool json_plain(const char *text, size_t len, struct tr2_buf *scratch,
		       tr2_json_member_fn *member, void *data)
{
	struct tr2_json_value value = { .json = NULL };
	const char *p = text, *end = text + len;
	struct tr2_view key;

	/* The words must not move while views refer to them. */
	tr2_buf_reset(scratch);
	if (len < 2 || *p++ != '{' || !tr2_buf_room(scratch, len))
		return false;
	do {
		if (*p != '"')
			return false;
		p = tr2_plain_string(p + 1, &key);
		if (!p || *p != ':')
			return false;
		p = read_value(p + 1, scratch, &value);
		if (!p || !tr2_ends_value(*p))
			return false;
		member(data, key.p, key.len, &value);
	} while (*p++ == ',');
	return p == end;
}

struct meta {
	struct tr2_model *m;
	tr2_str source;
	uint64_t lost;       /* number of all losses except those that the
			      * streams report */
	uint64_t lost_tasks; /* number of losses that tasks.jsonl and
			      * kernel.data report */
	uint64_t lost_data;  /* number of losses in kernel.data */
	uint64_t oom_kills;
	int64_t command_pid, uid;
	int64_t end_ns;  /* end of the recording, in CLOCK_MONOTONIC */
	int64_t last_ns; /* wall time of the latest record */
	tr2_str cwd;
	bool complete, running;
};

static bool key_is(const char *key, size_t len, const char *want)
{
	return strlen(want) == len && !memcmp(key, want, len);
}

/* Return the reason why the kernel did not record a kind of data; 0: it
 * recorded this data, or nobody requested it. */
static tr2_str why_not(struct tr2_model *m, const struct tr2_view *v)
{
	return !v->len || tr2_meta_text_is(v, "kernel") ||
			       tr2_meta_text_is(v, "not requested") ?
		       0 : tr2_intern(m, v->p, v->len);
}

static void tell_newer(struct meta *meta, int64_t version)
{
	char text[160];

	snprintf(text, sizeof(text),
		 "its version is %lld, and this trace2 knows up to %d: results "
		 "may be incomplete or wrong; use a newer trace2",
		 (long long)version, TR2_META_VERSION);
	tr2_build_problem(meta->m, TR2_PROBLEM_NEWER, meta->source, 0, text);
}

static void read_trace(struct tr2_model *m, struct tr2_view text)
{
	struct tr2_json_member member;

	while (tr2_json_next_member(&text, &member))
		tr2_json_member_id(&member, &m->meta_trace,
				   &m->meta_trace_parent);
}

static uint64_t known(int64_t number)
{
	return number > 0 ? (uint64_t)number : 0;
}

static void read_losses(struct meta *meta, const struct tr2_meta_keys *keys)
{
	uint64_t in_streams = known(keys->losses.events);

	meta->lost = known(keys->lost) > in_streams ?
			     known(keys->lost) - in_streams : 0;
	meta->lost_data = known(keys->losses.kernel_data);
	meta->lost_tasks = known(keys->losses.kernel_records) +
			   known(keys->losses.task_log);
}

static bool pid_fits(int64_t pid)
{
	return pid > 0 && pid <= INT32_MAX;
}

/* Return the number as a pid; 0: it is not a valid pid. */
static int32_t pid_of(int64_t number)
{
	return pid_fits(number) ? (int32_t)number : 0;
}

static void read_keys(struct meta *meta, const struct tr2_meta_keys *keys)
{
	struct tr2_model *m = meta->m;

	if (keys->version > TR2_META_VERSION)
		tell_newer(meta, keys->version);
	m->command = (struct tr2_words){ .nr = keys->command.nr };
	if (keys->command.nr)
		m->command.text = tr2_model_copy(m, keys->command.p,
						 keys->command.len);
	meta->cwd = tr2_intern(m, keys->cwd.p, keys->cwd.len);
	meta->uid = keys->uid;
	meta->command_pid = keys->command_pid;
	m->meta_wall_ns = tr2_wall_ns((int64_t)known(keys->start_wall_ns));
	m->meta_mono_ns = tr2_wall_ns((int64_t)known(keys->start_monotonic_ns));
	m->nr_cpus = keys->cpus > 0 && keys->cpus < UINT16_MAX ?
			     (uint32_t)keys->cpus : 0;
	m->cpu_limit_millicpu = known(keys->cpu_limit_millicpu);
	m->throttled_ns = (int64_t)known(keys->throttled_ns);
	meta->oom_kills = known(keys->oom_kills);
	m->recorder_tid = pid_of(keys->recorder_pid);
	m->looks_tid = pid_of(keys->looks_tid);
	m->recorder_cpu_ns = tr2_at_ns((int64_t)known(keys->recorder_cpu_ns));
	meta->end_ns = tr2_wall_ns((int64_t)known(keys->end_monotonic_ns));
	meta->complete = tr2_meta_text_is(&keys->state, "complete");
	if (keys->task_records.len)
		m->no_task_records =
			!tr2_meta_text_is(&keys->task_records, "kernel");
	read_trace(m, keys->trace);
	read_losses(meta, keys);
	m->no_states = why_not(m, &keys->states);
	m->no_causes = why_not(m, &keys->wait_causes);
	m->no_wakers = why_not(m, &keys->wakers);
	m->no_samples = why_not(m, &keys->profile);
	m->remedy = tr2_intern(m, keys->remedy.p, keys->remedy.len);
}

struct task_record {
#define IS_INT(key) int64_t key;
#define IS_STRING(key) struct tr2_view key;
#define IS_BOOL(key) bool key;
#define IS_WORDS(key) struct tr2_words_view key;
	IS_STRING(type)
	IS_INT(time_ns)
#define TR2_TASK_FIELD(key, type, value) IS_##type(key)
#define TR2_TASK_MORE(key, type) IS_##type(key)
#include "format/recording/tasks.def"
#define TR2_META_USAGE(key, value, name, unit) IS_INT(key)
#include "format/recording/meta.def"
};

static void on_task_member(void *data, const char *key, size_t len,
			   const struct tr2_json_value *v)
{
	struct task_record *t = data;

#define INT_OF v->i
#define STRING_OF v->text
#define BOOL_OF v->i
#define WORDS_OF (struct tr2_words_view){ v->text.p, v->text.len, v->nr }
/* TAKE is a macro, so that the compiler knows the length of each name. */
#define TAKE(name, of_type)                                              \
	if (len == sizeof(#name) - 1 && v->type == TR2_JSON_##of_type && \
	    !memcmp(key, #name, sizeof(#name) - 1))                      \
		t->name = of_type##_OF;

	TAKE(type, STRING)
	TAKE(time_ns, INT)
#define TR2_TASK_FIELD(key, type, value) TAKE(key, type)
#define TR2_TASK_MORE(key, type) TAKE(key, type)
#include "format/recording/tasks.def"
#define TR2_META_USAGE(key, value, name, unit) TAKE(key, INT)
#include "format/recording/meta.def"
}

static bool type_is(const struct task_record *t, const char *want)
{
	return key_is(t->type.p, t->type.len, want);
}

static void add_status(struct tr2_model *m, const struct task_record *r,
		       int64_t wall_ns)
{
	uint32_t i = tr2_build_task_status(m, (int32_t)r->pid, wall_ns);
	struct tr2_model_task *t = &m->tasks[i];

	t->code = (int32_t)r->code;
	t->signal = (int32_t)r->signal;
	if (r->oom_killed)
		t->flags |= TR2_TASK_OOM_KILLED;
	if (r->user_ns || r->system_ns || r->maxrss_bytes) {
		t->flags |= TR2_TASK_HAS_RUSAGE;
		t->user_ns = (uint64_t)r->user_ns;
		t->system_ns = (uint64_t)r->system_ns;
		t->maxrss_bytes = (uint64_t)r->maxrss_bytes;
	}
}

static void add_exit(struct tr2_model *m, const struct task_record *r,
		     int64_t wall_ns)
{
	int32_t tid = (int32_t)(pid_fits(r->tid) ? r->tid : r->pid);
	struct tr2_model_task *t = &m->tasks[tr2_build_task_exit(
		m, (int32_t)r->pid, tid, wall_ns)];

	if (r->cpu_ns <= 0 || r->ready_ns < 0)
		return;
	/* Set HAS_TIMES only at the end of the first thread: before that, the
	 * times of a process are not complete. */
	if (tid == t->pid)
		t->flags |= TR2_TASK_HAS_TIMES;
	tr2_ns_add(&t->cpu_ns, tr2_at_ns(r->cpu_ns));
	tr2_ns_add(&t->ready_ns, tr2_at_ns(r->ready_ns));
}

static void add_argv(struct tr2_model *m, const struct task_record *r,
		     int64_t wall_ns)
{
	struct tr2_words argv = { .nr = r->argv.nr, .cut = r->cut };
	uint32_t i;

	if (argv.nr)
		argv.text = tr2_model_copy(m, r->argv.p, r->argv.len);
	i = tr2_build_task_argv(m, (int32_t)r->pid, &argv, wall_ns);
	m->tasks[i].own_pid = pid_of(r->own_pid);
	if (r->cwd.len)
		m->tasks[i].cwd = tr2_intern(m, r->cwd.p, r->cwd.len);
}

static int64_t wall_of(const struct tr2_model *m, int64_t monotonic_ns)
{
	return monotonic_ns + m->meta_wall_ns - m->meta_mono_ns;
}

static void add_fork(struct tr2_model *m, const struct task_record *r,
		     int64_t wall_ns)
{
	tr2_build_task_fork(m, (int32_t)r->pid,
			    pid_of(r->ppid),
			    (int32_t)r->tid, wall_ns);
	if (r->state.len && r->begun_ns >= 0 && r->begun_ns <= r->time_ns)
		tr2_build_task_found(m, (int32_t)r->pid, (int32_t)r->tid,
				     wall_ns, wall_of(m, r->begun_ns),
				     *r->state.p, &r->wchan);
}

static bool add_throttled(struct tr2_model *m, const struct task_record *r,
			  int64_t wall_ns)
{
	if (r->since_ns < 0 || r->since_ns > r->time_ns || r->throttled_ns <= 0)
		return false;
	tr2_build_throttling(m, wall_of(m, r->since_ns), wall_ns,
			     tr2_at_ns(r->throttled_ns));
	return true;
}

static bool add_object(struct meta *meta, const struct task_record *r,
		       int64_t wall_ns)
{
	struct tr2_model *m = meta->m;
	struct tr2_observed_object object;

	if (!pid_fits(r->tid) || r->since_ns <= 0 || r->since_ns > r->time_ns ||
	    r->known_ns > INT64_MAX / 4)
		return false;
	object = (struct tr2_observed_object){
		.from_ns = wall_of(m, r->since_ns),
		.to_ns = wall_ns,
		.known_ns = r->known_ns > 0 ? wall_of(m, r->known_ns) : 0,
		.call = tr2_intern(m, r->call.p, r->call.len),
		.what = tr2_intern(m, r->what.p, r->what.len),
		.name = tr2_intern(m, r->name.p, r->name.len),
		.host = tr2_intern(m, r->host.p, r->host.len),
		.others = tr2_intern(m, r->others.p, r->others.len),
		.number = r->number > 0 && r->number < UINT32_MAX ?
				  (uint32_t)r->number : 1,
	};
	tr2_build_object(m, (int32_t)r->pid, (int32_t)r->tid,
			 pid_of(r->peer), &object);
	return true;
}

static bool add_memory(struct meta *meta, const struct task_record *r,
		       int64_t wall_ns)
{
	struct tr2_observed_memory_point point = {
		.at_ns = wall_ns,
		.rss_bytes = known(r->rss_bytes),
		.pss_bytes = known(r->pss_bytes),
		.tree_bytes = known(r->tree_bytes),
	};

	tr2_build_memory(meta->m, pid_of(r->pid),
			 &point);
	return true;
}

/* Add a record. Return false if the record's kind is unknown. */
static bool add_record(struct meta *meta, struct task_record *r)
{
	struct tr2_model *m = meta->m;
	int64_t wall_ns;
	char comm[64];

	if (type_is(r, "lost") && r->count > 0) {
		meta->lost_tasks += (uint64_t)r->count;
		return true;
	}
	if (r->time_ns <= 0 || r->time_ns > INT64_MAX / 4)
		return false;
	wall_ns = wall_of(m, r->time_ns);
	if (type_is(r, "throttled"))
		return add_throttled(m, r, wall_ns);
	if (type_is(r, "memory"))
		return add_memory(meta, r, wall_ns);
	if (!pid_fits(r->pid))
		return false;
	if (wall_ns > meta->last_ns)
		meta->last_ns = wall_ns;
	if (type_is(r, "fork") && pid_fits(r->tid)) {
		add_fork(m, r, wall_ns);
	} else if (type_is(r, "comm")) {
		size_t n = r->comm.len < sizeof(comm) ? r->comm.len :
							sizeof(comm) - 1;

		if (n)
			memcpy(comm, r->comm.p, n);
		comm[n] = '\0';
		tr2_build_task_comm(m, (int32_t)r->pid,
				    (int32_t)(pid_fits(r->tid) ? r->tid :
								 r->pid),
				    comm, r->exec, wall_ns);
	} else if (type_is(r, "exit")) {
		add_exit(m, r, wall_ns);
	} else if (type_is(r, "argv")) {
		add_argv(m, r, wall_ns);
	} else if (type_is(r, "status")) {
		add_status(m, r, wall_ns);
	} else if (type_is(r, "object")) {
		return add_object(meta, r, wall_ns);
	} else {
		return false;
	}
	return true;
}

/* Does the recorder hold its lock on the file? */
static bool is_locked(int fd)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };

	return !fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK;
}

static bool read_record(struct tr2_json *json, struct tr2_buf *scratch,
			const char *line, size_t len,
			struct task_record *record)
{
	*record = (struct task_record){ 0 };
	if (json_plain(line, len, scratch, on_task_member, record))
		return true;
	*record = (struct task_record){ 0 };
	return tr2_json_object(json, line, len, on_task_member, record) ==
	       TR2_JSON_OK;
}

static void read_tasks(struct meta *meta, struct tr2_json *json, int fd)
{
	struct tr2_lines lines = { 0 };
	struct tr2_buf scratch = TR2_BUF_INIT;
	enum tr2_lines_result got;
	const char *line;
	size_t len;

	meta->running = is_locked(fd);
	tr2_lines_start(&lines, fd);
	while ((got = tr2_lines_next(&lines, &line, &len)) == TR2_LINES_LINE ||
	       got == TR2_LINES_LAST) {
		struct task_record record;

		if (!len)
			continue;
		if (!read_record(json, &scratch, line, len, &record) ||
		    !add_record(meta, &record))
			tr2_build_problem(meta->m, TR2_PROBLEM_BAD_LINE,
					  meta->source, lines.number,
					  "not a task record");
	}
	tr2_lines_release(&lines);
	tr2_buf_release(&scratch);
}

/* Return the time up to which processes without a recorded end ran: the end of
 * the recording, the present time, or the last record's time if the recording
 * was cut off. 0: unknown. */
static int64_t ran_until(const struct meta *meta)
{
	if (meta->lost_tasks)
		return 0;
	if (meta->complete)
		return meta->end_ns ? wall_of(meta->m, meta->end_ns) : 0;
	return meta->running ? wall_of(meta->m, (int64_t)tr2_kernel_now_ns()) :
			       meta->last_ns;
}

static void set_seen(const struct meta *meta, uint32_t first_task)
{
	int64_t seen_ns = tr2_wall_ns(ran_until(meta));
	uint32_t i;

	for (i = first_task; i < meta->m->nr_tasks; i++)
		meta->m->tasks[i].seen_ns = seen_ns;
}

/* Set the command's directory and arguments from meta.json: the recorder
 * started the command in the recorder's own directory. */
static void place_command(const struct meta *meta, uint32_t first_task)
{
	struct tr2_model *m = meta->m;
	uint32_t i;

	for (i = first_task; i < m->nr_tasks; i++)
		if (m->tasks[i].pid == meta->command_pid) {
			m->tasks[i].cwd = meta->cwd;
			tr2_build_task_command(m, i);
			return;
		}
}

static void read_meta(struct meta *meta, struct tr2_json *json, int fd)
{
	struct tr2_lines lines = { 0 };
	struct tr2_meta_keys keys;
	const char *text;
	size_t len;

	meta->m->meta_trace.id = meta->m->meta_trace_parent = 0;
	tr2_lines_start(&lines, fd);
	len = tr2_lines_peek(&lines, &text, TR2_LINE_MAX_BYTES);
	if (len && tr2_meta_keys_read(&keys, json, text, len)) {
		read_keys(meta, &keys);
		meta->m->has_meta = true;
		meta->m->meta_json = tr2_model_copy(meta->m, text, len);
	} else {
		tr2_build_problem(meta->m, TR2_PROBLEM_FILE, meta->source, 0,
				  "not a JSON object: the times of task "
				  "records are unknown");
	}
	tr2_lines_release(&lines);
}

static void read_one(struct meta *meta, struct tr2_json *json, const char *dir,
		     const char *name,
		     void (*fn)(struct meta *, struct tr2_json *, int))
{
	struct tr2_buf path = TR2_BUF_INIT;
	int fd;

	fd = open(tr2_join(&path, dir, name), O_RDONLY | O_CLOEXEC);
	meta->source = tr2_intern(meta->m, path.p, path.len);
	if (fd >= 0) {
		fn(meta, json, fd);
		close(fd);
	} else if (errno != ENOENT) {
		tr2_build_problem(meta->m, TR2_PROBLEM_FILE, meta->source, 0,
				  strerror(errno));
	}
	tr2_buf_release(&path);
}

void tr2_meta_load(struct tr2_model *m, const char *dir)
{
	struct meta meta = { .m = m };
	struct tr2_json *json = tr2_json_new();
	uint32_t first_task = m->nr_tasks;
	int64_t end_ns = 0;
	tr2_str source;
	uint64_t lost;

	if (!json)
		return;
	read_one(&meta, json, dir, "meta.json", read_meta);
	source = meta.source;
	/* Read the records only with meta.json: its clocks are needed to
	 * convert times. */
	if (m->has_meta) {
		read_one(&meta, json, dir, "tasks.jsonl", read_tasks);
		if (meta.complete && !meta.lost_data)
			end_ns = tr2_wall_ns(wall_of(m, meta.end_ns));
		meta.lost_tasks += tr2_kernel_load(m, dir, first_task, &end_ns);
		tr2_code_maps_load(m, dir, first_task);
		tr2_ninja_logs_load(m, dir, first_task);
		if (end_ns > meta.last_ns)
			meta.last_ns = end_ns;
	}
	place_command(&meta, first_task);
	set_seen(&meta, first_task);
	if (meta.uid > 0)
		tr2_build_privileged(m, first_task);
	tr2_build_oom_kills(m, first_task, meta.oom_kills);
	/* The meta.json of a complete recording has the total of all losses. */
	lost = meta.complete ? meta.lost : meta.lost_tasks;
	m->lost += lost;
	tr2_build_problems(m, TR2_PROBLEM_LOST, source,
			   "lines, records or programs were lost while it was "
			   "recorded",
			   lost);
	if (m->has_meta && !meta.complete)
		tr2_build_problem(m, TR2_PROBLEM_NO_END, source, 0,
				  meta.running ?
					  "the recording is not finished: "
					  "'trace2 record' still runs" :
					  "the recording is not finished: "
					  "'trace2 record' was killed");
	tr2_json_free(json);
}
