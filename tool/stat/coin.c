/* SPDX-License-Identifier: MIT */
/* Toss a coin. */
#include "stat/coin.h"

#include <stdint.h>
#include <sys/random.h>
#include <time.h>

bool tr2_coin_toss(void)
{
	static uint64_t coins;
	static unsigned int nr;

	if (!nr && getrandom(&coins, sizeof(coins), 0) != sizeof(coins))
		coins = (uint64_t)time(NULL) * UINT64_C(0x9e3779b97f4a7c15);
	nr = (nr + 1) % 64;
	return coins >> nr & 1;
}
