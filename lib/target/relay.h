/* SPDX-License-Identifier: MIT */
/*
 * relay - write into a blocking pipe without waiting for it. A pipe of the host
 * stays unchanged, since others share its flags. For some pipes a single
 * write() always waits: for named pipes, and on old kernels for all pipes. But
 * the kernel can move data from another pipe into such a pipe without waiting.
 * That other pipe is private, and is made with the first line that needs it. It
 * is empty except during a write.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fd.h"

struct tr2_relay {
	struct tr2_pipe pipe;
	bool filled; /* the pipe may contain data */
	uint64_t checked; /* the second in which the descriptors were last
			   * checked */
};

void tr2_relay_init(struct tr2_relay *relay);

/* Write as write() does into a non-blocking pipe, including errno and SIGPIPE,
 * but at most a page. Call it in one thread at a time. Signal-safe. */
ssize_t tr2_relay_write(struct tr2_relay *relay, int fd, const char *p,
			size_t len);

static inline bool tr2_relay_is_open(const struct tr2_relay *relay)
{
	return relay->pipe.ends[0] >= 0;
}

/* If the relay is open, check once a second whether the host has closed its
 * descriptors, and reused their numbers. */
void tr2_relay_check(struct tr2_relay *relay, uint64_t second);

/* Call it when no thread writes any longer. Signal-safe. */
void tr2_relay_close(struct tr2_relay *relay);
