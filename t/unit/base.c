/* SPDX-License-Identifier: MIT */
/* The building blocks of the text targets: buffers, texts, clocks, hashes. */
#include <wchar.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/local_time.h"
#include "base/put.h"
#include "base/sha1.h"
#include "base/text.h"
#include "base/text_scan.h"
#include "random.h"
#include "tap.h"

static struct tr2_buf b;

static void is_buf(const char *want, const char *what)
{
	is_text(b.p, b.len, want, what);
	tr2_buf_reset(&b);
}

static void test_numbers(void)
{
	tr2_buf_add_u64(&b, UINT64_MAX);
	is_buf("18446744073709551615", "largest unsigned");
	tr2_buf_add_i64(&b, INT64_MIN);
	is_buf("-9223372036854775808", "smallest signed");
	tr2_buf_add_digits(&b, 7, 3);
	is_buf("007", "leading zeros");
	tr2_buf_add_seconds(&b, 1999499u, 9);
	is_buf(" 0.001999", "seconds are padded");
	tr2_buf_add_seconds(&b, 9999999500u, 9);
	is_buf("10.000000", "and rounded, not cut");
	tr2_buf_add_seconds(&b, UINT64_MAX, 0);
	is_buf("18446744073.709552", "up to the most that there are");
	tr2_buf_add_seconds(&b, UINT64_C(123456789012345678), 9);
	is_buf("123456789.012346", "seconds outgrow their width");
	tr2_buf_add_seconds9(&b, 17);
	is_buf("0.000000017", "nanoseconds");
}

static void test_fixed_buffer(void)
{
	char memory[8];
	struct tr2_buf fixed;

	tr2_buf_init_fixed(&fixed, memory, sizeof(memory));
	tr2_buf_addstr(&fixed, "1234567");
	ok(!fixed.failed && fixed.len == 7, "fixed memory is used up to a NUL");
	tr2_buf_addch(&fixed, '8');
	ok(fixed.failed && fixed.len == 7, "what does not fit is left out");
	tr2_buf_reset(&fixed);
	ok(!fixed.failed, "a reset buffer is usable again");
}

static void test_growth(void)
{
	size_t i;

	for (i = 0; i < 100000; i++)
		tr2_buf_addch(&b, (char)('a' + i % 26));
	ok(b.len == 100000 && !b.failed, "a buffer grows");
	for (i = 0; i < b.len && b.p[i] == (char)('a' + i % 26); i++)
		;
	is_u64(i, 100000, "and keeps its content");
	tr2_buf_reset(&b);
	ok(!tr2_buf_room(&b, SIZE_MAX - 2) && b.failed,
	   "an absurd size fails instead of wrapping");
	tr2_buf_reset(&b);
}

/* Declare no format attribute: the compiler would refuse these formats. */
static bool is_safe(const char *fmt, ...)
{
	bool yes;
	va_list ap;

	va_start(ap, fmt);
	yes = tr2_format_is_safe(fmt, ap);
	va_end(ap);
	return yes;
}

static void test_formats(void)
{
	/* Arguments of other types lie between: the check must step over each.
	 * */
#define BETWEEN "%%%m%d%ld%lld%hhd%zu%td%jd%c%lc%f%Lf%s%p%-#6.3x"
#define ARGUMENTS 1, -1L, -1LL, -1, SIZE_MAX, (ptrdiff_t)-1, INTMAX_MIN, 'c', \
		  (wint_t)'d', 1e300, 2.0L, "s", (void *)&b, 0x7fffffff
	static const char *const none[] = { "%", "%-", "%.", "%l", "%5$", "%*",
					    "%Y%*d" };
	static const char *const unsafe[] = {
		"%n", "%d%hhn", "%d %-5ln", "%1$n", "%w32n", "%2$d",
		"%1$d %3$d", "%1$*3$d", "%d %2$d", "%1$d %d", "%1$*d",
		"%*1$d", "%1$%", "%1$m", "%1$d %1$ld", "%1$k", "%65$d",
	};
	unsigned int i;

	ok(is_safe("%5d%.3f%1048576d%-*d%.*s", 1, 2.0, 3, -1048576, 4,
		      INT_MAX, ""),
	   "widths up to a limit, and strings that end before theirs");
	ok(!is_safe("%1048577d", 1) && !is_safe("%.2147483647f", 1.0) &&
		   !is_safe("%s%04294967297d", "", 1),
	   "larger ones in the format");
	ok(!is_safe("%*d", INT_MAX, 1) && !is_safe("%*d", INT_MIN, 1) &&
		   !is_safe("%.*f", INT_MAX, 1.0) &&
		   is_safe("%.*f", INT_MIN, 1.0),
	   "larger ones as arguments, but a negative precision is none");
	ok(is_safe(BETWEEN "%*d", ARGUMENTS, 5, INT_MAX) &&
		   !is_safe(BETWEEN "%*d", ARGUMENTS, INT_MAX, 5),
	   "as arguments behind others");
	ok(is_safe("%2$*1$d %2$d", 5, INT_MAX) &&
		   !is_safe("%2$*1$d", INT_MAX, 5) &&
		   is_safe("%1$.*2$s", "", INT_MAX) &&
		   !is_safe("%1$.*2$f", 1.0, INT_MAX),
	   "as arguments at a position");
	for (i = 0; i < sizeof(none) / sizeof(*none); i++)
		is_safe(none[i], 1, 2, 3);
	ok(true, "formats that end early");
	for (i = 0; i < sizeof(unsafe) / sizeof(*unsafe) &&
		    !is_safe(unsafe[i], 1, 2, 3); i++)
		;
	is_u64(i, sizeof(unsafe) / sizeof(*unsafe),
	       "those that write, and those that leave out a position");
	ok(is_safe("%2$s%1$d%%%2$p%m", 1, "") && is_safe("%w32d%wf16x", 1, 2),
	   "those that need each argument, and C23's");
}

#ifdef __GLIBC__
/* vsnprintf() with _FORTIFY_SOURCE: it ends the process. */
int fortified(char *to, size_t bytes, int flag, size_t object_bytes,
	      const char *fmt, va_list ap) __asm__("__vsnprintf_chk");

static bool print(char *text, size_t bytes, const char *fmt, ...)
{
	va_list ap;
	bool safe;

	va_start(ap, fmt);
	safe = tr2_format_is_safe(fmt, ap);
	if (safe)
		fortified(text, bytes, 1, bytes, fmt, ap);
	va_end(ap);
	return safe;
}

/* Any format of these characters, in memory that can be written; each argument
 * is the address of a string, for wide characters, too. */
static void test_fortified(void)
{
	static const char characters[] = "%%%%%123$*.0-lhjwndxcsSm ";
	static char text[64], fmt[16];
	static wchar_t string[64] = L"a";
	unsigned int i, k, nr_safe = 0;

	seed = (uint64_t)time(NULL) | 1;
	printf("# seed %" PRIu64 "\n", seed);
	for (i = 0; i < 50000; i++) {
		for (k = 0; k < 12; k++)
			fmt[k] = characters[(size_t)(
				uniform() * (sizeof(characters) - 1))];
		nr_safe += print(text, sizeof(text), fmt, string, string,
				 string, string, string, string, string,
				 string, string, string, string, string);
	}
	printf("# %u of %u are safe\n", nr_safe, i);
	ok(nr_safe > 100, "what is safe ends no hardened program");
}
#endif

static void test_utf8(void)
{
	static const struct {
		const char *bytes;
		size_t length;
	} cases[] = {
		{ "a", 1 },		{ "\xc3\xa9", 2 },
		{ "\xe2\x82\xac", 3 },	{ "\xf0\x9f\x98\x80", 4 },
		{ "\x80", 0 },		{ "\xc0\x80", 0 },
		{ "\xc1\xbf", 0 },	{ "\xe0\x80\x80", 0 },
		{ "\xed\xa0\x80", 0 },	{ "\xf4\x90\x80\x80", 0 },
		{ "\xf0\x80\x80\x80", 0 }, { "\xe2\x82", 0 },
		{ "\xff", 0 },		{ "\xe2\x28\xa1", 0 },
	};
	size_t i, right = 0;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		right += tr2_utf8_sequence(cases[i].bytes,
					   strlen(cases[i].bytes)) ==
			 cases[i].length;
	is_u64(right, i, "sequences, overlong, surrogate, too high, cut");
	is_u64(tr2_utf8_cut("ab\xe2\x82\xac" "c", 6, 4), 2,
	       "a cut does not split a character");
	is_u64(tr2_utf8_cut("\xff\xff\xff", 3, 2), 2,
	       "bytes that are not UTF-8 are cut one by one");
}

static void json(const char *text, const char *want, const char *what)
{
	tr2_json_add_text(&b, text, strlen(text));
	is_buf(want, what);
}

static void test_json(void)
{
	static const char *const invalid[] = {
		"",	   "{",	    "[1,]",   "{\"a\"}",  "{\"a\":}", "01",
		"1.",	   "1e",    "-",      "tru",	  "\"a",      "[1 2]",
		"\"\\x\"", "\"\\u12\"", "{1:2}", "[]]",	  "\"\xff\"", "1 2",
		"{\"a\":1,}", "'a'", "nul",   "\"\n\"",
		"\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"",
	};
	static const char *const valid[] = {
		"0",	"-0.5e+10", "[]", "{}", "[[],{}]", "true", "null",
		"{\"a\":[1,2,{\"b\":null}],\"c\":\"\\u00e9\\n\"}", "\"\"",
		"\"\\uD83D\\ude00\\uFFFF\"",
	};
	char deep[1200];
	size_t i, right = 0;

	for (i = 0; i < sizeof(valid) / sizeof(*valid); i++) {
		tr2_json_add_text(&b, valid[i], strlen(valid[i]));
		right += b.len == strlen(valid[i]) &&
			 !memcmp(b.p, valid[i], b.len);
		tr2_buf_reset(&b);
	}
	is_u64(right, i, "valid JSON text stays as it is");
	for (right = 0, i = 0; i < sizeof(invalid) / sizeof(*invalid); i++) {
		tr2_json_add_text(&b, invalid[i], strlen(invalid[i]));
		right += b.len >= 2 && b.p[0] == '"' && b.p[b.len - 1] == '"' &&
			 b.len >= strlen(invalid[i]) + 2;
		tr2_buf_reset(&b);
	}
	is_u64(right, i, "invalid JSON text becomes a string");
	json(" {\"a b\\\" \" :\t[ 1,\n2 , \"\\\\\" ] } ",
	     "{\"a b\\\" \":[1,2,\"\\\\\"]}",
	     "white space is removed, but not inside strings");
	json(" 17 ", "17", "around a number, too");
	memset(deep, '[', 600);
	memset(deep + 600, ']', 600);
	tr2_json_add_text(&b, deep, sizeof(deep));
	ok(b.p[0] == '"', "text nested too deep becomes a string");
	tr2_buf_reset(&b);
	tr2_json_add_string(&b, "a\"\\\b\f\n\r\t\x01\x1f\x7f\xff\xe2\x82\xac");
	is_buf("\"a\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\xef\xbf\xbd"
	       "\xe2\x82\xac\"", "escapes");
}

/* The expected result, byte by byte. */
static unsigned int classify(const char *s, size_t n)
{
	unsigned int found = 0;

	for (; n; s++, n--) {
		unsigned char c = (unsigned char)*s;

		if (c < 0x20 || c == 0x7f)
			found |= TR2_TEXT_CONTROL;
		if (c == '"' || c == '\\' || c >= 0x80)
			found |= TR2_TEXT_JSON;
		if (c == ':' || c == '=')
			found |= TR2_TEXT_MARK;
	}
	return found;
}

static void test_classify(void)
{
	unsigned int missed = 0, c;
	size_t len, at;
	char text[70];

	for (len = 1; len < sizeof(text); len++)
		for (at = 0; at < len; at++)
			for (c = 1; c < 256; c++) {
				memset(text, 'a', len);
				text[at] = (char)c;
				missed += (classify(text, len) &
					   ~tr2_text_classify(text, len)) != 0;
			}
	is_u64(missed, 0, "no special byte is overlooked, at any place");
	memset(text, 'a', sizeof(text));
	for (len = 0, missed = 0; len < sizeof(text); len++)
		missed += tr2_text_classify(text, len) != 0;
	is_u64(missed, 0, "and plain text is plain at any length");
}

/* Is the copy complete, without a write past its end, and plain only if no byte
 * needs escaping? */
static bool copies(const char *text, size_t len)
{
	char copy[TR2_TEXT_WIDE_BYTES + 50], before[sizeof(copy)];
	bool plain;

	memset(copy, '#', sizeof(copy));
	memset(before, '#', sizeof(before));
	plain = tr2_text_copy(copy, text, len);
	return plain == !classify(text, len) && !memcmp(copy, text, len) &&
	       !memcmp(copy + len, before, sizeof(copy) - len);
}

static void test_copy(void)
{
	unsigned int wrong = 0, c;
	size_t len, at;
	char text[TR2_TEXT_WIDE_BYTES + 40] = "";

	/* Short texts, then those for which wide vectors are used. */
	tr2_text_wide_start();
	for (len = 0; len < sizeof(text);
	     len = len == 70 ? TR2_TEXT_WIDE_BYTES : len + 1) {
		for (at = 0; at < len; at++)
			text[at] = (char)('A' + at % 50 + (at % 50 > 26));
		wrong += !copies(text, len);
		for (at = 0; at < len; at++)
			for (c = 1; c < 256; c++) {
				char kept = text[at];

				text[at] = (char)c;
				wrong += !copies(text, len);
				text[at] = kept;
			}
	}
	is_u64(wrong, 0, "text is copied whole and its odd bytes are seen");
}

static void word(const char *text, const char *want)
{
	tr2_quote_add_word(&b, text);
	is_buf(want, want);
}

static void test_quoting(void)
{
	word("git+,-./:=@_^9", "git+,-./:=@_^9");
	word("", "''");
	word(NULL, "''");
	word("a b", "'a b'");
	word("it's", "'it'\\''s'");
	word("hey!", "'hey'\\!''");
	word("a\nb\tc\x01", "'a\\nb\\tc\\x01'");
	word("~", "'~'");
	tr2_text_add(&b, "a|b\r\n\x1b[31m\x7f", 11);
	is_buf("a|b\\r\\n\\x1b[31m\\x7f", "controls in plain text");
	tr2_text_add(&b,
		     "\xc2\x80""2J \xc2\x9b""2J\xc2\x9f\xc2\xa0\xc3\x9b\xc2",
		     16);
	is_buf("\\xc2\\x80""2J \\xc2\\x9b""2J\\xc2\\x9f\xc2\xa0\xc3\x9b\xc2",
	       "controls of two bytes, and letters that look like them");
}

static void test_civil(void)
{
	uint64_t seconds;
	unsigned int right = 0, nr = 0;
	struct tr2_civil c;

	for (seconds = 0; seconds < UINT64_C(253402300800);
	     seconds += 86399 * 17, nr++) {
		time_t t = (time_t)seconds;
		struct tm tm;

		gmtime_r(&t, &tm);
		tr2_clock_civil(&c, seconds);
		right += c.year == (unsigned int)tm.tm_year + 1900 &&
			 c.month == (unsigned int)tm.tm_mon + 1 &&
			 c.day == (unsigned int)tm.tm_mday &&
			 c.hour == (unsigned int)tm.tm_hour &&
			 c.minute == (unsigned int)tm.tm_min &&
			 c.second == (unsigned int)tm.tm_sec;
	}
	is_u64(right, nr, "dates of 8000 years are those of libc");
}

/* Is the offset at that time equal to libc's? */
static bool is_offset_at(int64_t t, long *offset)
{
	time_t when = (time_t)t;
	struct tm tm;

	localtime_r(&when, &tm);
	*offset = tm.tm_gmtoff;
	return tr2_zone_offset((uint64_t)t) == *offset;
}

static void check_zone(const char *name)
{
	int64_t now = (int64_t)time(NULL), t, second;
	unsigned int right = 0, nr = 0;
	long before, offset, at;

	setenv("TZ", name, 1);
	tzset();
	tr2_zone_load();
	is_offset_at(now, &before);
	for (t = now; t < now + 365 * 86400; t += 1171, nr++) {
		right += is_offset_at(t, &offset);
		/* Every second before a change, and the one of the change. */
		for (second = t - 1171; offset != before && second < t;
		     second++, nr++)
			right += is_offset_at(second, &at);
		before = offset;
	}
	is_u64(right, nr, "local offsets of a year are those of libc");
}

static void test_zone(void)
{
	/* Ramadan; changes off the hour, by half an hour; no changes. */
	check_zone("Europe/Berlin");
	check_zone("Africa/Casablanca");
	check_zone("America/St_Johns");
	check_zone("Australia/Lord_Howe");
	check_zone("UTC0");
	/* A change at a second of its own. */
	check_zone("AAA0BBB,100/1:02:03,200/4:05:06");
	/* Rules without a file: summer at the turn of the year, days
	 * without 29 February, names in <>, times below 0, none at all. */
	check_zone("NZST-12NZDT,M9.5.0,M4.1.0/3");
	check_zone("AAA-3:30BBB,J60/0,J300/-1");
	check_zone("<-02>2<-01>,M3.5.0/-1,M10.5.0/0");
	check_zone(":Asia/Kolkata");
	check_zone("No/Such");
	check_zone("");
}

static void test_sha1(void)
{
	char million[1000];
	uint8_t digest[20];

	tr2_sha1("abc", 3, digest);
	ok(!memcmp(digest, "\xa9\x99\x3e\x36\x47\x06\x81\x6a\xba\x3e", 10),
	   "SHA-1 of abc (FIPS 180)");
	tr2_sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
		 digest);
	ok(!memcmp(digest, "\x84\x98\x3e\x44\x1c\x3b\xd2\x6e\xba\xae", 10),
	   "SHA-1 of two blocks (FIPS 180)");
	memset(million, 'a', sizeof(million));
	tr2_sha1(million, sizeof(million), digest);
	ok(!memcmp(digest, "\x29\x1e\x9a\x6c\x66\x99\x49\x49\xb5\x7b", 10),
	   "SHA-1 of 1000 a (as sha1sum has it)");
}

static void test_six_digits(void)
{
	char got[8] = "", want[8];
	unsigned int value, wrong = 0;

	for (value = 0; value < 1000000; value++) {
		tr2_put_6(got, value);
		snprintf(want, sizeof(want), "%06u", value);
		wrong += strcmp(got, want) != 0;
	}
	is_u64(wrong, 0, "all numbers of six digits");
}

int main(void)
{
	test_numbers();
	test_fixed_buffer();
	test_growth();
	test_formats();
#ifdef __GLIBC__
	test_fortified();
#endif
	test_utf8();
	test_json();
	test_classify();
	test_copy();
	test_quoting();
	test_civil();
	test_zone();
	test_sha1();
	tr2_buf_release(&b);
	test_six_digits();
	return done_testing();
}
