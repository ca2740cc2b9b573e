/* SPDX-License-Identifier: MIT */
/* Move lines from a private pipe into one that blocks. */
#include "target/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mask.h"
#include "base/raw.h"

/* One buffer of a pipe: it is moved as a whole or not at all. */
#define CHUNK 4096u

void tr2_relay_init(struct tr2_relay *relay)
{
	*relay = (struct tr2_relay){ .ends = { -1, -1 } };
}

static bool is_ours(const struct tr2_relay *relay, int fd)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && st.st_dev == relay->device &&
	       st.st_ino == relay->inode;
}

void tr2_relay_close(struct tr2_relay *relay)
{
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (is_ours(relay, relay->ends[i]))
			close(relay->ends[i]);
	tr2_relay_init(relay);
}

void tr2_relay_check(struct tr2_relay *relay, uint64_t second)
{
	if (relay->ends[0] < 0 || relay->checked == second)
		return;
	relay->checked = second;
	if (!is_ours(relay, relay->ends[0]) || !is_ours(relay, relay->ends[1]))
		tr2_relay_close(relay);
}

/* A handler that jumps out would leak descriptors. */
static bool make_pipe(struct tr2_relay *relay)
{
	struct tr2_mask before;
	struct stat st;
	int ends[2];
	bool made = false;

	tr2_mask_begin(&before);
	if (!pipe2(ends, O_CLOEXEC | O_NONBLOCK)) {
		made = !fstat(ends[0], &st);
		relay->device = st.st_dev;
		relay->inode = st.st_ino;
		relay->ends[0] = tr2_fd_move_up(ends[0]);
		relay->ends[1] = tr2_fd_move_up(ends[1]);
	}
	if (!made || relay->ends[0] < 0 || relay->ends[1] < 0) {
		made = false;
		tr2_relay_close(relay);
	}
	tr2_mask_end(&before);
	return made;
}

/* Remove data that could not be moved. Keeps errno. */
static void drain(struct tr2_relay *relay)
{
	char rest[CHUNK];
	int error = errno;

	while (tr2_sys_read(relay->ends[0], rest, sizeof(rest)) > 0)
		;
	relay->filled = false;
	errno = error;
}

ssize_t tr2_relay_write(struct tr2_relay *relay, int fd, const char *p,
			size_t len)
{
	ssize_t n, moved;

	if (relay->ends[0] < 0 && !make_pipe(relay))
		return -1;
	if (relay->filled)
		drain(relay);
	relay->filled = true;
	n = tr2_sys_write(relay->ends[1], p, len < CHUNK ? len : CHUNK);
	if (n <= 0)
		return n;
	moved = tr2_sys_splice(relay->ends[0], fd, (size_t)n);
	if (moved == n)
		relay->filled = false;
	else
		drain(relay);
	return moved;
}
