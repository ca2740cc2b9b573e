/* SPDX-License-Identifier: MIT */
/*
 * spell - how much two words differ.
 */
#ifndef TR2_COMMON_SPELL_H
#define TR2_COMMON_SPELL_H

/* Letters to change, add or leave out to make one of the other; 64 when one
 * is longer than 63. */
int tr2_spell_distance(const char *a, const char *b);

#endif
