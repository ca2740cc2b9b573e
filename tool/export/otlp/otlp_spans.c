/* SPDX-License-Identifier: MIT */
/*
 * otlp_spans - write spans, their events and their resources, and send them in
 * requests of a bounded size: see export/otlp/otlp_private.h.
 */
#include "common/words.h"
#include "common/memory.h"
#include "event/redact.h"
#include "export/otlp/otlp_post.h"
#include "export/otlp/otlp_private.h"

#define MAX_SPANS 4096
#define MAX_BYTES (3u << 20)
#define MAX_EVENTS 1000 /* write at most this many events of a span, and count
			 * the others as dropped */

void tr2_otlp_open_resource(struct tr2_export *x)
{
	struct tr2_otlp *o = x->state;
	struct tr2_attributes a;

	tr2_buf_addstr(&o->body, o->body.len ? ",{\"resource\":{" :
					"{\"resourceSpans\":[{\"resource\":{");
	tr2_attributes_open(&a, x, &o->body);
	tr2_otlp_resource(&a, o->node, o->session);
	tr2_attributes_close(&a);
	tr2_buf_addlit(&o->body, "},\"scopeSpans\":[{\"scope\":{\"name\":");
	tr2_json_add_string(&o->body, o->names->scope);
	tr2_buf_addlit(&o->body, "},\"spans\":[");
}

void tr2_otlp_close_resource(struct tr2_otlp *o)
{
	tr2_buf_addlit(&o->body, "]}]}");
}

void tr2_otlp_send_request(struct tr2_export *x)
{
	struct tr2_otlp *o = x->state;

	if (!o->body.len)
		return;
	tr2_buf_addlit(&o->body, "]}");
	tr2_must(!o->body.failed);
	if (x->deliver) {
		x->deliver(x, o->body.p, o->body.len, o->nr_spans,
			   o->nr_trees);
	} else if (!o->post) {
		tr2_buf_add(&x->sink.buf, o->body.p, o->body.len);
		tr2_buf_addch(&x->sink.buf, '\n');
		tr2_sink_step(&x->sink);
	} else if (!tr2_post_send(o->post, o->body.p, o->body.len)) {
		x->failed = true;
	}
	tr2_buf_reset(&o->body);
	o->nr_spans = o->nr_trees = 0;
}

static bool is_full(const struct tr2_otlp *o)
{
	return o->nr_spans >= MAX_SPANS || o->body.len >= MAX_BYTES;
}

static void add_nano(struct tr2_buf *b, const char *key, int64_t wall_ns)
{
	tr2_buf_addall(b, ",\"", key, "\":\"");
	tr2_buf_add_u64(b, wall_ns > 0 ? (uint64_t)wall_ns : 0);
	tr2_buf_addch(b, '"');
}

struct tr2_buf *tr2_otlp_open_span(struct tr2_export *x,
				   const struct tr2_span_id *id,
				   const struct tr2_span_id *parent,
				   const char *tracestate)
{
	struct tr2_otlp *o = x->state;
	struct tr2_buf *b = &o->body;

	if (is_full(o)) {
		tr2_otlp_close_resource(o);
		tr2_otlp_send_request(x);
	}
	if (!b->len)
		tr2_otlp_open_resource(x);
	else if (b->p[b->len - 1] == '}')
		tr2_buf_addch(b, ',');
	o->nr_spans++;
	o->nr_trees += o->begins_tree;
	o->begins_tree = false;
	tr2_buf_addall(b, "{\"traceId\":\"", id->trace.hex,
		       "\",\"spanId\":\"", id->hex,
		       parent ? "\",\"parentSpanId\":\"" : "",
		       parent ? parent->hex : "", "\",");
	tr2_otlp_add_state(x, b, tracestate);
	return b;
}

void tr2_otlp_add_name(struct tr2_buf *b, struct tr2_buf *name, int kind,
		       int64_t start_ns, int64_t end_ns)
{
	tr2_buf_addlit(b, "\"name\":");
	tr2_json_add_string(b, tr2_buf_str(name));
	tr2_export_json_int(b, "kind", kind);
	add_nano(b, "startTimeUnixNano", start_ns);
	add_nano(b, "endTimeUnixNano", end_ns);
	tr2_buf_addch(b, ',');
}

static void event_name(struct tr2_export *x, const struct tr2_point *p)
{
	static const char *const names[] = {
		[TR2_POINT_ERROR] = "exception", [TR2_POINT_PRINTF] = "printf",
		[TR2_POINT_REPO] = "repo",	 [TR2_POINT_SIGNAL] = "signal",
		[TR2_POINT_ALIAS] = "alias",
	};
	const struct tr2_model *m = x->m;

	tr2_buf_reset(&x->text);
	if (p->kind == TR2_POINT_DATA || p->kind == TR2_POINT_DATA_JSON)
		tr2_join(&x->text, tr2_s(m, p->category), tr2_s(m, p->key));
	else
		tr2_buf_addstr(&x->text, p->kind == TR2_POINT_OTHER ?
						 tr2_s(m, p->key) :
						 names[p->kind]);
}

/* OpenTelemetry calls an event about an error "exception". */
static void event_attributes(struct tr2_attributes *a,
			     const struct tr2_point *p)
{
	const char *key = tr2_s(a->x->m, p->key);
	const char *value = tr2_export_is_secret(a->x, key) ? TR2_REDACTED :
							      p->value;

	if (p->kind == TR2_POINT_ERROR) {
		tr2_attribute_str(a, "exception.type", "error");
		tr2_attribute_str(a, "exception.message", p->value);
		tr2_attribute_str(a, "trace2.format", key);
		return;
	}
	if (p->kind == TR2_POINT_ALIAS)
		tr2_attribute_str(a, "trace2.key", key);
	tr2_attribute_number(a, "trace2.value", value);
}

static void add_event(struct tr2_export *x, struct tr2_buf *b,
		      const struct tr2_point *p)
{
	const struct tr2_model_session *s = tr2_export_session_of(x, p->thread);
	struct tr2_attributes a;

	tr2_buf_addlit(b, "{\"name\":");
	event_name(x, p);
	tr2_export_add_str(x, b, tr2_buf_str(&x->text));
	add_nano(b, "timeUnixNano", s->wall_ns + p->at_ns);
	tr2_buf_addch(b, ',');
	tr2_attributes_open(&a, x, b);
	event_attributes(&a, p);
	tr2_attributes_close(&a);
	tr2_buf_addch(b, '}');
}

/* Add the points as events. Leave out parameters, which are attributes of the
 * process. */
void tr2_otlp_add_events(struct tr2_export *x, struct tr2_buf *b,
			 uint32_t first)
{
	const struct tr2_otlp *o = x->state;
	uint32_t i, nr = 0;

	if (!o->names->events)
		return;
	for (i = first; i; i = o->next_point[i]) {
		const struct tr2_point *p = &x->m->points[i];

		if (p->kind == TR2_POINT_PARAM || nr++ >= MAX_EVENTS)
			continue;
		tr2_buf_addstr(b, nr == 1 ? ",\"events\":[" : ",");
		add_event(x, b, p);
	}
	if (nr)
		tr2_buf_addch(b, ']');
	if (nr > MAX_EVENTS)
		tr2_export_json_int(b, "droppedEventsCount", nr - MAX_EVENTS);
}

void tr2_otlp_add_error(struct tr2_export *x, struct tr2_buf *b,
			const char *message)
{
	tr2_buf_addlit(b, ",\"status\":{\"code\":2");
	tr2_export_json_str(x, b, "message", message);
	tr2_buf_addch(b, '}');
}
