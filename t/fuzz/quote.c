/* SPDX-License-Identifier: MIT */
/* Quoting of words for a shell, and printable text. */
#include "base/text.h"
#include "fuzz.h"

/* Parse one word as a POSIX shell does. false: it is not exactly one. */
static bool unquote(const char *s, size_t len, struct tr2_buf *out)
{
	const char *end = s + len, *close;

	while (s < end) {
		if (*s == '\'') {
			close = memchr(s + 1, '\'', (size_t)(end - s - 1));
			if (!close)
				return false;
			tr2_buf_add(out, s + 1, (size_t)(close - s - 1));
			s = close + 1;
		} else if (*s == '\\') {
			if (++s == end)
				return false;
			tr2_buf_addch(out, *s++);
		} else if ((unsigned char)*s <= ' ' ||
			   strchr("\"$`|&;<>()*?[]#~{}!", *s)) {
			return false;
		} else {
			tr2_buf_addch(out, *s++);
		}
	}
	return true;
}

static bool has_control(const char *s, size_t n)
{
	for (; n; n--, s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f ||
		    (n > 1 && !memcmp(s, "\xc2", 1) && (s[1] & 0xe0) == 0x80))
			return true;
	return false;
}

/*
 * Without control characters, a word can be parsed back. With them, its
 * printable form can be.
 */
static void check_word(const char *s)
{
	struct tr2_buf b = TR2_BUF_INIT, back = TR2_BUF_INIT;
	struct tr2_buf printable = TR2_BUF_INIT;

	tr2_text_add(&printable, s, strlen(s));
	tr2_quote_add_word(&b, s);
	fuzz_check(!has_control(b.p, b.len), "control characters are left");
	fuzz_check(unquote(b.p, b.len, &back), "not one word: %s",
		   tr2_buf_str(&b));
	fuzz_check(fuzz_same(&back, printable.p, printable.len),
		   "another word: %s", tr2_buf_str(&b));
	tr2_buf_release(&b);
	tr2_buf_release(&back);
	tr2_buf_release(&printable);
}

static void check_text(const char *s, size_t n)
{
	struct tr2_buf b = TR2_BUF_INIT;

	tr2_text_add(&b, s, n);
	fuzz_check(!has_control(b.p, b.len), "control characters are left");
	fuzz_check(has_control(s, n) || fuzz_same(&b, s, n),
		   "changed, for no reason");
	tr2_buf_release(&b);
}

static void check_cut(const char *s, size_t max)
{
	size_t len = strlen(s), cut = tr2_utf8_cut(s, len, max), at = 0, step;

	fuzz_check(cut <= max && cut <= len, "%zu of %zu", cut, max);
	while (at < cut) {
		step = tr2_utf8_sequence(s + at, len - at);
		at += step ? step : 1;
	}
	fuzz_check(at == cut, "cut within a character, at %zu", cut);
}

void fuzz_quote(struct fuzz_input *in)
{
	size_t max = fuzz_byte(in) % 32;
	char *word;

	check_text((const char *)in->p, in->n);
	while (in->n) {
		word = fuzz_string(in);
		check_word(word);
		check_cut(word, max);
		free(word);
	}
}
