/* SPDX-License-Identifier: MIT */
/* Find tokens by their beginning, and by their length. */
#include "event/redact_token.h"

#include <stdint.h>
#include <string.h>

#include "base/macros.h"

/* The characters of a token after its beginning. */
enum letters {
	ALNUM,
	UPPER, /* capitals and digits; exactly `least` of them */
	WORD, /* ALNUM, '_', '-'; at least one digit and one capital */
	JWT /* two parts in base64 and a signature */
};

static const struct {
	/* An array, not a pointer: the loader would have to relocate a
	 * pointer. */
	char begin[14];
	uint8_t least; /* the least number of bytes after `begin` */
	uint8_t letters; /* enum letters */
} tokens[] = {
	{ "ghp_", 30, ALNUM },	    { "gho_", 30, ALNUM },
	{ "ghu_", 30, ALNUM },	    { "ghs_", 30, ALNUM },
	{ "ghr_", 30, ALNUM },	    { "github_pat_", 22, WORD },
	{ "glpat-", 20, WORD },	    { "AKIA", 16, UPPER },
	{ "ASIA", 16, UPPER },	    { "xoxb-", 20, WORD },
	{ "xoxp-", 20, WORD },	    { "xoxa-", 20, WORD },
	{ "xoxs-", 20, WORD },	    { "sk-", 20, WORD },
	{ "sk_live_", 16, ALNUM },  { "rk_live_", 16, ALNUM },
	{ "sk_test_", 16, ALNUM },  { "npm_", 36, ALNUM },
	{ "pypi-AgE", 32, WORD },   { "AIza", 35, WORD },
	{ "hf_", 30, ALNUM },	    { "dop_v1_", 60, ALNUM },
	{ "dckr_pat_", 20, WORD },  { "tskey-", 20, WORD },
	{ "eyJ", 10, JWT },
};

static const char key_begin[] = "-----BEGIN ", key_name[] = "PRIVATE KEY";

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_of(char c, enum letters letters)
{
	if (is_digit(c) || is_upper(c))
		return true;
	if (letters == UPPER)
		return false;
	return (c >= 'a' && c <= 'z') ||
	       (letters != ALNUM && (c == '_' || c == '-'));
}

static size_t run_end(const char *s, size_t len, size_t at,
		      enum letters letters)
{
	while (at < len && is_of(s[at], letters))
		at++;
	return at;
}

/* Return whether the token has a digit and a capital: words that people write
 * seldom have both. */
static bool is_mixed(const char *s, size_t from, size_t to)
{
	bool digit = false, upper = false;

	for (; from < to; from++) {
		digit |= is_digit(s[from]);
		upper |= is_upper(s[from]);
	}
	return digit && upper;
}

static bool find_jwt(const char *s, size_t len, size_t at, size_t *end)
{
	if (len - at < 5 || memcmp(s + at, ".eyJ", 4))
		return false;
	at = run_end(s, len, at + 1, JWT);
	if (at < len && s[at] == '.')
		at = run_end(s, len, at + 1, JWT);
	*end = at;
	return true;
}

static bool find_key(const char *s, size_t len, size_t at, size_t *start,
		     size_t *end)
{
	const size_t n = sizeof(key_begin) - 1;
	size_t line;

	if (len - at < n || memcmp(s + at, key_begin, n))
		return false;
	for (line = at + n; line < len && s[line] != '-'; line++)
		;
	if (line - at < n + sizeof(key_name) - 1 ||
	    memcmp(s + line - (sizeof(key_name) - 1), key_name,
		   sizeof(key_name) - 1))
		return false;
	*start = line;
	*end = len;
	return true;
}

bool tr2_token_find(const char *s, size_t len, size_t at, size_t *start,
		    size_t *end)
{
	size_t i, n;

	if (s[at] == '-')
		return find_key(s, len, at, start, end);
	for (i = 0; i < ARRAY_SIZE(tokens); i++) {
		if (tokens[i].begin[0] != s[at])
			continue;
		n = strlen(tokens[i].begin);
		if (len - at < n + tokens[i].least ||
		    memcmp(s + at, tokens[i].begin, n))
			continue;
		*start = at + n;
		*end = run_end(s, len, *start,
			       (enum letters)tokens[i].letters);
		if (*end - *start < tokens[i].least)
			continue;
		switch ((enum letters)tokens[i].letters) {
		case ALNUM:
			return true;
		case UPPER:
			return *end - *start == tokens[i].least;
		case WORD:
			return is_mixed(s, *start, *end);
		case JWT:
			return find_jwt(s, len, *end, end);
		}
	}
	return false;
}
