/* SPDX-License-Identifier: MIT */
/* Parse the bytes of a span, and write it as JSON. */
#include "event/span.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"

static bool take(const char **p, const char *end, void *out, size_t bytes)
{
	if ((size_t)(end - *p) < bytes)
		return false;
	memcpy(out, *p, bytes);
	*p += bytes;
	return true;
}

static bool take_text(const char **p, const char *end, const char **text,
		      size_t len, size_t *out_len)
{
	if ((size_t)(end - *p) < len)
		return false;
	*text = *p;
	*out_len = len;
	*p += len;
	return true;
}

bool tr2_item_name(const char **p, const char *end, const char **name,
		   size_t *len)
{
	uint8_t length;

	return take(p, end, &length, sizeof(length)) &&
	       take_text(p, end, name, length, len);
}

static bool take_string(const char **p, const char *end, struct tr2_item *item)
{
	uint16_t length;

	return take(p, end, &length, sizeof(length)) &&
	       take_text(p, end, &item->text, length, &item->text_len);
}

static bool take_interval(const char **p, const char *end,
			  struct tr2_item *item)
{
	return take(p, end, &item->tid, sizeof(item->tid)) &&
	       take(p, end, &item->from_ns, sizeof(item->from_ns)) &&
	       take(p, end, &item->to_ns, sizeof(item->to_ns));
}

bool tr2_item_next(const char **p, const char *end, struct tr2_item *item)
{
	uint8_t type, boolean;

	if (!take(p, end, &type, sizeof(type)) ||
	    !tr2_item_name(p, end, &item->key, &item->key_len))
		return false;
	item->type = type;
	switch (type) {
	case TR2_ITEM_INT:
	case TR2_ITEM_DOUBLE:
		return take(p, end, &item->value, sizeof(item->value));
	case TR2_ITEM_BOOL:
		if (!take(p, end, &boolean, sizeof(boolean)))
			return false;
		item->value = boolean;
		return true;
	case TR2_ITEM_STRING:
	case TR2_ITEM_FAILED:
	case TR2_ITEM_STATE:
		return take_string(p, end, item);
	case TR2_ITEM_INTERVAL:
		return take_interval(p, end, item);
	default:
		return false;
	}
}

static void add_key(struct tr2_buf *b, const char *key)
{
	tr2_buf_addlit(b, ",\"");
	tr2_buf_addstr(b, key);
	tr2_buf_addlit(b, "\":");
}

static void add_text(struct tr2_buf *b, const char *s, size_t len)
{
	tr2_buf_addch(b, '"');
	tr2_json_add_escaped(b, s, len);
	tr2_buf_addch(b, '"');
}

static void add_id(struct tr2_buf *b, const char *key, uint64_t id)
{
	add_key(b, key);
	tr2_buf_addch(b, '"');
	tr2_context_add_id(b, id);
	tr2_buf_addch(b, '"');
}

static void add_ids(struct tr2_buf *b, const struct tr2_context *self,
		    uint64_t parent)
{
	tr2_buf_addlit(b, "{\"trace_id\":\"");
	tr2_context_add_trace(b, self);
	tr2_buf_addch(b, '"');
	add_id(b, "span_id", self->id);
	if (parent)
		add_id(b, "parent_id", parent);
}

/* JSON has no numbers that are not finite. */
static void add_double(struct tr2_buf *b, uint64_t bits)
{
	const char *quote;
	double value;

	memcpy(&value, &bits, sizeof(value));
	quote = isfinite(value) ? "" : "\"";
	tr2_buf_addstr(b, quote);
	tr2_buf_add_double(b, value);
	tr2_buf_addstr(b, quote);
}

static bool is_attribute(const struct tr2_item *item)
{
	return item->type <= TR2_ITEM_STRING;
}

static bool is_set_again(const struct tr2_item *item, const char *p,
			 const char *end)
{
	struct tr2_item later;

	while (tr2_item_next(&p, end, &later))
		if (is_attribute(&later) && later.key_len == item->key_len &&
		    !memcmp(later.key, item->key, item->key_len))
			return true;
	return false;
}

static void add_value(struct tr2_buf *b, const struct tr2_item *item)
{
	switch (item->type) {
	case TR2_ITEM_INT:
		tr2_buf_add_i64(b, (int64_t)item->value);
		break;
	case TR2_ITEM_DOUBLE:
		add_double(b, item->value);
		break;
	case TR2_ITEM_BOOL:
		tr2_buf_addstr(b, item->value ? "true" : "false");
		break;
	default:
		add_text(b, item->text, item->text_len);
	}
}

static void add_attributes(struct tr2_buf *b, const char *p, const char *end)
{
	struct tr2_item item;
	bool any = false;

	while (tr2_item_next(&p, end, &item)) {
		if (!is_attribute(&item) || is_set_again(&item, p, end))
			continue;
		if (!any)
			add_key(b, "attributes");
		tr2_buf_addch(b, any ? ',' : '{');
		any = true;
		add_text(b, item.key, item.key_len);
		tr2_buf_addch(b, ':');
		add_value(b, &item);
	}
	if (any)
		tr2_buf_addch(b, '}');
}

static void add_threads(struct tr2_buf *b, const char *p, const char *end,
			uint64_t start_ns)
{
	struct tr2_item item;
	bool any = false;

	while (tr2_item_next(&p, end, &item)) {
		if (item.type != TR2_ITEM_INTERVAL)
			continue;
		if (!any)
			add_key(b, "threads");
		tr2_buf_addstr(b, any ? ",[" : "[[");
		any = true;
		add_text(b, item.key, item.key_len);
		tr2_buf_addch(b, ',');
		tr2_buf_add_seconds9(b, tr2_clock_since(start_ns, item.from_ns));
		tr2_buf_addch(b, ',');
		tr2_buf_add_seconds9(b, tr2_clock_since(start_ns, item.to_ns));
		tr2_buf_addch(b, ']');
	}
	if (any)
		tr2_buf_addch(b, ']');
}

/* Add the last text of this type; always: an empty one if there is none. */
static void add_last(struct tr2_buf *b, const char *key, const char *p,
		     const char *end, enum tr2_item_type type, bool always)
{
	const char *text = always ? "" : NULL;
	struct tr2_item item;
	size_t len = 0;

	while (tr2_item_next(&p, end, &item))
		if (item.type == type) {
			text = item.text;
			len = item.text_len;
		}
	if (!text)
		return;
	add_key(b, key);
	add_text(b, text, len);
}

static void add_name(struct tr2_buf *b, const char *key, const char **p,
		     const char *end)
{
	const char *name;
	size_t len;

	if (!tr2_item_name(p, end, &name, &len)) {
		*p = end;
		name = "";
		len = 0;
	}
	add_key(b, key);
	add_text(b, name, len);
}

static void add_time(struct tr2_buf *b, const char *key, uint64_t start_ns,
		     uint64_t ns)
{
	add_key(b, key);
	tr2_buf_add_seconds9(b, tr2_clock_since(start_ns, ns));
}

static void add_number(struct tr2_buf *b, const char *key, uint64_t value)
{
	add_key(b, key);
	tr2_buf_add_u64(b, value);
}

void tr2_told_span_json(struct tr2_buf *b, const struct tr2_told_span *span,
			uint64_t start_ns)
{
	const char *p = span->bytes, *end = p + span->len;

	add_ids(b, &span->self, span->parent);
	if (span->flags & TR2_TOLD_REMOTE)
		tr2_buf_addlit(b, ",\"remote\":true");
	add_name(b, "category", &p, end);
	add_name(b, "name", &p, end);
	add_time(b, "start", start_ns, span->start_ns);
	add_time(b, "end", start_ns, span->end_ns);
	if (span->flags & TR2_TOLD_UNFINISHED)
		tr2_buf_addlit(b, ",\"unfinished\":true");
	if (span->flags & TR2_TOLD_FAILED)
		add_last(b, "failed", p, end, TR2_ITEM_FAILED, true);
	if (span->one_in > 1)
		add_number(b, "one_in", span->one_in);
	add_attributes(b, p, end);
	add_threads(b, p, end, start_ns);
	add_last(b, "tracestate", p, end, TR2_ITEM_STATE, false);
	if (span->lost)
		add_number(b, "lost", span->lost);
	tr2_buf_addch(b, '}');
}

void tr2_told_trace_json(struct tr2_buf *b, const struct tr2_context *self,
			 uint64_t parent, bool sampled)
{
	add_ids(b, self, parent);
	tr2_buf_addstr(b, sampled ? ",\"sampled\":true}" :
				    ",\"sampled\":false}");
}
