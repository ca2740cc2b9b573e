/* SPDX-License-Identifier: MIT */
/* requests - implements forward/requests.h. */
#include "record/forward/requests.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "common/memory.h"
#include "export/export.h"
#include "format/events/event_json.h"
#include "format/events/json.h"
#include "model/build/build.h"

/* Memory that is kept between trees. */
#define KEPT_BYTES (1u << 20)

void tr2_requests_init(struct tr2_requests *r)
{
	char name[256] = "";

	if (gethostname(name, sizeof(name) - 1))
		return;
	tr2_buf_addlit(&r->host, "{\"host\":");
	tr2_json_add_string(&r->host, name);
	tr2_buf_addch(&r->host, '}');
}

void tr2_requests_release(struct tr2_requests *r)
{
	tr2_buf_release(&r->text);
	tr2_buf_release(&r->host);
}

static void read_tree(struct tr2_requests *r, struct tr2_event_reader *reader,
		      const struct tr2_tree *tree)
{
	const struct tr2_tree_chunk *c;
	const char *p, *end, *newline;
	uint64_t number = 0;

	tr2_buf_reset(&r->text);
	for (c = tree->first; c; c = c->next)
		tr2_buf_add(&r->text, c->text, c->len);
	end = r->text.p + r->text.len;
	tr2_buf_addchars(&r->text, '\n', TR2_JSON_PADDING);
	tr2_must(!r->text.failed);
	end = r->text.p + (end - r->text.p);
	for (p = r->text.p; p < end; p = newline + 1) {
		newline = memchr(p, '\n', (size_t)(end + 1 - p));
		tr2_event_reader_line(reader, p, (size_t)(newline - p),
				      ++number, false);
	}
	if (r->text.alloc > KEPT_BYTES)
		tr2_buf_release(&r->text);
}

static void on_request(struct tr2_export *x, const char *body, size_t len,
		       uint32_t nr_spans, uint32_t nr_trees)
{
	struct tr2_requests *r = x->deliver_to;

	tr2_sender_add(r->sender, body, len, nr_spans, nr_trees);
}

static void export_model(struct tr2_requests *r, struct tr2_model *m)
{
	static const struct tr2_filter any = TR2_FILTER_ANY;
	const struct tr2_export_options opt = { .redact = r->redact };
	struct tr2_export x = {
		.m = m,
		.opt = &opt,
		.filter = &any,
		.sampling = &r->sampling,
		.deliver = on_request,
		.deliver_to = r,
	};

	tr2_export_run(&x, &tr2_export_otlp);
	tr2_buf_release(&x.sink.buf);
}

bool tr2_requests_of_trees(struct tr2_requests *r, struct tr2_trees *trees,
		      size_t bytes)
{
	struct tr2_tree *tree = tr2_trees_take(trees);
	struct tr2_event_reader *reader;
	struct tr2_model *m;
	size_t taken = 0;

	if (!tree)
		return false;
	m = tr2_model_new();
	if (r->host.len)
		m->meta_json = tr2_model_copy(m, r->host.p, r->host.len);
	reader = tr2_event_reader_new(m, NULL, NULL);
	tr2_event_reader_source(reader, tr2_intern(m, "socket", 6));
	do {
		taken += tree->bytes;
		read_tree(r, reader, tree);
		tr2_tree_free(tree);
	} while (taken < bytes && (tree = tr2_trees_take(trees)));
	tr2_event_reader_free(reader);
	tr2_model_finish(m);
	export_model(r, m);
	tr2_model_free(m);
	return true;
}
