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
#include "export/profile/frames.h"
#include "model/path/critical.h"
#include "model/states.h"

/* One level of the stack: a process, a region, or a state. */
struct level {
	uint32_t node, span; /* 0: another level */
	/* READY is 1, a cause of WAIT 2 and more; 0: none */
	unsigned int state;
	uint32_t frame;
};

struct speedscope {
	struct tr2_frames frames;
	struct tr2_map by_name; /* to number + 1 */
	struct tr2_buf shared, events;
	uint32_t nr_frames;
	struct level *stack;
	uint32_t depth, alloc;
	/* 1 + the level of each on the stack; 0: not there. */
	uint32_t *of_node, *of_span;
	struct level *inner; /* to be opened, the innermost first */
	uint32_t nr_inner, alloc_inner;
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

static void add_name(struct tr2_export *x, const struct level *level)
{
	bool waits = level->state > 1;

	tr2_buf_reset(&x->text);
	if (level->node)
		tr2_export_node_name(x, &x->text, level->node);
	else if (level->span)
		tr2_export_span_name(x, &x->text, level->span);
	else
		tr2_buf_addall(&x->text, waits ? "[wait " : "[ready",
			       waits ? tr2_cause_name((int)level->state - 2) :
				       "", "]");
}

static void open_level(struct tr2_export *x, struct level level, int64_t at_ns)
{
	struct speedscope *s = x->state;

	add_name(x, &level);
	level.frame = frame_named(x);
	add_event(s, "O", level.frame, at_ns);
	tr2_grow(s->stack, s->depth, s->alloc);
	s->stack[s->depth++] = level;
	s->of_node[level.node] = level.node ? s->depth : 0;
	s->of_span[level.span] = level.span ? s->depth : 0;
}

static void close_levels(struct speedscope *s, uint32_t depth, int64_t at_ns)
{
	while (s->depth > depth) {
		const struct level *level = &s->stack[--s->depth];

		add_event(s, "C", level->frame, at_ns);
		s->of_node[level->node] = s->of_span[level->span] = 0;
	}
}

static void add_inner(struct speedscope *s, struct level level)
{
	tr2_grow(s->inner, s->nr_inner, s->alloc_inner);
	s->inner[s->nr_inner++] = level;
}

static unsigned int state_of(const struct tr2_path_piece *p)
{
	return p->kind == TR2_STEP_WAIT	 ? 2u + p->cause :
	       p->kind == TR2_STEP_READY ? 1 : 0;
}

/* Close the levels that end where a piece begins, and open its own. Look at no
 * other: stacks may be deep. */
static void go_to(struct tr2_export *x, const struct tr2_path_piece *p,
		  int64_t at_ns)
{
	struct speedscope *s = x->state;
	uint32_t node = p->node, span = p->span, same;
	unsigned int state = state_of(p);

	for (; span && !s->of_span[span]; span = x->m->spans[span].parent)
		add_inner(s, (struct level){ .span = span });
	for (; !span && node && !s->of_node[node];
	     node = x->m->nodes[node].parent)
		add_inner(s, (struct level){ .node = node });
	same = span ? s->of_span[span] : s->of_node[node];
	if (state && !s->nr_inner && same < s->depth &&
	    s->stack[same].state == state)
		return;
	close_levels(s, same, at_ns);
	while (s->nr_inner)
		open_level(x, s->inner[--s->nr_inner], at_ns);
	if (state)
		open_level(x, (struct level){ .state = state }, at_ns);
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
		go_to(x, &pieces[i], pieces[i].start_ns - first_ns);
		length_ns = pieces[i].end_ns - first_ns;
	}
	close_levels(s, 0, length_ns);
	free(pieces);
	return length_ns;
}

static void add_stack(struct tr2_export *x, struct tr2_buf *b, uint32_t frame)
{
	struct speedscope *s = x->state;
	const struct tr2_frame *frames = s->frames.frames;
	uint32_t nr;

	for (; frame; frame = frames[frame].parent)
		add_inner(s, (struct level){ .frame = frame });
	for (nr = s->nr_inner; s->nr_inner; s->nr_inner--) {
		tr2_str name = frames[s->inner[s->nr_inner - 1].frame].name;

		tr2_buf_reset(&x->text);
		tr2_buf_addstr(&x->text, name ? tr2_s(x->m, name) : "?");
		if (s->nr_inner < nr)
			tr2_buf_addch(b, ',');
		tr2_buf_add_u64(b, frame_named(x));
	}
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
	s->of_node = tr2_calloc(x->m->nr_nodes, sizeof(*s->of_node));
	s->of_span = tr2_calloc(x->m->nr_spans, sizeof(*s->of_span));
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
	free(s->inner);
	free(s->of_node);
	free(s->of_span);
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
