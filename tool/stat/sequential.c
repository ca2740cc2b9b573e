/* SPDX-License-Identifier: MIT */
/* When to look at results, and at which level. */
#include "stat/sequential.h"

#include "stat/significance.h"

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
