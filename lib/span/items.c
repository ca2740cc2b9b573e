/* SPDX-License-Identifier: MIT */
/* Append a program's attributes to the bytes of its span. */
#include "span/items.h"

#include "base/macros.h"
#include "base/put.h"
#include "base/text.h"
#include "base/text_scan.h"
#include "event/redact.h"
#include "event/redact_token.h"

/* A text that is longer than this and may contain a secret is hidden as a
 * whole: the secret might end after these bytes. */
#define SCAN_BYTES 1024u
#define SHOWN_BYTES (SCAN_BYTES + SCAN_BYTES / 2)

#define TEXT(s) ((struct trace2_text_){ (s), TRACE2_UNKNOWN_LENGTH_ })

struct text {
	const char *s;
	size_t len;
	bool may_have_secret;
};

/* Measure at most `max` bytes, and find out whether the text may contain a
 * secret. Secrets are hidden here for all targets, which do not look again. */
static struct text measure_text(struct trace2_text_ given, size_t max)
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

/* Return the place for `bytes` bytes; NULL: there is no room, which is
 * counted. */
static inline char *reserve_bytes(struct tr2_open_span *span, size_t bytes,
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

/*
 * Hide the secrets of the text. If it has secrets, it lies in scratch
 * afterwards.
 */
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
	char *p = reserve_bytes(span, 1 + text->len, TR2_SPAN_ROOM);

	if (!p)
		return;
	*p = (char)(uint8_t)text->len;
	put_text(p + 1, text);
}

static __attribute__((noinline)) void
put_name_slow(struct tr2_open_span *span, const char *name, size_t max,
	      bool redact)
{
	struct text text = measure_text(TEXT(name), SCAN_BYTES);
	char memory[SHOWN_BYTES];
	struct tr2_buf scratch;

	if (text.may_have_secret && redact) {
		tr2_buf_init_fixed(&scratch, memory, sizeof(memory));
		hide(&text, &scratch);
	}
	cut(&text, max);
	put_name_shown(span, &text);
}

/* Put a name without redaction: a constant of the program is no secret. */
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
	struct text text = measure_text(TEXT(key), SCAN_BYTES);
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

/* Return the key unchanged if it is a constant. shown: memory for a key that is
 * changed. */
static inline struct text measure_key(struct trace2_text_ key, bool redact,
				      char shown[TR2_SPAN_KEY_MAX])
{
	const struct text text = { key.s, key.len, false };

	return likely(key.len <= TR2_SPAN_KEY_MAX) ?
		       text :
		       measure_key_slow(key.s, redact, shown);
}

/*
 * Short constants that are no names of secrets, each judged once. An entry
 * never changes: `state` is 0, BUSY while one call writes the entry, then 1 +
 * the length.
 */
#define BUSY UINT32_MAX
#define JUDGED_BYTES 16u
TR2_LARGE struct tr2_span_judged {
	uint64_t first, last; /* the first and the last 8 bytes, which overlap;
			       * or both parts of a text of less than 8 bytes */
	uint32_t state;
} tr2_span_judged[64];

static __attribute__((noinline)) bool judge(const struct tr2_span_judged *key,
					    const char *name,
					    struct tr2_span_judged *judged)
{
	uint32_t free = 0;

	if (tr2_redact_is_secret_name(name))
		return false;
	if (__atomic_compare_exchange_n(&judged->state, &free, BUSY, false,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		judged->first = key->first;
		judged->last = key->last;
		/* Release: pairs with the acquire of is_plain(). */
		__atomic_store_n(&judged->state, key->state, __ATOMIC_RELEASE);
	}
	return true;
}

/* Return whether the name is a short constant, and no secret's name. */
static inline bool is_plain(struct trace2_text_ name)
{
	struct tr2_span_judged key, *judged;
	size_t n = name.len;

	if (unlikely(n > JUDGED_BYTES))
		return false;
	key.first = n < 8 ? tr2_text_load_short(name.s, n) :
			    tr2_text_load(name.s);
	key.last = n < 8 ? 0 : tr2_text_load(name.s + n - 8);
	key.state = (uint32_t)n + 1;
	judged = &tr2_span_judged[((key.first ^ key.last << 1) *
				   UINT64_C(0x9e3779b97f4a7c15)) >> 58];
	if (likely(__atomic_load_n(&judged->state, __ATOMIC_ACQUIRE) ==
		   key.state) &&
	    likely(judged->first == key.first && judged->last == key.last))
		return true;
	return judge(&key, name.s, judged);
}

/* Append a number under a key that needs no redaction. Write all 8 bytes of the
 * value; the next item overwrites the bytes that the type lacks. */
static inline void put_number(struct tr2_open_span *span,
			      const struct text *key, enum tr2_item_type type,
			      uint64_t value)
{
	size_t bytes = type == TR2_ITEM_BOOL ? 1 : sizeof(value);
	char *p = reserve_bytes(span, 2 + key->len + bytes,
				TR2_SPAN_ATTRIBUTES_MAX);

	if (p)
		memcpy(put_head(p, type, key), &value, sizeof(value));
}

static __attribute__((noinline)) void
set_number_slow(struct tr2_open_span *span, const char *key,
		enum tr2_item_type type, uint64_t value, bool redact)
{
	char shown[TR2_SPAN_KEY_MAX];
	const struct text text = measure_key_slow(key, redact, shown);

	put_number(span, &text, type, value);
}

void tr2_span_set_number(struct tr2_open_span *span, struct trace2_text_ key,
			 enum tr2_item_type type, uint64_t value, bool redact)
{
	const struct text text = { key.s, key.len, false };

	if (likely(key.len <= TR2_SPAN_KEY_MAX))
		put_number(span, &text, type, value);
	else
		set_number_slow(span, key.s, type, value, redact);
}

static inline void put_string(struct tr2_open_span *span,
			      const struct text *key, enum tr2_item_type type,
			      const struct text *value)
{
	uint16_t len = (uint16_t)value->len;
	char *p = reserve_bytes(span, 2 + key->len + sizeof(len) + len,
				type == TR2_ITEM_FAILED ?
				TR2_SPAN_ROOM : TR2_SPAN_ATTRIBUTES_MAX);

	if (!p)
		return;
	p = put_head(p, type, key);
	memcpy(p, &len, sizeof(len));
	put_text(p + sizeof(len), value);
}

static __attribute__((noinline)) void
put_value_slow(struct tr2_open_span *span, const struct text *key,
	       enum tr2_item_type type, struct text value, bool hides)
{
	char memory[SHOWN_BYTES];
	struct tr2_buf scratch;

	if (hides) {
		tr2_buf_init_fixed(&scratch, memory, sizeof(memory));
		hide(&value, &scratch);
	}
	cut(&value, type == TR2_ITEM_FAILED ? TR2_SPAN_REASON_MAX :
					      TR2_SPAN_STRING_MAX);
	put_string(span, key, type, &value);
}

/*
 * Set a text. The key and the value are hidden one after the other, in memory
 * that both use in turn: the stack of a signal handler may be small.
 */
static __attribute__((noinline)) void
set_text_slow(struct tr2_open_span *span, struct trace2_text_ key,
	      enum tr2_item_type type, struct trace2_text_ given, bool redact)
{
	char shown[TR2_SPAN_KEY_MAX];
	struct text name = measure_key(key, redact, shown);
	struct text value = measure_text(given, SCAN_BYTES);
	bool hides = redact && value.may_have_secret;

	if (redact && name.len && tr2_redact_is_secret_name(key.s)) {
		hide_all(&value);
		hides = false;
	}
	put_value_slow(span, &name, type, value, hides);
}

/* Set a text. The fast path handles most texts: the key is a short constant,
 * and the value is shorter than any token. */
void tr2_span_set_text(struct tr2_open_span *span, struct trace2_text_ key,
		       enum tr2_item_type type, struct trace2_text_ given,
		       bool redact)
{
	const struct text name = { key.s, key.len, false };
	struct text value = { given.s, given.len, false };

	if (given.len == TRACE2_UNKNOWN_LENGTH_ && given.s)
		value.len = strnlen(given.s, TR2_TOKEN_BYTES);
	if (likely(value.len < TR2_TOKEN_BYTES) && likely(value.s != NULL) &&
	    likely(tr2_text_is_unmarked(value.s, value.len)) &&
	    likely(is_plain(key)))
		put_string(span, &name, type, &value);
	else
		set_text_slow(span, key, type, given, redact);
}

void tr2_span_add_interval(struct tr2_open_span *span,
			   const struct tr2_interval *interval)
{
	struct text name = { interval->thread, strlen(interval->thread),
			     false };
	size_t bytes = 2 + name.len + sizeof(interval->tid) +
		       sizeof(interval->from_ns) + sizeof(interval->to_ns);
	char *p = reserve_bytes(span, bytes, TR2_SPAN_INTERVALS_MAX);

	if (!p)
		return;
	p = put_head(p, TR2_ITEM_INTERVAL, &name);
	memcpy(p, &interval->tid, sizeof(interval->tid));
	p += sizeof(interval->tid);
	memcpy(p, &interval->from_ns, sizeof(interval->from_ns));
	p += sizeof(interval->from_ns);
	memcpy(p, &interval->to_ns, sizeof(interval->to_ns));
}
