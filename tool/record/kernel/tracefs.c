/* SPDX-License-Identifier: MIT */
/* Open tracefs; if it is not mounted, mount it without a path. */
#include "record/kernel/tracefs.h"

#include <errno.h>
#include <fcntl.h>

#include <linux/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

/* debugfs has it, too, if that is mounted. */
#define MOUNT "/sys/kernel/tracing"
#define OTHER_MOUNT "/sys/kernel/debug/tracing"

static int open_mount(const char *path)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC), err;

	if (fd < 0 || !faccessat(fd, "events", F_OK, 0))
		return fd;
	err = errno;
	close(fd);
	errno = err;
	return -1;
}

/* Mount tracefs without a path. No other process sees the mount, and the kernel
 * removes it when the descriptor is closed. */
static int open_detached(void)
{
	int fs = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
	int mount = -1;

	if (fs < 0)
		return -1;
	if (!syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		mount = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	close(fs);
	return mount;
}

int tr2_tracefs_open(void)
{
	int fd = open_mount(MOUNT), err = errno;

	if (fd >= 0 || err == EACCES)
		return fd;
	fd = open_mount(OTHER_MOUNT);
	if (fd < 0)
		fd = open_detached();
	errno = err;
	return fd;
}
