/* SPDX-License-Identifier: MIT */
/*
 * reread - events as lines that are kept, and those lines read again when all
 * is loaded: for those who show events one by one.
 */
#ifndef TR2_READ_REREAD_H
#define TR2_READ_REREAD_H

#include "model/model.h"
#include "model/parsed_event.h"

/* Describes the event that was added to the model last. The text remains the
 * reader's; `order` is the caller's. */
void tr2_line_set(struct tr2_line *line, const struct tr2_model *m,
		  const struct tr2_parsed_event *ev);

struct tr2_reread;

struct tr2_reread *tr2_reread_new(struct tr2_model *m); /* NULL: no memory */
void tr2_reread_free(struct tr2_reread *r);

/* The event of a line, which lasts until the next call. false: it cannot be
 * read, or there is no memory. */
bool tr2_reread(struct tr2_reread *r, const struct tr2_line *line,
		struct tr2_parsed_event *ev);

#endif
