/* SPDX-License-Identifier: MIT */
/* Judge names by their words, and judge the values beside them. */
#include "event/redact_name.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/macros.h"

#define MAX_PATH_BYTES 4096u

/* The ends of secret names. An end may consist of two words, between which
 * bytes other than letters may stand: "api-key", "API_KEY", "apiKey" and
 * "apikey" end alike. may_be_end() knows the last letters of the ends. */
static const struct {
	/* An array, not a pointer: the loader would have to relocate a
	 * pointer. */
	char end[16];
	uint8_t kind; /* enum tr2_name_kind */
} ends[] = {
	{ "token", TR2_NAME_SECRET },	   { "secret", TR2_NAME_SECRET },
	{ "password", TR2_NAME_SECRET },   { "passwd", TR2_NAME_SECRET },
	{ "passphrase", TR2_NAME_SECRET }, { "dbpass", TR2_NAME_SECRET },
	{ "userpass", TR2_NAME_SECRET },   { "smtppass", TR2_NAME_SECRET },
	{ "mysqlpass", TR2_NAME_SECRET },  { "redispass", TR2_NAME_SECRET },
	{ "ftppass", TR2_NAME_SECRET },	   { "httppass", TR2_NAME_SECRET },
	{ "proxypass", TR2_NAME_SECRET },  { "adminpass", TR2_NAME_SECRET },
	{ "rootpass", TR2_NAME_SECRET },   { "mailpass", TR2_NAME_SECRET },
	{ "imappass", TR2_NAME_SECRET },   { "ldappass", TR2_NAME_SECRET },
	{ "storepass", TR2_NAME_SECRET },  { "keypass", TR2_NAME_SECRET },
	{ "apikey", TR2_NAME_KEY },	   { "accesskey", TR2_NAME_KEY },
	{ "privatekey", TR2_NAME_KEY },	   { "authkey", TR2_NAME_KEY },
	{ "accountkey", TR2_NAME_KEY },	   { "masterkey", TR2_NAME_KEY },
	{ "encryptionkey", TR2_NAME_KEY }, { "subscriptionkey", TR2_NAME_KEY },
	{ "licensekey", TR2_NAME_KEY },	   { "appkey", TR2_NAME_KEY },
	{ "signingkey", TR2_NAME_KEY },
};

/* A name that ends in one of these words, such as `password_file`, describes a
 * secret, but its value is not the secret. */
static const char abouts[][10] = {
	"file",	   "path",   "dir",	"url",	   "uri",	"endpoint",
	"host",	   "port",   "type",	"kind",	   "class",	"name",
	"user",	   "id",     "ids",	"command", "cmd",	"helper",
	"method",  "mode",   "policy",	"format",  "header",	"field",
	"prefix",  "suffix", "length",	"len",	   "size",	"count",
	"limit",   "max",    "min",	"ttl",	   "timeout",	"age",
	"expiry",  "expires", "prompt", "prompts", "protected", "required",
	"enabled", "check",  "stdin",	"fd",	   "env",	"ref",
	"source",  "src",    "store",	"provider",
};

static const char answers[][6] = {
	"true", "false", "yes", "no", "on", "off", "none", "null",
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_about(const char *word, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(abouts); i++)
		if (strlen(abouts[i]) == len &&
		    !strncasecmp(abouts[i], word, len))
			return true;
	return false;
}

static bool is_answer(const char *value, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(answers); i++)
		if (strlen(answers[i]) == len &&
		    !strncasecmp(answers[i], value, len))
			return true;
	return false;
}

static bool ends_in(const char *name, size_t len, const char *end)
{
	size_t n = strlen(end);

	while (n && len) {
		len--;
		if (!is_letter(name[len]))
			continue;
		if ((name[len] | 0x20) != end[--n])
			return false;
	}
	return !n;
}

/* Return whether the name may end in one of `ends`: most names end in other
 * letters. The last byte is a letter. */
static bool may_be_end(const char *name, size_t len)
{
	char before = len > 1 ? name[len - 2] : '\0';

	if (!is_letter(before))
		return true;
	before |= 0x20;
	switch (name[len - 1] | 0x20) {
	case 'd':
		return before == 'r' || before == 'w';
	case 'e':
		return before == 's';
	case 'n':
	case 't':
	case 'y':
		return before == 'e';
	case 's':
		return before == 's';
	default:
		return false;
	}
}

static enum tr2_name_kind kind_of_end(const char *name, size_t len)
{
	size_t i;

	if (!may_be_end(name, len))
		return TR2_NAME_PLAIN;
	for (i = 0; i < ARRAY_SIZE(ends); i++)
		if (ends_in(name, len, ends[i].end))
			return (enum tr2_name_kind)ends[i].kind;
	return TR2_NAME_PLAIN;
}

/* Return the end of a word: at any byte but a letter, and at the humps of
 * camelCase. */
static size_t word_end(const char *name, size_t len, size_t at)
{
	size_t end;

	for (end = at; end < len && is_letter(name[end]); end++)
		if (end > at && name[end] <= 'Z' && name[end - 1] >= 'a')
			break;
	return end;
}

enum tr2_name_kind tr2_name_kind(const char *name, size_t len)
{
	enum tr2_name_kind kind = TR2_NAME_PLAIN, found;
	size_t at = 0, last = 0, last_end = 0, end;

	for (; at < len; at = end > at ? end : at + 1) {
		end = word_end(name, len, at);
		if (end == at)
			continue;
		last = at;
		last_end = end;
		found = kind_of_end(name, end);
		kind = found > kind ? found : kind;
	}
	if (kind != TR2_NAME_PLAIN &&
	    (is_about(name + last, last_end - last) ||
	     ends_in(name, len, "usersigningkey"))) /* in Git's user.signingKey,
						     * the value is only the id
						     * of a key */
		return TR2_NAME_PLAIN;
	return kind;
}

bool tr2_name_ends_in(const char *name, size_t len, const char *word)
{
	size_t n = strlen(word);

	return len >= n && !strncasecmp(name + len - n, word, n) &&
	       (len == n || !is_letter(name[len - n - 1]));
}

static bool begins_with(const char *s, size_t len, const char *with)
{
	size_t n = strlen(with);

	return len >= n && !memcmp(s, with, n);
}

static bool is_number(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (s[i] < '0' || s[i] > '9')
			return false;
	return true;
}

static bool is_path(const char *s, size_t len)
{
	/* A value that reaches to the end of a long line is no path. Do not
	 * search it: the line may contain many names. */
	if (len > MAX_PATH_BYTES || memchr(s, ' ', len))
		return false;
	return begins_with(s, len, "/") || begins_with(s, len, "./") ||
	       begins_with(s, len, "../") || begins_with(s, len, "~") ||
	       (len > 4 && (!memcmp(s + len - 4, ".pem", 4) ||
			    !memcmp(s + len - 4, ".key", 4)));
}

bool tr2_name_excuses(enum tr2_name_kind kind, const char *name,
		      size_t name_len, const char *s, size_t len)
{
	if ((len < 2 && is_number(s, len)) || is_answer(s, len))
		return true;
	/* Excuse a macro of C, as in -DTOKEN=1, and `docker build
	 * --secret=id=…`. */
	if (begins_with(name, name_len, "-D") && is_number(s, len))
		return true;
	if (name_len == 8 && begins_with(name, name_len, "--secret") &&
	    (begins_with(s, len, "id=") || begins_with(s, len, "type=")))
		return true;
	return kind == TR2_NAME_KEY && is_path(s, len);
}
