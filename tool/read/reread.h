/* SPDX-License-Identifier: MIT */
/*
 * reread - keep events as lines, and parse those lines again after loading, for
 * commands that show events one by one.
 */
#pragma once

#include "model/model.h"
#include "model/parsed_event.h"

/* Set *line to the event that was last added to the model. The text belongs to
 * the reader; the caller sets `order`. */
void tr2_line_set(struct tr2_line *line, const struct tr2_model *m,
		  const struct tr2_parsed_event *ev);

struct tr2_reread;

struct tr2_reread *tr2_reread_new(struct tr2_model *m);
void tr2_reread_free(struct tr2_reread *r);

/* Parse the line's event, which is valid until the next call. Return false if
 * the line cannot be parsed. */
bool tr2_reread(struct tr2_reread *r, const struct tr2_line *line,
		struct tr2_parsed_event *ev);
