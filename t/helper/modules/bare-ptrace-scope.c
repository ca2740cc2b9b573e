/* SPDX-License-Identifier: MIT */
/* For LD_PRELOAD: open ./scope in place of the file of Yama. */
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static int open_at(const char *path, int flags, int mode)
{
	if (!strcmp(path, "/proc/sys/kernel/yama/ptrace_scope"))
		path = "scope";
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static int open_as(const char *path, int flags, va_list ap)
{
	return open_at(path, flags, va_arg(ap, int));
}

#define OPEN(name)                                       \
	EXPORT int name(const char *path, int flags, ...) \
	{                                                \
		va_list ap;                              \
		int fd;                                  \
		va_start(ap, flags);                     \
		fd = open_as(path, flags, ap);           \
		va_end(ap);                              \
		return fd;                               \
	}

OPEN(open)
#ifndef open64 /* in musl, open64 is a macro for open */
OPEN(open64)
#endif
