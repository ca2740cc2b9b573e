/* SPDX-License-Identifier: MIT */
/*
 * top_files - find the rings and streams that processes write: by the names of
 * files in watched directories, or by the mappings of processes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "common/time.h"
#include "common/memory.h"
#include "format/events/event_json.h"
#include "format/ring/ring_file.h"
#include "model/model.h"
#include "top/top.h"

/* Allow for this difference between two times: the clocks may differ, and the
 * starts of processes are whole ticks. */
#define SLACK_NS 100000000
/* When a model contains more bytes of a stream than this, begin a new model,
 * and forget open regions. */
#define MODEL_BYTES (16u << 20)

/* Return CLOCK_REALTIME less CLOCK_BOOTTIME. */
static int64_t boot_wall_ns(void)
{
	struct timespec boot, wall;

	clock_gettime(CLOCK_BOOTTIME, &boot);
	clock_gettime(CLOCK_REALTIME, &wall);
	return (int64_t)(wall.tv_sec - boot.tv_sec) * 1000000000 +
	       (wall.tv_nsec - boot.tv_nsec);
}

/* Parse the last component of a SID:
 * 20261121T101502.123456Z-Hxxxxxxxx-Pxxxxxxxx, or with .1 to .9 at its end. */
static bool parse_name(const char *name, struct tr2_top_file *f)
{
	const char *pid = strstr(name, "-P");
	int64_t wall_us;
	char *end;

	if (!pid || pid - name < 23)
		return false;
	f->pid = (int32_t)strtoul(pid + 2, &end, 16);
	if (end != pid + 10 || (*end && *end != '.'))
		return false;
	if (!tr2_parse_time(name, strcspn(name, "-"), &wall_us))
		return false;
	f->start_ns = wall_us * 1000 - boot_wall_ns() + SLACK_NS;
	return true;
}

static void find_in(const struct tr2_top_dir *dir, struct tr2_top_files *files)
{
	DIR *d = opendir(dir->path);
	struct tr2_top_file f = { .adopts = dir->adopts };
	struct dirent *e;

	while (d && (e = readdir(d))) {
		if (!parse_name(e->d_name, &f))
			continue;
		f.path = tr2_strf("%s/%s", dir->path, e->d_name);
		tr2_grow(files->file, files->nr, files->alloc);
		files->file[files->nr++] = f;
	}
	if (d)
		closedir(d);
}

void tr2_top_files_find(const struct tr2_top *top, struct tr2_top_files *files)
{
	uint32_t i;

	for (i = 0; i < top->nr_dirs; i++)
		find_in(&top->dirs[i], files);
}

void tr2_top_files_release(struct tr2_top_files *files)
{
	uint32_t i;

	for (i = 0; i < files->nr; i++)
		free(files->file[i].path);
	free(files->file);
}

static void close_stream(struct tr2_top_stream *s)
{
	if (!s)
		return;
	close(s->grown.fd);
	tr2_grown_release(&s->grown);
	tr2_event_reader_free(s->reader);
	tr2_model_free(s->m);
	free(s);
}

void tr2_top_free_process(struct tr2_top_process *p)
{
	tr2_top_ring_close(p->ring);
	close_stream(p->stream);
	free(p->file);
}

static bool open_stream(struct tr2_top_process *p, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return false;
	p->stream = tr2_calloc(1, sizeof(*p->stream));
	tr2_grown_start(&p->stream->grown, fd);
	return true;
}

static void attach_file(struct tr2_top_process *p, const char *path)
{
	struct tr2_top_ring *ring;

	/* Keep the last name: names begin with a time, so the last one is the
	 * newest. */
	if (p->file && strcmp(tr2_base_name(path), tr2_base_name(p->file)) <= 0)
		return;
	ring = tr2_top_ring_open(path, false);
	if (!ring && access(path, R_OK))
		return;
	tr2_top_free_process(p);
	p->file = tr2_strdup(path);
	p->stream = NULL;
	p->ring = ring;
	if (!ring && !open_stream(p, path))
		p->stream = NULL;
}

void tr2_top_files_attach(struct tr2_top *top,
			  const struct tr2_top_files *files)
{
	struct tr2_top_process *p;
	uint32_t i;

	for (i = 0; i < files->nr; i++) {
		p = tr2_top_find(top, files->file[i].pid);
		if (p && p->state < TR2_TOP_ZOMBIE &&
		    p->start_ns <= files->file[i].start_ns)
			attach_file(p, files->file[i].path);
	}
}

static void attach_mapped(struct tr2_top_process *p)
{
	char *path = tr2_ring_mapped(p->pid);

	p->ring = path ? tr2_top_ring_open(path, false) : NULL;
	if (p->ring)
		p->file = tr2_strdup(path);
	free(path);
}

static bool is_power_of_4(uint32_t n)
{
	return !(n & (n - 1)) && n & 0x55555555u;
}

/* Look for the mapped ring of a process only at readings 1, 4, 16 and so on.
 * Most rings are made shortly after a program's start, and the search takes
 * longer than all other reading. */
void tr2_top_files_mapped(struct tr2_top *top)
{
	struct tr2_top_process *p;
	uint32_t i;

	for (i = 1; i < top->nr; i++) {
		p = &top->process[i];
		if (!p->file && p->state < TR2_TOP_ZOMBIE &&
		    is_power_of_4(p->nr_readings))
			attach_mapped(p);
	}
}

static void read_stream(struct tr2_top_stream *s)
{
	const char *line;
	size_t len;

	while (tr2_grown_line(&s->grown, &line, &len)) {
		if (!s->m || s->nr_bytes > MODEL_BYTES) {
			tr2_event_reader_free(s->reader);
			tr2_model_free(s->m);
			s->m = tr2_model_new();
			s->reader = tr2_event_reader_new(s->m, NULL, NULL);
			s->nr_bytes = 0;
		}
		s->nr_bytes += len;
		if (len && s->reader)
			(void)tr2_event_reader_line(s->reader, line, len,
						    s->grown.number, false);
	}
}

void tr2_top_streams_read(struct tr2_top *top)
{
	uint32_t i;

	for (i = 1; i < top->nr; i++)
		if (top->process[i].stream)
			read_stream(top->process[i].stream);
}
