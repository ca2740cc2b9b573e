/* SPDX-License-Identifier: MIT */
/*
 * coin - toss a coin: which side of a pair runs first. A random order makes the
 * test of pairs exact whatever else the machine does: in any regular order, a
 * load that takes turns itself slows one side more than the other.
 */
#ifndef TR2_STAT_COIN_H
#define TR2_STAT_COIN_H

#include <stdbool.h>

bool tr2_coin_toss(void);

#endif
