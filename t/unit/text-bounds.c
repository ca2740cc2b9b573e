/* SPDX-License-Identifier: MIT */
/* Searches in strings, and copies of strings, load words and vectors. They
 * touch no byte before or after the string: the pages around it cannot be read
 * or written. */
#include "base/text.h"
#include "base/text_scan.h"
#include "event/redact.h"
#include "session/fastpath_record.h"

#include "tap.h"

#define MAX_SHORT 70
#define MAX_LEN (TR2_TEXT_WIDE_BYTES + 40)

/* The beginnings of each kind of search; other bytes are 'a'. */
static const char *const beginnings[] = {
	"", "-", "--token ", ":", "=", "://", "\\\\", "ghp_", "key=", "a:b@",
};

static void fill(char *s, size_t len, const char *beginning, size_t at)
{
	size_t n = strlen(beginning);

	memset(s, 'a', len);
	if (at < len)
		memcpy(s + at, beginning, n < len - at ? n : len - at);
}

/* Return a checksum of the text that the escapers append. */
static unsigned int escape(const char *s, size_t len)
{
	static struct tr2_buf b; /* kept: it is mapped memory */
	unsigned int sum = 0;
	size_t i;

	tr2_buf_reset(&b);
	tr2_json_add_escaped(&b, s, len);
	tr2_text_add(&b, s, len);
	for (i = 0; i < b.len; i++)
		sum = sum * 31 + (unsigned char)b.p[i];
	return sum << 5;
}

/* Return the results of the searches, to compare. */
static unsigned int search(const char *s, size_t len)
{
	bool unmarked = len <= 16 && tr2_text_is_unmarked(s, len);
	const struct tr2_fast_text text = { .s = s, .len = len };
	struct tr2_buf scratch = TR2_BUF_INIT;
	tr2_fast_words_2 marks = tr2_fast_marks_in(&text);
	bool may_find = tr2_redact_may_find(s, len);
	size_t n = len;
	unsigned int found = tr2_redact(&scratch, s, &n) != s;

	tr2_buf_release(&scratch);
	return (found | (unsigned int)may_find << 1 |
		(unsigned int)unmarked << 4 | (marks[0] | marks[1] ? 4u : 0) |
		(tr2_text_classify(s, len) & TR2_TEXT_MARK) << 1) +
	       escape(s, len);
}

/* Search a string that lies between two such pages, at one of them. */
static bool is_the_same(char *page, size_t bytes, size_t len,
			const char *beginning)
{
	char *const places[] = { page, page + bytes - len };
	static char alone[MAX_LEN + 200], copy[MAX_LEN];
	size_t at, i;

	for (at = 0; at <= len; at++) {
		fill(alone + 100, len, beginning, at);
		for (i = 0; i < 2; i++) {
			if (tr2_text_copy(places[i], alone + 100, len) !=
				    tr2_text_copy(copy, places[i], len) ||
			    memcmp(copy, alone + 100, len) ||
			    search(places[i], len) != search(alone + 100, len))
				return false;
		}
	}
	return true;
}

/*
 * A text that ends at the page after it has another alignment for each length;
 * vectors begin right after the page before it.
 */
int main(void)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE), len, i;
	char *pages = mmap(NULL, 3 * bytes, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool same = true;

	tr2_text_wide_start();
	if (pages == MAP_FAILED ||
	    mprotect(pages + bytes, bytes, PROT_READ | PROT_WRITE))
		return 1;
	for (i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++) {
		for (len = 0; len <= MAX_LEN;
		     len = len == MAX_SHORT ? TR2_TEXT_WIDE_BYTES : len + 1)
			same &= is_the_same(pages + bytes, bytes, len,
					    beginnings[i]);
		ok(same, *beginnings[i] ? beginnings[i] : "no beginning");
	}
	return done_testing();
}
