/* SPDX-License-Identifier: MIT */
/* An event loop over epoll. */
#include "record/loop.h"

#include <errno.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define NS_PER_S 1000000000u

int tr2_loop_init(struct tr2_loop *loop)
{
	loop->stop = false;
	loop->nr_batch = 0;
	loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	return loop->epoll_fd < 0 ? -1 : 0;
}

void tr2_loop_release(struct tr2_loop *loop)
{
	if (loop->epoll_fd >= 0)
		close(loop->epoll_fd);
	loop->epoll_fd = -1;
}

int tr2_loop_add(struct tr2_loop *loop, struct tr2_source *source,
		 uint32_t epoll_events)
{
	struct epoll_event e = { .events = epoll_events, .data.ptr = source };

	return epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, source->fd, &e);
}

void tr2_loop_change(struct tr2_loop *loop, struct tr2_source *source,
		     uint32_t epoll_events)
{
	struct epoll_event e = { .events = epoll_events, .data.ptr = source };

	if (source->fd >= 0)
		epoll_ctl(loop->epoll_fd, EPOLL_CTL_MOD, source->fd, &e);
}

void tr2_loop_remove(struct tr2_loop *loop, struct tr2_source *source)
{
	int i;

	epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, source->fd, NULL);
	for (i = 0; i < loop->nr_batch; i++)
		if (loop->batch[i] == source)
			loop->batch[i] = NULL;
}

void tr2_loop_close(struct tr2_loop *loop, struct tr2_source *source)
{
	if (source->fd < 0)
		return;
	tr2_loop_remove(loop, source);
	close(source->fd);
	source->fd = -1;
}

int tr2_loop_once(struct tr2_loop *loop, int ms)
{
	struct epoll_event ready[TR2_LOOP_BATCH];
	struct tr2_source *source;
	int n, i;

	n = epoll_wait(loop->epoll_fd, ready, TR2_LOOP_BATCH, ms);
	if (n < 0)
		return errno == EINTR ? 0 : -1;
	for (i = 0; i < n; i++)
		loop->batch[i] = ready[i].data.ptr;
	loop->nr_batch = n;
	for (i = 0; i < n; i++) {
		source = loop->batch[i];
		if (source)
			source->ready(source, ready[i].events);
	}
	loop->nr_batch = 0;
	return n;
}

int tr2_loop_run(struct tr2_loop *loop)
{
	while (!loop->stop)
		if (tr2_loop_once(loop, -1) < 0)
			return -1;
	return 0;
}

int tr2_loop_add_timer(struct tr2_loop *loop, struct tr2_source *source,
		       uint64_t ns, uint64_t ns_again)
{
	struct itimerspec when = {
		.it_value = { (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) },
		.it_interval = { (time_t)(ns_again / NS_PER_S),
				 (long)(ns_again % NS_PER_S) },
	};

	source->fd =
		timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (source->fd < 0)
		return -1;
	if (!timerfd_settime(source->fd, 0, &when, NULL) &&
	    !tr2_loop_add(loop, source, EPOLLIN))
		return 0;
	close(source->fd);
	source->fd = -1;
	return -1;
}
