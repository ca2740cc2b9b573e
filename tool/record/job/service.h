/* SPDX-License-Identifier: MIT */
/*
 * service - report on a long-running recorder. Lines of counts go to stderr, at
 * intervals and when SIGUSR1 requests a line. A service manager gets the
 * readiness, the counts and the end of the recorder.
 */
#pragma once

#include "record/loop.h"
#include "record/streams/listen.h"

struct tr2_service {
	struct tr2_source timer; /* fd -1: not started */
	struct tr2_loop *loop;
	struct tr2_listen *listen;
	bool says;    /* reports also go to stderr */
	bool notifies;
	char *last; /* the text of the last report */
};

/*
 * Report readiness. `every_ns`: interval of reports on stderr, which are left
 * out if the counts have not changed; 0: only on request. -1: errno.
 */
int tr2_service_start(struct tr2_service *service, struct tr2_loop *loop,
		      struct tr2_listen *listen, uint64_t every_ns);
/* Report the counts. */
void tr2_service_say(struct tr2_service *service);
/* Report the end, if the service was started. */
void tr2_service_stop(struct tr2_service *service);
void tr2_service_release(struct tr2_service *service);
