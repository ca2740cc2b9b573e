/* SPDX-License-Identifier: MIT */
/* json_plain - see read/json_plain.h. A NULL stops the parsing of a line. */
#include "format/events/json_plain.h"
#include "format/events/scan.h"

/* Take a word, from after its opening quote, and copy it. */
static const char *take_word(const char *p, struct tr2_buf *words)
{
	size_t len;

	for (;; p += 2) {
		len = tr2_plain_length(p);
		tr2_buf_add(words, p, len);
		p += len;
		if (*p != '\\')
			break;
		if (p[1] != '"' && p[1] != '\\')
			return NULL;
		tr2_buf_addch(words, p[1]);
	}
	tr2_buf_addch(words, '\0');
	return *p == '"' ? p + 1 : NULL;
}

/* Take an array of strings, from after its opening bracket. */
static const char *take_words(const char *p, struct tr2_buf *words,
			      struct tr2_json_value *v)
{
	size_t start = words->len;

	v->type = TR2_JSON_WORDS;
	for (v->nr = 0; *p == '"'; v->nr++) {
		p = take_word(p + 1, words);
		if (!p)
			return NULL;
		if (*p == ',' && p[1] == '"')
			p++;
		else if (*p != ']')
			return NULL;
	}
	if (*p != ']' || words->failed)
		return NULL;
	v->text = (struct tr2_view){ words->p + start, words->len - start };
	return p + 1;
}

static const char *take_value(const char *p, struct tr2_buf *words,
			      struct tr2_json_value *v)
{
	bool value;

	if (*p == '"') {
		v->type = TR2_JSON_STRING;
		return tr2_plain_string(p + 1, &v->text);
	}
	if (*p == '[')
		return take_words(p + 1, words, v);
	if (*p == 't' || *p == 'f') {
		v->type = TR2_JSON_BOOL;
		p = tr2_plain_bool(p, &value);
		v->i = value;
		return p;
	}
	v->type = TR2_JSON_INT;
	return tr2_plain_int(p, &v->i);
}

bool tr2_json_plain(const char *text, size_t len, struct tr2_buf *scratch,
		    tr2_json_member_fn *member, void *data)
{
	struct tr2_json_value value = { .json = NULL };
	const char *p = text, *end = text + len;
	struct tr2_view key;

	/* The words must not move while views refer to them. */
	tr2_buf_reset(scratch);
	if (len < 2 || *p++ != '{' || !tr2_buf_room(scratch, len))
		return false;
	do {
		if (*p != '"')
			return false;
		p = tr2_plain_string(p + 1, &key);
		if (!p || *p != ':')
			return false;
		p = take_value(p + 1, scratch, &value);
		if (!p || !tr2_ends_value(*p))
			return false;
		member(data, key.p, key.len, &value);
	} while (*p++ == ',');
	return p == end;
}
