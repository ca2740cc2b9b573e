/* SPDX-License-Identifier: MIT */
/*
 * parsed_render - render a parsed event as a line of any of Git's formats. The
 * event's fields are converted to those of the library, and the library's
 * renderers write the line.
 */
#pragma once

#include "event/render.h"
#include "model/model.h"
#include "model/parsed_event.h"

/* Initialize this with zeros. */
struct tr2_parsed_render {
	struct tr2_event event;   /* the last event */
	struct tr2_render render; /* the lines of `event` */
	struct tr2_emitter emitter;
	struct tr2_value values[TR2_MAX_FIELDS];
	struct tr2_buf text, head, perf_head, words;
};

/* Set r->event from `ev`, whose kind is known. nesting: 1 + the number of open
 * regions of the event's thread. r->event is valid until the next call. Numbers
 * of a histogram are set if the reader parsed them. */
void tr2_parsed_render_set(struct tr2_parsed_render *r,
			   const struct tr2_model *m,
			   const struct tr2_parsed_event *ev,
			   unsigned int nesting);
void tr2_parsed_render_release(struct tr2_parsed_render *r);
