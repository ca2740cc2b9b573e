/* SPDX-License-Identifier: MIT */
/*
 * pidfds - find out how processes other than the recorder's children ended,
 * from descriptors of these processes: pidfd_open(2), and PIDFD_GET_INFO of
 * Linux 6.15. This needs no right, and works in every namespace.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pollfd;

struct tr2_pidfds {
	struct pollfd *fds;
	pid_t *pids;
	size_t nr, alloc, most;
	bool is_missing; /* the kernel has no such call, or a sandbox refuses
			  * it */
};

void tr2_pidfds_init(struct tr2_pidfds *p);

/* Follow a process until it ends. Do nothing if it has been reaped. */
void tr2_pidfds_add(struct tr2_pidfds *p, pid_t pid);

/* Stop following the process that was added last: the pid belongs to another
 * process. */
void tr2_pidfds_drop_last(struct tr2_pidfds *p);

/* Call take, with a status as wait4() returns it, for each process that was
 * reaped since the last call. */
void tr2_pidfds_read(struct tr2_pidfds *p,
		     void (*take)(void *data, pid_t pid, int status),
		     void *data);

void tr2_pidfds_release(struct tr2_pidfds *p);
