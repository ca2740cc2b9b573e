/* SPDX-License-Identifier: MIT */
/*
 * sequential - look at the results while runs are made, and stop when they
 * decide, without more wrong verdicts than a test at the end has.
 *
 * Who looks often enough will see chance as a difference some time. So each look
 * has a level of its own, smaller each time: 0.05 / (k * (k + 1)) for the k-th,
 * whose sum is 0.05 however many there are (Bonferroni's inequality). There are
 * few looks, each after 1.4 times as many pairs as the one before.
 */
#ifndef TR2_COMPARE_SEQUENTIAL_H
#define TR2_COMPARE_SEQUENTIAL_H

#include <stdbool.h>
#include <stdint.h>

struct tr2_sequential {
	uint32_t nr_looks;
	uint32_t next; /* number of pairs at which to look next */
	double alpha;  /* level of the last look */
};

void tr2_sequential_init(struct tr2_sequential *s);
/* Is it time to look, after so many pairs of at most so many? Then s->alpha is
 * the level. */
bool tr2_sequential_looks(struct tr2_sequential *s, uint32_t nr_pairs,
			  uint32_t most);

/*
 * Toss a coin: which side of a pair runs first. A random order makes the test of
 * pairs exact whatever else the machine does: in any regular order, a load that
 * takes turns itself slows one side more than the other.
 */
bool tr2_coin_toss(void);

#endif
