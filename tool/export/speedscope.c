/* SPDX-License-Identifier: MIT */
/*
 * speedscope - the file format of www.speedscope.app, with two profiles that
 * fit its views:
 *
 * - the critical path: time goes from left to right, the stack is the chain of
 *   processes and regions, and at its end is what the path waited for. Nothing
 *   on it ran side by side, so it is one profile, however many processes there
 *   are;
 * - all threads: the stacks of folded, added up, with states if there are any.
 */
#include <stdlib.h>

#include "common/map.h"
#include "common/memory.h"
#include "export/frames.h"
#include "model/critical.h"
#include "model/states.h"

/* One level of the stack: a process, a region, or a state. */
struct level {
	uint32_t node, span;
	int state;
	uint32_t frame;
};

struct speedscope {
	struct tr2_frames frames;
	struct tr2_map by_name; /* to number + 1 */
	struct tr2_buf shared, events;
	uint32_t nr_frames;
	struct level *stack, *next;
	uint32_t depth, alloc, next_depth, next_alloc;
	bool any;
};

/* Return the number of the frame with the name in x->text. */
static uint32_t frame_named(struct tr2_export *x)
{
	struct speedscope *s = x->state;
	tr2_str name = tr2_intern(x->m, tr2_buf_str(&x->text), x->text.len);
	uint32_t *slot = tr2_map_slot(&s->by_name, tr2_key(1, name));

	if (*slot)
		return *slot - 1;
	*slot = ++s->nr_frames;
	tr2_buf_addstr(&s->shared, *slot > 1 ? ",{\"name\":" : "{\"name\":");
	tr2_json_add_string(&s->shared, name ? tr2_s(x->m, name) : "?");
	tr2_buf_addch(&s->shared, '}');
	return *slot - 1;
}

static void add_us(struct tr2_buf *b, int64_t ns)
{
	tr2_buf_add_u64(b, (uint64_t)ns / 1000);
	tr2_buf_addch(b, '.');
	tr2_buf_add_digits(b, (uint64_t)ns % 1000, 3);
}

static void push(struct tr2_export *x, uint32_t node, uint32_t span, int state)
{
	struct speedscope *s = x->state;

	tr2_grow(s->next, s->next_depth, s->next_alloc);
	s->next[s->next_depth++] =
		(struct level){ node, span, state, frame_named(x) };
}

static void push_nodes(struct tr2_export *x, uint32_t node)
{
	if (!node)
		return;
	push_nodes(x, x->m->nodes[node].parent);
	tr2_buf_reset(&x->text);
	tr2_export_node_name(x, &x->text, node);
	push(x, node, 0, 0);
}

static void push_regions(struct tr2_export *x, uint32_t node, uint32_t span)
{
	if (!span)
		return;
	push_regions(x, node, x->m->spans[span].parent);
	tr2_buf_reset(&x->text);
	tr2_export_span_name(x, &x->text, span);
	push(x, node, span, 0);
}

static void push_state(struct tr2_export *x, const struct tr2_path_piece *p)
{
	bool waits = p->kind == TR2_STEP_WAIT;

	if (p->kind != TR2_STEP_READY && !waits)
		return;
	tr2_buf_reset(&x->text);
	tr2_buf_addall(&x->text, waits ? "[wait " : "[ready",
		       waits ? tr2_cause_name(p->cause) : "", "]");
	push(x, p->node, p->span, waits ? 2 + p->cause : 1);
}

static void add_event(struct speedscope *s, const char *type, uint32_t frame,
		      int64_t at_ns)
{
	tr2_buf_addall(&s->events, s->any ? ",{\"type\":\"" : "{\"type\":\"",
		       type, "\",\"frame\":");
	tr2_buf_add_u64(&s->events, frame);
	tr2_buf_addlit(&s->events, ",\"at\":");
	add_us(&s->events, at_ns);
	tr2_buf_addch(&s->events, '}');
	s->any = true;
}

/* Close the levels that end here, open those that begin. */
static void go_to_next(struct speedscope *s, int64_t at_ns)
{
	struct level *before = s->stack;
	uint32_t same = 0, i = s->alloc;

	while (same < s->depth && same < s->next_depth &&
	       s->stack[same].node == s->next[same].node &&
	       s->stack[same].span == s->next[same].span &&
	       s->stack[same].state == s->next[same].state)
		same++;
	while (s->depth > same)
		add_event(s, "C", s->stack[--s->depth].frame, at_ns);
	for (; same < s->next_depth; same++)
		add_event(s, "O", s->next[same].frame, at_ns);
	s->stack = s->next;
	s->depth = s->next_depth;
	s->alloc = s->next_alloc;
	s->next = before;
	s->next_alloc = i;
}

/* Write the profile of the path; return its length. */
static int64_t add_path(struct tr2_export *x)
{
	struct speedscope *s = x->state;
	uint32_t root = tr2_longest_root(x->m);
	struct tr2_path_piece *pieces = NULL;
	size_t nr = root ? tr2_critical_pieces(x->m, root, &pieces) : 0, i;
	int64_t first_ns = nr ? pieces[0].start_ns : 0, length_ns = 0;

	for (i = 0; i < nr; i++) {
		s->next_depth = 0;
		push_nodes(x, pieces[i].node);
		push_regions(x, pieces[i].node, pieces[i].span);
		push_state(x, &pieces[i]);
		go_to_next(s, pieces[i].start_ns - first_ns);
		length_ns = pieces[i].end_ns - first_ns;
	}
	s->next_depth = 0;
	go_to_next(s, length_ns);
	free(pieces);
	return length_ns;
}

static void add_stack(struct tr2_export *x, struct tr2_buf *b, uint32_t frame)
{
	struct speedscope *s = x->state;
	struct tr2_frame *f = &s->frames.frames[frame];

	if (!frame)
		return;
	add_stack(x, b, f->parent);
	tr2_buf_reset(&x->text);
	tr2_buf_addstr(&x->text, f->name ? tr2_s(x->m, f->name) : "?");
	if (f->parent)
		tr2_buf_addch(b, ',');
	tr2_buf_add_u64(b, frame_named(x));
}

/* Append samples and weights of all threads; return the sum. */
static int64_t add_threads(struct tr2_export *x, struct tr2_buf *samples,
			   struct tr2_buf *weights)
{
	struct speedscope *s = x->state;
	int64_t sum_ns = 0;
	uint32_t i;

	for (i = 1; i < s->frames.nr; i++) {
		int64_t ns = s->frames.frames[i].ns;

		if (ns <= 0)
			continue;
		tr2_buf_addstr(samples, sum_ns ? ",[" : "[");
		add_stack(x, samples, i);
		tr2_buf_addch(samples, ']');
		tr2_buf_addstr(weights, sum_ns ? "," : "");
		add_us(weights, ns);
		tr2_ns_add(&sum_ns, ns);
	}
	return sum_ns;
}

static void open_profile(struct tr2_buf *b, const char *type, const char *name,
			 int64_t length_ns)
{
	tr2_buf_addall(b, "{\"type\":\"", type, "\",\"name\":\"", name);
	tr2_buf_addlit(b, "\",\"unit\":\"microseconds\",\"startValue\":0,"
			  "\"endValue\":");
	add_us(b, length_ns);
}

static void print(struct tr2_export *x)
{
	struct speedscope *s = x->state;
	struct tr2_buf *b = &x->sink.buf, samples = TR2_BUF_INIT,
		       weights = TR2_BUF_INIT;
	int64_t path_ns = add_path(x);
	int64_t sum_ns = add_threads(x, &samples, &weights);

	tr2_must(!s->shared.failed && !s->events.failed && !samples.failed &&
		 !weights.failed);
	tr2_buf_addlit(b, "{\"$schema\":\"https://www.speedscope.app/"
			  "file-format-schema.json\",\"exporter\":\"trace2\","
			  "\"activeProfileIndex\":0,\"shared\":{\"frames\":[");
	tr2_buf_add(b, s->shared.p, s->shared.len);
	tr2_buf_addlit(b, "]},\"profiles\":[");
	open_profile(b, "evented", "critical path", path_ns);
	tr2_buf_addlit(b, ",\"events\":[");
	tr2_buf_add(b, s->events.p, s->events.len);
	tr2_buf_addlit(b, "]},");
	open_profile(b, "sampled", "all threads", sum_ns);
	tr2_buf_addlit(b, ",\"samples\":[");
	tr2_buf_add(b, samples.p, samples.len);
	tr2_buf_addlit(b, "],\"weights\":[");
	tr2_buf_add(b, weights.p, weights.len);
	tr2_buf_addlit(b, "]}]}\n");
	tr2_buf_release(&samples);
	tr2_buf_release(&weights);
}

static bool begin(struct tr2_export *x)
{
	struct speedscope *s = tr2_calloc(1, sizeof(*s));

	x->state = s;
	tr2_frames_begin(&s->frames, x, x->m->has_states);
	return true;
}

static bool end(struct tr2_export *x)
{
	struct speedscope *s = x->state;

	if (!x->failed) {
		tr2_frames_end(&s->frames, x);
		print(x);
	}
	tr2_frames_release(&s->frames);
	tr2_map_release(&s->by_name);
	tr2_buf_release(&s->shared);
	tr2_buf_release(&s->events);
	free(s->stack);
	free(s->next);
	free(s);
	return true;
}

static void node(struct tr2_export *x, uint32_t i)
{
	struct speedscope *s = x->state;

	tr2_frames_node(&s->frames, x, i);
}

static void thread(struct tr2_export *x, uint32_t i)
{
	struct speedscope *s = x->state;

	tr2_frames_thread(&s->frames, x, i);
}

static void span(struct tr2_export *x, uint32_t i)
{
	struct speedscope *s = x->state;

	tr2_frames_span(&s->frames, x, i);
}

const struct tr2_export_format tr2_export_speedscope = {
	.begin = begin,
	.end = end,
	.node = node,
	.thread = thread,
	.span = span,
};
