/* SPDX-License-Identifier: MIT */
/* Patterns, booleans and numbers. */
#include <fnmatch.h>

#include "config/config.h"
#include "fuzz.h"

/* Elements of patterns on which fnmatch() and Git agree. */
static const char *const elements[] = {
	"a",	"b",	 "c",	  "/",	  "*",	   "?",	    "[ab]",
	"[!a]", "[^bc]", "[a-b]", "[]a]", "[a-]",  "\\a",   "\\*",
	"-",	"[!]a]", ".",	  "*",	  "[[:digit:]]", "0", "[[:alpha:]0]",
};
static const char letters[] = "abcABC/.-0]*";

/* Other libcs interpret some sets differently. */
#ifdef __GLIBC__
#define SETS_AS_GIT true
#else
#define SETS_AS_GIT false
#endif

#define NR(array) (sizeof(array) / sizeof(*(array)))

static void check_pattern(struct fuzz_input *in)
{
	struct tr2_buf pattern = TR2_BUF_INIT, text = TR2_BUF_INIT;
	bool got, want;
	unsigned int i, nr = fuzz_byte(in) % 16;

	for (i = 0; i < nr; i++)
		tr2_buf_addstr(&pattern,
			       elements[fuzz_byte(in) % NR(elements)]);
	for (i = fuzz_byte(in) % 16; i; i--)
		tr2_buf_addch(&text,
			      letters[fuzz_byte(in) % (sizeof(letters) - 1)]);
	if (SETS_AS_GIT) {
		got = tr2_config_match(tr2_buf_str(&pattern),
				       tr2_buf_str(&text));
		/* An empty list has no pattern. */
		want = pattern.len && !fnmatch(tr2_buf_str(&pattern),
					       tr2_buf_str(&text),
					       FNM_CASEFOLD);
		fuzz_check(got == want, "'%s' and '%s': %d",
			   tr2_buf_str(&pattern), tr2_buf_str(&text), got);
	}
	tr2_buf_release(&pattern);
	tr2_buf_release(&text);
}

static void check_number(const char *text)
{
	int number = 0, truth = -1, again = 0;
	int err = tr2_config_int(text, &number);
	int not_bool = tr2_config_bool(text, &truth);
	char digits[16];

	fuzz_check(!not_bool || truth == -1, "'%s' is none, and %d", text,
		   truth);
	if (err)
		return;
	fuzz_check(!not_bool && truth == (number != 0), "'%s' is %d and %d",
		   text, number, truth);
	snprintf(digits, sizeof(digits), "%d", number);
	fuzz_check(!tr2_config_int(digits, &again) && again == number,
		   "'%s' is %d, and that %d", text, number, again);
}

void fuzz_config_values(struct fuzz_input *in)
{
	char *one, *two;

	check_pattern(in);
	one = fuzz_string(in);
	two = fuzz_string(in);
	tr2_config_match(one, two);
	check_number(one);
	check_number(two);
	free(one);
	free(two);
}
