/* SPDX-License-Identifier: MIT */
/* Find the object of each thread's wait. */
#include "record/observer/observed_waits.h"

#include <stdlib.h>

#include "record/observer/observer.h"

void tr2_observe_waits(struct tr2_observer *o, struct tr2_observed *p)
{
	(void)o;
	(void)p;
}

void tr2_observe_end(struct tr2_observer *o, struct tr2_observed *p)
{
	(void)o;
	(void)p;
}

void tr2_observed_waits_release(struct tr2_observed_waits *waits)
{
	free(waits->threads);
}
