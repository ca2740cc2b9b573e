/* SPDX-License-Identifier: MIT */
/* Append what a program sets to the bytes of its span. */
#include "span/items.h"

#include <string.h>

#include "base/macros.h"
#include "base/put.h"
#include "base/text.h"
#include "base/text_scan.h"
#include "event/redact.h"

/* Longer texts with something that may be a secret are hidden as a whole: it
 * might end behind that. */
#define SCAN_BYTES 1024u
#define SHOWN_BYTES (SCAN_BYTES + SCAN_BYTES / 2)

#define TEXT(s) ((struct trace2_text_){ (s), TRACE2_UNKNOWN_LENGTH_ })

struct text {
	const char *s;
	size_t len;
	bool may_have_secret;
};

/* Measure at most `max` bytes, and look for what redaction looks for. What is
 * hidden here is hidden in all targets: none looks again. */
static inline struct text measure(struct trace2_text_ given, size_t max)
{
	struct text text = { "", 0, false };

	if (given.s) {
		text.s = given.s;
		text.len = strnlen(given.s, given.len < max ? given.len : max);
	}
	text.may_have_secret =
		tr2_text_classify(text.s, text.len) & TR2_TEXT_MARK ||
		tr2_redact_may_find(text.s, text.len);
	return text;
}


static inline void cut(struct text *text, size_t max)
{
	if (unlikely(text->len > max))
		text->len = tr2_utf8_cut(text->s, text->len, max);
}

static void hide_all(struct text *text)
{
	text->s = TR2_REDACTED;
	text->len = strlen(TR2_REDACTED);
}

static inline char *put_text(char *p, const struct text *text)
{
	return tr2_put_short(p, text->s, text->len);
}

/* Return the place for so many bytes; NULL: there is none, which is counted. */
static inline char *reserve(struct tr2_open_span *span, size_t bytes,
			    size_t limit)
{
	char *p = span->bytes + span->used;

	if (unlikely(bytes > limit || span->used > limit - bytes)) {
		span->lost++;
		return NULL;
	}
	span->used += (uint32_t)bytes;
	return p;
}

/* Replace the text by one without secrets, in scratch if it has some. */
static __attribute__((noinline)) void hide(struct text *text,
					   struct tr2_buf *scratch)
{
	if (text->len == SCAN_BYTES)
		hide_all(text);
	else
		text->s = tr2_redact(scratch, text->s, &text->len);
}

static inline void put_name_shown(struct tr2_open_span *span,
				  const struct text *text)
{
	char *p = reserve(span, 1 + text->len, TR2_SPAN_ROOM);

	if (!p)
		return;
	*p = (char)(uint8_t)text->len;
	put_text(p + 1, text);
}

static __attribute__((noinline)) void
put_name_slow(struct tr2_open_span *span, const char *name, size_t max,
	      bool redact)
{
	struct text text = measure(TEXT(name), SCAN_BYTES);
	char memory[SHOWN_BYTES];
	struct tr2_buf scratch;

	if (text.may_have_secret && redact) {
		tr2_buf_init_fixed(&scratch, memory, sizeof(memory));
		hide(&text, &scratch);
	}
	cut(&text, max);
	put_name_shown(span, &text);
}

/* A constant of the program is no secret. */
static inline void put_name(struct tr2_open_span *span,
			    struct trace2_text_ name, size_t max, bool redact)
{
	const struct text text = { name.s, name.len, false };

	if (likely(name.len <= max))
		put_name_shown(span, &text);
	else
		put_name_slow(span, name.s, max, redact);
}

void tr2_span_set_names(struct tr2_open_span *span,
			struct trace2_text_ category, struct trace2_text_ name,
			bool redact)
{
	put_name(span, category, TR2_SPAN_CATEGORY_MAX, redact);
	put_name(span, name, TR2_SPAN_NAME_MAX, redact);
}

static inline char *put_head(char *p, enum tr2_item_type type,
			     const struct text *key)
{
	*p++ = (char)type;
	*p++ = (char)(uint8_t)key->len;
	return put_text(p, key);
}

static __attribute__((noinline)) struct text
measure_key_slow(const char *key, bool redact, char shown[TR2_SPAN_KEY_MAX])
{
	struct text text = measure(TEXT(key), SCAN_BYTES);
	char memory[SHOWN_BYTES];
	struct tr2_buf scratch;

	if (text.may_have_secret && redact) {
		tr2_buf_init_fixed(&scratch, memory, sizeof(memory));
		hide(&text, &scratch);
	}
	cut(&text, TR2_SPAN_KEY_MAX);
	memcpy(shown, text.s, text.len);
	text.s = shown;
	return text;
}

/* A constant is as it is; shown: the room for another key. */
static inline struct text measure_key(struct trace2_text_ key, bool redact,
				      char shown[TR2_SPAN_KEY_MAX])
{
	const struct text text = { key.s, key.len, false };

	return likely(key.len <= TR2_SPAN_KEY_MAX) ?
		       text :
		       measure_key_slow(key.s, redact, shown);
}

void tr2_span_set_number(struct tr2_open_span *span, struct trace2_text_ key,
			 enum tr2_item_type type, uint64_t value, bool redact)
{
	char shown[TR2_SPAN_KEY_MAX];
	struct text text = measure_key(key, redact, shown);
	size_t bytes = type == TR2_ITEM_BOOL ? 1 : sizeof(value);
	char *p = reserve(span, 2 + text.len + bytes, TR2_SPAN_ATTRIBUTES_MAX);

	if (p)
		memcpy(put_head(p, type, &text), &value, bytes);
}

void tr2_span_set_text(struct tr2_open_span *span, struct trace2_text_ key,
		       enum tr2_item_type type, struct trace2_text_ given,
		       bool redact)
{
	char shown[TR2_SPAN_KEY_MAX];
	struct text name = measure_key(key, redact, shown);
	struct text value = measure(given, SCAN_BYTES);
	char memory[SHOWN_BYTES], *p;
	struct tr2_buf scratch;
	uint16_t len;

	if (redact && name.len && tr2_redact_is_secret_name(key.s)) {
		hide_all(&value);
	} else if (redact && value.may_have_secret) {
		tr2_buf_init_fixed(&scratch, memory, sizeof(memory));
		hide(&value, &scratch);
	}
	cut(&value, type == TR2_ITEM_FAILED ? TR2_SPAN_REASON_MAX :
					      TR2_SPAN_STRING_MAX);
	len = (uint16_t)value.len;
	p = reserve(span, 2 + name.len + sizeof(len) + value.len,
		    type == TR2_ITEM_FAILED ? TR2_SPAN_ROOM :
					      TR2_SPAN_ATTRIBUTES_MAX);
	if (!p)
		return;
	p = put_head(p, type, &name);
	memcpy(p, &len, sizeof(len));
	put_text(p + sizeof(len), &value);
}

void tr2_span_add_interval(struct tr2_open_span *span,
			   const struct tr2_interval *interval)
{
	struct text name = { interval->thread, strlen(interval->thread), false };
	size_t bytes = 2 + name.len + sizeof(interval->tid) +
		       sizeof(interval->from_ns) + sizeof(interval->to_ns);
	char *p = reserve(span, bytes, TR2_SPAN_INTERVALS_MAX);

	if (!p)
		return;
	p = put_head(p, TR2_ITEM_INTERVAL, &name);
	memcpy(p, &interval->tid, sizeof(interval->tid));
	p += sizeof(interval->tid);
	memcpy(p, &interval->from_ns, sizeof(interval->from_ns));
	p += sizeof(interval->from_ns);
	memcpy(p, &interval->to_ns, sizeof(interval->to_ns));
}
