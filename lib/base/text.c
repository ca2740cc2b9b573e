/* SPDX-License-Identifier: MIT */
/* Escaping, UTF-8, shell quoting, and long texts by wide vectors. */
#include "base/text.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

static const char hex_digits[] = "0123456789abcdef";

static bool is_continuation(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

size_t tr2_utf8_sequence(const char *s, size_t n)
{
	const unsigned char *u = (const unsigned char *)s;
	unsigned char low = 0x80, high = 0xbf;
	size_t len, i;

	if (!n)
		return 0;
	if (u[0] < 0x80)
		return 1;
	if (u[0] < 0xc2 || u[0] > 0xf4)
		return 0;
	len = u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
	if (n < len)
		return 0;
	if (u[0] == 0xe0)
		low = 0xa0;
	else if (u[0] == 0xed)
		high = 0x9f;
	else if (u[0] == 0xf0)
		low = 0x90;
	else if (u[0] == 0xf4)
		high = 0x8f;
	if (u[1] < low || u[1] > high)
		return 0;
	for (i = 2; i < len; i++)
		if (!is_continuation(u[i]))
			return 0;
	return len;
}

size_t tr2_utf8_cut(const char *s, size_t len, size_t max)
{
	size_t at = 0, step;

	if (len <= max)
		return len;
	for (;;) {
		step = tr2_utf8_sequence(s + at, len - at);
		if (!step)
			step = 1;
		if (at + step > max)
			return at;
		at += step;
	}
}

/*
 * Return whether the byte surely needs no escape in JSON. The caller escapes
 * any other byte, or checks its UTF-8 sequence.
 */
static inline bool json_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

static void json_add_control(struct tr2_buf *b, unsigned char c)
{
	static const char short_names[] = "btn\0fr";
	char text[6] = { '\\', 'u', '0', '0', '0', '0' };

	if (c >= '\b' && c <= '\r' && short_names[c - '\b']) {
		text[1] = short_names[c - '\b'];
		tr2_buf_add(b, text, 2);
		return;
	}
	text[4] = hex_digits[c >> 4];
	text[5] = hex_digits[c & 15];
	tr2_buf_add(b, text, 6);
}

/* Append one character that is not plain; return the number of bytes read. */
static size_t json_add_special(struct tr2_buf *b, const char *s, size_t n)
{
	unsigned char c = (unsigned char)*s;
	size_t len;

	if (c < 0x20) {
		json_add_control(b, c);
		return 1;
	}
	if (c == '"' || c == '\\') {
		char text[2] = { '\\', (char)c };

		tr2_buf_add(b, text, 2);
		return 1;
	}
	len = tr2_utf8_sequence(s, n);
	if (!len) {
		tr2_buf_addlit(b, "\xef\xbf\xbd");
		return 1;
	}
	tr2_buf_add(b, s, len);
	return len;
}

#define ONES 0x0101010101010101ull
#define HIGHS 0x8080808080808080ull

/* Return whether none of eight bytes is a quote, a backslash, below 0x20, or
 * above 0x7f. */
static inline bool json_eight_plain(const char *s)
{
	uint64_t x, quote, backslash;

	memcpy(&x, s, sizeof(x));
	quote = x ^ ONES * '"';
	backslash = x ^ ONES * '\\';
	return !((((quote - ONES) & ~quote) |
		  ((backslash - ONES) & ~backslash) |
		  ((x - ONES * 0x20) & ~x) | x) & HIGHS);
}

/* Return the number of leading bytes that need no escape. */
static size_t json_plain_length(const char *s, size_t n)
{
	size_t at = 0;

	while (n - at >= 8 && json_eight_plain(s + at))
		at += 8;
	while (at < n && json_plain((unsigned char)s[at]))
		at++;
	return at;
}

void tr2_json_add_escaped(struct tr2_buf *b, const char *s, size_t n)
{
	size_t at = 0, run;

	while (at < n) {
		run = json_plain_length(s + at, n - at);
		tr2_buf_add(b, s + at, run);
		at += run;
		if (at < n)
			at += json_add_special(b, s + at, n - at);
	}
}

void tr2_json_add_string(struct tr2_buf *b, const char *s)
{
	tr2_buf_addch(b, '"');
	if (s)
		tr2_json_add_escaped(b, s, strlen(s));
	tr2_buf_addch(b, '"');
}

/* Return whether the byte is plain: no control character, and not c2. The byte
 * c2 begins U+0080 to U+009F, which terminals take as ESC and a letter. */
static inline bool text_plain(unsigned char c)
{
	return c >= 0x20 && c != 0x7f && c != 0xc2;
}

static void text_add_control(struct tr2_buf *b, unsigned char c)
{
	char text[4] = { '\\', 'x', hex_digits[c >> 4], hex_digits[c & 15] };

	switch (c) {
	case '\n':
		tr2_buf_addlit(b, "\\n");
		return;
	case '\r':
		tr2_buf_addlit(b, "\\r");
		return;
	case '\t':
		tr2_buf_addlit(b, "\\t");
		return;
	default:
		tr2_buf_add(b, text, 4);
	}
}

/* Return the number of plain ASCII bytes at the start of s, rounded down to
 * whole words of 8 bytes. */
static size_t plain_words(const char *s, size_t n)
{
	const uint64_t ones = ~0ull / 0xff;
	uint64_t x;
	size_t at;

	for (at = 0; at + 8 <= n; at += 8) {
		memcpy(&x, s + at, 8);
		/* If no byte of x has its high bit set, the subtractions set
		 * the high bit for a byte below 0x20 or equal to 0x7f. They may
		 * also set it in the bytes above such a byte. */
		if ((x | (x - ones * 0x20) | ((x ^ ones * 0x7f) - ones)) &
		    ones * 0x80)
			break;
	}
	return at;
}

/* Append a character that text_plain() rejects; return the number of bytes
 * read. */
static size_t text_add_special(struct tr2_buf *b, const char *s, size_t n)
{
	unsigned char c = (unsigned char)*s;

	if (c != 0xc2) {
		text_add_control(b, c);
		return 1;
	}
	if (n > 1 && (unsigned char)s[1] >= 0x80 &&
	    (unsigned char)s[1] < 0xa0) {
		text_add_control(b, c);
		text_add_control(b, (unsigned char)s[1]);
		return 2;
	}
	tr2_buf_addch(b, *s);
	return 1;
}

void tr2_text_add(struct tr2_buf *b, const char *s, size_t n)
{
	size_t at = 0, run;

	while (at < n) {
		run = at + plain_words(s + at, n - at);
		while (run < n && text_plain((unsigned char)s[run]))
			run++;
		tr2_buf_add(b, s + at, run - at);
		at = run;
		if (at < n)
			at += text_add_special(b, s + at, n - at);
	}
}

const char *tr2_error_text(int error, char *memory, size_t size_bytes)
{
	const char *text;
#if defined(__GLIBC__)
	(void)memory;
	(void)size_bytes;
	text = strerrordesc_np(error);
#else
	text = strerror_r(error, memory, size_bytes) ? NULL : memory;
#endif
	return text ? text : "unknown error";
}

/* Characters that need no quotes in a shell. */
static const bool bare[256] = {
	['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true,
	['+'] = true, [','] = true, ['-'] = true, ['.'] = true, ['/'] = true,
	[':'] = true, ['='] = true, ['@'] = true, ['_'] = true, ['^'] = true,
};

void tr2_quote_add_word(struct tr2_buf *b, const char *s)
{
	size_t n = 0, run;

	if (!s)
		s = "";
	while (bare[(unsigned char)s[n]])
		n++;
	if (n && !s[n]) {
		tr2_buf_add(b, s, n);
		return;
	}
	tr2_buf_addch(b, '\'');
	while (*s) {
		run = strcspn(s, "'!");
		tr2_text_add(b, s, run);
		s += run;
		if (!*s)
			break;
		tr2_buf_addlit(b, "'\\");
		tr2_buf_addch(b, *s++);
		tr2_buf_addch(b, '\'');
	}
	tr2_buf_addch(b, '\'');
}

bool tr2_text_has_wide;

#if defined(__x86_64__)

/* CPUID takes 7 us in a virtual machine, and the C library has executed it
 * already. This is the ABI of <sys/platform/x86.h>, which glibc has from 2.33
 * on, and no other C library. */
struct cpuid_feature {
	uint32_t cpuid[4], active[4];
};
extern const struct cpuid_feature *feature_leaf(uint32_t leaf)
	__asm__("__x86_get_cpuid_feature_leaf") __attribute__((weak));

#define LEAF_7 1u
#define LEAF_7_EBX 1
#define AVX2 (1u << 5)

void tr2_text_wide_start(void)
{
	const struct cpuid_feature *leaf;

	if (!feature_leaf)
		return;
	leaf = feature_leaf(LEAF_7);
	tr2_text_has_wide = leaf && leaf->active[LEAF_7_EBX] & AVX2;
}

__attribute__((target("avx2"))) bool
tr2_text_copy_wide(char *to, const char *s, size_t n)
{
	const __m256i limit = _mm256_set1_epi8(0x21);
	__m256i odd = _mm256_setzero_si256(), x;
	size_t at;

	for (at = 0;; at = at + 64 <= n ? at + 32 : n - 32) {
		x = _mm256_loadu_si256((const __m256i *)(const void *)(s + at));
		_mm256_storeu_si256((__m256i *)(void *)(to + at), x);
#define IS(c) _mm256_cmpeq_epi8(x, _mm256_set1_epi8(c))
#define OR(a, b) _mm256_or_si256(a, b)
		/* Do the test of tr2_text_odd() for 32 bytes at once. */
		odd = OR(odd, _mm256_cmpgt_epi8(limit, _mm256_add_epi8(
						x, _mm256_set1_epi8(1))));
		odd = OR(odd, OR(OR(IS('"'), IS('\\')), OR(IS(':'), IS('='))));
#undef OR
#undef IS
		if (at + 32 == n)
			return !_mm256_movemask_epi8(odd);
	}
}
#else
void tr2_text_wide_start(void)
{
}

bool tr2_text_copy_wide(char *to, const char *s, size_t n)
{
	(void)to;
	(void)s;
	(void)n;
	return false;
}
#endif
