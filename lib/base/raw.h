/* SPDX-License-Identifier: MIT */
/*
 * raw - system calls without the C library's wrappers. libc's wrappers are
 * cancellation points. That costs time with several threads. During such a
 * call, glibc makes the cancellation of the thread asynchronous. If a signal
 * handler leaves the call by siglongjmp(), the cancellation stays asynchronous.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * Return the kernel's result: a negative errno, not -1. Leave errno alone if
 * the architecture's instruction is known. The call is then inline, without
 * even a return: processors that guard against speculation in the kernel
 * mispredict returns after a system call.
 */
static inline long tr2_raw_call(long number, long a, long b, long c, long d,
				long e, long f)
{
#if defined(__x86_64__) && defined(__LP64__)
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10),
			   "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory", "cc");
	return result;
#elif defined(__aarch64__) && defined(__LP64__)
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory", "cc");
	return x0;
#else
	long result = syscall(number, a, b, c, d, e, f);

	return result < 0 ? -errno : result;
#endif
}

/* Return the kernel's id of the calling thread. Where a sandbox refuses the
 * call, the result is no thread's id. */
static inline uint32_t tr2_raw_gettid(void)
{
	return (uint32_t)tr2_raw_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

/* Do raise(). In a child by vfork(), musl's raise() signals the parent's
 * thread. */
static inline void tr2_raw_raise(int signo)
{
	tr2_raw_call(SYS_tgkill, getpid(), tr2_raw_gettid(), signo, 0, 0, 0);
}

static inline long tr2_raw_write(int fd, const void *p, size_t n)
{
	return tr2_raw_call(SYS_write, fd, (long)(intptr_t)p, (long)n, 0, 0, 0);
}

static inline long tr2_raw_send(int fd, const void *p, size_t n, int flags)
{
#ifdef SYS_sendto
	return tr2_raw_call(SYS_sendto, fd, (long)(intptr_t)p, (long)n, flags,
			    0, 0);
#else
	ssize_t result = send(fd, p, n, flags);

	return result < 0 ? -errno : result;
#endif
}

/*
 * Return 0 or a negative errno. Do not call libc's fstat() where the kernel's
 * structure is libc's: libc may use newfstatat(), which costs a sixth more.
 */
static inline long tr2_raw_fstat(int fd, struct stat *st)
{
#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__LP64__)
	return tr2_raw_call(SYS_fstat, fd, (long)(intptr_t)st, 0, 0, 0, 0);
#else
	return fstat(fd, st) ? -errno : 0;
#endif
}

/* The following functions behave like the libc functions of the same names. */

static inline ssize_t tr2_sys_write(int fd, const void *p, size_t n)
{
	return syscall(SYS_write, fd, p, n);
}

static inline ssize_t tr2_sys_read(int fd, void *p, size_t n)
{
	return syscall(SYS_read, fd, p, n);
}

/* Where a long has 32 bits, the offset takes two registers, which differ
 * between architectures. */
static inline ssize_t tr2_sys_pwrite(int fd, const void *p, size_t n,
				     uint64_t at)
{
#ifdef __LP64__
	return syscall(SYS_pwrite64, fd, p, n, at);
#else
	return pwrite(fd, p, n, (off_t)at);
#endif
}

static inline ssize_t tr2_sys_pread(int fd, void *p, size_t n, uint64_t at)
{
#ifdef __LP64__
	return syscall(SYS_pread64, fd, p, n, at);
#else
	return pread(fd, p, n, (off_t)at);
#endif
}

/* Move bytes from pipe to pipe, without waiting for either. */
static inline ssize_t tr2_sys_splice(int from, int to, size_t n)
{
	return syscall(SYS_splice, from, NULL, to, NULL, n,
		       (long)SPLICE_F_NONBLOCK);
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

/* Wait while *word is `value`, for at most `ns` nanoseconds. */
static inline int tr2_sys_futex_wait(atomic_uint *word, uint32_t value,
				     uint64_t ns)
{
	const __kernel_long_t timeout[2] = {
		(__kernel_long_t)(ns / 1000000000u),
		(__kernel_long_t)(ns % 1000000000u)
	};

	return (int)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, timeout,
			    NULL, 0L);
}

/* Wait while *word is `value`, for at most 10 ms, since the thread that changes
 * it may end before it wakes others. sched_yield() would not do: a thread of
 * real-time priority would keep the others off its CPU. */
static inline void tr2_await(const atomic_int *word, int value)
{
	tr2_sys_futex_wait((atomic_uint *)(uintptr_t)word, (uint32_t)value,
			   10000000u);
}

#define TR2_MOMENT_NS 20000u

/* Let other threads run for a moment. */
static inline void tr2_let_others_run(void)
{
	static const struct timespec moment = { 0, TR2_MOMENT_NS };

	tr2_sys_sleep(&moment);
}

static inline void tr2_sys_futex_wake(atomic_uint *word, int nr)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, nr, NULL, NULL, 0L);
}

/* Wake all threads that await a change of *word. */
static inline void tr2_awake(atomic_int *word)
{
	tr2_sys_futex_wake((atomic_uint *)(uintptr_t)word, INT_MAX);
}
