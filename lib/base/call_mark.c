/* SPDX-License-Identifier: MIT */
/* Distinguish an interrupted call from a call that a handler jumped out of. */
#include "base/call_mark.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/sanitize.h"

/*
 * The least distance between the frames of a handler and the interrupted
 * frames. Between them the kernel saves the registers: at least 952 bytes and a
 * gap of 128 on x86-64, 4 KiB on AArch64. If a function calls two functions one
 * after the other, the frames of these two are closer.
 */
#if defined(__x86_64__) || defined(__aarch64__)
#define SIGNAL_FRAME_BYTES 1024u
#else
#define SIGNAL_FRAME_BYTES 512u
#endif
/* Every call uses more stack than this below its frame. */
#define OWN_STACK_BYTES 1024u

/* Two live frames do not overlap. AddressSanitizer keeps frames elsewhere.
 * ThreadSanitizer calls handlers itself, later, so that no saved registers lie
 * in between. */
static bool is_in_own_frame(uintptr_t at, uintptr_t now)
{
	return !TR2_ASAN && !TR2_TSAN && at - (now - OWN_STACK_BYTES) <=
				    OWN_STACK_BYTES + SIGNAL_FRAME_BYTES;
}

/*
 * Let the kernel read the word, since an old stack may be unmapped by now. Use
 * a futex requeue that only compares the word, and wakes or moves no thread.
 */
static bool is_marked(uintptr_t at)
{
	int saved_errno = errno;
	uint32_t other = 0;
	bool differs;

	differs = syscall(SYS_futex, at, FUTEX_CMP_REQUEUE_PRIVATE, 0L, 0L,
			  &other, (long)tr2_call_mark_value(at)) < 0 &&
		  (errno == EAGAIN || errno == EFAULT);
	errno = saved_errno;
	return !differs;
}

bool tr2_call_mark_is_over(uintptr_t at, const struct tr2_call_mark *now)
{
	return is_in_own_frame(at, (uintptr_t)now) || !is_marked(at);
}

bool tr2_call_mark_is_interrupted(uintptr_t at,
				  const struct tr2_call_mark *now)
{
	stack_t stack;

	return TR2_ASAN || (uintptr_t)now < at || sigaltstack(NULL, &stack) ||
	       (stack.ss_flags & SS_ONSTACK);
}
