/* SPDX-License-Identifier: MIT */
/*
 * redact_token - secrets that show by themselves what they are: private keys,
 * and tokens. All tokens of an issuer begin alike, so that scanners find them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Return whether a token begins at `at`, the beginning of a word. If so, set
 * *start and *end to its secret part. */
bool tr2_token_find(const char *s, size_t len, size_t at, size_t *start,
		    size_t *end);

/* The least length of a token; its characters are letters, digits, '_' and
 * '-'. */
#define TR2_TOKEN_BYTES 13u

/* Return whether a token may begin with this byte. */
static inline bool tr2_token_may_begin(char c)
{
	switch (c) {
	case '-':
	case 'A':
	case 'd':
	case 'e':
	case 'g':
	case 'h':
	case 'n':
	case 'p':
	case 'r':
	case 's':
	case 't':
	case 'x':
		return true;
	default:
		return false;
	}
}
