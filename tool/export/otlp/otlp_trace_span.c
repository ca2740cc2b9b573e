/* SPDX-License-Identifier: MIT */
/*
 * otlp_trace_span - write spans whose ids were recorded: the program's spans,
 * and the spans of recordings.
 */

#include "event/redact.h"
#include "export/otlp/otlp_private.h"
#include "model/build/trace_span.h"
#include "model/json_members.h"
#include "model/states.h"

/* Return a copy of the text with a NUL at its end. */
static const char *text_of(const struct tr2_view *v)
{
	static struct tr2_buf b; /* later calls reuse its memory */

	tr2_buf_reset(&b);
	tr2_buf_add(&b, v->p, v->len);
	return tr2_buf_str(&b);
}

static bool is_integer(const struct tr2_view *v)
{
	return v->len && strspn(text_of(v), "-0123456789") == v->len;
}

static void add_attribute(struct tr2_attributes *a,
			  const struct tr2_json_member *member)
{
	static struct tr2_buf key, text; /* later calls reuse their memory */
	struct tr2_json_member name = { .value = member->key };
	const struct tr2_view *v = &member->value;

	(void)tr2_json_member_text(&name, &key);
	if (tr2_export_is_secret(a->x, tr2_buf_str(&key))) {
		tr2_attribute_str(a, tr2_buf_str(&key), TR2_REDACTED);
	} else if (member->is_string) {
		(void)tr2_json_member_text(member, &text);
		tr2_attribute_str(a, tr2_buf_str(&key), tr2_buf_str(&text));
	} else if (is_integer(v)) {
		tr2_attribute_json(a, tr2_buf_str(&key), "intValue", v, true);
	} else {
		tr2_attribute_json(a, tr2_buf_str(&key),
				   *v->p == 't' || *v->p == 'f' ? "boolValue" :
								  "doubleValue",
				   v, false);
	}
}

/* Add the attributes that the program set, with the program's own keys. */
static void add_attributes(struct tr2_attributes *a, const char *json)
{
	struct tr2_view text = { json, json ? strlen(json) : 0 };
	struct tr2_json_member member;

	while (tr2_json_next_member(&text, &member))
		if (member.value.len || member.is_string)
			add_attribute(a, &member);
}

static void add_times(struct tr2_attributes *a, uint32_t i)
{
	const struct tr2_model *m = a->x->m;
	struct tr2_trace_span_times times;

	if (!tr2_trace_span_times(m, i, &times))
		return;
	tr2_attribute_int(a, "trace2.worked_ns", times.worked_ns);
	tr2_attribute_int(a, "trace2.queue_ns", times.queue_ns);
	tr2_attribute_int(a, "trace2.idle_ns", times.idle_ns);
}

static void add_own(struct tr2_attributes *a, uint32_t i)
{
	const struct tr2_trace_span *s = &a->x->m->trace_spans[i];

	tr2_attribute_str(a, "trace2.span", "span");
	tr2_attribute_str(a, "trace2.category", tr2_s(a->x->m, s->category));
	tr2_attribute_str(a, "trace2.label", tr2_s(a->x->m, s->name));
	add_times(a, i);
	if (s->one_in > 1)
		tr2_attribute_int(a, "trace2.one_in", s->one_in);
	if (s->flags & TR2_TRACE_SPAN_UNFINISHED)
		tr2_attribute_true(a, "trace2.open");
	if (s->lost)
		tr2_attribute_int(a, "trace2.lost", s->lost);
}

/* If a span of the program began a new trace, add a link to the span of its
 * process. */
static void add_link(struct tr2_export *x, struct tr2_buf *b, uint32_t session)
{
	struct tr2_span_id process;

	tr2_otlp_session_span(x, session, &process);
	tr2_buf_addall(b, ",\"links\":[{\"traceId\":\"", process.trace.hex,
		       "\",\"spanId\":\"", process.hex, "\"}]");
}

/* Return the span's flags: the flags of the W3C, and 0x100. 0x100 says that the
 * flags show whether the parent is remote. */
static int flags_of(const struct tr2_trace_span *s)
{
	return 1 | 0x100 | (s->flags & TR2_TRACE_SPAN_REMOTE ? 0x200 : 0);
}

void tr2_otlp_write_trace_span(struct tr2_export *x, uint32_t i)
{
	const struct tr2_trace_span *s = &x->m->trace_spans[i];
	uint32_t session = x->m->threads[s->thread].session;
	int64_t wall_ns = x->m->sessions[session].wall_ns;
	const struct tr2_otlp *o = x->state;
	struct tr2_span_id id, parent;
	struct tr2_attributes a;
	struct tr2_buf *b;

	tr2_otlp_trace_span(x, i, &id);
	tr2_otlp_set_id(&parent, s->parent);
	b = tr2_otlp_open_span(x, &id, s->parent ? &parent : NULL,
			       s->tracestate);
	tr2_export_name(x, tr2_export_trace_span_name, i);
	tr2_otlp_add_name(b, &x->text,
			  s->flags & TR2_TRACE_SPAN_REMOTE ? TR2_OTLP_SERVER :
							     TR2_OTLP_INTERNAL,
			  wall_ns + s->start_ns, wall_ns + s->end_ns);
	tr2_attributes_open(&a, x, b);
	add_attributes(&a, s->attributes);
	add_own(&a, i);
	tr2_attributes_close(&a);
	tr2_otlp_add_events(x, b, o->of_trace_span[i]);
	tr2_export_json_int(b, "flags", flags_of(s));
	if (!s->parent)
		add_link(x, b, session);
	if (s->failed)
		tr2_otlp_add_error(x, b, s->failed);
	tr2_buf_addch(b, '}');
}

/* Return the time at which the last process of an input ended. */
static int64_t end_of(const struct tr2_model *m, uint32_t input)
{
	int64_t end_ns = m->inputs[input].wall_ns;
	uint32_t i;

	tr2_for_each_root(m, i)
		if (tr2_input_of_node(m, i) == input &&
		    m->nodes[i].end_ns > end_ns)
			end_ns = m->nodes[i].end_ns;
	return end_ns;
}

static void write_recording(struct tr2_export *x, uint32_t input)
{
	const struct tr2_model_input *in = &x->m->inputs[input];
	struct tr2_otlp *o = x->state;
	struct tr2_span_id id, parent;
	struct tr2_attributes a;
	struct tr2_buf *b;

	o->node = o->session = 0;
	if (o->body.len)
		tr2_otlp_open_resource(x);
	tr2_otlp_set_id(&id, in->trace.id);
	tr2_otlp_set_trace_id(&id.trace, &in->trace);
	tr2_otlp_set_id(&parent, in->trace_parent);
	b = tr2_otlp_open_span(x, &id, in->trace_parent ? &parent : NULL, NULL);
	tr2_buf_reset(&x->text);
	tr2_buf_addlit(&x->text, TR2_OTLP_RECORDER);
	tr2_otlp_add_name(b, &x->text, TR2_OTLP_INTERNAL, in->wall_ns,
			  end_of(x->m, input));
	tr2_attributes_open(&a, x, b);
	tr2_attribute_str(&a, "trace2.span", "recording");
	tr2_attribute_str(&a, "trace2.recording", in->path);
	tr2_attributes_close(&a);
	tr2_buf_addch(b, '}');
	tr2_otlp_close_resource(o);
}

void tr2_otlp_write_recordings(struct tr2_export *x)
{
	uint32_t i;

	for (i = 1; i < x->m->nr_inputs; i++)
		if (x->m->inputs[i].trace.id)
			write_recording(x, i);
}
