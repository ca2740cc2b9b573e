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

/* Set the name of the file from which the next lines come. */
void tr2_event_reader_source(struct tr2_event_reader *r, tr2_str source);

/*
 * Parse the first line of the text and add the event, if the fast reader
 * accepts the line, as it mostly does. Return the line's length without the
 * newline; 0: pass the line to tr2_event_reader_line(). end[-1] must be the
 * newline of this or a later line, and TR2_JSON_PADDING more bytes must be
 * readable.
 */
size_t tr2_event_reader_next(struct tr2_event_reader *r, const char *text,
			     const char *end, uint64_t number);

/* Parse any line and add the event. line[len] must be the line's newline, and
 * TR2_JSON_PADDING more bytes must be readable. last: the input ends here
 * without a newline, so a bad line counts as cut. If the line is not an event,
 * note a problem and return false. */
bool tr2_event_reader_line(struct tr2_event_reader *r, const char *line,
			   size_t len, uint64_t number, bool last);

/* Parse the line into `ev`. Add nothing to the model. */
bool tr2_event_reader_parse(struct tr2_event_reader *r, const char *line,
			    size_t len, struct tr2_parsed_event *ev);

/* Does the text begin like an event? Used to detect a file's format. */
bool tr2_event_json_looks(const char *text, size_t len);

/* Find the session id in a line, which need not be valid. *sid does not end
 * with a NUL. */
bool tr2_event_json_sid(const char *line, size_t len, const char **sid,
			size_t *sid_len);

struct tr2_json_value;
/* Append a value of type INT, UINT or BOOL as text. Append nothing for other
 * types. */
void tr2_json_add_scalar(struct tr2_buf *b, const struct tr2_json_value *v);
