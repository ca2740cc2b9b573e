/* SPDX-License-Identifier: MIT */
/*
 * git_event - one event in the form of Git's event target, from whatever was
 * read. It begins with event, sid, thread and time, and has the rest of its
 * members in the order in which they came, so that what consumers rely on holds
 * for brief streams and streams of others, too.
 */
#ifndef TR2_EXPORT_GIT_EVENT_H
#define TR2_EXPORT_GIT_EVENT_H

#include "export/export.h"

struct tr2_git_event;

/* Writes to x->sink.buf, and hides secrets where x->opt says so. NULL: no
 * memory, or no JSON parser was built in. */
struct tr2_git_event *tr2_git_event_new(struct tr2_export *x);
void tr2_git_event_free(struct tr2_git_event *g);

/* Appends the event as a line. Of perf text, what has no place in the event
 * target is left out. */
void tr2_git_event_add(struct tr2_git_event *g, const struct tr2_line *line);

#endif
