/* SPDX-License-Identifier: MIT */
/*
 * load - detect the format of an input and pass its lines to the right reader.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/join.h"
#include "common/say.h"
#include "model/build.h"
#include "model/parsed_event.h"
#include "model/private.h"
#include "out/progress.h"
#include "read/event_json.h"
#include "read/json.h"
#include "read/lines.h"
#include "read/meta.h"
#include "read/perf_text.h"
#include "read/read.h"
#include "read/reread.h"
#include "read/ring.h"
#include "read/ring_file.h"
#include "read/ring_spill.h"

/* The number of bytes in which the format is searched. */
#define PEEK_BYTES 65536u

struct loader {
	struct tr2_model *m;
	const struct tr2_load *load;
	struct tr2_event_reader *events;
	struct tr2_perf_reader *perf;
	struct tr2_ring_reader *rings;
	struct tr2_lines lines;
	struct tr2_progress progress;
	/* Of the directory that is read. */
	uint64_t nr_empty; /* zero-sized files */
	bool was_full;     /* it has TR2_DISCARD */
	/* why the last ring was not read; NULL: it was read */
	const char *refused;
};

enum form {
	FORM_EMPTY, FORM_EVENT, FORM_PERF, FORM_RING, FORM_NORMAL,
	FORM_PIPED_RING, FORM_OTHER
};

/* ---- the format of an input ---------------------------------------------- */

static enum form form_of_line(const char *line, size_t len)
{
	if (tr2_event_json_looks(line, len))
		return FORM_EVENT;
	if (tr2_perf_text_looks(line, len))
		return FORM_PERF;
	return tr2_normal_text_looks(line, len) ? FORM_NORMAL : FORM_OTHER;
}

/* The first line that has a known format decides; it may follow garbage. */
static enum form form_of(struct tr2_lines *l)
{
	const char *text, *end, *newline;
	size_t len = tr2_lines_peek(l, &text, PEEK_BYTES);
	enum form form = len ? FORM_OTHER : FORM_EMPTY;

	if (tr2_ring_file_looks(text, len))
		return FORM_PIPED_RING;
	for (end = text + len; text < end; text = newline + 1) {
		newline = memchr(text, '\n', (size_t)(end - text));
		if (!newline)
			newline = end;
		form = form_of_line(text, (size_t)(newline - text));
		if (form != FORM_OTHER)
			break;
	}
	return form;
}

/* ---- lines --------------------------------------------------------------------- */

static void keep_line(struct tr2_model *m, const struct tr2_parsed_event *ev)
{
	struct tr2_line *line;

	tr2_grow(m->lines, m->nr_lines, m->priv->alloc_lines);
	line = &m->lines[m->nr_lines];
	tr2_line_set(line, m, ev);
	line->text = tr2_model_copy(m, ev->raw.p, ev->raw.len);
	line->order = m->nr_lines++;
}

static void on_event(void *data, struct tr2_model *m, const struct tr2_parsed_event *ev)
{
	struct loader *l = data;

	if (l->load->flags & TR2_LOAD_LINES)
		keep_line(m, ev);
	if (l->load->event)
		l->load->event(l->load->data, m, ev);
}


static void note_end(struct loader *l, tr2_str source)
{
	struct tr2_lines *lines = &l->lines;
	char text[100];

	l->m->nr_bytes += lines->nr_bytes;
	l->m->nr_bad_lines += lines->nr_long;
	if (lines->nr_long) {
		snprintf(text, sizeof(text),
			 "a line longer than %u MiB was left out",
			 TR2_LINE_MAX_BYTES >> 20);
		tr2_build_problem(l->m, TR2_PROBLEM_LONG_LINE, source,
				  lines->first_long, text);
	}
	if (lines->error)
		tr2_build_problem(l->m, TR2_PROBLEM_FILE, source, 0,
				  strerror(lines->error));
}

/* Read lines in their usual form, as far as they are in the buffer. */
static void read_usual_lines(struct loader *l)
{
	const char *text, *end;
	size_t len;

	while ((text = tr2_lines_ahead(&l->lines, &end))) {
		len = tr2_event_reader_next(l->events, text, end,
					    l->lines.number + 1);
		if (!len)
			break;
		tr2_lines_take(&l->lines, len);
	}
}

/* Read the next line, whatever its form. false: there is none. */
static bool read_one_line(struct loader *l, enum form form)
{
	const char *line;
	size_t len;
	enum tr2_lines_result got = tr2_lines_next(&l->lines, &line, &len);

	if (got == TR2_LINES_END)
		return false;
	if (len && form == FORM_PERF)
		tr2_perf_reader_line(l->perf, line, len, l->lines.number,
				     got == TR2_LINES_LAST);
	else if (len)
		tr2_event_reader_line(l->events, line, len, l->lines.number,
				      got == TR2_LINES_LAST);
	return true;
}

static void read_lines(struct loader *l, enum form form, tr2_str source)
{
	bool more = true;

	tr2_event_reader_source(l->events, source);
	tr2_perf_reader_source(l->perf, source);
	while (more) {
		if (form == FORM_EVENT)
			read_usual_lines(l);
		more = read_one_line(l, form);
		if (form == FORM_EVENT || !(l->lines.number & 0xfff))
			tr2_progress_at(&l->progress, l->m->nr_bytes +
							      l->lines.nr_bytes);
	}
	note_end(l, source);
}

/* ---- rings ----------------------------------------------------------------------- */

/*
 * Open the file of records that were taken from the ring while the process ran.
 * -1: there is none.
 */
static int open_pieces(const char *name)
{
	struct tr2_buf path = TR2_BUF_INIT;
	int fd;

	tr2_buf_addstr(&path, name);
	tr2_buf_addstr(&path, TR2_PIECES_SUFFIX);
	fd = open(tr2_buf_str(&path),
		  O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	tr2_buf_release(&path);
	return fd;
}

static void read_ring(struct loader *l, int fd, const char *name,
		      tr2_str source)
{
	int pieces = open_pieces(name);
	const char *why = NULL;

	l->refused = NULL;
	switch (tr2_ring_reader_load(l->rings, fd, pieces, source, &why)) {
	case TR2_RING_LOADED:
		break;
	case TR2_RING_EMPTY:
		tr2_build_problem(l->m, TR2_PROBLEM_FILE, source, 0,
				  "its process has not started to write, or "
				  "was killed before");
		break;
	case TR2_RING_REFUSED:
		l->refused = why;
	}
	if (pieces >= 0)
		close(pieces);
}

/* ---- files and directories ------------------------------------------------------ */

static const char *what_it_is(enum form form)
{
	if (form == FORM_PIPED_RING)
		return "a ring is read from its file, not from a pipe";
	if (form == FORM_NORMAL)
		return "it is text of the normal target, which does not "
		       "identify processes: use GIT_TRACE2_EVENT instead";
	return "neither event JSON, nor perf text, nor a ring, nor a recording";
}

/* Read one open file; only EVENT and PERF are read. *form_out is its format. */
static void read_fd(struct loader *l, int fd, const char *name,
		    enum form *form_out)
{
	tr2_str source = tr2_intern(l->m, name, strlen(name));

	l->m->nr_files++;
	if (tr2_ring_file_is(fd)) {
		*form_out = FORM_RING;
		read_ring(l, fd, name, source);
		return;
	}
	tr2_lines_start(&l->lines, fd);
	*form_out = form_of(&l->lines);
	l->nr_empty += *form_out == FORM_EMPTY && !l->lines.error;
	if (l->lines.error)
		tr2_build_problem(l->m, TR2_PROBLEM_FILE, source, 0,
				  strerror(l->lines.error));
	else if (*form_out == FORM_EVENT || *form_out == FORM_PERF)
		read_lines(l, *form_out, source);
}

/* Read one file of a directory: an unreadable one is a problem, not an
 * error. */
static void read_file_in(struct loader *l, const char *path)
{
	tr2_str source = tr2_intern(l->m, path, strlen(path));
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	enum form form;

	if (fd < 0) {
		tr2_build_problem(l->m, TR2_PROBLEM_FILE, source, 0,
				  strerror(errno));
		return;
	}
	read_fd(l, fd, path, &form);
	if (form >= FORM_NORMAL)
		tr2_build_problem(l->m, TR2_PROBLEM_FILE, source, 0,
				  what_it_is(form));
	else if (form == FORM_RING && l->refused)
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

/* Is it a file of records taken from a ring? It is read with its ring. */
static bool is_pieces(const char *name)
{
	size_t len = strlen(name), suffix = sizeof(TR2_PIECES_SUFFIX) - 1;

	return len > suffix && !strcmp(name + len - suffix, TR2_PIECES_SUFFIX);
}

/* List the regular files of a directory by name, which is the order of their
 * starts. */
static bool list_directory(const char *path, struct names *names)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return false;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && entry->d_type != DT_DIR &&
		    !is_pieces(entry->d_name))
			add_name(names, entry->d_name);
	closedir(dir);
	if (names->nr)
		qsort(names->item, names->nr, sizeof(*names->item),
		      compare_names);
	return true;
}

static void read_directory(struct loader *l, const char *path)
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
		/* Opening a fifo or a socket would wait for its peer. */
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

/* Read events.000001 and so on in this order: a session may begin in one of
 * them and end in another. */
static void read_put_aside(struct loader *l, const char *path)
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

/* Set *full to the first recording by name in a directory: trace2 stat -o makes
 * such directories. */
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

#define WHY_EMPTY \
	"No program wrote its events there ('trace2 check --env' shows where " \
	"they go)"

/* nr_empty: files in it, all of them. */
static enum tr2_load_result nothing_in(const char *path, uint64_t nr_empty)
{
	struct tr2_buf full = TR2_BUF_INIT;

	if (nr_empty)
		tr2_warning("'%s': %llu zero-sized file%s, nothing to do! "
			    WHY_EMPTY, path, (unsigned long long)nr_empty,
			    nr_empty == 1 ? "" : "s");
	else if (has_recording(path, &full))
		tr2_warning("'%s': a directory of recordings, nothing to do! "
			    "Name one of them, such as '%s'", path,
			    tr2_buf_str(&full));
	else
		tr2_warning("'%s': no event files in this directory, nothing "
			    "to do! " WHY_EMPTY, path);
	tr2_buf_release(&full);
	return TR2_LOAD_NOTHING;
}

static enum tr2_load_result load_directory(struct loader *l, const char *path)
{
	struct tr2_buf full = TR2_BUF_INIT;
	uint64_t before = l->m->nr_files, nr;

	l->nr_empty = 0;
	l->was_full = false;
	/* A recording has its streams in events/ and in rings/. */
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

static enum tr2_load_result cannot_read(const char *path, int error)
{
	if (error == ENOENT && !strcmp(path, "trace2.data"))
		tr2_error("cannot read 'trace2.data': %s (record one with "
			  "'trace2 record -- COMMAND', or name an input with "
			  "-i)",
			  strerror(error));
	else
		tr2_error("cannot read '%s': %s", path, strerror(error));
	return TR2_LOAD_FAILED;
}

static enum tr2_load_result load_file(struct loader *l, const char *path,
				      int fd)
{
	enum form form;

	read_fd(l, fd, path, &form);
	if (form == FORM_RING && l->refused) {
		tr2_error("cannot read '%s': %s", path, l->refused);
		return TR2_LOAD_FAILED;
	}
	if (form == FORM_RING)
		return TR2_LOAD_OK;
	if (l->lines.error)
		return cannot_read(path, l->lines.error);
	if (form == FORM_EMPTY) {
		tr2_warning("'%s': zero-sized file, nothing to do! " WHY_EMPTY,
			    path);
		return TR2_LOAD_NOTHING;
	}
	if (form >= FORM_NORMAL) {
		tr2_error("cannot read '%s': %s", path, what_it_is(form));
		return TR2_LOAD_FAILED;
	}
	return TR2_LOAD_OK;
}

static enum tr2_load_result load_path(struct loader *l, const char *path)
{
	enum tr2_load_result result;
	struct stat st;
	int fd;

	if (!strcmp(path, "-"))
		return load_file(l, "standard input", 0);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0) {
		result = cannot_read(path, errno);
	} else if (S_ISDIR(st.st_mode)) {
		result = load_directory(l, path);
	} else {
		if (S_ISREG(st.st_mode))
			l->progress.total += (uint64_t)st.st_size;
		result = load_file(l, path, fd);
	}
	if (fd >= 0)
		close(fd);
	return result;
}

/* ---- the whole --------------------------------------------------------------------- */

static int compare_lines(const void *va, const void *vb)
{
	const struct tr2_line *a = va, *b = vb;

	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static void print_problem(const struct tr2_model *m,
			  const struct tr2_problem *p)
{
	const char *source = tr2_s(m, p->source);
	char more[64] = "";

	if (p->count > 1)
		snprintf(more, sizeof(more), " (and %llu more like it)",
			 (unsigned long long)p->count - 1);
	if (p->line)
		tr2_warning("'%s': line %llu: %s%s", source,
			    (unsigned long long)p->line, p->text, more);
	else
		tr2_warning("'%s': %s%s", source, p->text, more);
}

/* No more are printed; `trace2 check` shows all. */
#define MAX_PROBLEMS_PRINTED 10

static void print_problems(const struct tr2_model *m)
{
	uint32_t i, nr = 0;

	for (i = 1; i < m->nr_problems; i++)
		if (m->problems[i].kind < TR2_PROBLEM_MISSING &&
		    nr++ < MAX_PROBLEMS_PRINTED)
			print_problem(m, &m->problems[i]);
	if (nr > MAX_PROBLEMS_PRINTED)
		tr2_warning("%u more problems: see 'trace2 check'",
			    nr - MAX_PROBLEMS_PRINTED);
}

static enum tr2_load_result load_paths(struct loader *l)
{
	enum tr2_load_result result = TR2_LOAD_NOTHING, one;
	size_t i;

	for (i = 0; i < l->load->nr_paths; i++) {
		one = load_path(l, l->load->paths[i]);
		if (one == TR2_LOAD_FAILED)
			return one;
		if (one == TR2_LOAD_OK)
			result = TR2_LOAD_OK;
	}
	return result;
}

static void finish(struct loader *l)
{
	struct tr2_model *m = l->m;


	if (m->nr_lines)
		qsort(m->lines, m->nr_lines, sizeof(*m->lines), compare_lines);
	if (!(l->load->flags & TR2_LOAD_NO_TREE))
		tr2_model_finish(m);
	if (!(l->load->flags & TR2_LOAD_QUIET))
		print_problems(m);
}

enum tr2_load_result tr2_load(struct tr2_model *m, const struct tr2_load *load)
{
	struct loader l = { .m = m, .load = load };
	enum tr2_load_result result = TR2_LOAD_FAILED;
	tr2_event_fn *fn;

	fn = load->flags & TR2_LOAD_LINES || load->event ? on_event : NULL;
	l.events = tr2_event_reader_new(m, fn, &l);
	l.perf = tr2_perf_reader_new(m, fn, &l);
	l.rings = tr2_ring_reader_new(m, fn, &l);
	tr2_progress_start(&l.progress, "reading");
	if (l.events)
		result = load_paths(&l);
	else
		tr2_error("this trace2 was built without simdjson, which reads "
			  "JSON: install libsimdjson-dev or simdjson-devel, "
			  "and build it again");
	tr2_progress_end(&l.progress);
	tr2_event_reader_free(l.events);
	tr2_perf_reader_free(l.perf);
	tr2_ring_reader_free(l.rings);
	tr2_lines_release(&l.lines);
	if (result == TR2_LOAD_OK)
		finish(&l);
	return result;
}
