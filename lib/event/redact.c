/* SPDX-License-Identifier: MIT */
/* redact - find secrets in a string by their shapes. */
#include "event/redact.h"

#include <strings.h>

#include "base/macros.h"
#include "event/redact_name.h"
#include "event/redact_token.h"

/* Search at most this far into a run of quotes: so a line of quotes alone stays
 * cheap. */
#define MAX_QUOTES 4

static bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name_char(char c)
{
	return is_alpha(c) || is_digit(c) || c == '_' || c == '.' || c == '-';
}

static bool is_token_char(char c)
{
	return is_alpha(c) || is_digit(c) || c == '_' || c == '-';
}

static bool is_blank(char c)
{
	return (unsigned char)c <= ' ';
}

static bool is_quote(char c)
{
	return strchr("\"'`<>", c) != NULL;
}

/*
 * Return whether a URL or a value ends here. A closing quote ends it; a quote
 * within a word may be part of a password.
 */
static bool is_gap(const char *s, size_t len, size_t at)
{
	size_t end;

	if (is_blank(s[at]))
		return true;
	for (end = at; end < len && end - at < MAX_QUOTES && is_quote(s[end]);)
		end++;
	return end > at && (end == len || is_blank(s[end]) ||
			    strchr(",;:)]}", s[end]));
}

/* A part of the string to hide. */
struct span {
	size_t start, end;
};

static bool is_http(const char *s, size_t colon)
{
	return (colon >= 4 && !strncasecmp(s + colon - 4, "http", 4)) ||
	       (colon >= 5 && !strncasecmp(s + colon - 5, "https", 5));
}

/* Return whether s[at..end) begins with a port, as in "host:80/…", and not with
 * a password. */
static bool is_port(const char *s, size_t at, size_t end)
{
	size_t start = at;

	while (at < end && is_digit(s[at]))
		at++;
	return at - start <= 5 &&
	       (at == end || is_blank(s[at]) || is_quote(s[at]) ||
		strchr("/?#", s[at]) ||
		(end - at > 1 && !memcmp(s + at, "\\/", 2)));
}

/* The ways in which a value ends. */
enum ending { AT_GAP, AT_QUOTE, AT_DOUBLE_QUOTE, AT_LINE_END, NR_ENDINGS };

/*
 * Places found in the word around the current place, and ends of values.
 * Because they are kept, a word full of "://" is searched once, not once for
 * each "://".
 */
struct word {
	/* A value that begins in from..to ends at `to`. */
	struct {
		size_t from, to;
	} value[NR_ENDINGS];
	size_t end; /* the end of the word around the current place */
	size_t query; /* the first '?' or '#' from the current place on */
	size_t at; /* offset after the last '@' of the word; 0: no '@' */
	size_t at_before_query; /* offset after the last '@' before `query`; 0:
				 * no '@' */
};

static size_t last_at_sign(const char *s, size_t start, size_t end)
{
	while (end-- > start)
		if (s[end] == '@')
			return end + 1;
	return 0;
}

static void look_around(struct word *word, const char *s, size_t len,
			size_t place)
{
	bool moved = place >= word->end;

	if (moved) {
		word->end = place;
		while (word->end < len && !is_gap(s, len, word->end))
			word->end++;
		word->at = last_at_sign(s, place, word->end);
	}
	if (moved || place > word->query) {
		word->query = place;
		while (word->query < word->end && !strchr("?#", s[word->query]))
			word->query++;
		word->at_before_query = last_at_sign(s, place, word->query);
	}
}

/* If "://" (or ":\/\/", as JSON may have it) begins at the colon, return the
 * place after it. Return 0 otherwise, or if the string ends there. */
static size_t after_slashes(const char *s, size_t len, size_t colon)
{
	if (len - colon > 3 && !memcmp(s + colon + 1, "//", 2))
		return colon + 3;
	if (len - colon > 5 && !memcmp(s + colon + 1, "\\/\\/", 4))
		return colon + 5;
	return 0;
}

/* Find a password or a user in a URL. colon: the ':' of the "://" that ends
 * before `start`. */
static bool find_userinfo(const char *s, size_t len, size_t colon, size_t start,
			  struct word *word, struct span *hide)
{
	size_t user_end = start;

	/* an address in brackets, such as [::1]:80, is no user */
	if (start < len && s[start] == '[')
		return false;
	if (!colon || !(is_alpha(s[colon - 1]) || is_digit(s[colon - 1])))
		return false;
	while (user_end < len && !is_gap(s, len, user_end) &&
	       !strchr(":@/?#", s[user_end]))
		user_end++;
	if (user_end == len)
		return false;
	if (s[user_end] == '@' && is_http(s, colon) && user_end > start) {
		*hide = (struct span){ start, user_end };
		return true;
	}
	hide->start = user_end + 1;
	if (s[user_end] != ':' || is_port(s, hide->start, len))
		return false;
	look_around(word, s, len, hide->start);
	/*
	 * The password ends at the last '@' before a '?' or '#'. If there is
	 * none, or the password would be empty, the password may contain '?' or
	 * '#': take the last '@' of the word.
	 */
	hide->end = word->at_before_query;
	if (hide->end <= hide->start + 1)
		hide->end = word->at;
	/* hide->end is the offset after the '@': move it to the '@'. An empty
	 * password needs no hiding. */
	return hide->end-- > hide->start;
}

/* Return whether a value ends at this place. `at` follows a ':' or '=', hence
 * is not 0. */
static bool is_end(const char *s, size_t len, size_t at, enum ending ending)
{
	switch (ending) {
	case AT_QUOTE:
		return s[at] == '\'';
	case AT_DOUBLE_QUOTE:
		return s[at] == '"' && s[at - 1] != '\\';
	case AT_LINE_END:
		return strchr("\r\n", s[at]) ||
		       (is_quote(s[at]) && is_gap(s, len, at));
	default:
		return is_gap(s, len, at) || strchr("&;#", s[at]);
	}
}

/* Return the end of a value. `at` follows a ':' or '=', hence is not 0. */
static size_t value_end(struct word *word, const char *s, size_t len, size_t at,
			enum ending ending)
{
	size_t *from = &word->value[ending].from;
	size_t *to = &word->value[ending].to;

	if (at < *from || at > *to) {
		*from = at;
		while (at < len && !is_end(s, len, at, ending))
			at++;
		*to = at;
	}
	return *to;
}

/* Return the start of the name that ends at `end`, possibly quoted, as in JSON;
 * move *end before the quote. */
static size_t name_before(const char *s, size_t *end)
{
	size_t start;

	while (*end && strchr(" \"'", s[*end - 1]))
		--*end;
	for (start = *end; start && is_name_char(s[start - 1]);)
		start--;
	return start;
}

static bool is_header(const char *s, size_t start, size_t end)
{
	const char *name = s + start;
	size_t n = end - start;

	if (tr2_name_ends_in(name, n, "authorization") ||
	    tr2_name_ends_in(name, n, "set-cookie"))
		return true;
	if (start && s[start - 1] != '=' && !is_quote(s[start - 1]))
		return false;
	return (n == 6 && !strncasecmp(name, "cookie", 6)) ||
	       (memchr(name, '-', n) &&
		tr2_name_kind(name, n) != TR2_NAME_PLAIN);
}

/* Find the value in `name: value`, or in JSON's `"name": "value"`. */
static bool find_named(const char *s, size_t len, size_t colon,
		       struct word *word, struct span *hide)
{
	size_t end = colon, start = name_before(s, &end), at = colon + 1;
	enum ending ending = AT_LINE_END;

	if (start == end)
		return false;
	while (at < len && strchr(" \t", s[at]))
		at++;
	if (!is_header(s, start, end)) {
		if (at == len || s[at] != '"' || s[end] != '"' || !start ||
		    s[start - 1] != '"' ||
		    tr2_name_kind(s + start, end - start) == TR2_NAME_PLAIN)
			return false;
		ending = AT_DOUBLE_QUOTE;
	}
	while (at < len && strchr(" \t\"'", s[at]))
		at++;
	hide->start = at;
	hide->end = value_end(word, s, len, at, ending);
	return true;
}

/* Return whether the name is a parameter of a URL's query that signs the URL,
 * or a short word for a password. */
static bool is_query_secret(const char *s, size_t name, size_t n)
{
	if (!name || !strchr("?&", s[name - 1]))
		return false;
	return tr2_name_ends_in(s + name, n, "signature") ||
	       tr2_name_ends_in(s + name, n, "sig") ||
	       tr2_name_ends_in(s + name, n, "pass") ||
	       tr2_name_ends_in(s + name, n, "pwd");
}

static bool find_assignment(const char *s, size_t len, size_t equals,
			    struct word *word, struct span *hide)
{
	size_t name = equals, at = equals + 1, n;
	enum ending ending = AT_GAP;
	enum tr2_name_kind kind;

	while (name && is_name_char(s[name - 1]))
		name--;
	n = equals - name;
	kind = tr2_name_kind(s + name, n);
	if (kind == TR2_NAME_PLAIN && !is_query_secret(s, name, n))
		return false;
	if (at < len && (s[at] == '"' || s[at] == '\''))
		ending = s[at++] == '"' ? AT_DOUBLE_QUOTE : AT_QUOTE;
	hide->start = at;
	hide->end = len;
	/* If the string consists of the assignment alone, the value reaches to
	 * the end of the string. */
	if (name || ending != AT_GAP)
		hide->end = value_end(word, s, len, at, ending);
	return !tr2_name_excuses(kind, s + name, n, s + at, hide->end - at);
}

/* If s begins with an option whose value, in the next word, is secret, return
 * the length of the option's name; else 0. */
static size_t secret_option(const char *s, size_t len)
{
	size_t n = len && s[0] == '-', i;

	if (!n)
		return 0;
	for (i = n; i < len && is_name_char(s[i]); i++)
		;
	if (i < len && !is_blank(s[i]))
		return 0;
	if (i < 6 || !strncmp(s, "--no-", 5) ||
	    tr2_name_kind(s, i) == TR2_NAME_PLAIN ||
	    /* for containers, the value of --secret is only the name of a
	     * secret */
	    (i == 8 && !memcmp(s, "--secret", 8)))
		return 0;
	return i;
}

static bool has_digit(const char *s, size_t from, size_t to)
{
	while (from < to && !is_digit(s[from]))
		from++;
	return from < to;
}

/* Find `--token value` in a text; "--token is needed" contains no value. */
static bool find_option(const char *s, size_t len, size_t at, struct word *word,
			struct span *hide)
{
	size_t n = secret_option(s + at, len - at);

	if (!n || at + n + 1 >= len || s[at + n] != ' ' ||
	    s[at + n + 1] == '-')
		return false;
	hide->start = at + n + 1;
	hide->end = value_end(word, s, len, hide->start, AT_GAP);
	return has_digit(s, hide->start, hide->end) &&
	       !tr2_name_excuses(tr2_name_kind(s + at, n), s + at, n,
				 s + hide->start, hide->end - hide->start);
}

/* Return whether a word begins here. Tokens and options use this same test, so
 * that no word is searched twice. */
static bool begins_word(const char *s, size_t at)
{
	return !at || !is_name_char(s[at - 1]);
}

static bool find_secret(const char *s, size_t len, size_t at, struct word *word,
			struct span *hide)
{
	size_t behind;

	if (s[at] == '=')
		return find_assignment(s, len, at, word, hide);
	if (s[at] != ':')
		return tr2_token_may_begin(s[at]) && begins_word(s, at) &&
		       (tr2_token_find(s, len, at, &hide->start, &hide->end) ||
			find_option(s, len, at, word, hide));
	behind = after_slashes(s, len, at);
	if (behind)
		return find_userinfo(s, len, at, behind, word, hide);
	return find_named(s, len, at, word, hide);
}

static bool has_dashed_word(const char *s, size_t len)
{
	const char *dash = s - 1;

	while ((dash = memchr(dash + 1, '-', (size_t)(s + len - dash - 1))))
		if (begins_word(s, (size_t)(dash - s)))
			return true;
	return false;
}

/* Look only at every TR2_TOKEN_BYTES-th byte outside of words: a word of
 * TR2_TOKEN_BYTES or more covers one of these bytes. */
static bool has_long_word(const char *s, size_t len)
{
	size_t at = TR2_TOKEN_BYTES - 1, start, end;

	while (at < len) {
		for (start = at + 1; start && is_token_char(s[start - 1]);)
			start--;
		for (end = at; end < len && is_token_char(s[end]);)
			end++;
		if (end >= start + TR2_TOKEN_BYTES)
			return true;
		at = end + TR2_TOKEN_BYTES;
	}
	return false;
}

bool tr2_redact_may_find(const char *s, size_t len)
{
	return has_dashed_word(s, len) || has_long_word(s, len);
}

/* Return whether s has "<REDACTED>" at this place, as a whole word. */
static bool was_hidden(const char *s, size_t len, size_t at)
{
	const size_t n = sizeof(TR2_REDACTED) - 1;

	return len - at >= n && !memcmp(s + at, TR2_REDACTED, n) &&
	       (len - at == n || !is_name_char(s[at + n]));
}

static void add_hidden(struct tr2_buf *b, const char *s, size_t *copied,
		       const struct span *hide)
{
	if (hide->end == hide->start)
		return;
	tr2_buf_add(b, s + *copied, hide->start - *copied);
	tr2_buf_addlit(b, TR2_REDACTED);
	*copied = hide->end;
}

const char *tr2_redact(struct tr2_buf *scratch, const char *s, size_t *len)
{
	size_t n = *len, copied = 0, at;
	struct span hide = { 0, 0 }, found = { 0, 0 };
	struct word word = { .end = 0 };

	tr2_buf_reset(scratch);
	/* Join secrets that overlap: one secret may begin inside another one
	 * and end after it. */
	for (at = 0; at < n; at++) {
		if (!find_secret(s, n, at, &word, &found) ||
		    found.end == found.start || found.end <= copied ||
		    was_hidden(s, n, found.start))
			continue;
		if (found.start > hide.end) {
			add_hidden(scratch, s, &copied, &hide);
			hide = found;
			continue;
		}
		if (found.start < copied)
			found.start = copied;
		if (found.start < hide.start)
			hide.start = found.start;
		if (found.end > hide.end)
			hide.end = found.end;
	}
	add_hidden(scratch, s, &copied, &hide);
	if (!copied)
		return s;
	tr2_buf_add(scratch, s + copied, n - copied);
	if (scratch->failed) {
		*len = sizeof(TR2_REDACTED) - 1;
		return TR2_REDACTED;
	}
	*len = scratch->len;
	return scratch->p;
}

bool tr2_redact_is_secret_name(const char *name)
{
	return name && tr2_name_kind(name, strlen(name)) != TR2_NAME_PLAIN;
}

/* Options whose values are secrets only in one program. program: the name of
 * its file. */
static const struct {
	char program[8], option[13];
} options[] = {
	{ "curl", "-u" },	   { "curl", "--user" }, { "curl", "-U" },
	{ "curl", "--proxy-user" }, { "sshpass", "-p" },
};

static bool is_option_of(const char *program, const char *option)
{
	const char *slash = program ? strrchr(program, '/') : NULL;
	size_t i;

	program = slash ? slash + 1 : program;
	for (i = 0; program && i < ARRAY_SIZE(options); i++)
		if (!strcmp(options[i].program, program) &&
		    !strcmp(options[i].option, option))
			return true;
	return false;
}

const char *tr2_redact_word(struct tr2_buf *scratch, const char *program,
			    const char *before, const char *word, size_t *len)
{
	size_t n = before ? strlen(before) : 0;

	if (n && *word && *word != '-' &&
	    ((secret_option(before, n) == n &&
	      !tr2_name_excuses(tr2_name_kind(before, n), before, n, word,
				*len)) ||
	     is_option_of(program, before))) {
		*len = sizeof(TR2_REDACTED) - 1;
		return TR2_REDACTED;
	}
	return tr2_redact(scratch, word, len);
}
