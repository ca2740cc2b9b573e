/* SPDX-License-Identifier: MIT */
/*
 * raw - system calls without the C library's wrappers.
 *
 * libc's are cancellation points. That costs time with several threads; and
 * during such a call glibc makes the cancellation of the thread asynchronous,
 * which it stays if a signal handler leaves the call by siglongjmp().
 */
#ifndef TR2_BASE_RAW_H
#define TR2_BASE_RAW_H

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * Return the kernel's result: a negative errno, not -1. Leaves errno alone if
 * the architecture's instruction is known: then it is inline, without even a
 * return, since processors that guard against speculation in the kernel
 * mispredict returns after a system call.
 */
static inline long tr2_raw_write(int fd, const void *p, size_t n)
{
#if defined(__x86_64__) && defined(__LP64__)
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"((long)SYS_write), "D"((long)fd), "S"(p), "d"(n)
			 : "rcx", "r11", "memory", "cc");
	return result;
#elif defined(__aarch64__) && defined(__LP64__)
	register long number __asm__("x8") = SYS_write;
	register long result __asm__("x0") = fd;
	register const void *from __asm__("x1") = p;
	register size_t size __asm__("x2") = n;

	__asm__ volatile("svc 0"
			 : "+r"(result)
			 : "r"(number), "r"(from), "r"(size)
			 : "memory", "cc");
	return result;
#else
	long result = syscall(SYS_write, fd, p, n);

	return result < 0 ? -errno : result;
#endif
}

/* These behave like libc's. */

static inline ssize_t tr2_sys_write(int fd, const void *p, size_t n)
{
	return syscall(SYS_write, fd, p, n);
}

static inline ssize_t tr2_sys_read(int fd, void *p, size_t n)
{
	return syscall(SYS_read, fd, p, n);
}

/* Move bytes from pipe to pipe, without waiting for either. */
static inline ssize_t tr2_sys_splice(int from, int to, size_t n)
{
	return syscall(SYS_splice, from, NULL, to, NULL, n,
		       (long)SPLICE_F_NONBLOCK);
}

static inline ssize_t tr2_sys_send(int fd, const void *p, size_t n, int flags)
{
#ifdef SYS_sendto
	return syscall(SYS_sendto, fd, p, n, flags, NULL, 0L);
#else
	return send(fd, p, n, flags);
#endif
}

/* The kernel's struct timespec is libc's only where a long has 64 bits. */
static inline int tr2_sys_poll(struct pollfd *p, const struct timespec *timeout)
{
#ifdef __LP64__
	struct timespec copy = *timeout;

	return (int)syscall(SYS_ppoll, p, 1L, &copy, NULL, NSIG / 8L);
#else
	return ppoll(p, 1, timeout, NULL);
#endif
}

static inline void tr2_sys_sleep(const struct timespec *time)
{
#ifdef __LP64__
	syscall(SYS_nanosleep, time, NULL);
#else
	nanosleep(time, NULL);
#endif
}

/* Wait while *word is `value`, at most ns. */
static inline int tr2_sys_futex_wait(atomic_uint *word, uint32_t value,
				     uint64_t ns)
{
	const __kernel_long_t timeout[2] = { (__kernel_long_t)(ns / 1000000000u),
					     (__kernel_long_t)(ns % 1000000000u) };

	return (int)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, timeout,
			    NULL, 0L);
}

static inline void tr2_sys_futex_wake(atomic_uint *word, int nr)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, nr, NULL, NULL, 0L);
}

#endif
