/* SPDX-License-Identifier: MIT */
/*
 * text - ways to write strings so that nobody can forge a line: UTF-8 checks,
 * JSON strings and JSON text, printable text, shell quoting.
 *
 * All of it is signal-safe and takes any bytes.
 */
#ifndef TR2_BASE_TEXT_H
#define TR2_BASE_TEXT_H

#include "base/buf.h"

/*
 * Length of the valid UTF-8 sequence at s (1 to 4), 0 when s[0..n) does not
 * start with one. Overlong forms, surrogates and values past U+10FFFF are
 * invalid (Unicode 15, table 3-7).
 */
size_t tr2_utf8_sequence(const char *s, size_t n);

/* The longest prefix of s[0..len) of at most max bytes that ends between
 * characters; bytes that are not UTF-8 count as one character each. */
size_t tr2_utf8_cut(const char *s, size_t len, size_t max);

/* The inside of a JSON string: escaped, each invalid byte as U+FFFD. */
void tr2_json_add_escaped(struct tr2_buf *b, const char *s, size_t n);
/* With its quotes. NULL is "". */
void tr2_json_add_string(struct tr2_buf *b, const char *s);

/*
 * Valid JSON text (RFC 8259, at most 512 levels) is appended without the white
 * space between its tokens, anything else as a JSON string.
 */
void tr2_json_add_text(struct tr2_buf *b, const char *s, size_t n);

/* C0 controls and DEL as \n, \r, \t, \xHH; the rest as it is. */
void tr2_text_add(struct tr2_buf *b, const char *s, size_t n);

/* As a word for a shell, bare where it can be. NULL is ''. */
void tr2_quote_add_word(struct tr2_buf *b, const char *s);

#endif
