/* SPDX-License-Identifier: MIT */
/*
 * text - write strings so that no text can forge a line: UTF-8 checks, JSON
 * strings and JSON text, printable text, shell quoting.
 *
 * All functions are signal-safe and take any bytes.
 */
#pragma once

#include "base/buf.h"

/*
 * Return the length of the valid UTF-8 sequence at s (1 to 4); 0 if s[0..n)
 * does not start with one. Overlong forms, surrogates and values above U+10FFFF
 * are invalid (Unicode 15, table 3-7).
 */
size_t tr2_utf8_sequence(const char *s, size_t n);

/* Return the length of the longest prefix of s[0..len) of at most max bytes
 * that ends between characters; bytes that are not UTF-8 count as one character
 * each. */
size_t tr2_utf8_cut(const char *s, size_t len, size_t max);

/* Append the inside of a JSON string: escaped, each invalid byte as U+FFFD. */
void tr2_json_add_escaped(struct tr2_buf *b, const char *s, size_t n);
/* Append a JSON string with its quotes. NULL is "". */
void tr2_json_add_string(struct tr2_buf *b, const char *s);

/*
 * Append valid JSON text (RFC 8259, at most 512 levels) without the white space
 * between its tokens; append other text as a JSON string.
 */
void tr2_json_add_text(struct tr2_buf *b, const char *s, size_t n);

/* Append text with control characters as \n, \r, \t, \xHH. Control characters
 * of two bytes (U+0080 to U+009F), which terminals obey as well, become
 * \xc2\xHH. */
void tr2_text_add(struct tr2_buf *b, const char *s, size_t n);

/* Return the text of an errno; in glibc without the locks of strerror(), so
 * that the function is signal-safe. memory: for the text in other libcs. */
const char *tr2_error_text(int error, char *memory, size_t size_bytes);

/* Append a word for a shell, quoted if needed. NULL is ''. */
void tr2_quote_add_word(struct tr2_buf *b, const char *s);

/* From this length on, vectors of 32 bytes (AVX2) are worth a call. */
#define TR2_TEXT_WIDE_BYTES 128u

/* true: the processor has vectors of 32 bytes, and the kernel saves them. */
extern bool tr2_text_has_wide TR2_HIDDEN;

/* Find out whether the processor has wide vectors, and set tr2_text_has_wide.
 * Call it once, before other threads exist. It makes no system call, and
 * executes no CPUID. */
void tr2_text_wide_start(void);

/* Do the same as tr2_text_copy(), for n from 32 on, by wide vectors. Call it
 * only if tr2_text_has_wide. */
bool tr2_text_copy_wide(char *to, const char *s, size_t n);
