/* SPDX-License-Identifier: MIT */
/* Parse the bytes of a span, and write it as JSON. The W3C's trace context: ids
 * as text, and traceparent. */
#include "event/span.h"

#include "base/clock.h"
#include "base/double.h"
#include "base/macros.h"
#include "base/put.h"
#include "base/put_hex.h"
#include "base/text.h"
#include "base/text_scan.h"

/*
 * The room to reserve for the fixed parts and for `bytes` bytes of a span. In
 * JSON an item takes at most three times its bytes, except a double and a text
 * with escapes.
 */
#define ROOM(bytes) (512 + 3 * (bytes))

/* The output. Most text is written at a cursor; only parts that may need more
 * room call functions of the buffer. */
struct out {
	struct tr2_buf *b;
	size_t room;
};

struct item {
	enum tr2_item_type type;
	const char *key, *text;
	size_t key_len, text_len;
	uint64_t value, from_ns, to_ns;
};

TR2_INLINE bool take(const char **p, const char *end, void *out, size_t bytes)
{
	if ((size_t)(end - *p) < bytes)
		return false;
	memcpy(out, *p, bytes);
	*p += bytes;
	return true;
}

TR2_INLINE bool take_text(const char **p, const char *end, const char **text,
			  size_t len, size_t *out_len)
{
	if ((size_t)(end - *p) < len)
		return false;
	*text = *p;
	*out_len = len;
	*p += len;
	return true;
}

TR2_INLINE bool take_name(const char **p, const char *end, const char **name,
			  size_t *len)
{
	uint8_t length;

	return take(p, end, &length, sizeof(length)) &&
	       take_text(p, end, name, length, len);
}

TR2_INLINE bool take_string(const char **p, const char *end, struct item *item)
{
	uint16_t length;

	return take(p, end, &length, sizeof(length)) &&
	       take_text(p, end, &item->text, length, &item->text_len);
}

TR2_INLINE bool take_interval(const char **p, const char *end,
			      struct item *item)
{
	uint32_t tid;

	return take(p, end, &tid, sizeof(tid)) &&
	       take(p, end, &item->from_ns, sizeof(item->from_ns)) &&
	       take(p, end, &item->to_ns, sizeof(item->to_ns));
}

/* Read the item at *p, and move *p to the next one. false: no item is left. */
TR2_INLINE bool take_item(const char **p, const char *end, struct item *item)
{
	uint8_t type, boolean;

	if (!take(p, end, &type, sizeof(type)) ||
	    !take_name(p, end, &item->key, &item->key_len))
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

static bool is_attribute(const struct item *item)
{
	return item->type <= TR2_ITEM_STRING;
}

/* Facts about the items, found in one pass. */
struct survey {
	struct item failed, state; /* the last item of type FAILED, and of type
				    * STATE */
	bool has_attributes, has_intervals;
	bool may_repeat; /* a key may occur twice */
};

TR2_INLINE uint64_t bit_of_key(const struct item *item)
{
	const char *key = item->key;
	size_t len = item->key_len;
	unsigned int mix = (unsigned int)len;

	if (len)
		mix += (unsigned char)key[0] +
		       7u * (unsigned char)key[len - 1] +
		       11u * (unsigned char)key[len / 2];
	return UINT64_C(1) << mix % 64;
}

static void look_through(struct survey *survey, const char *p, const char *end)
{
	uint64_t keys = 0, bit;
	struct item item = { .type = 0 };

	*survey = (struct survey){ .may_repeat = false };
	while (take_item(&p, end, &item)) {
		if (is_attribute(&item)) {
			bit = bit_of_key(&item);
			survey->may_repeat |= (keys & bit) != 0;
			keys |= bit;
			survey->has_attributes = true;
		} else if (item.type == TR2_ITEM_INTERVAL) {
			survey->has_intervals = true;
		} else if (item.type == TR2_ITEM_FAILED) {
			survey->failed = item;
		} else {
			survey->state = item;
		}
	}
}

static bool is_set_again(const struct item *item, const char *p,
			 const char *end)
{
	struct item later;

	while (take_item(&p, end, &later))
		if (is_attribute(&later) && later.key_len == item->key_len &&
		    !memcmp(later.key, item->key, item->key_len))
			return true;
	return false;
}

/* Take the cursor back after code has appended to the buffer. If there is no
 * memory, leave out the appended text. */
static char *cursor_back(const struct out *out, size_t before)
{
	if (out->b->failed || !tr2_buf_room(out->b, out->room))
		out->b->len = before;
	return out->b->p + out->b->len;
}

static __attribute__((noinline)) char *
put_escaped(const struct out *out, char *p, const char *s, size_t len)
{
	size_t before = out->b->len = (size_t)(p - out->b->p);

	tr2_json_add_escaped(out->b, s, len);
	return cursor_back(out, before);
}

/* Put a double. JSON has only finite numbers, so infinities and NaN become
 * strings. */
static __attribute__((noinline)) char *put_double(const struct out *out,
						  char *p, uint64_t bits)
{
	size_t before = out->b->len = (size_t)(p - out->b->p);
	const char *quote = tr2_double_is_finite(bits) ? "" : "\"";
	char text[TR2_DOUBLE_BYTES];
	const char *end = tr2_put_double(text, bits);

	tr2_buf_addstr(out->b, quote);
	tr2_buf_add(out->b, text, (size_t)(end - text));
	tr2_buf_addstr(out->b, quote);
	return cursor_back(out, before);
}

static char *put_text(const struct out *out, char *p, const char *s, size_t len)
{
	*p++ = '"';
	if (likely(tr2_text_copy(p, s, len)))
		p += len;
	else
		p = put_escaped(out, p, s, len);
	*p = '"';
	return p + 1;
}

/* Put a text with its key, comma and colon. key: a literal. */
#define PUT_TEXT(out, p, key, s, len) \
	put_text(out, tr2_put_lit(p, ",\"" key "\":"), s, len)

static char *put_ids(char *p, const struct tr2_context *self, uint64_t parent)
{
	p = tr2_put_lit(p, "{\"trace_id\":\"");
	p = tr2_put_hex16(p, self->trace[0]);
	p = tr2_put_hex16(p, self->trace[1]);
	p = tr2_put_lit(p, "\",\"span_id\":\"");
	p = tr2_put_hex16(p, self->id);
	if (parent) {
		p = tr2_put_lit(p, "\",\"parent_id\":\"");
		p = tr2_put_hex16(p, parent);
	}
	return tr2_put_lit(p, "\"");
}

static char *put_value(const struct out *out, char *p, const struct item *item)
{
	switch (item->type) {
	case TR2_ITEM_INT:
		return tr2_put_i64(p, (int64_t)item->value);
	case TR2_ITEM_DOUBLE:
		return put_double(out, p, item->value);
	case TR2_ITEM_BOOL:
		return item->value ? tr2_put_lit(p, "true") :
				     tr2_put_lit(p, "false");
	default:
		return put_text(out, p, item->text, item->text_len);
	}
}

static char *put_attributes(const struct out *out, char *p, const char *from,
			    const char *end, bool may_repeat)
{
	struct item item = { .type = 0 };
	char before = '{';

	p = tr2_put_lit(p, ",\"attributes\":");
	while (take_item(&from, end, &item)) {
		if (!is_attribute(&item) ||
		    (may_repeat && is_set_again(&item, from, end)))
			continue;
		*p++ = before;
		before = ',';
		p = put_text(out, p, item.key, item.key_len);
		*p++ = ':';
		p = put_value(out, p, &item);
	}
	*p = '}';
	return p + 1;
}

static char *put_threads(const struct out *out, char *p, const char *from,
			 const char *end, uint64_t start_ns)
{
	struct item item = { .type = 0 };
	char before = '[';

	p = tr2_put_lit(p, ",\"threads\":");
	while (take_item(&from, end, &item)) {
		if (item.type != TR2_ITEM_INTERVAL)
			continue;
		*p++ = before;
		before = ',';
		*p++ = '[';
		p = put_text(out, p, item.key, item.key_len);
		*p++ = ',';
		p = tr2_put_seconds9(p,
				     tr2_clock_since(start_ns, item.from_ns));
		*p++ = ',';
		p = tr2_put_seconds9(p, tr2_clock_since(start_ns, item.to_ns));
		*p++ = ']';
	}
	*p = ']';
	return p + 1;
}

static void parse_name_or_end(const char **p, const char *end,
			      struct item *name)
{
	if (take_name(p, end, &name->text, &name->text_len))
		return;
	*p = end;
	name->text = "";
	name->text_len = 0;
}

static char *put_start(const struct out *out, char *p,
		       const struct tr2_span_data *span, uint64_t start_ns,
		       const struct item *category, const struct item *name)
{
	p = put_ids(p, &span->self, span->parent);
	if (span->flags & TR2_SPAN_DATA_REMOTE)
		p = tr2_put_lit(p, ",\"remote\":true");
	p = PUT_TEXT(out, p, "category", category->text, category->text_len);
	p = PUT_TEXT(out, p, "name", name->text, name->text_len);
	p = tr2_put_lit(p, ",\"start\":");
	p = tr2_put_seconds9(p, tr2_clock_since(start_ns, span->start_ns));
	p = tr2_put_lit(p, ",\"end\":");
	p = tr2_put_seconds9(p, tr2_clock_since(start_ns, span->end_ns));
	if (span->flags & TR2_SPAN_DATA_UNFINISHED)
		p = tr2_put_lit(p, ",\"unfinished\":true");
	return p;
}

void tr2_span_data_json(struct tr2_buf *b, const struct tr2_span_data *span,
			uint64_t start_ns)
{
	const struct out out = { b, ROOM(span->len) };
	const char *from = span->bytes, *end = from + span->len;
	struct item category, name;
	struct survey has;
	char *p;

	if (!tr2_buf_room(b, out.room))
		return;
	parse_name_or_end(&from, end, &category);
	parse_name_or_end(&from, end, &name);
	look_through(&has, from, end);
	p = put_start(&out, b->p + b->len, span, start_ns, &category, &name);
	if (span->flags & TR2_SPAN_DATA_FAILED)
		p = PUT_TEXT(&out, p, "failed",
			     has.failed.text ? has.failed.text : "",
			     has.failed.text_len);
	if (span->one_in > 1)
		p = tr2_put_u64(tr2_put_lit(p, ",\"one_in\":"), span->one_in);
	if (has.has_attributes)
		p = put_attributes(&out, p, from, end, has.may_repeat);
	if (has.has_intervals)
		p = put_threads(&out, p, from, end, start_ns);
	if (has.state.text)
		p = PUT_TEXT(&out, p, "tracestate", has.state.text,
			     has.state.text_len);
	if (span->lost)
		p = tr2_put_u64(tr2_put_lit(p, ",\"lost\":"), span->lost);
	*p++ = '}';
	b->len = (size_t)(p - b->p);
}

void tr2_trace_data_json(struct tr2_buf *b, const struct tr2_context *self,
			 uint64_t parent, bool sampled)
{
	char *p;

	if (!tr2_buf_room(b, ROOM(0)))
		return;
	p = put_ids(b->p + b->len, self, parent);
	p = sampled ? tr2_put_lit(p, ",\"sampled\":true}") :
		      tr2_put_lit(p, ",\"sampled\":false}");
	b->len = (size_t)(p - b->p);
}

/* Functions that write and read a trace context. */

void tr2_context_add_trace(struct tr2_buf *b, const struct tr2_context *context)
{
	tr2_context_add_id(b, context->trace[0]);
	tr2_context_add_id(b, context->trace[1]);
}

void tr2_context_add_id(struct tr2_buf *b, uint64_t id)
{
	if (tr2_buf_room(b, 16))
		b->len = (size_t)(tr2_put_hex16(b->p + b->len, id) - b->p);
}

void tr2_context_format(char out[TR2_TRACEPARENT_BYTES + 1],
			const struct tr2_context *context, bool sampled)
{
	char *p = tr2_put_lit(out, "00-");

	p = tr2_put_hex16(p, context->trace[0]);
	p = tr2_put_hex16(p, context->trace[1]);
	*p++ = '-';
	p = tr2_put_hex16(p, context->id);
	memcpy(p, sampled ? "-01" : "-00", sizeof("-01"));
}

/* Read `width` hexadecimal digits in lower case, and `behind` after them. */
static bool parse_hex(const char **s, unsigned int width, char behind,
		      uint64_t *value)
{
	static const char digits[] = "0123456789abcdef";
	const char *digit;

	for (*value = 0; width--; ++*s) {
		digit = **s ? strchr(digits, **s) : NULL;
		if (!digit)
			return false;
		*value = *value << 4 | (uint64_t)(digit - digits);
	}
	return !behind || *(*s)++ == behind;
}

bool tr2_context_parse(const char *s, struct tr2_context *context,
		       bool *sampled)
{
	struct tr2_context c;
	uint64_t version, flags;

	if (!s || !parse_hex(&s, 2, '-', &version) ||
	    !parse_hex(&s, 16, '\0', &c.trace[0]) ||
	    !parse_hex(&s, 16, '-', &c.trace[1]) ||
	    !parse_hex(&s, 16, '-', &c.id) || !parse_hex(&s, 2, '\0', &flags))
		return false;
	if (version == 0xff || (*s && (!version || *s != '-')) ||
	    !(c.trace[0] | c.trace[1]) || !c.id)
		return false;
	*context = c;
	*sampled = flags & 1;
	return true;
}

uint64_t tr2_context_child(uint64_t id, uint64_t number)
{
	uint64_t child = tr2_mix64(id + (number + 1) *
				 UINT64_C(0x9e3779b97f4a7c15));

	return child ? child : 1;
}
