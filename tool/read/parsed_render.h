/* SPDX-License-Identifier: MIT */
/*
 * parsed_render - an event that was read, as a line of any of Git's formats.
 * The library's renderers write it; here its fields become the library's.
 */
#ifndef TR2_READ_PARSED_RENDER_H
#define TR2_READ_PARSED_RENDER_H

#include "event/render.h"
#include "model/model.h"
#include "model/parsed_event.h"

/* Zeroed is initialised. */
struct tr2_parsed_render {
	struct tr2_event event;   /* the last one */
	struct tr2_render render; /* its lines */
	struct tr2_who who;
	struct tr2_value values[TR2_MAX_FIELDS];
	struct tr2_buf text, head, perf_head, words;
};

/*
 * Fills r->event from `ev`, which is of a known kind; `nesting` is 1 + the
 * open regions of its thread. It lasts until the next call. Of a histogram it
 * has the numbers, where the reader has them. false: no memory.
 */
bool tr2_parsed_render_set(struct tr2_parsed_render *r,
			   const struct tr2_model *m,
			   const struct tr2_parsed_event *ev,
			   unsigned int nesting);
void tr2_parsed_render_release(struct tr2_parsed_render *r);

#endif
