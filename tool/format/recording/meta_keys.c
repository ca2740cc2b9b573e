/* SPDX-License-Identifier: MIT */
/* meta_keys - find each key of meta.json in the rows of meta.def. */
#include "format/recording/meta_keys.h"

#include "base/macros.h"
#include "model/json_members.h"

enum type { NUMBER, TEXT, JSON, WORDS, OBJECT };

/* A key, and where to store its value. */
struct row {
	const char *key;
	enum type type;
	size_t at;
	/* for OBJECT: the rows of its members, which are all numbers */
	const struct row *member;
	size_t nr;
};

#define AT(key) offsetof(struct tr2_meta_keys, key)

static const struct row options[] = {
#define TR2_META_OPTION(key, value, meaning) \
	{ #key, NUMBER, AT(options.key), NULL, 0 },
#include "format/recording/meta.def"
};
static const struct row losses[] = {
#define TR2_META_LOSS(key, value, meaning) \
	{ #key, NUMBER, AT(losses.key), NULL, 0 },
#include "format/recording/meta.def"
};
static const struct row rusage[] = {
#define TR2_META_USAGE(key, value, name, unit) \
	{ #key, NUMBER, AT(rusage.key), NULL, 0 },
#include "format/recording/meta.def"
};
static const struct row io[] = {
#define TR2_META_IO(key, field, name, unit) \
	{ #key, NUMBER, AT(io.key), NULL, 0 },
#include "format/recording/meta.def"
};

static const struct row rows[] = {
#define ROW_NUMBER(key) { #key, NUMBER, AT(key), NULL, 0 },
#define ROW_TEXT(key) { #key, TEXT, AT(key), NULL, 0 },
#define ROW_JSON(key) { #key, JSON, AT(key), NULL, 0 },
#define ROW_WORDS(key) { #key, WORDS, AT(key), NULL, 0 },
#define ROW_OBJECT(key) { #key, OBJECT, 0, key, ARRAY_SIZE(key) },
#define TR2_META(key, type, when, value, meaning) ROW_##type(key)
#include "format/recording/meta.def"
};

static const struct row *find_row(const struct row *row, size_t nr,
				  const char *key, size_t len)
{
	for (; nr; nr--, row++)
		if (strlen(row->key) == len && !memcmp(row->key, key, len))
			return row;
	return NULL;
}

static void set_number(struct tr2_meta_keys *keys, const struct row *row,
		       int64_t value)
{
	memcpy((char *)keys + row->at, &value, sizeof(value));
}

static void forget_numbers(struct tr2_meta_keys *keys, const struct row *row,
			   size_t nr)
{
	for (; nr; nr--, row++) {
		forget_numbers(keys, row->member, row->nr);
		if (row->type == NUMBER)
			set_number(keys, row, -1);
	}
}

static void read_members(struct tr2_meta_keys *keys, const struct row *object,
			 struct tr2_view text)
{
	struct tr2_json_member member;
	const struct row *row;
	int64_t value;

	while (tr2_json_next_member(&text, &member)) {
		row = find_row(object->member, object->nr, member.key.p,
			       member.key.len);
		if (row && tr2_json_member_int(&member, &value) && value >= 0)
			set_number(keys, row, value);
	}
}

static void on_member(void *data, const char *key, size_t len,
		      const struct tr2_json_value *v)
{
	const struct row *row = find_row(rows, ARRAY_SIZE(rows), key, len);
	struct tr2_words_view words = { v->text.p, v->text.len, v->nr };

	if (!row)
		return;
	if (row->type == OBJECT && v->type == TR2_JSON_RAW)
		read_members(data, row, v->text);
	else if (row->type == NUMBER && v->type == TR2_JSON_INT && v->i >= 0)
		set_number(data, row, v->i);
	else if (row->type == WORDS && v->type == TR2_JSON_WORDS)
		memcpy((char *)data + row->at, &words, sizeof(words));
	else if ((row->type == TEXT && v->type == TR2_JSON_STRING) ||
		 (row->type == JSON && v->type == TR2_JSON_RAW))
		memcpy((char *)data + row->at, &v->text, sizeof(v->text));
}

bool tr2_meta_keys_read(struct tr2_meta_keys *keys, struct tr2_json *json,
			const char *text, size_t len)
{
	*keys = (struct tr2_meta_keys){ 0 };
	forget_numbers(keys, rows, ARRAY_SIZE(rows));
	if (tr2_json_object(json, text, len, on_member, keys) == TR2_JSON_OK)
		return true;
	*keys = (struct tr2_meta_keys){ 0 };
	forget_numbers(keys, rows, ARRAY_SIZE(rows));
	return false;
}

bool tr2_meta_text_is(const struct tr2_view *text, const char *want)
{
	return strlen(want) == text->len && !memcmp(text->p, want, text->len);
}
