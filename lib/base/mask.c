/* SPDX-License-Identifier: MIT */
/* Block signals and cancellation in the calling thread, once for all sections
 * within each other. */
#include "base/mask.h"

#include <string.h>

static __thread bool is_masked;

void tr2_mask_begin(struct tr2_mask *before)
{
	sigset_t all;

	before->is_nested = is_masked;
	if (is_masked)
		return;
	/* Not sigfillset(), which the loader would look up in each process. */
	memset(&all, 0xff, sizeof(all));
	/* First: a handler that jumps out here leaves the thread unchanged. */
	pthread_sigmask(SIG_BLOCK, &all, &before->signals);
	is_masked = true;
	/* The type, too: glibc's handler may already be running, and checks
	 * only the type. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before->cancel_state);
	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before->cancel_type);
}

void tr2_mask_end(const struct tr2_mask *before)
{
	if (before->is_nested)
		return;
	pthread_setcanceltype(before->cancel_type, NULL);
	pthread_setcancelstate(before->cancel_state, NULL);
	is_masked = false;
	pthread_sigmask(SIG_SETMASK, &before->signals, NULL);
}
