/* SPDX-License-Identifier: MIT */
/* Read the formats of tracepoints. */
#include "record/kernel/tracepoints.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/macros.h"
#include "common/perf_file.h"
#include "record/elevate.h"
#include "record/refusal.h"

/* If debugfs is mounted, tracefs is also at its directory `tracing`. */
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

/* Mount tracefs without a path. Other processes do not see the mount. The
 * kernel removes the mount when the descriptor is closed. */
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

#define SYSTEM "sched"

static const char *const names[] = { "sched_switch", "sched_waking" };

/* Append the size of a file and its content. In tracefs, the size is known only
 * after reading. Return false with errno. */
static bool add_file(struct tr2_buf *b, int tracefs, const char *path)
{
	int fd = tr2_elevate_runs() ?
			 tr2_elevate_file(TR2_ELEVATED_TRACEFS, path) :
			 openat(tracefs, path, O_RDONLY | O_CLOEXEC);
	size_t at = b->len;
	uint64_t size;
	ssize_t n = -1;

	if (fd < 0)
		return false;
	tr2_perf_add_u64(b, 0);
	while (tr2_buf_room(b, 4096) && (n = read(fd, b->p + b->len, 4096)) > 0)
		b->len += (size_t)n;
	close(fd);
	if (n < 0)
		return false;
	size = b->len - at - sizeof(size);
	memcpy(b->p + at, &size, sizeof(size));
	return true;
}

static bool add_header(struct tr2_buf *b, int tracefs)
{
	const union {
		uint16_t number;
		uint8_t first;
	} order = { 1 };

	tr2_buf_addlit(b, "\x17\x08\x44tracing0.6");
	tr2_buf_addch(b, '\0');
	tr2_buf_addch(b, !order.first); /* byte order; 1: big-endian */
	tr2_buf_addch(b, sizeof(long));
	tr2_perf_add_u32(b, (uint32_t)sysconf(_SC_PAGESIZE));
	tr2_buf_add(b, "header_page", sizeof("header_page"));
	if (!add_file(b, tracefs, "events/header_page"))
		return false;
	tr2_buf_add(b, "header_event", sizeof("header_event"));
	if (!add_file(b, tracefs, "events/header_event"))
		return false;
	tr2_perf_add_u32(b, 0); /* number of ftrace's own events */
	return true;
}

static bool add_event(struct tr2_buf *b, int tracefs, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "events/" SYSTEM "/%s/format", name);
	return add_file(b, tracefs, path);
}

static bool add_all(struct tr2_tracepoints *t, int tracefs)
{
	struct tr2_buf *b = &t->data;
	size_t i;

	if (!add_header(b, tracefs))
		return false;
	tr2_perf_add_u32(b, 1); /* number of systems */
	tr2_buf_add(b, SYSTEM, sizeof(SYSTEM));
	tr2_perf_add_u32(b, ARRAY_SIZE(names));
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!add_event(b, tracefs, names[i]))
			return false;
	tr2_perf_add_u32(b, 0); /* size of the kernel's symbols */
	tr2_perf_add_u32(b, 0); /* size of the formats of printk */
	tr2_perf_add_u64(b, 0); /* size of the names of tasks */
	errno = ENOMEM;
	if (b->failed)
		return false;
	tr2_kernel_formats_read(&t->formats, b->p, b->len);
	errno = EINVAL;
	return t->formats.switch_id && t->formats.waking_id;
}

bool tr2_tracepoints_read(struct tr2_tracepoints *t)
{
	int tracefs = tr2_elevate_runs() ? -1 : tr2_tracefs_open();
	bool ok = (tracefs >= 0 || tr2_elevate_runs()) && add_all(t, tracefs);
	int err = errno;

	if (tracefs >= 0)
		close(tracefs);
	t->why_not[0] = '\0';
	if (ok)
		return true;
	tr2_tracepoints_release(t);
	tr2_refusal_explain(t->why_not, sizeof(t->why_not), TR2_RIGHT_TRACEFS,
			    err);
	return false;
}

void tr2_tracepoints_release(struct tr2_tracepoints *t)
{
	tr2_buf_release(&t->data);
}
