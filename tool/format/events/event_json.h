/* SPDX-License-Identifier: MIT */
/*
 * event_json - read lines of the event target, by libtrace2 or Git, into the
 * model.
 */
#pragma once

#include "format/read.h"

struct tr2_event_reader;

struct tr2_event_reader *tr2_event_reader_new(struct tr2_model *m,
					      tr2_event_fn *fn, void *data);
void tr2_event_reader_free(struct tr2_event_reader *r);

/* Set the file from which the next lines come. */
void tr2_event_reader_source(struct tr2_event_reader *r, tr2_str source);

/*
 * Parse the first line of text and add it, if the fast reader accepts it, as is
 * usual. Return the line's length without the newline; 0: pass the line to
 * tr2_event_reader_line(). end[-1] must be a newline, of this line or of a
 * later one, and TR2_JSON_PADDING more bytes must be readable.
 */
size_t tr2_event_reader_next(struct tr2_event_reader *r, const char *text,
			     const char *end, uint64_t number);

/* Parse any line and add it. line[len] must be its newline, and
 * TR2_JSON_PADDING more bytes must be readable. last: the input ends here
 * without a newline, so a bad line counts as cut. Return false after noting a
 * problem, if the line is not an event. */
bool tr2_event_reader_line(struct tr2_event_reader *r, const char *line,
			   size_t len, uint64_t number, bool last);

/* Parse the line into `ev`. Add nothing to the model. */
bool tr2_event_reader_parse(struct tr2_event_reader *r, const char *line,
			    size_t len, struct tr2_parsed_event *ev);

/* Does the text begin like an event? Used to detect a file's format. */
bool tr2_event_json_looks(const char *text, size_t len);

/* Find the session id in a line that need not be valid; *sid is not
 * terminated. */
bool tr2_event_json_sid(const char *line, size_t len, const char **sid,
			size_t *sid_len);

struct tr2_json_value;
/* Append INT, UINT and BOOL as text; append nothing for other types. */
void tr2_json_add_scalar(struct tr2_buf *b, const struct tr2_json_value *v);
