/* SPDX-License-Identifier: MIT */
#include "event/redact.h"

#include <strings.h>

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

/* Ends a URL or a value inside a message. */
static bool is_gap(char c)
{
	return (unsigned char)c <= ' ' || strchr("\"'`<>", c);
}

static bool is_secret_word(const char *word, size_t len)
{
	static const char *const secrets[] = { "token",	 "secret",
					       "password", "passwd",
					       "signature", "key" };
	size_t i;

	for (i = 0; i < sizeof(secrets) / sizeof(*secrets); i++)
		if (strlen(secrets[i]) == len &&
		    !strncasecmp(word, secrets[i], len))
			return true;
	return false;
}

/* Words end at what is no letter, and where camelCase goes on. */
static bool has_secret_word(const char *name, size_t len)
{
	size_t at = 0, end;

	while (at < len) {
		for (end = at; end < len && is_alpha(name[end]); end++)
			if (end > at && name[end] <= 'Z' &&
			    name[end - 1] >= 'a')
				break;
		if (end > at && is_secret_word(name + at, end - at))
			return true;
		at = end > at ? end : at + 1;
	}
	return false;
}

bool tr2_redact_is_secret_name(const char *name)
{
	return name && has_secret_word(name, strlen(name));
}

/* A part of the string that is to be hidden. */
struct span {
	size_t start, end;
};

static bool is_http(const char *s, size_t colon)
{
	return (colon >= 4 && !strncasecmp(s + colon - 4, "http", 4)) ||
	       (colon >= 5 && !strncasecmp(s + colon - 5, "https", 5));
}

/* "host:80/…" is no "user:password…". */
static bool is_port(const char *s, size_t at, size_t end)
{
	size_t start = at;

	while (at < end && is_digit(s[at]))
		at++;
	return at - start <= 5 && (at == end || strchr("/?#", s[at]));
}

static bool last_at_sign(const char *s, size_t start, size_t end, size_t *found)
{
	while (end-- > start)
		if (s[end] == '@') {
			*found = end;
			return true;
		}
	return false;
}

/* colon: where "://" stands. */
static bool find_userinfo(const char *s, size_t len, size_t colon,
			  struct span *hide)
{
	size_t start = colon + 3, user_end = start, end = start, query;

	if (!colon || !(is_alpha(s[colon - 1]) || is_digit(s[colon - 1])))
		return false;
	while (end < len && !is_gap(s[end]))
		end++;
	while (user_end < end && !strchr(":@/?#", s[user_end]))
		user_end++;
	if (user_end == end)
		return false;
	if (s[user_end] == '@' && is_http(s, colon) && user_end > start) {
		*hide = (struct span){ start, user_end };
		return true;
	}
	if (s[user_end] != ':' || is_port(s, user_end + 1, end))
		return false;
	for (query = user_end; query < end && !strchr("?#", s[query]);)
		query++;
	hide->start = user_end + 1;
	return last_at_sign(s, hide->start, query, &hide->end) ||
	       last_at_sign(s, hide->start, end, &hide->end);
}

static bool find_authorization(const char *s, size_t len, size_t colon,
			       struct span *hide)
{
	static const char header[] = "authorization";
	size_t n = sizeof(header) - 1, at = colon + 1;

	if (colon < n || strncasecmp(s + colon - n, header, n))
		return false;
	while (at < len && (s[at] == ' ' || s[at] == '\t'))
		at++;
	hide->start = at;
	while (at < len && !strchr("\r\n\"'", s[at]))
		at++;
	hide->end = at;
	return true;
}

static bool find_assignment(const char *s, size_t len, size_t equals,
			    struct span *hide)
{
	size_t name = equals, at = equals + 1;

	while (name && is_name_char(s[name - 1]))
		name--;
	if (!has_secret_word(s + name, equals - name))
		return false;
	if (at < len && (s[at] == '"' || s[at] == '\'')) {
		char quote = s[at++];

		hide->start = at;
		while (at < len && s[at] != quote)
			at++;
	} else if (!name) {
		/* The whole string is the assignment. */
		hide->start = at;
		at = len;
	} else {
		hide->start = at;
		while (at < len && !is_gap(s[at]) && !strchr("&;#", s[at]))
			at++;
	}
	hide->end = at;
	return true;
}

static bool find_secret(const char *s, size_t len, size_t at, struct span *hide)
{
	if (s[at] == '=')
		return find_assignment(s, len, at, hide);
	if (s[at] != ':')
		return false;
	if (len - at > 3 && s[at + 1] == '/' && s[at + 2] == '/')
		return find_userinfo(s, len, at, hide);
	return find_authorization(s, len, at, hide);
}

const char *tr2_redact(struct tr2_buf *scratch, const char *s, size_t *len)
{
	size_t n = *len, copied = 0, at;
	struct span hide = { 0, 0 };

	if (!memchr(s, ':', n) && !memchr(s, '=', n))
		return s;
	tr2_buf_reset(scratch);
	for (at = 0; at < n; at++) {
		if (!find_secret(s, n, at, &hide) || hide.end == hide.start)
			continue;
		tr2_buf_add(scratch, s + copied, hide.start - copied);
		tr2_buf_addlit(scratch, TR2_REDACTED);
		copied = hide.end;
		at = hide.end - 1;
	}
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
