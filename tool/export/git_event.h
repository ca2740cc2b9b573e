/* SPDX-License-Identifier: MIT */
/*
 * git_event - write one event in the form of Git's event target, whatever the
 * format of the input. Each line begins with event, sid, thread and time, even
 * if the input is brief or foreign. The other members follow in their original
 * order.
 */
#pragma once

#include "export/export.h"

struct tr2_git_event;

/* Create a writer to x->sink.buf that hides secrets if x->opt requires it. */
struct tr2_git_event *tr2_git_event_new(struct tr2_export *x);
void tr2_git_event_free(struct tr2_git_event *g);

/* Append the event as a line. Parts of perf text that have no member in the
 * event target are omitted. */
void tr2_git_event_add(struct tr2_git_event *g, const struct tr2_line *line);
