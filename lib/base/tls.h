/* SPDX-License-Identifier: MIT */
/*
 * tls - variables of a thread that frequent events read. The same objects go
 * into programs, into the shared library, and into modules that are loaded
 * while a program runs. Near the thread's pointer, the C library reserves a
 * few places for the variables of such modules. The host's own modules may need
 * these places. The model initial-exec demands such a place, and refuses the
 * load when all are used up. So it is not used. A TLS descriptor takes a free
 * place if there is one, else memory of its own. In a program the linker turns
 * the descriptor into a constant. Compilers other than gcc have no descriptors
 * on x86-64. gcc does not know that before glibc 2.40 the first access of a
 * thread may overwrite vector registers. On x86-64 the library therefore uses
 * descriptors by hand. In code that a program compiles, trace2_metric.h leaves
 * the choice to the compiler.
 */
#pragma once

#include <pthread.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/sanitize.h"
#include "trace2.h"

#if defined(TR2_NO_RED_ZONE) && defined(__LP64__) && defined(__SEG_FS) && \
	!TR2_TSAN && !TR2_ASAN
#define TR2_TLS_BY_HAND 1
#else
#define TR2_TLS_BY_HAND 0
#endif

/* `used` keeps the variable: link-time optimisation does not see that assembly
 * uses it. */
#ifdef __clang__
#define TR2_TLS_USED __attribute__((used))
#else
#define TR2_TLS_USED __attribute__((used, externally_visible))
#endif

#if TR2_TLS_BY_HAND
#ifdef __AVX512F__
#define TR2_TLS_MORE_VECTORS                                                   \
	, "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22",       \
		"xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", \
		"xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4", "k5", "k6",    \
		"k7"
#else
#define TR2_TLS_MORE_VECTORS
#endif
/*
 * Return the offset of the variable from the thread's pointer. The compiler
 * does not see that this is a call: a function that calls nothing else leaves
 * the stack unaligned. The first access of a thread may call malloc(), which
 * needs the stack aligned and may overwrite registers of vectors, masks and the
 * x87.
 *
 * pthread_exit() in a handler, a cancellation or a profiler may unwind the
 * stack here. They find the frame at an offset from rsp, since there is no
 * frame pointer (Makefile). While rsp is aligned, they find the frame from rbx,
 * which calls preserve.
 */
#ifdef __GCC_HAVE_DWARF2_CFI_ASM
#define TR2_TLS_BY_RBX \
	".cfi_remember_state\n\t.cfi_def_cfa_register %%rbx\n\t"
#define TR2_TLS_BY_RSP "\n\t.cfi_restore_state"
#else
#define TR2_TLS_BY_RBX
#define TR2_TLS_BY_RSP
#endif
#define TR2_TLS_OFFSET(name)                                                   \
	__extension__({                                                        \
		uintptr_t offset_, stack_;                                     \
		__asm__("mov %%rsp, %1\n\t" TR2_TLS_BY_RBX                     \
			"and $-16, %%rsp\n\t"                                  \
			"lea " #name "@TLSDESC(%%rip), %0\n\t"                 \
			"call *" #name "@TLSCALL(%0)\n\t"                      \
			"mov %1, %%rsp" TR2_TLS_BY_RSP                         \
			: "=&a"(offset_), "=&b"(stack_)                        \
			:                                                      \
			: "cc", "st", "st(1)", "st(2)", "st(3)", "st(4)",      \
			  "st(5)", "st(6)", "st(7)", "xmm0", "xmm1", "xmm2",   \
			  "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",      \
			  "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", \
			  "xmm15" TR2_TLS_MORE_VECTORS);                       \
		offset_;                                                       \
	})
#define TR2_TLS_SEGMENT __seg_fs
#define TR2_TLS_AT(name) ((__typeof__(name) __seg_fs *)TR2_TLS_OFFSET(name))
#else
#define TR2_TLS_SEGMENT
#define TR2_TLS_AT(name) (&(name))
#endif
#define TR2_TLS(name) (*TR2_TLS_AT(name))

/* Return a number that is not 0, and that no other live thread has. */
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
