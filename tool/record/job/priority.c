/* SPDX-License-Identifier: MIT */
/* Change the scheduling policy of the recorder. */
#include "record/job/priority.h"

#include <sched.h>

static bool set_policy(int policy, int priority)
{
	const struct sched_param param = { .sched_priority = priority };

	return !sched_setscheduler(0, policy, &param);
}

bool tr2_priority_raise(void)
{
	return sched_getscheduler(0) == SCHED_OTHER &&
	       set_policy(SCHED_RR, sched_get_priority_min(SCHED_RR));
}

void tr2_priority_restore(void)
{
	set_policy(SCHED_OTHER, 0);
}
