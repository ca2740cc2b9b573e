/* SPDX-License-Identifier: MIT */
/*
 * redact - keeps secrets out of every target.
 *
 * What it looks for, anywhere in a string:
 *	scheme://user:password@   the password (also with '@' or '/' in it; JSON
 *	                          may have the slashes as \/)
 *	http(s)://user@           the user, which may be a token
 *	Authorization: value      the value, to the end of the line or quote
 *	name=value                the value, where the name holds one of the
 *	                          words token, secret, password, passwd,
 *	                          signature, key (a query parameter, a config
 *	                          key, a variable, an option)
 * Where a URL can be read in two ways, the longer part is hidden.
 * Signal-safe.
 */
#ifndef TR2_EVENT_REDACT_H
#define TR2_EVENT_REDACT_H

#include "base/buf.h"

#define TR2_REDACTED "<REDACTED>"

/*
 * Hide the secrets of s. Returns s when it holds none; otherwise the redacted
 * text, in scratch until that is written again. *len: the length of s, then of
 * the result. Without memory the whole string is hidden.
 */
const char *tr2_redact(struct tr2_buf *scratch, const char *s, size_t *len);

/* Does a parameter of this name hold a secret? NULL: no. */
bool tr2_redact_is_secret_name(const char *name);

#endif
