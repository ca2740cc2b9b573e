/* SPDX-License-Identifier: MIT */
/*
 * spell - the distance of two words, for suggestions.
 */
#include <string.h>

#include "common/spell.h"

/* The number of letters to change, add or remove. Words longer than 63 letters
 * are far from all others. */
int tr2_spell_distance(const char *a, const char *b)
{
	int row[65], i, j, above, left;
	int la = (int)strlen(a), lb = (int)strlen(b);

	if (la > 63 || lb > 63)
		return 64;
	for (j = 0; j <= lb; j++)
		row[j] = j;
	for (i = 1; i <= la; i++) {
		left = i;
		for (j = 1; j <= lb; j++) {
			above = row[j];
			if (a[i - 1] == b[j - 1])
				above = row[j - 1];
			else {
				above = above < left ? above : left;
				above = above < row[j - 1] ? above : row[j - 1];
				above++;
			}
			row[j - 1] = left;
			left = above;
		}
		row[lb] = left;
	}
	return row[lb];
}
