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

/* What a text holds that a renderer must look at twice. */
#define TR2_TEXT_CONTROL (1u << 0) /* below 0x20, or DEL */
#define TR2_TEXT_JSON (1u << 1) /* a quote, a backslash, 0x80 and above */
#define TR2_TEXT_MARK (1u << 2) /* ':' or '=': perhaps a secret */

/*
 * Which of them s[0..n) holds; it may say so of bytes that do not, never the
 * other way round. Eight bytes at a time: (x - 0x01…) & ~x & 0x80… is not 0
 * when a byte of x is 0 (Mycroft 1987).
 */
static inline unsigned int tr2_text_classify(const char *s, size_t n)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
	uint64_t control = 0, json = 0, mark = 0, x;

#define HAS_BYTE(c) (((x ^ ones * (c)) - ones) & ~(x ^ ones * (c)))
#define LOOK()                                                           \
	do {                                                             \
		control |= ((x - ones * 0x20) & ~x) | HAS_BYTE(0x7fu);   \
		json |= x | HAS_BYTE(0x22u) | HAS_BYTE(0x5cu);           \
		mark |= HAS_BYTE(0x3au) | HAS_BYTE(0x3du);               \
	} while (0)
	for (; n >= 8; s += 8, n -= 8) {
		memcpy(&x, s, 8);
		LOOK();
	}
	if (n >= 4) {
		uint32_t first, last;

		memcpy(&first, s, 4);
		memcpy(&last, s + n - 4, 4);
		x = first | (uint64_t)last << 32;
		LOOK();
	} else if (n) {
		x = (ones * 'a' << 24) | (unsigned char)s[0] |
		    (uint64_t)(unsigned char)s[n / 2] << 8 |
		    (uint64_t)(unsigned char)s[n - 1] << 16;
		LOOK();
	}
#undef LOOK
#undef HAS_BYTE
	return (control & tops ? TR2_TEXT_CONTROL : 0) |
	       (json & tops ? TR2_TEXT_JSON : 0) |
	       (mark & tops ? TR2_TEXT_MARK : 0);
}

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

/* What an errno means; in glibc without the locks that strerror() takes, so
 * that it is signal-safe. memory: where other libcs put the text. */
const char *tr2_error_text(int error, char *memory, size_t size_bytes);

/* As a word for a shell, bare where it can be. NULL is ''. */
void tr2_quote_add_word(struct tr2_buf *b, const char *s);

#endif
