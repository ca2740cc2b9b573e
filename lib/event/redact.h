/* SPDX-License-Identifier: MIT */
/*
 * redact - keeps secrets out of every target.
 *
 * What it looks for, anywhere in a string:
 *	scheme://user:password@   the password (also with '@' or '/' in it; JSON
 *	                          may have the slashes as \/)
 *	http(s)://user@           the user, which may be a token
 *	Authorization: value      the value, to the end of the line or quote; also
 *	                          of cookies, and of headers with secret names
 *	name=value, "name":"value"  the value, where the name says that it is
 *	                          secret: event/redact_name.c
 *	--name value              likewise
 *	ghp_value, AKIAvalue …    tokens of known issuers, private keys:
 *	                          event/redact_token.c
 * Where a URL can be read in two ways, the longer part is hidden.
 * Signal-safe.
 */
#pragma once

#include "base/buf.h"

#define TR2_REDACTED "<REDACTED>"

/*
 * Hide the secrets of s. Returns s when it holds none; otherwise the redacted
 * text, in scratch until that is written again. *len: the length of s, then of
 * the result. Without memory the whole string is hidden.
 */
const char *tr2_redact(struct tr2_buf *scratch, const char *s, size_t *len);

/* Could it find something in a text without ':' and '='? Only if a word is as
 * long as a token, or begins with a dash. */
bool tr2_redact_may_find(const char *s, size_t len);

/*
 * tr2_redact() for a word of a command line, which may be the value of the option
 * before it. program: the command's first word; before: the previous one; both
 * may be NULL. May also return a string that is constant.
 */
const char *tr2_redact_word(struct tr2_buf *scratch, const char *program,
			    const char *before, const char *word, size_t *len);

/* Does a parameter of this name hold a secret? NULL: no. */
bool tr2_redact_is_secret_name(const char *name);
