/* SPDX-License-Identifier: MIT */
/*
 * event_json - lines of the event target (and of Git's) into the model.
 */
#ifndef TR2_READ_EVENT_JSON_H
#define TR2_READ_EVENT_JSON_H

#include "read/read.h"

struct tr2_event_reader;

/* NULL: no memory, or no JSON parser was built in (an error was printed). */
struct tr2_event_reader *tr2_event_reader_new(struct tr2_model *m,
					      tr2_event_fn *fn, void *data);
void tr2_event_reader_free(struct tr2_event_reader *r);

/* The file that the next lines come from. */
void tr2_event_reader_source(struct tr2_event_reader *r, tr2_str source);

enum tr2_line_result {
	TR2_LINE_OK,
	TR2_LINE_BAD,  /* not an event; noted as a problem unless it is the
			  last, which the caller says */
	TR2_LINE_NO_MEMORY
};

/*
 * The usual way: the first line of text, when it is written as almost all are.
 * Returns its length without the newline, and what became of it in *result; 0:
 * it is for tr2_event_reader_line(). end[-1] must be a newline, this line's or
 * another's, and TR2_JSON_PADDING more bytes readable.
 */
size_t tr2_event_reader_next(struct tr2_event_reader *r, const char *text,
			     const char *end, uint64_t number,
			     enum tr2_line_result *result);

/*
 * Any line, without its newline. line[len] must be a newline, and
 * TR2_JSON_PADDING more bytes readable. `last`: the input ends here without a
 * newline, so that a bad line is one that was cut.
 */
enum tr2_line_result tr2_event_reader_line(struct tr2_event_reader *r,
					   const char *line, size_t len,
					   uint64_t number, bool last);

/* The same line again, into `ev` alone: nothing is added to the model. */
bool tr2_event_reader_parse(struct tr2_event_reader *r, const char *line,
			    size_t len, struct tr2_parsed_event *ev);

/* Whether the text begins like an event; for telling files apart. */
bool tr2_event_json_looks(const char *text, size_t len);

/* `YYYY-MM-DDTHH:MM:SS.uuuuuuZ` in microseconds since 1970; false: it is not
 * one, or before 1970 or past 2115. */
bool tr2_parse_time(const char *s, size_t len, int64_t *wall_us);

#endif
