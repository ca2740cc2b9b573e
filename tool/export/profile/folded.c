/* SPDX-License-Identifier: MIT */
/*
 * folded - stacks for flame graphs, one per line with its microseconds:
 *
 *	clone;upload-pack;pack-objects 13427
 *	clone;index-pack;[wait pipe] 180211		(--states)
 *
 * export/profile/frames.h describes the stacks.
 */
#include <stdlib.h>

#include "common/memory.h"
#include "common/say.h"
#include "export/profile/frames.h"

static void print_frame(struct tr2_export *x, struct tr2_frame *fr)
{
	struct tr2_frames *f = x->state;
	struct tr2_buf *path = &x->text, *b = &x->sink.buf;
	uint64_t us = ((uint64_t)fr->ns + 500) / 1000;

	path->len = fr->parent ? f->frames[fr->parent].path_len : 0;
	if (fr->parent)
		tr2_buf_addch(path, ';');
	tr2_buf_addstr(path, fr->name ? tr2_s(x->m, fr->name) : "?");
	fr->path_len = path->len;
	if (!us)
		return;
	tr2_buf_add(b, path->p, path->len);
	tr2_buf_addch(b, ' ');
	tr2_buf_add_u64(b, us);
	tr2_buf_addch(b, '\n');
	tr2_sink_step(&x->sink);
}

static void print_frames(struct tr2_export *x)
{
	struct tr2_frames *f = x->state;
	uint32_t i = f->frames[0].first;

	tr2_buf_reset(&x->text);
	while (i && !x->sink.failed) {
		print_frame(x, &f->frames[i]);
		if (f->frames[i].first) {
			i = f->frames[i].first;
			continue;
		}
		while (i && !f->frames[i].next)
			i = f->frames[i].parent;
		if (i)
			i = f->frames[i].next;
	}
}

static bool end_folded(struct tr2_export *x)
{
	struct tr2_frames *f = x->state;

	if (!x->failed) {
		tr2_frames_end(f, x);
		print_frames(x);
	}
	tr2_frames_release(f);
	free(f);
	return true;
}

static bool begin_folded(struct tr2_export *x)
{
	x->state = tr2_calloc(1, sizeof(struct tr2_frames));
	if (x->opt->states && !x->m->has_states)
		tr2_warning("no states of threads in this recording: --states "
			    "has no effect");
	tr2_frames_begin(x->state, x, x->opt->states);
	return true;
}

static void fold_node(struct tr2_export *x, uint32_t i)
{
	tr2_frames_node(x->state, x, i);
}

static void fold_thread(struct tr2_export *x, uint32_t i)
{
	tr2_frames_thread(x->state, x, i);
}

static void fold_span(struct tr2_export *x, uint32_t i)
{
	tr2_frames_span(x->state, x, i);
}

const struct tr2_export_format tr2_export_folded = {
	.begin = begin_folded,
	.end = end_folded,
	.node = fold_node,
	.thread = fold_thread,
	.span = fold_span,
};
