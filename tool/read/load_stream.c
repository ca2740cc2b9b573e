/* SPDX-License-Identifier: MIT */
/*
 * load_stream - find the format of one input, and pass its lines or the ring to
 * the reader of that format.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "common/memory.h"
#include "format/ring/ring_file.h"
#include "model/build/build.h"
#include "model/parsed_event.h"
#include "model/private.h"
#include "read/load_private.h"
#include "read/reread.h"

/* Search this many bytes for the format. */
#define PEEK_BYTES 65536u

#define UTF8_MARK "\xef\xbb\xbf"

static enum tr2_input_form form_of_line(const char *line, size_t len)
{
	if (len >= 3 && !memcmp(line, UTF8_MARK, 3)) {
		line += 3;
		len -= 3;
	}
	if (tr2_event_json_looks(line, len))
		return TR2_FORM_EVENT;
	if (tr2_perf_text_looks(line, len))
		return TR2_FORM_PERF;
	return tr2_normal_text_looks(line, len) ? TR2_FORM_NORMAL :
						  TR2_FORM_OTHER;
}

/* Does the text begin with the mark of UTF-16, or with ASCII in UTF-16? Some
 * shells of Windows write UTF-16 to a file after `>`. */
static bool is_utf16(const char *text, size_t len)
{
	static const char marks[2][2] = { "\xff\xfe", "\xfe\xff" };

	return len >= 4 &&
	       (!memcmp(text, marks[0], 2) || !memcmp(text, marks[1], 2) ||
		(text[0] && !text[1] && text[2] && !text[3]) ||
		(!text[0] && text[1] && !text[2] && text[3]));
}

/* Return the format of the first line with a known format; garbage may precede
 * that line. */
static enum tr2_input_form form_of(struct tr2_lines *l)
{
	const char *text, *end, *newline;
	size_t len = tr2_lines_peek(l, &text, PEEK_BYTES);
	enum tr2_input_form form = len ? TR2_FORM_OTHER : TR2_FORM_EMPTY;

	if (tr2_ring_file_looks(text, len))
		return TR2_FORM_PIPED_RING;
	if (is_utf16(text, len))
		return TR2_FORM_UTF16;
	for (end = text + len; text < end; text = newline + 1) {
		newline = memchr(text, '\n', (size_t)(end - text));
		if (!newline)
			newline = end;
		form = form_of_line(text, (size_t)(newline - text));
		if (form != TR2_FORM_OTHER)
			break;
	}
	return form;
}

static void keep_line(struct tr2_model *m, const struct tr2_parsed_event *ev)
{
	struct tr2_line *line;

	tr2_grow(m->lines, m->nr_lines, m->priv->alloc_lines);
	line = &m->lines[m->nr_lines];
	tr2_line_set(line, m, ev);
	line->text = tr2_model_copy(m, ev->raw.p, ev->raw.len);
	line->order = m->nr_lines++;
}

void tr2_loader_event(void *data, struct tr2_model *m,
		      const struct tr2_parsed_event *ev)
{
	struct tr2_loader *l = data;

	if (l->load->flags & TR2_LOAD_LINES)
		keep_line(m, ev);
	if (l->load->event)
		l->load->event(l->load->data, m, ev);
}

static void note_end(struct tr2_loader *l, tr2_str source)
{
	struct tr2_lines *lines = &l->lines;
	char text[100];

	l->m->nr_bytes += lines->nr_bytes;
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

/* Read the lines in the buffer that have the usual form. */
static void read_usual_lines(struct tr2_loader *l)
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

/* Is the line blank? The library overwrites with blanks the part of a line that
 * a full disk accepted. */
static bool is_blank(const char *line, size_t len)
{
	while (len && line[len - 1] == ' ')
		len--;
	return !len;
}

static void end_begun(struct tr2_loader *l, bool last)
{
	if (l->begun.len)
		tr2_perf_reader_line(l->perf, l->begun.p, l->begun.len,
				     l->begun_number, last);
	tr2_buf_reset(&l->begun);
}

/* Is the line a message such as `fatal: …`? If events go to standard error, Git
 * also prints the message of an error there, after its event. */
static bool is_report(const char *line, size_t len)
{
	size_t i = 0;

	while (i < len && ((line[i] >= 'a' && line[i] <= 'z') ||
			   (line[i] >= 'A' && line[i] <= 'Z')))
		i++;
	return i && i < len && line[i] == ':';
}

/* Does the line continue the event in l->begun, instead of beginning another
 * event? */
static bool continues_event(const struct tr2_loader *l, const char *line,
			    size_t len)
{
	if (!l->begun.len || l->begun.len + len > TR2_LINE_MAX_BYTES ||
	    tr2_perf_text_looks(line, len))
		return false;
	return l->more == TR2_PERF_QUOTED ||
	       (!is_blank(line, len) && !is_report(line, len));
}

static void keep_begun(struct tr2_loader *l, const char *line, size_t len)
{
	tr2_buf_add(&l->begun, line, len);
	tr2_must(!l->begun.failed);
}

static void read_perf_line(struct tr2_loader *l, const char *line, size_t len,
			   bool last)
{
	if (continues_event(l, line, len)) {
		tr2_buf_addch(&l->begun, '\n');
		keep_begun(l, line, len);
		/* Look for the end only in a line with a quote: a quoted word
		 * ends only there. */
		if (last || (memchr(line, '\'', len) &&
			     tr2_perf_text_more(l->begun.p, l->begun.len) ==
				     TR2_PERF_WHOLE))
			end_begun(l, last);
		return;
	}
	end_begun(l, false);
	if (is_blank(line, len))
		return;
	l->more = last ? TR2_PERF_WHOLE : tr2_perf_text_more(line, len);
	if (l->more == TR2_PERF_WHOLE) {
		tr2_perf_reader_line(l->perf, line, len, l->lines.number, last);
		return;
	}
	l->begun_number = l->lines.number;
	keep_begun(l, line, len);
}

/* Read the next line in any form. Return false if the input has no more
 * lines. */
static bool read_one_line(struct tr2_loader *l, enum tr2_input_form form)
{
	const char *line;
	size_t len;
	enum tr2_lines_result got = tr2_lines_next(&l->lines, &line, &len);

	if (got == TR2_LINES_END) {
		end_begun(l, false);
		return false;
	}
	/* Skip the mark that editors and shells of Windows put before UTF-8. */
	if (l->lines.number == 1 && len >= 3 &&
	    !memcmp(line, UTF8_MARK, 3)) {
		line += 3;
		len -= 3;
	}
	if (form == TR2_FORM_PERF)
		read_perf_line(l, line, len, got == TR2_LINES_LAST);
	else if (!is_blank(line, len))
		tr2_event_reader_line(l->events, line, len, l->lines.number,
				      got == TR2_LINES_LAST);
	return true;
}

static void read_lines(struct tr2_loader *l, enum tr2_input_form form,
		       tr2_str source)
{
	bool more = true;

	tr2_event_reader_source(l->events, source);
	tr2_perf_reader_source(l->perf, source);
	while (more) {
		if (form == TR2_FORM_EVENT)
			read_usual_lines(l);
		more = read_one_line(l, form);
		if (form == TR2_FORM_EVENT || !(l->lines.number & 0xfff))
			tr2_progress_at(&l->progress,
					l->m->nr_bytes + l->lines.nr_bytes);
	}
	note_end(l, source);
}

static void read_ring(struct tr2_loader *l, int fd, const char *name,
		      tr2_str source)
{
	int pieces = tr2_ring_open_pieces(name);
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

const char *tr2_loader_why_not(enum tr2_input_form form)
{
	if (form == TR2_FORM_PIPED_RING)
		return "a ring is read from its file, not from a pipe";
	if (form == TR2_FORM_NORMAL)
		return "it is text of the normal target, which does not "
		       "identify processes: use GIT_TRACE2_EVENT instead";
	if (form == TR2_FORM_UTF16)
		return "it is text in UTF-16: convert it to UTF-8 first, by "
		       "'iconv -f UTF-16 -t UTF-8'";
	return "neither event JSON, nor perf text, nor a ring, nor a recording";
}

/* Read one open file, if it has EVENT or PERF lines or a ring. Set *form_out to
 * the file's format. */
void tr2_loader_read(struct tr2_loader *l, int fd, const char *name,
		     enum tr2_input_form *form_out)
{
	tr2_str source = tr2_intern(l->m, name, strlen(name));

	l->m->nr_files++;
	if (tr2_ring_file_is(fd)) {
		*form_out = TR2_FORM_RING;
		read_ring(l, fd, name, source);
		return;
	}
	tr2_lines_start(&l->lines, fd);
	*form_out = form_of(&l->lines);
	l->nr_empty += *form_out == TR2_FORM_EMPTY && !l->lines.error;
	if (l->lines.error)
		tr2_build_problem(l->m, TR2_PROBLEM_FILE, source, 0,
				  strerror(l->lines.error));
	else if (*form_out == TR2_FORM_EVENT || *form_out == TR2_FORM_PERF)
		read_lines(l, *form_out, source);
}
