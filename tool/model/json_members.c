/* SPDX-License-Identifier: MIT */
/* json_members - scan an object, and undo the escapes of strings. */
#include "model/json_members.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Return the closing quote of a string, or the end of the text; p is after the
 * string's opening quote. */
static const char *string_end(const char *p, const char *end)
{
	while (p < end && *p != '"')
		p += *p == '\\' && p + 1 < end ? 2 : 1;
	return p;
}

/* Return the end of a value that is not a string: the comma or bracket after
 * it. */
static const char *other_end(const char *p, const char *end)
{
	unsigned int depth = 0;

	for (; p < end; p++) {
		if (*p == '"')
			p = string_end(p + 1, end);
		else if (*p == '[' || *p == '{')
			depth++;
		else if (!depth && (*p == ',' || *p == '}' || *p == ']'))
			break;
		else if (*p == ']' || *p == '}')
			depth--;
	}
	return p < end ? p : end;
}

bool tr2_json_next_member(struct tr2_view *text,
			  struct tr2_json_member *member)
{
	const char *end = text->p + text->len, *p, *value;

	p = text->len ? memchr(text->p, '"', text->len) : NULL;
	if (!p)
		return false;
	member->key.p = ++p;
	p = string_end(p, end);
	member->key.len = (size_t)(p - member->key.p);
	p += p < end; /* skip the closing quote of the key */
	while (p < end && (*p == ':' || *p == ' ' || *p == '\t'))
		p++;
	member->is_string = p < end && *p == '"';
	p += member->is_string;
	value = p;
	p = member->is_string ? string_end(p, end) : other_end(p, end);
	member->value = (struct tr2_view){ value, (size_t)(p - value) };
	p += p < end;
	*text = (struct tr2_view){ p, (size_t)(end - p) };
	return true;
}

bool tr2_json_member_is(const struct tr2_json_member *member, const char *key)
{
	return member->key.len == strlen(key) &&
	       !memcmp(member->key.p, key, member->key.len);
}

/* Append an escaped character, and return the position after the escape. The
 * library and the reader of streams escape only what JSON requires, with \u00HH
 * if there is no short form. A text cannot contain NUL: it becomes U+FFFD. */
static const char *add_escape(struct tr2_buf *b, const char *p, const char *end)
{
	static const char names[] = "bfnrt", are[] = "\b\f\n\r\t";
	const char *name = strchr(names, *p);
	char digits[5] = "";
	unsigned long c;

	if (*p == 'u' && end - p >= 5) {
		memcpy(digits, p + 1, 4);
		c = strtoul(digits, NULL, 16);
		if (c && c < 0x80)
			tr2_buf_addch(b, (char)c);
		else
			tr2_buf_addstr(b, "\xef\xbf\xbd");
		return p + 5;
	}
	tr2_buf_addch(b, *p && name ? are[name - names] : *p);
	return p + 1;
}

struct tr2_view tr2_json_member_text(const struct tr2_json_member *member,
				     struct tr2_buf *b)
{
	const char *p = member->value.p, *end = p + member->value.len;

	tr2_buf_reset(b);
	while (p < end) {
		if (*p == '\\' && p + 1 < end)
			p = add_escape(b, p + 1, end);
		else
			tr2_buf_addch(b, *p++);
	}
	return (struct tr2_view){ b->p ? b->p : "", b->len };
}

bool tr2_json_member_int(const struct tr2_json_member *member, int64_t *value)
{
	const char *end = member->value.p + member->value.len;
	char *p;

	if (member->is_string || !member->value.len)
		return false;
	errno = 0;
	*value = strtoll(member->value.p, &p, 10);
	return !errno && p == end;
}

/* Return up to 16 hexadecimal digits from `at` on. */
static uint64_t id_at(const struct tr2_json_member *member, size_t at)
{
	size_t left = member->value.len > at ? member->value.len - at : 0;
	char digits[17] = "";

	memcpy(digits, member->value.p + at, left < 16 ? left : 16);
	return strtoull(digits, NULL, 16);
}

bool tr2_json_member_id(const struct tr2_json_member *member,
			struct tr2_context *self, uint64_t *parent)
{
	if (tr2_json_member_is(member, "trace_id")) {
		self->trace[0] = id_at(member, 0);
		self->trace[1] = id_at(member, 16);
	} else if (tr2_json_member_is(member, "span_id")) {
		self->id = id_at(member, 0);
	} else if (tr2_json_member_is(member, "parent_id")) {
		*parent = id_at(member, 0);
	} else {
		return false;
	}
	return true;
}
