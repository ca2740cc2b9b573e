/* SPDX-License-Identifier: MIT */
/*
 * perf_text - read lines of the perf target, full and brief, into the model.
 *
 * Perf text has no session ids: a process is identified by its depth and its
 * start (the line's time minus its t_abs). The reader makes up ids, which show
 * the parents that follow from the depths. Lines with both times belong to the
 * process of their depth with the same start. Other lines belong to the process
 * of their depth that wrote last.
 */
#pragma once

#include "format/events/event_json.h"

struct tr2_perf_reader;

struct tr2_perf_reader *tr2_perf_reader_new(struct tr2_model *m,
					    tr2_event_fn *fn, void *data);
void tr2_perf_reader_free(struct tr2_perf_reader *r);
void tr2_perf_reader_source(struct tr2_perf_reader *r, tr2_str source);

/* Parse a line as tr2_event_reader_line() does. */
bool tr2_perf_reader_line(struct tr2_perf_reader *r, const char *line,
			  size_t len, uint64_t number, bool last);

/* Parse the line into `ev`; add nothing to the model. regions: the number of
 * open regions around the event. */
bool tr2_perf_reader_parse(struct tr2_perf_reader *r, const char *line,
			   size_t len, unsigned int regions,
			   struct tr2_parsed_event *ev);

enum tr2_perf_more {
	TR2_PERF_WHOLE,
	TR2_PERF_QUOTED, /* a quoted word of a command continues in the next
			  * line */
	TR2_PERF_ERROR   /* the line is an error: its text may continue in the
			  * next line */
};

/* Does the event continue after this line? Git writes newlines in texts
 * unescaped. */
enum tr2_perf_more tr2_perf_text_more(const char *line, size_t len);
bool tr2_perf_text_looks(const char *line, size_t len);
bool tr2_normal_text_looks(const char *line, size_t len);
