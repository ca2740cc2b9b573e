/* SPDX-License-Identifier: MIT */
/*
 * For LD_PRELOAD: makes system calls and allocations fail at counted places, so
 * that a fault is reproducible.
 *
 *	INJECT_RAISE=SIGNO   raise it inside each write to a descriptor over 2
 *	INJECT_EINTR=N       each N-th such write is interrupted; 2 or more
 *	INJECT_SHORT=BYTES   such a write accepts at most BYTES
 *	INJECT_ERRNO=E       such a write fails with E,
 *	INJECT_AFTER=N       after N successful ones (default 0)
 *	INJECT_MEMORY=N      each N-th allocation of libtrace2.so fails: malloc,
 *	                     calloc, realloc, mmap, mremap; also those of a
 *	                     program that is linked with the static library
 *	INJECT_MEMORY_AT=N   only the N-th of them fails
 *	INJECT_BACK=SECONDS  each reading sets the wall clock back by SECONDS
 *	                     more, and the monotonic clock forward by 6 s, so
 *	                     that no cached reading is used
 *	INJECT_WALL=N        the wall clock is in the N-th second of 1970
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* glibc's own functions, under names that are not replaced here. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *p, size_t size);

static long raise_signo, eintr_every, short_bytes, fail_errno, fail_after,
	memory_every, memory_at, seconds_back, wall_second;

static long setting(const char *name)
{
	const char *value = getenv(name);

	return value ? strtol(value, NULL, 10) : 0;
}

static __attribute__((constructor)) void read_settings(void)
{
	raise_signo = setting("INJECT_RAISE");
	eintr_every = setting("INJECT_EINTR");
	short_bytes = setting("INJECT_SHORT");
	fail_errno = setting("INJECT_ERRNO");
	fail_after = setting("INJECT_AFTER");
	memory_every = setting("INJECT_MEMORY");
	memory_at = setting("INJECT_MEMORY_AT");
	seconds_back = setting("INJECT_BACK");
	wall_second = setting("INJECT_WALL");
}

/* Count an event, and return its number, from 1. */
static long count(long *counter)
{
	return __atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

/*
 * Raise the signal, but not inside its handler, which may write, too. Do not
 * raise it while it is blocked: it would come again and again when the handler
 * returns.
 */
static void raise_inside(void)
{
	static __thread bool inside;
	sigset_t blocked;

	if (!raise_signo || inside)
		return;
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	if (sigismember(&blocked, (int)raise_signo))
		return;
	inside = true;
	raise((int)raise_signo);
	inside = false;
}

/* Return 0 or an errno for a write of *len bytes, which it may shorten. */
static int spoil(int fd, size_t *len)
{
	static long writes, interrupts;

	if (fd <= 2)
		return 0;
	raise_inside();
	if (eintr_every && count(&interrupts) % eintr_every == 0)
		return EINTR;
	if (fail_errno && count(&writes) > fail_after)
		return (int)fail_errno;
	if (short_bytes && *len > (size_t)short_bytes)
		*len = (size_t)short_bytes;
	return 0;
}

/* The syscall() of libc. */
static long (*real)(long number, ...);

static __attribute__((constructor)) void find_real(void)
{
	void *p = dlsym(RTLD_NEXT, "syscall");

	memcpy(&real, &p, sizeof(real));
}

/* Replace syscall(), by which the library writes, too. */
EXPORT long syscall(long number, ...)
{
	long arg[6];
	size_t len;
	va_list ap;
	int i, err = 0;

	va_start(ap, number);
	for (i = 0; i < 6; i++)
		arg[i] = va_arg(ap, long);
	va_end(ap);
	if (!real)
		find_real();
	if (number == SYS_write || number == SYS_sendto) {
		len = (size_t)arg[2];
		err = spoil((int)arg[0], &len);
		arg[2] = (long)len;
	}
	if (err) {
		errno = err;
		return -1;
	}
	return real(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}

EXPORT ssize_t write(int fd, const void *p, size_t len)
{
	return syscall(SYS_write, fd, p, len);
}

static bool memory_fails(const void *caller)
{
	static long allocations;
	Dl_info info;
	long nr;

	if ((!memory_every && !memory_at) || !dladdr(caller, &info) ||
	    !info.dli_fname || !strstr(info.dli_fname, "libtrace2.so"))
		return false;
	nr = count(&allocations);
	if (nr != memory_at && (!memory_every || nr % memory_every))
		return false;
	errno = ENOMEM;
	return true;
}

#define MEMORY_FAILS() memory_fails(__builtin_return_address(0))

EXPORT void *malloc(size_t size)
{
	return MEMORY_FAILS() ? NULL : __libc_malloc(size);
}

EXPORT void *calloc(size_t n, size_t size)
{
	return MEMORY_FAILS() ? NULL : __libc_calloc(n, size);
}

EXPORT void *realloc(void *p, size_t size)
{
	return MEMORY_FAILS() ? NULL : __libc_realloc(p, size);
}

EXPORT void *mmap(void *at, size_t len, int protection, int flags, int fd,
		  off_t offset)
{
	long got;

	if (MEMORY_FAILS())
		return MAP_FAILED;
	got = syscall(SYS_mmap, at, len, protection, flags, fd, offset);
	return (void *)got;
}

EXPORT void *mremap(void *p, size_t old_len, size_t len, int flags, ...)
{
	void *at;
	va_list ap;
	long got;

	va_start(ap, flags);
	at = flags & MREMAP_FIXED ? va_arg(ap, void *) : NULL;
	va_end(ap);
	if (MEMORY_FAILS())
		return MAP_FAILED;
	got = syscall(SYS_mremap, p, old_len, len, flags, at);
	return (void *)got;
}

EXPORT int clock_gettime(clockid_t id, struct timespec *ts)
{
	static long nr_wall, nr_steady;
	long result = syscall(SYS_clock_gettime, id, ts);

	if (!result && wall_second && id == CLOCK_REALTIME)
		ts->tv_sec = wall_second - 1;
	if (!result && seconds_back && id == CLOCK_REALTIME)
		ts->tv_sec -= seconds_back * count(&nr_wall);
	if (!result && seconds_back && id == CLOCK_MONOTONIC)
		ts->tv_sec += 6 * count(&nr_steady);
	return (int)result;
}
