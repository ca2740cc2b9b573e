/* SPDX-License-Identifier: MIT */
/*
 * throttlings - keep the times at which the threads of a control group had no
 * CPU because the group had used up its limit.
 */
#include "model/build/build.h"
#include "model/build/build_states_private.h"
#include "model/private.h"

/* Add a throttling. The kernel counts a throttling at its end. The throttling
 * may have begun long before the recorder last read the count, but not before
 * the end of the previous throttling, since all CPUs go on at the beginning of
 * a period. */
void tr2_build_throttling(struct tr2_model *m, int64_t since_ns, int64_t to_ns,
			  int64_t ns)
{
	struct tr2_model_private *p = m->priv;
	int64_t before_ns =
		p->nr_throttlings ?
			p->throttlings[p->nr_throttlings - 1].to_ns :
			INT64_MIN;
	int64_t from_ns;

	if (to_ns <= before_ns)
		return;
	if (since_ns < before_ns)
		since_ns = before_ns;
	from_ns = since_ns;
	if (from_ns > to_ns - ns)
		from_ns = to_ns - ns;
	if (from_ns < before_ns)
		from_ns = before_ns;
	tr2_grow(p->throttlings, p->nr_throttlings, p->alloc_throttlings);
	p->throttlings[p->nr_throttlings++] =
		(struct tr2_throttling){ from_ns, since_ns, to_ns, ns };
}

int64_t tr2_throttled_between(const struct tr2_model *m, int64_t from_ns,
			      int64_t to_ns)
{
	const struct tr2_throttling *t = m->priv->throttlings;
	uint32_t low = 0, high = m->priv->nr_throttlings, mid;
	int64_t sum = 0, begin, end;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (t[mid].to_ns <= from_ns)
			low = mid + 1;
		else
			high = mid;
	}
	/* Stop at a throttling that ended after to_ns: a throttled thread waits
	 * until the end of the throttling. */
	for (; low < m->priv->nr_throttlings && t[low].since_ns < to_ns;
	     low++) {
		begin = t[low].from_ns > from_ns ? t[low].from_ns : from_ns;
		end = t[low].to_ns < to_ns ? t[low].to_ns : to_ns;
		sum += end - begin < t[low].ns ? end - begin : t[low].ns;
	}
	return sum;
}
