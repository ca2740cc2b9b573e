/* SPDX-License-Identifier: MIT */
/*
 * frames - the stacks of a flame graph as a tree, for the formats that show
 * them. A stack is the chain of processes, then (of threads other than main)
 * the thread, then the regions; a frame has the time that is nobody's below
 * it. A shell or wrapper that is called like the program it ran is one with
 * it. What it cost to start a process is "[spawn]" in it. Names hold neither
 * semicolons nor control characters.
 */
#ifndef TR2_EXPORT_FRAMES_H
#define TR2_EXPORT_FRAMES_H

#include "common/map.h"
#include "export/export.h"
#include "model/model.h"

struct tr2_frame {
	uint32_t parent, first, last, next;
	tr2_str name; /* 0: not known */
	int64_t ns;
	size_t path_len; /* the caller's */
};

/* Element 0 is the root, and no frame. Zeroed before tr2_frames_begin(). */
struct tr2_frames {
	struct tr2_frame *frames;
	uint32_t nr, alloc;
	struct tr2_map by_name; /* (parent, name) to frame */
	uint32_t *of_node, *of_span;
	int64_t *self_ns; /* of spans: tr2_model_self_times() */
	uint32_t at;      /* the thread's, or its process's frame */
};

/* Processes that are not chosen keep their place in the stacks of others.
 * false: an error was printed. Release it either way. */
bool tr2_frames_begin(struct tr2_frames *f, struct tr2_export *x);
void tr2_frames_release(struct tr2_frames *f);

/* From the format's operations of these names. They use x->text. */
void tr2_frames_node(struct tr2_frames *f, struct tr2_export *x, uint32_t i);
void tr2_frames_thread(struct tr2_frames *f, struct tr2_export *x, uint32_t i);
void tr2_frames_span(struct tr2_frames *f, struct tr2_export *x, uint32_t i);

#endif
