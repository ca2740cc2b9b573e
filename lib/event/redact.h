/* SPDX-License-Identifier: MIT */
/*
 * redact - keeps secrets out of every target.
 *
 * It looks for these, anywhere in a string:
 *	scheme://user:password@   the password (also with '@' or '/' in it;
 *				  JSON may have the slashes as \/)
 *	http(s)://user@           the user, which may be a token
 *	Authorization: value      the value, to the end of the line or quote;
 *				  also of cookies, and of headers with secret
 *				  names
 *	name=value, "name":"value"  the value, if the name names a secret:
 *				  event/redact_name.c
 *	--name value              the value, by the same rule
 *	ghp_value, AKIAvalue …    tokens of known issuers, private keys:
 *				  event/redact_token.c
 * If a URL can be read in two ways, the longer part is hidden. Signal-safe.
 */
#pragma once

#include "base/buf.h"

#define TR2_REDACTED "<REDACTED>"

/*
 * Hide the secrets of s. Return s if it contains no secret, else the redacted
 * text, which is valid until scratch is written again. *len: the length of s,
 * then of the result. Without memory the whole string is hidden.
 */
const char *tr2_redact(struct tr2_buf *scratch, const char *s, size_t *len);

/* Return whether redaction could find a secret in a text without ':' and '='.
 * Only a word that is as long as a token, or that begins with a dash, may be or
 * name a secret. */
bool tr2_redact_may_find(const char *s, size_t len);

/*
 * Do tr2_redact() for a word of a command line, which may be the value of the
 * option before it. program: the command's first word; before: the previous
 * word; both may be NULL. It may also return a constant string.
 */
const char *tr2_redact_word(struct tr2_buf *scratch, const char *program,
			    const char *before, const char *word, size_t *len);

/* Return whether a parameter of this name contains a secret; false for NULL. */
bool tr2_redact_is_secret_name(const char *name);
