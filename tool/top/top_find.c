/* SPDX-License-Identifier: MIT */
/* top_find - find the process, the recording or the ring to watch. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/say.h"
#include "top/top.h"

/* Watch the process of a ring; if it has ended, show the ring's last state. */
static bool open_ring(struct tr2_top *top, const char *path)
{
	struct tr2_top_ring *ring = tr2_top_ring_open(path, true);
	int32_t pid = ring ? (int32_t)ring->file.header.pid : 0;
	struct tr2_top_process *p;

	if (!ring)
		return false;
	if (tr2_ring_file_is_alive(&ring->file)) {
		top->root = pid;
		tr2_top_scan(top);
	}
	p = tr2_top_find(top, pid);
	if (!p)
		p = tr2_top_add_ended(top, pid);
	tr2_top_free_process(p);
	p->ring = ring;
	p->file = tr2_strdup(path);
	return true;
}

bool tr2_top_open_process(struct tr2_top *top, const char *word)
{
	struct tr2_procfs_stat stat;
	char *end;
	long long pid = strtoll(word, &end, 10);

	if (*end || pid <= 0 || pid > INT32_MAX || !access(word, F_OK))
		return open_ring(top, word);
	if (!tr2_procfs_stat((int32_t)pid, 0, &stat)) {
		tr2_error("there is no process %lld", pid);
		return false;
	}
	top->root = (int32_t)pid;
	tr2_top_scan(top);
	return true;
}

static bool has_ring(const char *path)
{
	DIR *dir = opendir(path);
	struct tr2_top_ring *ring = NULL;
	struct dirent *e;
	char *name;

	while (dir && !ring && (e = readdir(dir))) {
		if (e->d_name[0] == '.' || e->d_type == DT_DIR)
			continue;
		name = tr2_strf("%s/%s", path, e->d_name);
		ring = tr2_top_ring_open(name, false);
		free(name);
	}
	if (dir)
		closedir(dir);
	tr2_top_ring_close(ring);
	return ring != NULL;
}

/* Watch all processes that write in the directory. */
static bool open_directory(struct tr2_top *top, const char *path)
{
	top->dirs[0] = (struct tr2_top_dir){ tr2_strdup(path), true };
	top->nr_dirs = 1;
	tr2_top_scan(top);
	if (top->nr_live)
		return true;
	if (has_ring(path))
		tr2_error("no process with a ring in '%s' is running ('trace2 "
			  "report %s' reads the rings of ended ones)", path,
			  path);
	else
		tr2_error("'%s': no ring in this directory, nothing to watch! "
			  "GIT_TRACE2_RING=DIR, with its absolute path, makes "
			  "a program write one there", path);
	return false;
}

bool tr2_top_open_path(struct tr2_top *top, const char *path)
{
	struct stat st;
	char *meta;
	bool is_recording;

	if (access(path, F_OK) && path[strspn(path, "0123456789")] == '\0') {
		tr2_error("there is no file '%s' (to watch a process: "
			  "-p %s)", path, path);
		return false;
	}
	if (stat(path, &st)) {
		tr2_error("cannot read '%s': %s (name a recording in progress, "
			  "or a process with -p)", path, strerror(errno));
		return false;
	}
	if (!S_ISDIR(st.st_mode))
		return open_ring(top, path);
	meta = tr2_strf("%s/meta.json", path);
	is_recording = !access(meta, F_OK);
	free(meta);
	if (!is_recording)
		return open_directory(top, path);
	if (!tr2_top_open_recording(top, path))
		return false;
	tr2_top_scan(top);
	return true;
}

void tr2_top_close(struct tr2_top *top)
{
	uint32_t i;

	for (i = 1; i < top->nr; i++)
		tr2_top_free_process(&top->process[i]);
	for (i = 0; i < top->nr_dirs; i++)
		free(top->dirs[i].path);
	if (top->tasks.fd >= 0)
		close(top->tasks.fd);
	tr2_grown_release(&top->tasks);
	tr2_map_release(&top->by_pid);
	free(top->process);
	free(top->roots);
	free(top->end);
}
