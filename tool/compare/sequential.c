/* SPDX-License-Identifier: MIT */
/* When to look at results, at which level, and which side runs first. */
#include "compare/sequential.h"

#include <sys/random.h>
#include <time.h>

#include "compare/significance.h"

/* The least pairs that can be significant at the first level. */
#define FIRST_LOOK 7u

void tr2_sequential_init(struct tr2_sequential *s)
{
	*s = (struct tr2_sequential){ 0, FIRST_LOOK, TR2_ALPHA };
}

bool tr2_sequential_looks(struct tr2_sequential *s, uint32_t nr_pairs,
			  uint32_t most)
{
	double k;

	if (nr_pairs < s->next && nr_pairs < most)
		return false;
	k = ++s->nr_looks;
	s->alpha = TR2_ALPHA / (k * (k + 1));
	s->next += s->next * 2 / 5;
	return true;
}

bool tr2_coin_toss(void)
{
	static uint64_t coins;
	static unsigned int nr;

	if (!nr && getrandom(&coins, sizeof(coins), 0) != sizeof(coins))
		coins = (uint64_t)time(NULL) * UINT64_C(0x9e3779b97f4a7c15);
	nr = (nr + 1) % 64;
	return coins >> nr & 1;
}
