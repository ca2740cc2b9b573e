/* SPDX-License-Identifier: MIT */
/*
 * json_scalar - implements format/events/json.h for a build without simdjson,
 * such as the static build. The library's validator checks a text. Then white
 * space is removed, and the members are parsed. Speed matters less here, since
 * event_json_fast.c parses most lines.
 */
#ifndef HAVE_SIMDJSON

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "common/memory.h"
#include "format/events/json.h"
#include "format/events/json_skip.h"
#include "format/events/utf8.h"

#define REPLACEMENT 0xfffd

struct tr2_json {
	struct tr2_buf line; /* the line without white space */
	/* scratch: strings, words and raw texts of a line; the buffer does not
	 * move while the line is parsed. */
	struct tr2_buf scratch, decoded;
	struct tr2_view source; /* text of the current value */
};

struct tr2_json *tr2_json_new(void)
{
	return tr2_calloc(1, sizeof(struct tr2_json));
}

void tr2_json_free(struct tr2_json *json)
{
	if (!json)
		return;
	tr2_buf_release(&json->line);
	tr2_buf_release(&json->scratch);
	tr2_buf_release(&json->decoded);
	free(json);
}

static void add_character(struct tr2_buf *b, uint32_t c)
{
	int shift = c < 0x80 ? 0 : c < 0x800 ? 6 : c < 0x10000 ? 12 : 18;
	static const uint32_t first[] = { 0, 0xc0, 0xe0, 0xf0 };

	tr2_buf_addch(b, (char)(first[shift / 6] | c >> shift));
	while ((shift -= 6) >= 0)
		tr2_buf_addch(b, (char)(0x80 | (c >> shift & 0x3f)));
}

static uint32_t hex(const char *p)
{
	char digits[5] = { p[0], p[1], p[2], p[3], '\0' };

	return (uint32_t)strtoul(digits, NULL, 16);
}

/* Parse the digits of a \u, and the second half of a surrogate pair. Append
 * U+FFFD in place of a NUL, at which the model's strings would end, or of half
 * a pair. */
static const char *parse_code(struct tr2_buf *b, const char *p)
{
	uint32_t c = hex(p), low;

	p += 4;
	if (c >= 0xd800 && c < 0xdc00 && p[0] == '\\' && p[1] == 'u') {
		low = hex(p + 2);
		if (low >= 0xdc00 && low < 0xe000) {
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
			p += 6;
		}
	}
	add_character(b, !c || (c >= 0xd800 && c < 0xe000) ? REPLACEMENT : c);
	return p;
}

/* Decode a string that begins at its opening quote. Return the position after
 * its closing quote. */
static const char *decode(struct tr2_buf *b, const char *p)
{
	static const char letters[] = "bfnrt", values[] = "\b\f\n\r\t";
	const char *letter;

	for (p++; *p != '"';) {
		if (*p != '\\') {
			tr2_buf_addch(b, *p++);
			continue;
		}
		p++;
		if (*p == 'u') {
			p = parse_code(b, p + 1);
			continue;
		}
		letter = strchr(letters, *p);
		tr2_buf_addch(b, letter ? values[letter - letters] : *p);
		p++;
	}
	return p + 1;
}

static struct tr2_view view_from(const struct tr2_json *json, size_t start)
{
	return (struct tr2_view){ json->scratch.p + start,
				  json->scratch.len - start };
}

/* Return the value with decoded strings, so that redaction sees through
 * escapes. */
struct tr2_view tr2_json_source(const struct tr2_json_value *v)
{
	struct tr2_json *json = v->json;
	const char *p = json->source.p, *end = p + json->source.len;
	size_t start = json->scratch.len;

	if (!memchr(p, '\\', json->source.len))
		return json->source;
	while (p < end) {
		if (*p != '"') {
			tr2_buf_addch(&json->scratch, *p++);
			continue;
		}
		tr2_buf_reset(&json->decoded);
		p = decode(&json->decoded, p);
		tr2_must(!json->decoded.failed);
		tr2_buf_addch(&json->scratch, '"');
		tr2_json_add_escaped(&json->scratch, json->decoded.p,
				     json->decoded.len);
		tr2_buf_addch(&json->scratch, '"');
	}
	return view_from(json, start);
}

static bool words_of(struct tr2_json *json, struct tr2_json_value *out)
{
	size_t start = json->scratch.len;
	const char *p = json->source.p + 1;

	for (; *p != ']'; out->nr++) {
		p += *p == ',';
		if (*p != '"') {
			json->scratch.len = start;
			out->nr = 0;
			return false;
		}
		p = decode(&json->scratch, p);
		tr2_buf_addch(&json->scratch, '\0');
	}
	out->text = view_from(json, start);
	return true;
}

static int64_t seconds_to_ns(double seconds)
{
	return seconds >= TR2_JSON_MAX_SECONDS	? INT64_MAX :
	       seconds <= -TR2_JSON_MAX_SECONDS ? -INT64_MAX :
						  llround(seconds * 1e9);
}

static void number_of(const struct tr2_json *json, struct tr2_json_value *out)
{
	const char *p = json->source.p;
	double seconds;

	errno = 0;
	if (strcspn(p, ".eE") < json->source.len) {
		seconds = strtod(p, NULL);
		out->type = isinf(seconds) ? TR2_JSON_STRING : TR2_JSON_DECIMAL;
		out->ns = seconds_to_ns(seconds);
	} else {
		out->type = TR2_JSON_INT;
		out->i = strtoll(p, NULL, 10);
		if (errno == ERANGE && *p != '-') {
			errno = 0;
			out->type = TR2_JSON_UINT;
			out->u = strtoull(p, NULL, 10);
		}
		if (errno == ERANGE)
			out->type = TR2_JSON_STRING;
	}
	out->text = json->source;
}

static void value_of(struct tr2_json *json, struct tr2_json_value *out)
{
	size_t start = json->scratch.len;

	switch (*json->source.p) {
	case '"':
		out->type = TR2_JSON_STRING;
		decode(&json->scratch, json->source.p);
		out->text = view_from(json, start);
		break;
	case 't':
	case 'f':
		out->type = TR2_JSON_BOOL;
		out->i = *json->source.p == 't';
		break;
	case 'n':
		out->type = TR2_JSON_NULL;
		break;
	case '[':
		out->type = words_of(json, out) ? TR2_JSON_WORDS : TR2_JSON_RAW;
		break;
	case '{':
		out->type = TR2_JSON_RAW;
		break;
	default:
		number_of(json, out);
	}
	if (out->type == TR2_JSON_RAW)
		out->text = tr2_json_source(out);
}

enum tr2_json_result tr2_json_object(struct tr2_json *json, const char *text,
				     size_t len, tr2_json_member_fn *member,
				     void *data)
{
	const char *p;
	size_t start;

	if (!tr2_utf8_valid(text, len))
		return TR2_JSON_UTF8;
	tr2_buf_reset(&json->line);
	tr2_json_add_text(&json->line, text, len);
	tr2_buf_reset(&json->scratch);
	tr2_must(tr2_buf_room(&json->scratch, json->line.len * 16) &&
		 !json->line.failed);
	p = tr2_buf_str(&json->line);
	/* Only an object begins with a brace: tr2_json_add_text() has turned
	 * invalid JSON into a string. */
	if (*p++ != '{')
		return TR2_JSON_BAD;
	while (*p != '}') {
		struct tr2_json_value value = { .json = json };
		struct tr2_view key;

		start = json->scratch.len;
		p = decode(&json->scratch, p + (*p == ','));
		key = view_from(json, start);
		json->source.p = ++p;
		p = tr2_json_skip_value(p);
		json->source.len = (size_t)(p - json->source.p);
		value_of(json, &value);
		member(data, key.p, key.len, &value);
	}
	return TR2_JSON_OK;
}

#endif
