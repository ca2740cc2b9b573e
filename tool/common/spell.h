/* SPDX-License-Identifier: MIT */
/*
 * spell - find the words that a user most likely meant by a mistyped word:
 *
 *	struct tr2_spell s = { .word = typed, .limit = TR2_SPELL_LIMIT };
 *
 *	for (...)
 *		tr2_spell_try(&s, candidate);
 *	tr2_error("no such thing '%s'%s", typed, tr2_spell_question(&s));
 */
#pragma once

#define TR2_SPELL_LIMIT 2 /* the value of `limit` for commands and options, in
			   * letters */
#define TR2_SPELL_MAX 63  /* for longer words there is no suggestion */

struct tr2_spell {
	const char *word;
	int limit; /* the greatest distance at which a word is suggested */
	/* copies of the nearest words so far */
	char near[3][TR2_SPELL_MAX + 1];
	int nr, distance;
	char question[4 * TR2_SPELL_MAX];
};

/* Consider a candidate. Its distance is the number of letters to change, add or
 * remove; a candidate that begins with the typed word is nearest. */
void tr2_spell_try(struct tr2_spell *s, const char *candidate);

/* Return ". Did you mean 'a' or 'b'?", or "" if no candidate was near. */
const char *tr2_spell_question(struct tr2_spell *s);
