/* SPDX-License-Identifier: MIT */
/*
 * Leave descriptors to the kernel: one that was sent over a socket is open until
 * it is received. If the receiving socket has been sent so, too, nobody can
 * receive it. The kernel's garbage collector closes them all, in a thread of the
 * kernel since Linux 6.9; in older ones, in the close() of the sending socket.
 */
#include "record/close_later.h"

#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SEND_MAX 252u /* the kernel's limit of a message is 253 */

/* Send the descriptors, and `also`. */
static bool send_fds(int to, const int *fds, uint32_t nr, int also)
{
	union {
		char bytes[CMSG_SPACE((SEND_MAX + 1) * sizeof(int))];
		struct cmsghdr aligned;
	} control = { { 0 } };
	char byte = 0;
	struct iovec part = { &byte, sizeof(byte) };
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = CMSG_SPACE((nr + 1) * sizeof(int)),
	};
	struct cmsghdr *h = CMSG_FIRSTHDR(&message);

	if (!h)
		return false;
	h->cmsg_level = SOL_SOCKET;
	h->cmsg_type = SCM_RIGHTS;
	h->cmsg_len = CMSG_LEN((nr + 1) * sizeof(int));
	memcpy(CMSG_DATA(h), fds, nr * sizeof(int));
	memcpy(CMSG_DATA(h) + nr * sizeof(int), &also, sizeof(also));
	return sendmsg(to, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

/* If it fails, the caller's close() waits. */
static void close_some(const int *fds, uint32_t nr)
{
	int pair[2];
	uint32_t i;

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair))
		pair[0] = pair[1] = -1;
	else
		(void)send_fds(pair[0], fds, nr, pair[1]);
	for (i = 0; i < nr; i++)
		close(fds[i]);
	if (pair[0] < 0)
		return;
	close(pair[1]);
	/* The last: the end of a socket starts the collector. */
	close(pair[0]);
}

void tr2_close_later(const int *fds, uint32_t nr)
{
	uint32_t some;

	for (; nr; fds += some, nr -= some) {
		some = nr < SEND_MAX ? nr : SEND_MAX;
		close_some(fds, some);
	}
}
