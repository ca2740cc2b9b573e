/* SPDX-License-Identifier: MIT */
/*
 * filter - the choice of processes and regions that the common options make
 * (tr2_common), the same for every command.
 */
#ifndef TR2_MODEL_FILTER_H
#define TR2_MODEL_FILTER_H

#include "model/model.h"

/* Whether any option narrows the choice of processes. */
bool tr2_filter_on(void);
bool tr2_filter_node(const struct tr2_model *m, uint32_t node);
/* A session is chosen when its process is. */
bool tr2_filter_session(const struct tr2_model *m, uint32_t session);
/* A span of a chosen session: by -N, -t, -D, --since and --until. */
bool tr2_filter_span(const struct tr2_model *m, uint32_t span);

/* How deep a node stands below those that are chosen, too. */
int tr2_filter_depth(const struct tr2_model *m, uint32_t node);

#endif
