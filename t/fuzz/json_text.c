/* SPDX-License-Identifier: MIT */
/* JSON from a program, and strings turned into JSON. */
#include "base/text.h"
#include "format/events/utf8.h"
#include "fuzz.h"

struct seen {
	unsigned int nr;
	struct tr2_buf text;
	enum tr2_json_type type;
};

static void on_member(void *data, const char *key, size_t key_len,
		      const struct tr2_json_value *v)
{
	struct seen *seen = data;

	seen->nr++;
	seen->type = v->type;
	if (v->type == TR2_JSON_STRING)
		tr2_buf_add(&seen->text, v->text.p, v->text.len);
}

/* Parse {"a":TEXT} with simdjson. */
static enum tr2_json_result ask(const char *text, size_t len,
				struct seen *seen)
{
	struct tr2_buf b = TR2_BUF_INIT;
	enum tr2_json_result result;

	tr2_buf_addlit(&b, "{\"a\":");
	tr2_buf_add(&b, text, len);
	tr2_buf_addch(&b, '}');
	result = fuzz_json(b.p, b.len, on_member, seen);
	tr2_buf_release(&b);
	return result;
}

/* Numbers of more than 64 bits and decimals beyond a double's range are JSON,
 * but simdjson rejects them; the library's validator has another limit of
 * nesting. */
static bool beyond_limits(const char *s, size_t n)
{
	size_t digits = 0, deep = 0;

	for (; n; n--, s++) {
		digits = *s >= '0' && *s <= '9' ? digits + 1 : 0;
		deep += *s == '[' || *s == '{';
		if (digits > 17 || deep > 500 || *s == 'e' || *s == 'E')
			return true;
	}
	return false;
}

static void check_text(const char *s, size_t n)
{
	struct tr2_buf b = TR2_BUF_INIT;
	struct seen seen = { 0 }, compact = { 0 };
	bool ours = fuzz_is_json(s, n), theirs;

	tr2_json_add_text(&b, s, n);
	fuzz_check(fuzz_is_json(b.p, b.len), "not JSON: %s", tr2_buf_str(&b));
	fuzz_check(!memchr(b.p, '\n', b.len), "more than a line");
	if (!beyond_limits(s, n)) {
		theirs = ask(s, n, &seen) == TR2_JSON_OK && seen.nr == 1;
		/* [1,2] is one text, 1,2 is not; in brackets both are. */
		if (theirs)
			fuzz_check(ours, "refused: %.*s", (int)n, s);
		fuzz_check(ask(b.p, b.len, &compact) == TR2_JSON_OK &&
				   compact.nr == 1,
			   "not JSON for simdjson: %s", tr2_buf_str(&b));
		fuzz_check(!theirs || compact.type == seen.type,
			   "%d became %d", (int)seen.type, (int)compact.type);
	}
	tr2_buf_release(&b);
	tr2_buf_release(&seen.text);
	tr2_buf_release(&compact.text);
}

/* A string that became JSON can be parsed back, except invalid UTF-8. */
static void check_string(const char *s)
{
	struct tr2_buf b = TR2_BUF_INIT, want = TR2_BUF_INIT;
	struct seen seen = { 0 };

	tr2_json_add_string(&b, s);
	tr2_utf8_repair(&want, s, strlen(s), 0);
	fuzz_check(ask(b.p, b.len, &seen) == TR2_JSON_OK && seen.nr == 1 &&
			   seen.type == TR2_JSON_STRING,
		   "no string: %s", tr2_buf_str(&b));
	fuzz_check(fuzz_same(&seen.text, want.p, want.len),
		   "another string: %s", tr2_buf_str(&b));
	fuzz_check(tr2_utf8_valid(b.p, b.len), "not UTF-8");
	tr2_buf_release(&b);
	tr2_buf_release(&want);
	tr2_buf_release(&seen.text);
}

void fuzz_json_text(struct fuzz_input *in)
{
	char *s;

	check_text((const char *)in->p, in->n);
	s = fuzz_string(in);
	check_string(s);
	free(s);
}
