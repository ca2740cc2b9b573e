/* SPDX-License-Identifier: MIT */
/*
 * frames - the stacks of a flame graph as a tree, for the formats that show
 * them. A stack is the chain of processes, then (for threads other than main)
 * the thread, then the regions; a frame has the time that is in no frame below
 * it. A shell or wrapper with the same name as the program it ran shares its
 * frame. The cost of starting a process is its frame "[spawn]". With states
 * (export/profile/frames_states.h), values are what threads did. Names contain neither
 * semicolons nor control characters.
 */
#pragma once

#include "common/map.h"
#include "export/export.h"
#include "model/model.h"

struct tr2_frame {
	uint32_t parent, first, last, next;
	tr2_str name; /* 0: unknown */
	int64_t ns;
	size_t path_len; /* for use by the caller */
};

/* Element 0 is the root, which is no frame. Zero it before
 * tr2_frames_begin(). */
struct tr2_frames {
	struct tr2_frame *frames;
	uint32_t nr, alloc;
	struct tr2_map by_name; /* (parent, name) to frame */
	uint32_t *of_node, *of_span;
	int64_t *self_ns; /* by span: tr2_own_sums() */
	/* the current frame: the thread's, or its process's */
	uint32_t at;
	struct tr2_frames_states *states; /* NULL: without */
};

/* Processes that are not selected keep their place in the stacks of others. */
void tr2_frames_begin(struct tr2_frames *f, struct tr2_export *x, bool states);
/* Call it after the walk, before the frames are used. */
void tr2_frames_end(struct tr2_frames *f, struct tr2_export *x);
void tr2_frames_release(struct tr2_frames *f);

/* Call these from the format's operations of the same names. They use
 * x->text. */
void tr2_frames_node(struct tr2_frames *f, struct tr2_export *x, uint32_t i);
void tr2_frames_thread(struct tr2_frames *f, struct tr2_export *x, uint32_t i);
void tr2_frames_span(struct tr2_frames *f, struct tr2_export *x, uint32_t i);

/* Return the frame below `parent` with the name in x->text, adding it if
 * needed. */
uint32_t tr2_frames_below(struct tr2_frames *f, struct tr2_export *x,
			  uint32_t parent);
void tr2_frames_add(struct tr2_frames *f, uint32_t frame, int64_t ns);
