/* SPDX-License-Identifier: MIT */
/*
 * script_follow - follow files that grow, rings, and directories in which files
 * appear. inotify tells when to read files. Rings, and without inotify all
 * files, are read every 200 ms. The first line of a known format determines the
 * format of a file.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/lines.h"
#include "common/words.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/say.h"
#include "format/events/event_json.h"
#include "format/events/perf_text.h"
#include "format/ring/ring.h"
#include "format/ring/ring_file.h"
#include "script/script.h"

#define LOOK_MS 200

enum form { FORM_UNKNOWN, FORM_EVENT, FORM_PERF, FORM_NORMAL, FORM_RING };

struct followed {
	char *path;
	enum form form;
	struct tr2_perf_reader *perf; /* the reader of a file of FORM_PERF */
	struct tr2_ring_reader *ring; /* the reader of a file of FORM_RING;
				       * NULL: the ring has ended */
	struct tr2_grown grown;
};

struct follow {
	struct tr2_model *m;
	struct tr2_event_reader *reader;
	tr2_event_fn *fn;
	void *data;
	struct followed *file;
	uint32_t nr, alloc;
	int inotify;
};

static volatile sig_atomic_t stopped;

static void stop_following(int signo)
{
	(void)signo;
	stopped = 1;
}

static bool is_known(const struct follow *f, const char *path)
{
	size_t i;

	for (i = 0; i < f->nr; i++)
		if (!strcmp(f->file[i].path, path))
			return true;
	return false;
}

static void add_file(struct follow *f, const char *path)
{
	struct followed *file;
	int fd;

	if (is_known(f, path))
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return;
	tr2_grow(f->file, f->nr, f->alloc);
	file = &f->file[f->nr++];
	memset(file, 0, sizeof(*file));
	file->path = tr2_strdup(path);
	tr2_grown_start(&file->grown, fd);
	if (f->inotify >= 0)
		(void)inotify_add_watch(f->inotify, path, IN_MODIFY);
}

static void look_into(struct follow *f, const char *path)
{
	struct tr2_buf full = TR2_BUF_INIT;
	DIR *dir = opendir(path);
	struct dirent *entry;
	struct stat st;

	while (dir && (entry = readdir(dir))) {
		if (*entry->d_name != '.' &&
		    !tr2_ring_is_pieces(entry->d_name) &&
		    !stat(tr2_join(&full, path, entry->d_name), &st) &&
		    S_ISREG(st.st_mode))
			add_file(f, full.p);
	}
	if (dir)
		closedir(dir);
	tr2_buf_release(&full);
}

/* Add the files of a directory, and watch it. Return false if there is no such
 * directory. */
static bool look_into_directory(struct follow *f, const char *path)
{
	struct stat st;

	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return false;
	look_into(f, path);
	if (f->inotify >= 0)
		(void)inotify_add_watch(f->inotify, path, IN_CREATE);
	return true;
}

/* Add a file, a directory, or a recording's events/ and rings/. Return false if
 * it does not exist. */
static bool look_at(struct follow *f, const char *path)
{
	struct tr2_buf inner = TR2_BUF_INIT;
	struct stat st;
	bool there = !stat(path, &st);

	if (there && !S_ISDIR(st.st_mode)) {
		add_file(f, path);
	} else if (there && look_into_directory(f, tr2_join(&inner, path,
							    "events"))) {
		look_into_directory(f, tr2_join(&inner, path, "rings"));
	} else if (there) {
		look_into_directory(f, path);
	}
	tr2_buf_release(&inner);
	return there;
}

static void find_form(struct follow *f, struct followed *file,
		      const char *line, size_t len, tr2_str source)
{
	if (tr2_event_json_looks(line, len)) {
		file->form = FORM_EVENT;
	} else if (tr2_perf_text_looks(line, len)) {
		file->perf = tr2_perf_reader_new(f->m, f->fn, f->data);
		file->form = FORM_PERF;
		/* Set the source only once: setting the source resets the state
		 * of the reader. */
		tr2_perf_reader_source(file->perf, source);
	} else if (tr2_normal_text_looks(line, len)) {
		file->form = FORM_NORMAL;
		tr2_warning("'%s' is left out: it is text of the normal "
			    "target, which does not identify processes: use "
			    "GIT_TRACE2_EVENT or GIT_TRACE2_PERF instead",
			    file->path);
	}
}

static void read_line(struct follow *f, struct followed *file, const char *line,
		      size_t len)
{
	tr2_str source = tr2_intern(f->m, file->path, strlen(file->path));

	if (file->form == FORM_UNKNOWN)
		find_form(f, file, line, len, source);
	if (file->form == FORM_EVENT) {
		tr2_event_reader_source(f->reader, source);
		(void)tr2_event_reader_line(f->reader, line, len,
					    file->grown.number, false);
	} else if (file->form == FORM_PERF) {
		(void)tr2_perf_reader_line(file->perf, line, len,
					   file->grown.number, false);
	}
}

static void read_ring(struct follow *f, struct followed *file)
{
	tr2_str source = tr2_intern(f->m, file->path, strlen(file->path));
	int pieces = tr2_ring_open_pieces(file->path);
	enum tr2_ring_news news;

	news = tr2_ring_reader_follow(file->ring, file->grown.fd, pieces,
				      source);
	if (pieces >= 0)
		close(pieces);
	if (news == TR2_RING_MISSED)
		tr2_warning("'%s': newer records replaced some before they "
			    "were read (to keep more, increase "
			    "GIT_TRACE2_RING_SIZE)", file->path);
	if (news != TR2_RING_OVER)
		return;
	tr2_ring_reader_free(file->ring);
	file->ring = NULL;
}

/* Pass new records, or complete lines, to the reader. */
static void read_on(struct follow *f, struct followed *file)
{
	const char *line;
	size_t len;

	if (file->form == FORM_UNKNOWN && tr2_ring_file_is(file->grown.fd)) {
		file->form = FORM_RING;
		file->ring = tr2_ring_reader_new(f->m, f->fn, f->data);
	}
	if (file->ring)
		read_ring(f, file);
	if (file->form == FORM_RING)
		return;
	while (tr2_grown_line(&file->grown, &line, &len))
		if (len)
			read_line(f, file, line, len);
}

static void wait_for_more(struct follow *f)
{
	struct pollfd fds[2] = { { f->inotify, POLLIN, 0 },
				 { 1, 0, 0 } };
	char events[4096];

	/* Stop at POLLERR on stdout: the program that reads the output has
	 * ended. */
	poll(fds, 2, LOOK_MS);
	if (fds[1].revents & POLLERR)
		stopped = 1;
	if (f->inotify >= 0 && fds[0].revents)
		while (read(f->inotify, events, sizeof(events)) > 0)
			;
}

static void release_follow(struct follow *f)
{
	size_t i;

	for (i = 0; i < f->nr; i++) {
		close(f->file[i].grown.fd);
		tr2_grown_release(&f->file[i].grown);
		tr2_perf_reader_free(f->file[i].perf);
		tr2_ring_reader_free(f->file[i].ring);
		free(f->file[i].path);
	}
	free(f->file);
	tr2_event_reader_free(f->reader);
	if (f->inotify >= 0)
		close(f->inotify);
}

int tr2_follow(struct tr2_model *m, const struct tr2_list *paths,
	       tr2_event_fn *fn, void *data)
{
	struct follow f = { .m = m, .fn = fn, .data = data };
	struct sigaction action = { .sa_handler = stop_following };
	bool there = false;
	size_t i, k;

	f.inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	f.reader = tr2_event_reader_new(m, fn, data);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	while (f.reader && !stopped) {
		for (i = 0; i < paths->nr; i++)
			there |= look_at(&f, paths->item[i]);
		if (!there)
			break;
		for (k = 0; k < f.nr; k++)
			read_on(&f, &f.file[k]);
		if (fflush(stdout))
			break;
		if (!stopped)
			wait_for_more(&f);
	}
	release_follow(&f);
	if (there)
		return 0;
	tr2_error("cannot follow '%s': %s", paths->item[0], strerror(ENOENT));
	return TR2_EXIT_FATAL;
}
