/* SPDX-License-Identifier: MIT */
/* spell - find the nearest words, see common/spell.h. */
#include "common/spell.h"

#include <stdio.h>
#include <string.h>

#include "base/macros.h"

static int distance_of(const char *a, const char *b)
{
	int row[TR2_SPELL_MAX + 1], i, j, above, left;
	int la = (int)strlen(a), lb = (int)strlen(b);

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

void tr2_spell_try(struct tr2_spell *s, const char *candidate)
{
	size_t len = strlen(s->word);
	int d;

	if (len > TR2_SPELL_MAX || strlen(candidate) > TR2_SPELL_MAX)
		return;
	d = len && !strncmp(candidate, s->word, len) ?
		    0 : distance_of(s->word, candidate);
	if (d > s->limit || (s->nr && d > s->distance))
		return;
	if (d < s->distance)
		s->nr = 0;
	s->distance = d;
	if (s->nr < (int)ARRAY_SIZE(s->near))
		snprintf(s->near[s->nr++], sizeof(s->near[0]), "%s", candidate);
}

const char *tr2_spell_question(struct tr2_spell *s)
{
	const char *between;
	size_t len = 0;
	int i;

	for (i = 0; i < s->nr; i++) {
		between = !i		? ". Did you mean " :
			  i < s->nr - 1 ? ", " : " or ";
		len += (size_t)snprintf(s->question + len,
					sizeof(s->question) - len, "%s'%s'%s",
					between, s->near[i],
					i < s->nr - 1 ? "" : "?");
	}
	return s->question;
}
