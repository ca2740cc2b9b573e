/* SPDX-License-Identifier: MIT */
/* Move lines from a private pipe into a pipe that blocks. */
#include "target/relay.h"

#include "base/mask.h"
#include "base/raw.h"

/* The size of one buffer of a pipe: the kernel moves a buffer as a whole or not
 * at all. */
#define CHUNK 4096u

void tr2_relay_init(struct tr2_relay *relay)
{
	*relay = (struct tr2_relay){ .pipe = TR2_PIPE_INIT };
}

void tr2_relay_close(struct tr2_relay *relay)
{
	tr2_pipe_close(&relay->pipe);
	tr2_relay_init(relay);
}

void tr2_relay_check(struct tr2_relay *relay, uint64_t second)
{
	if (relay->checked == second)
		return;
	relay->checked = second;
	if (!tr2_pipe_is_open(&relay->pipe))
		tr2_relay_close(relay);
}

/* Open the pipe. Block signals: a handler that jumps out would leak
 * descriptors. */
static bool open_pipe(struct tr2_relay *relay)
{
	struct tr2_mask before;
	int error;

	tr2_mask_begin(&before);
	error = tr2_pipe_open(&relay->pipe);
	tr2_mask_end(&before);
	if (error)
		errno = -error;
	return !error;
}

/* Remove data that could not be moved. Keeps errno. */
static void drain(struct tr2_relay *relay)
{
	char rest[512]; /* small, because a handler's stack may be small */
	int error = errno;

	while (tr2_sys_read(relay->pipe.ends[0], rest, sizeof(rest)) > 0)
		;
	relay->filled = false;
	errno = error;
}

ssize_t tr2_relay_write(struct tr2_relay *relay, int fd, const char *p,
			size_t len)
{
	ssize_t n, moved;

	if (!tr2_relay_is_open(relay) && !open_pipe(relay))
		return -1;
	if (relay->filled)
		drain(relay);
	relay->filled = true;
	n = tr2_sys_write(relay->pipe.ends[1], p, len < CHUNK ? len : CHUNK);
	if (n <= 0)
		return n;
	moved = tr2_sys_splice(relay->pipe.ends[0], fd, (size_t)n);
	if (moved == n)
		relay->filled = false;
	else
		drain(relay);
	return moved;
}
