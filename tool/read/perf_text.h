/* SPDX-License-Identifier: MIT */
/*
 * perf_text - lines of the perf target, full and brief, into the model.
 *
 * Perf text has no session ids: a process is known by its depth and by when it
 * started (the line's time less its t_abs). Ids are made up, and hold the
 * parenthood that the depths tell. Two processes of one depth at once are told
 * apart by their start where a line has both times; other lines count for the
 * one that spoke last.
 */
#ifndef TR2_READ_PERF_TEXT_H
#define TR2_READ_PERF_TEXT_H

#include "read/event_json.h"

struct tr2_perf_reader;

struct tr2_perf_reader *tr2_perf_reader_new(struct tr2_model *m,
					    tr2_event_fn *fn, void *data);
void tr2_perf_reader_free(struct tr2_perf_reader *r);
void tr2_perf_reader_source(struct tr2_perf_reader *r, tr2_str source);

/* As tr2_event_reader_line(). */
enum tr2_line_result tr2_perf_reader_line(struct tr2_perf_reader *r,
					  const char *line, size_t len,
					  uint64_t number, bool last);

/* The same line again, into `ev` alone; `regions` were around it. */
bool tr2_perf_reader_parse(struct tr2_perf_reader *r, const char *line,
			   size_t len, unsigned int regions,
			   struct tr2_parsed_event *ev);

bool tr2_perf_text_looks(const char *line, size_t len);
bool tr2_normal_text_looks(const char *line, size_t len);

#endif
