/* SPDX-License-Identifier: MIT */
/*
 * fastpath_record - put an event's fields into a record. The functions are
 * expanded from the table of events, so that all code is inline. For fastpath.c
 * and fastpath_at.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/put.h"
#include "event/event.h"
#include "ring/layout.h"

/* The way in which a record describes its event. */
enum tr2_fast_form {
	TR2_FAST_LONG,
	TR2_FAST_SITE, /* the record names a site, which has the fields with
			* TR2_F_SITE */
	TR2_FAST_NUMBER /* like TR2_FAST_SITE, with numbers instead of texts */
};

struct tr2_fast_text {
	const char *s; /* the text; NULL: absent */
	size_t len; /* length of the text; in TR2_FAST_NUMBER, the number
		     * itself */
};

/* The most bytes that all fields of a record take together. If they take more,
 * the slow path cuts them. */
#define TR2_FAST_MAX_BYTES (TR2_RECORD_MAX - 120)

TR2_INLINE uint64_t tr2_fast_load_8(const char *s)
{
	uint64_t x;

	memcpy(&x, s, sizeof(x));
	return x;
}

/* Load all bytes of a string with less than 8 bytes. Some bytes may occur
 * twice. */
TR2_INLINE uint64_t tr2_fast_load_short(const char *s, size_t len)
{
	uint32_t low, high;

	if (len >= 4) {
		memcpy(&low, s, 4);
		memcpy(&high, s + len - 4, 4);
		return low | (uint64_t)high << 32;
	}
	if (!len)
		return 0;
	return (unsigned char)s[0] | (uint64_t)(unsigned char)s[len / 2] << 8 |
	       (uint64_t)(unsigned char)s[len - 1] << 16;
}

typedef unsigned char tr2_fast_bytes_16 __attribute__((vector_size(16)));
typedef uint64_t tr2_fast_words_2 __attribute__((vector_size(16)));

/* Find the characters before which redaction looks for secrets: see
 * tr2_redact(). */
TR2_INLINE tr2_fast_words_2 tr2_fast_find_marks(tr2_fast_words_2 words)
{
	tr2_fast_bytes_16 bytes = (tr2_fast_bytes_16)words;

	return (tr2_fast_words_2)((bytes == ':') | (bytes == '='));
}

/* Return a value that is not 0 if the text contains ':' or '='. */
TR2_INLINE tr2_fast_words_2 tr2_fast_marks_in(const struct tr2_fast_text *text)
{
	const char *s = text->s;
	size_t n = text->len;
	tr2_fast_words_2 found = { 0, 0 };

	if (n < 8)
		return tr2_fast_find_marks(
			(tr2_fast_words_2){ tr2_fast_load_short(s, n), 0 });
	for (; n > 16; s += 16, n -= 16)
		found |= tr2_fast_find_marks((tr2_fast_words_2){
			tr2_fast_load_8(s), tr2_fast_load_8(s + 8) });
	if (n < 8) {
		s -= 8 - n;
		n = 8;
	}
	return found | tr2_fast_find_marks((tr2_fast_words_2){
		tr2_fast_load_8(s), tr2_fast_load_8(s + n - 8) });
}

TR2_INLINE struct tr2_fast_text tr2_fast_measure(const char *s)
{
	struct tr2_fast_text text = { s, s ? strlen(s) : 0 };

	return text;
}

/* Return the room for the text and its length. */
TR2_INLINE size_t tr2_fast_room(const struct tr2_fast_text *text)
{
	return sizeof(uint16_t) + text->len;
}

TR2_INLINE char *tr2_fast_put_u16(char *p, uint16_t value)
{
	memcpy(p, &value, sizeof(value));
	return p + sizeof(value);
}

TR2_INLINE char *tr2_fast_put_u32(char *p, uint32_t value)
{
	memcpy(p, &value, sizeof(value));
	return p + sizeof(value);
}

TR2_INLINE char *tr2_fast_put_u64(char *p, uint64_t value)
{
	memcpy(p, &value, sizeof(value));
	return p + sizeof(value);
}

TR2_INLINE char *tr2_fast_put_text(char *p, const struct tr2_fast_text *text)
{
	if (!text->s)
		return tr2_fast_put_u16(p, TR2_RECORD_ABSENT);
	return tr2_put_short(tr2_fast_put_u16(p, (uint16_t)text->len), text->s,
			     text->len);
}

/*
 * Expand each row of the table into struct tr2_fast_NAME, with the fields in
 * order, and into functions that handle all fields. In a record, a field is a
 * text or a number; T_ABS and NESTING are missing, since the head has them. A
 * field that is not set is written as absent. A record of a site lacks some
 * fields (LACKS). Every call has a constant form.
 */
#define LACKS(form, flags) \
	((form) != TR2_FAST_LONG && (flags) & (TR2_F_SITE | TR2_F_OPT))
#define AS_STR TEXT
#define AS_JSON TEXT
#define AS_ARGV TEXT
#define AS_HISTOGRAM TEXT
#define AS_INT NUMBER
#define AS_UINT NUMBER
#define AS_BOOL NUMBER
#define AS_SECONDS NUMBER
#define AS_T_REL NUMBER
#define AS_T_ABS NOTHING
#define AS_NESTING NOTHING
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

#define MEMBER_TEXT(name) struct tr2_fast_text name;
#define MEMBER_NUMBER(name) uint64_t name;
#define MEMBER_NOTHING(name)
#define TR2_FIELD(type, name, flags) PASTE(MEMBER_, AS_##type)(name)
#define TR2_EVENT(name, flags, fields, normal, category, perf) \
	struct tr2_fast_##name {                                   \
		fields                                         \
	};
#include "event/events.def"
#undef TR2_EVENT
#undef TR2_FIELD

/* tr2_fast_bytes_of_NAME(): return the number of bytes in the record after its
 * file. */
#define BYTES_TEXT(name)                                    \
	bytes += form == TR2_FAST_NUMBER ? sizeof(uint64_t) : \
					   tr2_fast_room(&v->name);
#define BYTES_NUMBER(name) bytes += sizeof(v->name);
#define BYTES_NOTHING(name)
#define TR2_FIELD(type, name, flags) \
	if (!LACKS(form, flags)) {           \
		PASTE(BYTES_, AS_##type)(name) \
	}
#define TR2_EVENT(name, flags, fields, normal, category, perf)              \
	TR2_INLINE size_t tr2_fast_bytes_of_##name(                         \
		const struct tr2_fast_##name *v,                            \
		enum tr2_fast_form form)                                    \
	{                                                                   \
		size_t bytes = 0;                                           \
									    \
		(void)v;                                                    \
		(void)form;                                                 \
		fields                                                      \
		return bytes;                                               \
	}
#include "event/events.def"
#undef TR2_EVENT
#undef TR2_FIELD

/* tr2_fast_marks_of_NAME(): return a value that is not 0 if a text may contain
 * a secret. */
#define MARKS_TEXT(name) found |= tr2_fast_marks_in(&v->name);
#define MARKS_NUMBER(name)
#define MARKS_NOTHING(name)
#define TR2_FIELD(type, name, flags) \
	if (!LACKS(form, flags)) {           \
		PASTE(MARKS_, AS_##type)(name) \
	}
#define TR2_EVENT(name, flags, fields, normal, category, perf)              \
	TR2_INLINE uint64_t tr2_fast_marks_of_##name(                       \
		const struct tr2_fast_##name *v,                            \
		enum tr2_fast_form form)                                    \
	{                                                                   \
		tr2_fast_words_2 found = { 0, 0 };                          \
									    \
		(void)v;                                                    \
		(void)form;                                                 \
		fields                                                      \
		return found[0] | found[1];                                 \
	}
#include "event/events.def"
#undef TR2_EVENT
#undef TR2_FIELD

#define PUT_TEXT(name)                                               \
	p = form == TR2_FAST_NUMBER ? tr2_fast_put_u64(p, v->name.len) : \
				      tr2_fast_put_text(p, &v->name);
#define PUT_NUMBER(name) p = tr2_fast_put_u64(p, v->name);
#define PUT_NOTHING(name)
#define TR2_FIELD(type, name, flags) \
	if (!LACKS(form, flags)) {           \
		PASTE(PUT_, AS_##type)(name) \
	}
#define TR2_EVENT(name, flags, fields, normal, category, perf)              \
	TR2_INLINE void tr2_fast_put_##name(                                \
		char *p, const struct tr2_fast_##name *v,                   \
		enum tr2_fast_form form)                                    \
	{                                                                   \
		(void)p;                                                    \
		(void)v;                                                    \
		(void)form;                                                 \
		fields                                                      \
	}
#include "event/events.def"
#undef TR2_EVENT
#undef TR2_FIELD

/* Return whether the fields may be written. false: they may contain a secret,
 * or must be cut. */
#define TR2_FAST_MAY_WRITE(name, v, form)                              \
	(!(tr2_stream.redact && tr2_fast_marks_of_##name(v, form)) && \
	 tr2_fast_bytes_of_##name(v, form) <= TR2_FAST_MAX_BYTES)
