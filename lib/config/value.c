/* SPDX-License-Identifier: MIT */
/* Parse booleans and numbers as Git does, ignoring the host's locale. */
#include "config/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

static bool is_same_word(const char *a, const char *b)
{
	while (*a && tr2_config_lower(*a) == tr2_config_lower(*b)) {
		a++;
		b++;
	}
	return !*a && !*b;
}

/* Return the shift of a suffix; -1: unknown suffix. */
static int suffix_shift(const char *suffix)
{
	static const char letters[] = "kmg";
	const char *found;

	if (!*suffix)
		return 0;
	found = strchr(letters, tr2_config_lower(*suffix));
	if (!found || suffix[1])
		return -1;
	return 10 * (int)(found - letters + 1);
}

int tr2_config_int(const char *value, int *out)
{
	intmax_t number;
	char *end;
	int shift;

	if (!value)
		return -EINVAL;
	/* on overflow the result is the limit of its range, and beyond ours */
	number = strtoimax(value, &end, 0);
	shift = end == value ? -1 : suffix_shift(end);
	if (shift < 0)
		return -EINVAL;
	if (number > (INT_MAX >> shift) || number < -(INT_MAX >> shift))
		return -ERANGE;
	*out = (int)(number * ((intmax_t)1 << shift));
	return 0;
}

int tr2_config_bool(const char *value, int *out)
{
	static const char words[2][4][6] = {
		{ "", "false", "no", "off" },
		{ "true", "yes", "on", "on" },
	};
	int number;

	if (!value) {
		*out = 1;
		return 0;
	}
	for (int truth = 0; truth < 2; truth++)
		for (int i = 0; i < 4; i++)
			if (is_same_word(words[truth][i], value)) {
				*out = truth;
				return 0;
			}
	if (tr2_config_int(value, &number))
		return -EINVAL;
	*out = number != 0;
	return 0;
}
