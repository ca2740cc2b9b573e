/* SPDX-License-Identifier: MIT */
/* Wildcards, booleans, numbers and keys. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"
#include "session/config-internal.h"

/* Elements that fnmatch() and Git understand alike. */
static const char *const elements[] = {
	"a",	"b",	 "c",	  "/",	  "*",	   "?",	    "[ab]",
	"[!a]", "[^bc]", "[a-b]", "[]a]", "[a-]",  "\\a",   "\\*",
	"-",	"[!]a]", ".",	  "*",	  "[[:digit:]]", "0", "[[:alpha:]0]",
};
static const char letters[] = "abcABC/.-0]*";

/* Other libcs read some sets in another way. */
#ifdef __GLIBC__
#define SETS_AS_GIT true
#else
#define SETS_AS_GIT false
#endif

#define NR(array) (sizeof(array) / sizeof(*(array)))

static void check_wild(struct fuzz_input *in)
{
	unsigned int flags = fuzz_byte(in) & (TR2_WILD_PATH | TR2_WILD_FOLD);
	struct tr2_buf pattern = TR2_BUF_INIT, text = TR2_BUF_INIT;
	bool got, want, stars = false;
	int posix = (flags & TR2_WILD_PATH ? FNM_PATHNAME : 0) |
		    (flags & TR2_WILD_FOLD ? FNM_CASEFOLD : 0);
	unsigned int i, nr = fuzz_byte(in) % 16;

	for (i = 0; i < nr; i++)
		tr2_buf_addstr(&pattern, elements[fuzz_byte(in) % NR(elements)]);
	for (i = fuzz_byte(in) % 16; i; i--)
		tr2_buf_addch(&text,
			      letters[fuzz_byte(in) % (sizeof(letters) - 1)]);
	stars = strstr(tr2_buf_str(&pattern), "**");
	if (SETS_AS_GIT && (!stars || !(flags & TR2_WILD_PATH))) {
		got = tr2_config_wild(pattern.p ? pattern.p : "", pattern.len,
				      tr2_buf_str(&text), flags);
		want = !fnmatch(tr2_buf_str(&pattern), tr2_buf_str(&text),
				posix);
		fuzz_check(got == want, "'%s' and '%s', flags %u: %d",
			   tr2_buf_str(&pattern), tr2_buf_str(&text), flags,
			   got);
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

static void check_key(const char *text)
{
	char *key = strdup(text), *again;

	if (key && tr2_config_canonical_key(key)) {
		fuzz_check(tr2_config_same_word(key, text), "'%s' from '%s'",
			   key, text);
		again = strdup(key);
		fuzz_check(again && tr2_config_canonical_key(again) &&
				   !strcmp(again, key),
			   "'%s', and then '%s'", key, again);
		fuzz_check(tr2_config_match("*", key), "'%s' is no key", key);
		free(again);
	}
	free(key);
}

void fuzz_config_values(struct fuzz_input *in)
{
	char *one, *two;
	unsigned int flags;

	check_wild(in);
	one = fuzz_string(in);
	two = fuzz_string(in);
	for (flags = 0; flags < 4; flags++)
		tr2_config_wild(one, strlen(one), two, flags);
	tr2_config_match(one, two);
	check_number(one);
	check_number(two);
	check_key(one);
	check_key(two);
	free(one);
	free(two);
}
