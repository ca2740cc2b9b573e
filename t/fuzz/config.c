/* SPDX-License-Identifier: MIT */
/* Config files. */
#include "config/config.h"
#include "fuzz.h"

/* Keys and values in their order: key, NUL, = and value or -, NUL. */
struct keys {
	struct tr2_buf text;
	const char *section; /* only keys of this section; NULL: all */
};

static void collect(void *cookie, const struct tr2_config_entry *entry)
{
	const char *key = entry->key, *value = entry->value;
	struct keys *keys = cookie;

	if (keys->section &&
	    (strncmp(key, keys->section, strlen(keys->section)) ||
	     key[strlen(keys->section)] != '.'))
		return;
	tr2_buf_add(&keys->text, key, strlen(key) + 1);
	tr2_buf_addch(&keys->text, value ? '=' : '-');
	if (value)
		tr2_buf_addstr(&keys->text, value);
	tr2_buf_addch(&keys->text, '\0');
}

static int read_keys(struct keys *keys, const void *data, size_t size)
{
	const struct tr2_config_request request = {
		.entry = collect, .cookie = keys, .no_includes = true,
	};

	return tr2_config_read_file(&request, TR2_CONFIG_GLOBAL,
				    fuzz_file(data, size));
}

static void escape(struct tr2_buf *b, const char *s, size_t n)
{
	for (; n--; s++) {
		if (*s == '\n') {
			tr2_buf_addlit(b, "\\n");
			continue;
		}
		if (*s == '"' || *s == '\\')
			tr2_buf_addch(b, '\\');
		tr2_buf_addch(b, *s);
	}
}

/* false: a key that can be read, but not written. */
static bool write_key(struct tr2_buf *b, const char *key, const char *value)
{
	const char *first = strchr(key, '.'), *last = strrchr(key, '.');

	if (first == key)
		return false;
	if (first) {
		tr2_buf_addch(b, '[');
		tr2_buf_add(b, key, (size_t)(first - key));
		if (first != last) {
			tr2_buf_addlit(b, " \"");
			escape(b, first + 1, (size_t)(last - first - 1));
			tr2_buf_addch(b, '"');
		}
		tr2_buf_addlit(b, "]\n");
	}
	tr2_buf_addstr(b, last ? last + 1 : key);
	if (value) {
		tr2_buf_addlit(b, " = \"");
		escape(b, value, strlen(value));
		tr2_buf_addch(b, '"');
	}
	tr2_buf_addch(b, '\n');
	return true;
}

static bool write_keys(struct tr2_buf *b, const struct keys *keys)
{
	const char *p = keys->text.p;

	/* Without any key, p is NULL. */
	while (p && p < keys->text.p + keys->text.len) {
		const char *mark = p + strlen(p) + 1;

		if (!write_key(b, p, *mark == '=' ? mark + 1 : NULL))
			return false;
		p = mark + strlen(mark) + 1;
	}
	return true;
}

static void check_round_trip(const struct keys *keys)
{
	struct tr2_buf text = TR2_BUF_INIT;
	struct keys again = { .section = NULL };

	if (write_keys(&text, keys)) {
		fuzz_check(!read_keys(&again, text.p, text.len),
			   "what was written cannot be read: %s",
			   tr2_buf_str(&text));
		fuzz_check(fuzz_same(&again.text, keys->text.p,
				     keys->text.len),
			   "other keys than were written: %s",
			   tr2_buf_str(&text));
	}
	tr2_buf_release(&text);
	tr2_buf_release(&again.text);
}

/* Read one section, with and without checking the rest. */
static void check_section(const void *data, size_t size)
{
	struct keys want = { .section = "trace2" };
	int thorough;

	read_keys(&want, data, size);
	for (thorough = 0; thorough < 2; thorough++) {
		struct keys got = { .section = NULL };
		const struct tr2_config_request request = {
			.entry = collect, .cookie = &got, .section = "trace2",
			.thorough = thorough, .no_includes = true,
		};

		fuzz_check(!tr2_config_read_file(&request, TR2_CONFIG_GLOBAL,
						 fuzz_file(data, size)),
			   "an error, of all sections none");
		fuzz_check(fuzz_same(&got.text, want.text.p, want.text.len),
			   "other keys than in all sections");
		tr2_buf_release(&got.text);
	}
	tr2_buf_release(&want.text);
}

/* Read it with everything that it includes, which may be itself. */
static void check_includes(const void *data, size_t size)
{
	struct keys keys = { .section = NULL };
	const struct tr2_config_request request = {
		.entry = collect, .cookie = &keys,
	};
	int err = tr2_config_read_file(&request, TR2_CONFIG_GLOBAL,
				       fuzz_file(data, size));

	fuzz_check(!err || !keys.text.len, "%d with includes, and keys", err);
	tr2_buf_release(&keys.text);
}

void fuzz_config(struct fuzz_input *in)
{
	struct keys keys = { .section = NULL };
	int err = read_keys(&keys, in->p, in->n);

	fuzz_check(!err || !keys.text.len, "%d, and keys", err);
	if (!err && (!in->n || !memchr(in->p, '\0', in->n))) {
		check_round_trip(&keys);
		check_section(in->p, in->n);
	}
	check_includes(in->p, in->n);
	tr2_buf_release(&keys.text);
}
