/* SPDX-License-Identifier: MIT */
/*
 * service - what a recorder that runs for long says of itself: lines of counts
 * on stderr, when SIGUSR1 asks for one and every so often, and to a service
 * manager that it is ready, what it counts and that it ends.
 */
#ifndef TR2_RECORD_SERVICE_H
#define TR2_RECORD_SERVICE_H

#include "record/listen.h"
#include "record/loop.h"

struct tr2_service {
	struct tr2_source timer; /* its fd is -1 before the start */
	struct tr2_loop *loop;
	struct tr2_listen *listen;
	bool says;    /* on stderr, too */
	bool notifies;
	char *last; /* what was said last */
};

/*
 * It listens: that is told. `every_ns`: how often counts are said on stderr when
 * they are others than before; 0: only when asked for. -1: errno.
 */
int tr2_service_start(struct tr2_service *service, struct tr2_loop *loop,
		      struct tr2_listen *listen, uint64_t every_ns);
/* Says the counts. */
void tr2_service_say(struct tr2_service *service);
/* It ends; nothing when it never started. */
void tr2_service_stop(struct tr2_service *service);
void tr2_service_release(struct tr2_service *service);

#endif
