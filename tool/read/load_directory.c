/* SPDX-License-Identifier: MIT */
/* load_directory - load the files of a directory, or of a recording. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/words.h"
#include "common/memory.h"
#include "common/say.h"
#include "format/read.h"
#include "format/recording/meta_read.h"
#include "format/ring/ring_file.h"
#include "model/build/build.h"
#include "read/load_private.h"

/* Read one file of a directory. An unreadable file is a problem, not an
 * error. */
static void read_file_in(struct tr2_loader *l, const char *path)
{
	tr2_str source = tr2_intern(l->m, path, strlen(path));
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	enum tr2_input_form form;

	if (fd < 0) {
		tr2_build_problem(l->m, TR2_PROBLEM_FILE, source, 0,
				  strerror(errno));
		return;
	}
	tr2_loader_read(l, fd, path, &form);
	if (form >= TR2_FORM_NORMAL)
		tr2_build_problem(l->m, TR2_PROBLEM_FILE, source, 0,
				  tr2_loader_why_not(form));
	else if (form == TR2_FORM_RING && l->refused)
		tr2_build_problem(l->m, TR2_PROBLEM_FILE, source, 0,
				  l->refused);
	close(fd);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct names {
	char **item;
	uint32_t nr, alloc;
};

static void add_name(struct names *names, const char *name)
{
	tr2_grow(names->item, names->nr, names->alloc);
	names->item[names->nr++] = tr2_strdup(name);
}

/* List the regular files of a directory in order of name, which is the order in
 * which their processes started. */
static bool list_directory(const char *path, struct names *names)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return false;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && entry->d_type != DT_DIR &&
		    !tr2_ring_is_pieces(entry->d_name))
			add_name(names, entry->d_name);
	closedir(dir);
	if (names->nr)
		qsort(names->item, names->nr, sizeof(*names->item),
		      compare_names);
	return true;
}

static void read_directory(struct tr2_loader *l, const char *path)
{
	struct names names = { NULL, 0, 0 };
	struct tr2_buf full = TR2_BUF_INIT;
	struct stat st;
	uint32_t i;

	if (!list_directory(path, &names))
		tr2_build_problem(l->m, TR2_PROBLEM_FILE,
				  tr2_intern(l->m, path, strlen(path)), 0,
				  strerror(errno));
	for (i = 0; i < names.nr; i++) {
		tr2_join(&full, path, names.item[i]);
		if (!strcmp(names.item[i], TR2_DISCARD)) {
			l->was_full = true;
			tr2_build_problem(l->m, TR2_PROBLEM_FULL,
					  tr2_intern(l->m, full.p, full.len), 0,
					  "programs that started while this "
					  "file existed wrote nothing");
		}
		free(names.item[i]);
		/* Read only regular files: opening a fifo would wait for the
		 * process at its other end. */
		if (!stat(tr2_buf_str(&full), &st) && S_ISREG(st.st_mode))
			read_file_in(l, tr2_buf_str(&full));
		tr2_progress_at(&l->progress, l->m->nr_bytes);
	}
	free(names.item);
	tr2_buf_release(&full);
}

/* Does a directory have this subdirectory? Set *full to its path. */
static bool has_directory(const char *path, const char *name,
			  struct tr2_buf *full)
{
	struct stat st;

	return !stat(tr2_join(full, path, name), &st) && S_ISDIR(st.st_mode);
}

/* Read events.000001, events.000002 and so on in this order: a session may
 * begin in one file and end in another. */
static void read_put_aside(struct tr2_loader *l, const char *path)
{
	struct names names = { NULL, 0, 0 };
	struct tr2_buf full = TR2_BUF_INIT;
	DIR *dir = opendir(path);
	struct dirent *entry;
	uint32_t i;

	while (dir && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, "events.", 7) &&
		    strspn(entry->d_name + 7, "0123456789") >= 6)
			add_name(&names, entry->d_name);
	if (dir)
		closedir(dir);
	if (names.nr)
		qsort(names.item, names.nr, sizeof(*names.item), compare_names);
	for (i = 0; i < names.nr; i++) {
		if (has_directory(path, names.item[i], &full))
			read_directory(l, tr2_buf_str(&full));
		free(names.item[i]);
	}
	free(names.item);
	tr2_buf_release(&full);
}

/* Does a directory contain a recording, as the directory of `trace2 stat -o`
 * does? Set *full to the first recording in order of name. */
static bool has_recording(const char *path, struct tr2_buf *full)
{
	DIR *dir = opendir(path);
	struct tr2_buf inner = TR2_BUF_INIT;
	struct dirent *entry;
	char *first = NULL;
	bool found;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' &&
		    (!first || strcmp(entry->d_name, first) < 0) &&
		    has_directory(path, entry->d_name, full) &&
		    has_directory(tr2_buf_str(full), "events", &inner)) {
			free(first);
			first = tr2_strdup(entry->d_name);
		}
	if (dir)
		closedir(dir);
	found = first && has_directory(path, first, full);
	tr2_buf_release(&inner);
	free(first);
	return found;
}

static bool has_kernel_records(const char *path)
{
	char *file = tr2_strf("%s/kernel.data", path);
	struct stat st;
	bool has = !stat(file, &st) && st.st_size;

	free(file);
	return has;
}

/* Report a directory without events. nr_empty: number of empty files in the
 * directory. */
static enum tr2_load_result nothing_in(const char *path, uint64_t nr_empty)
{
	struct tr2_buf full = TR2_BUF_INIT;

	if (nr_empty)
		tr2_warning("'%s': %llu zero-sized file%s, nothing to do! "
			    TR2_WHY_EMPTY, path, (unsigned long long)nr_empty,
			    nr_empty == 1 ? "" : "s");
	else if (has_recording(path, &full))
		tr2_warning("'%s': a directory of recordings, nothing to do! "
			    "Name one of them, such as '%s'", path,
			    tr2_buf_str(&full));
	else if (has_kernel_records(path))
		tr2_warning("'%s': the kernel's records without a list of "
			    "processes, nothing to do! The recorder was "
			    "killed, or its disk full: record again", path);
	else
		tr2_warning("'%s': no event files in this directory, nothing "
			    "to do! " TR2_WHY_EMPTY, path);
	tr2_buf_release(&full);
	return TR2_LOAD_NOTHING;
}

enum tr2_load_result tr2_loader_directory(struct tr2_loader *l,
					  const char *path)
{
	struct tr2_buf full = TR2_BUF_INIT;
	uint64_t before = l->m->nr_files, nr;

	l->nr_empty = 0;
	l->was_full = false;
	/* Read the streams of a recording, which are in events/ and in
	 * rings/. */
	if (has_directory(path, "events", &full)) {
		tr2_meta_load(l->m, path);
		read_put_aside(l, path);
		read_directory(l, tr2_buf_str(&full));
		if (has_directory(path, "rings", &full))
			read_directory(l, tr2_buf_str(&full));
	} else {
		read_directory(l, path);
	}
	tr2_buf_release(&full);
	nr = l->m->nr_files - before;
	if (nr > l->nr_empty || l->was_full || l->m->nr_tasks > 1)
		return TR2_LOAD_OK;
	return nothing_in(path, l->nr_empty);
}
