/* SPDX-License-Identifier: MIT */
/*
 * spell - the distance of two words.
 */
#ifndef TR2_COMMON_SPELL_H
#define TR2_COMMON_SPELL_H

/* Return the number of letters to change, add or remove to turn one word into
 * the other; 64 if one is longer than 63. */
int tr2_spell_distance(const char *a, const char *b);

#endif
