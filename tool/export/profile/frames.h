/* SPDX-License-Identifier: MIT */
/*
 * frames - the stacks of a flame graph as a tree, for the formats that show
 * them.
 *
 * A stack is the chain of processes, then (for threads other than main) the
 * thread, then the regions. A frame has the time that is in no frame below it.
 * A shell or wrapper with the same name as the program that it ran shares its
 * frame. The cost of starting a process is its frame "[spawn]".
 *
 * With states (export/profile/frames_states.h), values are the time of threads'
 * states. Names contain neither semicolons nor control characters.
 */
#pragma once

#include "common/map.h"
#include "export/export.h"
#include "model/model.h"

struct tr2_frame {
	uint32_t parent, first, last, next;
	tr2_str name; /* 0: unknown */
	int64_t ns;
	size_t path_len; /* length of the frame's path, for use by the caller */
};

/* The tree of frames. Element 0 is the root, which is not a frame. Set the
 * struct to zeros before tr2_frames_begin(). */
struct tr2_frames {
	struct tr2_frame *frames;
	uint32_t nr, alloc;
	struct tr2_map by_name; /* maps (parent, name) to a frame */
	uint32_t *of_node, *of_span;
	int64_t *self_ns; /* by span: own time, from tr2_own_sums() */
	/* the current frame: of a thread, or of its process */
	uint32_t at;
	struct tr2_frames_states *states; /* NULL: without states */
};

/* Make the frames of processes. A process that is not selected keeps its place
 * in the stacks of others. */
void tr2_frames_begin(struct tr2_frames *f, struct tr2_export *x, bool states);
/* Finish the frames. Call this after the walk, before the frames are used. */
void tr2_frames_end(struct tr2_frames *f, struct tr2_export *x);
void tr2_frames_release(struct tr2_frames *f);

/* Call these functions from the format's operations of the same names. The
 * functions use x->text. */
void tr2_frames_node(struct tr2_frames *f, struct tr2_export *x, uint32_t i);
void tr2_frames_thread(struct tr2_frames *f, struct tr2_export *x, uint32_t i);
void tr2_frames_span(struct tr2_frames *f, struct tr2_export *x, uint32_t i);

/* Return the frame below `parent` with the name in x->text. Add it if
 * necessary. */
uint32_t tr2_frames_below(struct tr2_frames *f, struct tr2_export *x,
			  uint32_t parent);
void tr2_frames_add(struct tr2_frames *f, uint32_t frame, int64_t ns);
