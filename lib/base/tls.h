/* SPDX-License-Identifier: MIT */
/*
 * tls - variables of a thread that frequent events read.
 *
 * The same objects go into programs, into the shared library, and into modules
 * that are loaded while a program runs. There the C library has a fixed place
 * near the thread's pointer for few variables only, which the host's own modules
 * may need; so none is demanded: the model initial-exec would refuse the load
 * when it is used up. A TLS descriptor takes a place if there is one to spare,
 * else memory of its own, and the linker turns it into a constant in a program.
 *
 * Compilers other than gcc have no descriptors on x86-64, and gcc does not know
 * that before glibc 2.40 the first access of a thread may overwrite vector
 * registers. So descriptors are used by hand there.
 */
#ifndef TR2_BASE_TLS_H
#define TR2_BASE_TLS_H

#include <pthread.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/sanitize.h"
#include "trace2.h"

#if defined(TRACE2_TLS_OFFSET_) && defined(__SEG_FS) && \
	!defined(__STRICT_ANSI__) && !TR2_TSAN && !TR2_ASAN
#define TR2_TLS_BY_HAND 1
#else
#define TR2_TLS_BY_HAND 0
#endif

/* Link-time optimisation does not see that assembly uses a variable. */
#ifdef __clang__
#define TR2_TLS_USED __attribute__((used))
#else
#define TR2_TLS_USED __attribute__((used, externally_visible))
#endif

#if TR2_TLS_BY_HAND
#define TR2_TLS_OFFSET(name)                       \
	__extension__({                            \
		uintptr_t offset_;                 \
		TRACE2_TLS_OFFSET_(offset_, name); \
		offset_;                           \
	})
#define TR2_TLS(name) (*(__typeof__(name) __seg_fs *)TR2_TLS_OFFSET(name))
#else
#define TR2_TLS(name) (name)
#endif

/* Return a number that no other live thread has, and not 0. */
static inline uintptr_t tr2_tls_thread(void)
{
#if defined(__x86_64__) && defined(__LP64__)
	uintptr_t pointer;

	__asm__("mov %%fs:0, %0" : "=r"(pointer));
	return pointer;
#else
	return (uintptr_t)pthread_self();
#endif
}

#endif
