/* SPDX-License-Identifier: MIT */
/*
 * filter - which processes, regions and events a choice takes: the same for
 * every command and export.
 */
#ifndef TR2_MODEL_FILTER_H
#define TR2_MODEL_FILTER_H

#include "common/filter.h"
#include "model/model.h"

/* Whether any option narrows the choice of processes. */
bool tr2_filter_on(const struct tr2_filter *f);
bool tr2_filter_node(const struct tr2_filter *f, const struct tr2_model *m,
		     uint32_t node);
/* A session is chosen when its process is; before the tree is made, as far as
 * that can be told of a session that goes on. */
bool tr2_filter_session(const struct tr2_filter *f, const struct tr2_model *m,
			uint32_t session);
/* A span of a chosen session: by its name, its time, its depth and when
 * it was. */
bool tr2_filter_span(const struct tr2_filter *f, const struct tr2_model *m,
		     uint32_t span);

/* An event, by its session and by when it was: what begins or ends a span as
 * the span is; of others none where regions are named, and where a time is given
 * only those that tell of a whole process. */
bool tr2_filter_event(const struct tr2_filter *f, const struct tr2_model *m,
		      const struct tr2_line *line);

/* How deep a node stands below those that are chosen, too. */
int tr2_filter_depth(const struct tr2_filter *f, const struct tr2_model *m,
		     uint32_t node);

#endif
