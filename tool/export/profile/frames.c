/* SPDX-License-Identifier: MIT */
/* frames - build the tree of frames during the walk of an export. */
#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "common/memory.h"
#include "export/profile/frames_states.h"
#include "model/filter.h"
#include "model/join/self_time.h"

static uint32_t new_frame(struct tr2_frames *f, uint32_t parent, tr2_str name)
{
	uint32_t i = f->nr;

	tr2_grow(f->frames, i, f->alloc);
	f->nr++;
	f->frames[i] = (struct tr2_frame){ .parent = parent, .name = name };
	if (!i)
		return 0;
	if (f->frames[parent].last)
		f->frames[f->frames[parent].last].next = i;
	else
		f->frames[parent].first = i;
	f->frames[parent].last = i;
	return i;
}

uint32_t tr2_frames_below(struct tr2_frames *f, struct tr2_export *x,
			  uint32_t parent)
{
	uint32_t *slot;
	tr2_str name;
	size_t i;

	for (i = 0; i < x->text.len; i++)
		if (x->text.p[i] == ';' || (unsigned char)x->text.p[i] < ' ')
			x->text.p[i] = x->text.p[i] == ';' ? ':' : ' ';
	name = x->text.len ? tr2_intern(x->m, x->text.p, x->text.len) : 0;
	slot = tr2_map_slot(&f->by_name, tr2_key(parent, name));
	if (!*slot)
		*slot = new_frame(f, parent, name);
	return *slot;
}

/* Set the frame of a process. A wrapper without a session shares the frame of
 * the program that it ran, if both have one name. */
static void set_node_frame(struct tr2_frames *f, struct tr2_export *x,
			   uint32_t node)
{
	uint32_t parent = x->m->nodes[node].parent;
	uint32_t above = parent ? f->of_node[parent] : 0;
	tr2_str name;

	tr2_export_name(x, tr2_export_node_name, node);
	name = tr2_interned_n(x->m, x->text.p, x->text.len);
	f->of_node[node] = parent && !x->m->nodes[parent].session && name &&
					   f->frames[above].name == name ?
				   above : tr2_frames_below(f, x, above);
}

void tr2_frames_begin(struct tr2_frames *f, struct tr2_export *x, bool states)
{
	const struct tr2_model *m = x->m;
	uint32_t i;

	f->of_node = tr2_calloc(m->nr_nodes, sizeof(*f->of_node));
	f->of_span = tr2_calloc(m->nr_spans, sizeof(*f->of_span));
	f->self_ns = tr2_calloc(m->nr_spans, sizeof(*f->self_ns));
	if (states)
		f->states = tr2_frames_states_new(m);
	new_frame(f, 0, 0);
	tr2_own_sums(m, f->self_ns);
	for (i = m->first_root; i; i = tr2_node_after(m, i))
		set_node_frame(f, x, i);
}

void tr2_frames_end(struct tr2_frames *f, struct tr2_export *x)
{
	if (f->states)
		tr2_frames_states_end(f, x);
}

void tr2_frames_release(struct tr2_frames *f)
{
	tr2_frames_states_free(f->states);
	free(f->frames);
	free(f->of_node);
	free(f->of_span);
	free(f->self_ns);
	tr2_map_release(&f->by_name);
}

void tr2_frames_add(struct tr2_frames *f, uint32_t frame, int64_t ns)
{
	if (frame && ns > 0)
		tr2_ns_add(&f->frames[frame].ns, ns);
}

static void add_spawn(struct tr2_frames *f, struct tr2_export *x,
		      uint32_t node)
{
	if (x->m->nodes[node].spawn_ns <= 0)
		return;
	tr2_buf_reset(&x->text);
	tr2_buf_addlit(&x->text, "[spawn]");
	tr2_frames_add(f, tr2_frames_below(f, x, f->of_node[node]),
		       x->m->nodes[node].spawn_ns);
}

void tr2_frames_node(struct tr2_frames *f, struct tr2_export *x, uint32_t i)
{
	if (f->states && tr2_frames_states_of_node(x, i)) {
		tr2_frames_states_node(f, x, i);
		return;
	}
	/* Add the own time of a process without a session, which is all time
	 * outside of its children. */
	if (!x->m->nodes[i].session)
		tr2_frames_add(f, f->of_node[i], x->m->nodes[i].self_ns);
	add_spawn(f, x, i);
}

/* Return a thread's name without its number: threads of one kind, such as
 * th01:preload and th02:preload, share a frame. */
static const char *without_number(const char *name)
{
	const char *colon = strchr(name, ':');

	return !strncmp(name, "th", 2) && colon &&
			       strspn(name + 2, "0123456789") ==
				       (size_t)(colon - name - 2) &&
			       colon[1] ?
		       colon + 1 : name;
}

void tr2_frames_thread(struct tr2_frames *f, struct tr2_export *x, uint32_t i)
{
	const struct tr2_model *m = x->m;
	const struct tr2_model_session *s = tr2_export_session_of(x, i);
	const struct tr2_model_thread *t = &m->threads[i];
	int64_t own_ns = 0;

	f->at = f->of_node[s->node];
	if (s->first_thread != i) {
		tr2_buf_reset(&x->text);
		tr2_buf_addstr(&x->text, tr2_export_text(x,
			without_number(tr2_s(m, t->name))));
		f->at = tr2_frames_below(f, x, f->at);
	}
	if (f->states && tr2_frames_states_of_thread(x, i)) {
		tr2_frames_states_thread(f, i);
		return;
	}
	tr2_own_of_thread(m, i, tr2_own_add, &own_ns);
	tr2_frames_add(f, f->at, own_ns);
}

/* Does the span get no frame of its own? A child whose process is known has the
 * frame of that process. A child without a process gets a frame of its own. */
static bool has_own_frames(const struct tr2_export *x,
			   const struct tr2_span *s)
{
	const struct tr2_child *c = &x->m->children[s->child];

	return s->kind == TR2_SPAN_EXEC ||
	       (s->kind == TR2_SPAN_CHILD && c->node);
}

void tr2_frames_span(struct tr2_frames *f, struct tr2_export *x, uint32_t i)
{
	const struct tr2_span *s = &x->m->spans[i];
	uint32_t above = s->parent, at;

	/* Go outwards past spans that are not selected (-t, -N): they have no
	 * frames. */
	while (above && !f->of_span[above])
		above = x->m->spans[above].parent;
	if (has_own_frames(x, s))
		return;
	tr2_export_name(x, tr2_export_span_name, i);
	at = tr2_frames_below(f, x, above ? f->of_span[above] : f->at);
	f->of_span[i] = at;
	if (!f->states || !tr2_frames_states_of_thread(x, s->thread))
		tr2_frames_add(f, at, f->self_ns[i]);
}
