/* SPDX-License-Identifier: MIT */
/*
 * raw - write(2) without the C library around it.
 *
 * libc's is a cancellation point, which costs where there are several threads,
 * and a return more: after a system call processors that guard against
 * speculation in the kernel predict no return rightly.
 */
#ifndef TR2_BASE_RAW_H
#define TR2_BASE_RAW_H

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What the kernel returns: a negative errno, not -1. Leaves errno alone where
 * the instruction is known. */
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

#endif
