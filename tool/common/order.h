/* SPDX-License-Identifier: MIT */
/*
 * order - functions for qsort(), by their keys:
 *
 *	TR2_ORDER(by_end, struct step, TR2_DOWN(end_ns) ?: TR2_UP(start_ns))
 */
#pragma once

/* Return -1, 0 or 1 for a < b, a == b or a > b. */
#define tr2_order(a, b) (((a) > (b)) - ((a) < (b)))
#define TR2_UP(member) tr2_order(a->member, b->member)
#define TR2_DOWN(member) tr2_order(b->member, a->member)

#define TR2_ORDER(function, type, keys)                     \
	static int function(const void *va, const void *vb) \
	{                                                   \
		const type *a = va;                         \
		const type *b = vb;                         \
							    \
		return keys;                                \
	}
