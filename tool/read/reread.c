/* SPDX-License-Identifier: MIT */
/* reread - find the reader of a kept line, and parse it again. */
#include "read/reread.h"

#include <stdlib.h>

#include "base/buf.h"
#include "common/memory.h"
#include "format/events/event_json.h"
#include "format/events/json.h"
#include "format/events/perf_text.h"
#include "model/build/build.h"

void tr2_line_set(struct tr2_line *line, const struct tr2_model *m,
		  const struct tr2_parsed_event *ev)
{
	const struct tr2_model_session *s = &m->sessions[ev->session];

	*line = (struct tr2_line){
		.at_ns = ev->wall_us != TR2_ABSENT ? ev->wall_us * 1000 :
						     s->wall_ns + s->now_ns,
		.text = ev->raw.p,
		.len = (uint32_t)ev->raw.len,
		.session = ev->session,
		.thread = ev->thread,
		.span = tr2_build_last_span(m),
		.nesting = (uint16_t)tr2_build_last_nesting(m, ev->kind),
		.kind = (int8_t)ev->kind,
	};
}

struct tr2_reread {
	struct tr2_model *m;
	struct tr2_event_reader *events;
	struct tr2_perf_reader *perf;
	struct tr2_buf text;
};

struct tr2_reread *tr2_reread_new(struct tr2_model *m)
{
	struct tr2_reread *r = tr2_calloc(1, sizeof(*r));

	r->m = m;
	r->events = tr2_event_reader_new(m, NULL, NULL);
	r->perf = tr2_perf_reader_new(m, NULL, NULL);
	return r;
}

void tr2_reread_free(struct tr2_reread *r)
{
	if (!r)
		return;
	tr2_event_reader_free(r->events);
	tr2_perf_reader_free(r->perf);
	tr2_buf_release(&r->text);
	free(r);
}

bool tr2_reread(struct tr2_reread *r, const struct tr2_line *line,
		struct tr2_parsed_event *ev)
{
	bool perf = r->m->sessions[line->session].flags & TR2_SESSION_PERF;
	bool ok;

	/* Copy the line with padding: readers look a few bytes past its end. */
	tr2_buf_reset(&r->text);
	tr2_buf_add(&r->text, line->text, line->len);
	tr2_buf_addchars(&r->text, '\n', TR2_JSON_PADDING + 8);
	tr2_must(!r->text.failed);
	if (perf)
		ok = tr2_perf_reader_parse(r->perf, r->text.p, line->len,
					   line->nesting - 1u, ev);
	else
		ok = tr2_event_reader_parse(r->events, r->text.p, line->len,
					    ev);
	ev->session = line->session;
	ev->thread = line->thread;
	ev->raw = (struct tr2_view){ r->text.p, line->len };
	ev->wall_us = line->at_ns / 1000;
	return ok;
}
