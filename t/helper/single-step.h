/* SPDX-License-Identifier: MIT */
/*
 * single-step - run a program one instruction at a time, by the processor's
 * trap flag.
 */
#pragma once

#include "system.h"

#include <ucontext.h>

/* Set or clear the trap flag. While it is set, a SIGTRAP follows each
 * instruction. */
static inline void stop_after_each(bool on)
{
#if defined(__x86_64__)
	if (on)
		__asm__ volatile("pushfq; orl $0x100, (%%rsp); popfq"
				 ::: "memory", "cc");
	else
		__asm__ volatile("pushfq; andl $~0x100, (%%rsp); popfq"
				 ::: "memory", "cc");
#else
#endif
}

/* Set the trap flag from the time when the handler with this context
 * returns. */
static inline void stop_after_handler(void *context)
{
#if defined(__x86_64__)
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= 0x100;
#else
#endif
}
