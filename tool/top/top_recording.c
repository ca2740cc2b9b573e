/* SPDX-License-Identifier: MIT */
/* top_recording - a recording in progress: find its recorder, and notice its
 * end. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/split.h"
#include "common/memory.h"
#include "common/procfs.h"
#include "common/say.h"
#include "common/signals.h"
#include "format/recording/meta_keys.h"
#include "top/top.h"

static void add_attached(struct tr2_top *top, const struct tr2_view *v)
{
	const char *list = v->p, *item;
	size_t len;

	while (list < v->p + v->len && (item = tr2_split(&list, "[,]", &len))) {
		tr2_grow(top->roots, top->nr_roots, top->alloc_roots);
		top->roots[top->nr_roots++] = (int32_t)strtol(item, NULL, 10);
	}
}

struct meta {
	struct tr2_meta_keys keys; /* the keys of meta.json; only numbers are
				    * set */
	bool complete, has_command;
};

/* Read meta.json. Add the attached processes to `top`, unless that is NULL. */
static bool read_meta(const char *dir, struct tr2_top *top, struct meta *meta)
{
	char *path = tr2_strf("%s/meta.json", dir);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct tr2_json *json = tr2_json_new();
	struct tr2_grown g;
	const char *line;
	size_t len;
	bool ok;

	memset(meta, 0, sizeof(*meta));
	tr2_grown_start(&g, fd);
	ok = fd >= 0 && json && tr2_grown_line(&g, &line, &len) &&
	     tr2_meta_keys_read(&meta->keys, json, line, len);
	meta->complete = tr2_meta_text_is(&meta->keys.state, "complete");
	meta->has_command = meta->keys.command.nr || meta->keys.attached.len;
	if (top)
		add_attached(top, &meta->keys.attached);
	tr2_grown_release(&g);
	tr2_json_free(json);
	if (fd >= 0)
		close(fd);
	free(path);
	return ok;
}

/* Return whether the recorder still holds its lock on the directory. */
static bool is_locked(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) &&
		      errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return locked;
}

static bool say_why_not(const char *path, const struct meta *meta)
{
	if (meta->complete)
		tr2_error("the recording '%s' has ended ('trace2 report %s' "
			  "shows it)", path, path);
	else
		tr2_error("the recording '%s' is incomplete: its recorder was "
			  "killed ('trace2 report %s' shows it)", path, path);
	return false;
}

bool tr2_top_open_recording(struct tr2_top *top, const char *path)
{
	struct tr2_procfs_stat recorder;
	struct meta meta;
	char *tasks;

	if (!read_meta(path, top, &meta) || meta.complete || !is_locked(path))
		return say_why_not(path, &meta);
	top->began_ns = meta.keys.start_monotonic_ns + tr2_kernel_shift_ns() +
			tr2_suspended_ns();
	if (!tr2_procfs_stat((int32_t)meta.keys.recorder_pid, 0, &recorder) ||
	    recorder.start_ns > top->began_ns) {
		tr2_error("cannot see the processes of the recording '%s': "
			  "they are in another pid namespace", path);
		return false;
	}
	top->path = path;
	top->recorder = recorder.pid;
	tasks = tr2_strf("%s/tasks.jsonl", path);
	tr2_grown_start(&top->tasks, open(tasks, O_RDONLY | O_CLOEXEC));
	free(tasks);
	top->dirs[0] = (struct tr2_top_dir){ tr2_strf("%s/events", path),
					     !meta.has_command };
	top->dirs[1] = (struct tr2_top_dir){ tr2_strf("%s/rings", path), false };
	top->nr_dirs = 2;
	return true;
}

/* Count the processes that have ended, including those that no reading has
 * seen. */
static void read_tasks(struct tr2_top *top)
{
	const char *line;
	size_t len;
	int pid, tid;

	while (tr2_grown_line(&top->tasks, &line, &len))
		if (sscanf(line, "{\"type\":\"exit\",\"time_ns\":%*u,"
				 "\"pid\":%d,\"tid\":%d,", &pid, &tid) == 2 &&
		    pid == tid)
			top->nr_exits++;
}

static void note_end(struct tr2_top *top)
{
	struct meta meta;
	int64_t cpu_ns = 0;

	if (!read_meta(top->path, NULL, &meta) || !meta.complete)
		top->end = tr2_strdup("its recorder was killed");
	else if (meta.keys.exit_signal > 0)
		top->end = tr2_strf("ended by signal %d",
				    (int)meta.keys.exit_signal);
	else if (meta.keys.exit_code >= 0)
		top->end = tr2_strf("exited with code %d",
				    (int)meta.keys.exit_code);
	else
		top->end = tr2_strdup("ended");
	if (meta.keys.rusage.user_ns >= 0 && meta.keys.rusage.system_ns >= 0)
		cpu_ns = (int64_t)((uint64_t)meta.keys.rusage.user_ns +
				   (uint64_t)meta.keys.rusage.system_ns);
	if (top->cpu_ns < cpu_ns)
		top->cpu_ns = cpu_ns;
}

void tr2_top_read_recording(struct tr2_top *top)
{
	bool goes_on = is_locked(top->path);

	if (top->tasks.fd >= 0)
		read_tasks(top);
	if (!goes_on)
		note_end(top);
}
