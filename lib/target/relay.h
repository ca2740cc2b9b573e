/* SPDX-License-Identifier: MIT */
/*
 * relay - writes into a pipe that blocks, without waiting for it.
 *
 * A pipe of the host stays as it is, since others share its flags, and not each
 * can be asked not to wait for a single write: named ones cannot, and none can
 * on old kernels. But what lies in another pipe can be moved there so. That one
 * is private, is made with the first line that needs it, and is empty but for a
 * moment.
 */
#ifndef TR2_TARGET_RELAY_H
#define TR2_TARGET_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tr2_relay {
	int ends[2]; /* read, write; -1: not open */
	bool filled; /* there may be something in it */
	dev_t device;
	ino_t inode;
	uint64_t checked; /* the second of the last look */
};

void tr2_relay_init(struct tr2_relay *relay);

/* Like write() into a pipe that does not block: errno, SIGPIPE and all. Takes
 * no more than a page. One thread at a time. Signal-safe. */
ssize_t tr2_relay_write(struct tr2_relay *relay, int fd, const char *p,
			size_t len);

/* Looks once a second whether its descriptors are still its own, which the
 * host may have closed, and reused. */
void tr2_relay_check(struct tr2_relay *relay, uint64_t second);

/* Only when nobody writes any more. Signal-safe. */
void tr2_relay_close(struct tr2_relay *relay);

#endif
