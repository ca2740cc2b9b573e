/* SPDX-License-Identifier: MIT */
/*
 * load - load the inputs of a command into a model, and finish it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/order.h"
#include "common/say.h"
#include "read/load_private.h"

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

static enum tr2_load_result load_file(struct tr2_loader *l, const char *path,
				      int fd)
{
	enum tr2_input_form form;

	tr2_loader_read(l, fd, path, &form);
	if (form == TR2_FORM_RING && l->refused) {
		tr2_error("cannot read '%s': %s", path, l->refused);
		return TR2_LOAD_FAILED;
	}
	if (form == TR2_FORM_RING)
		return TR2_LOAD_OK;
	if (l->lines.error)
		return cannot_read(path, l->lines.error);
	if (form == TR2_FORM_EMPTY) {
		tr2_warning("'%s': zero-sized file, nothing to do! "
			    TR2_WHY_EMPTY, path);
		return TR2_LOAD_NOTHING;
	}
	if (form >= TR2_FORM_NORMAL) {
		tr2_error("cannot read '%s': %s", path,
			  tr2_loader_why_not(form));
		return TR2_LOAD_FAILED;
	}
	return TR2_LOAD_OK;
}

static enum tr2_load_result load_path(struct tr2_loader *l, const char *path)
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
		result = tr2_loader_directory(l, path);
	} else {
		if (S_ISREG(st.st_mode))
			l->progress.total += (uint64_t)st.st_size;
		result = load_file(l, path, fd);
	}
	if (fd >= 0)
		close(fd);
	return result;
}

TR2_ORDER(compare_lines, struct tr2_line, TR2_UP(at_ns) ?: TR2_UP(order))

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

/* Print at most this many problems; `trace2 check` shows all. */
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

static enum tr2_load_result load_paths(struct tr2_loader *l)
{
	enum tr2_load_result result = TR2_LOAD_NOTHING, one;
	size_t i;

	for (i = 0; i < l->load->nr_paths; i++) {
		tr2_model_input_begin(l->m, l->load->paths[i]);
		one = load_path(l, l->load->paths[i]);
		tr2_model_input_end(l->m);
		if (one == TR2_LOAD_FAILED)
			return one;
		if (one == TR2_LOAD_OK)
			result = TR2_LOAD_OK;
	}
	return result;
}

static void finish_load(struct tr2_loader *l)
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
	struct tr2_loader l = { .m = m, .load = load };
	enum tr2_load_result result;
	tr2_event_fn *fn = NULL;

	m->redact = load->flags & TR2_LOAD_REDACT;
	m->without_cpu = load->flags & TR2_LOAD_WAITS;
	m->with_waits = load->flags & (TR2_LOAD_WAITS | TR2_LOAD_WAITS_TOO);
	if (load->flags & TR2_LOAD_LINES || load->event)
		fn = tr2_loader_event;
	l.events = tr2_event_reader_new(m, fn, &l);
	l.perf = tr2_perf_reader_new(m, fn, &l);
	l.rings = tr2_ring_reader_new(m, fn, &l);
	tr2_progress_start(&l.progress, "reading");
	result = load_paths(&l);
	tr2_progress_end(&l.progress);
	tr2_event_reader_free(l.events);
	tr2_perf_reader_free(l.perf);
	tr2_ring_reader_free(l.rings);
	tr2_lines_release(&l.lines);
	tr2_buf_release(&l.begun);
	if (result == TR2_LOAD_OK)
		finish_load(&l);
	return result;
}
