/* SPDX-License-Identifier: MIT */
/*
 * requests - turn the lines of trees that have ended into requests for a
 * collector, as `trace2 export --to otlp` would.
 */
#ifndef TR2_RECORD_FORWARD_REQUESTS_H
#define TR2_RECORD_FORWARD_REQUESTS_H

#include "export/sampling.h"
#include "record/forward/sender.h"
#include "record/forward/trees.h"

struct tr2_requests {
	struct tr2_tree_sampling sampling; /* with its counts */
	bool redact;
	struct tr2_sender *sender; /* which gets the requests */
	struct tr2_buf text, host; /* of one tree; of this machine */
};

void tr2_requests_init(struct tr2_requests *r);
void tr2_requests_release(struct tr2_requests *r);
/* Take trees of so many bytes, or one, and render them. false: there was none. */
bool tr2_requests_of_trees(struct tr2_requests *r, struct tr2_trees *trees,
		      size_t bytes);

#endif
