/* SPDX-License-Identifier: MIT */
/*
 * mask - a section of code in which the calling thread is not cancelled, and no
 * signal handler interrupts it or leaves it by siglongjmp(). It is for rare
 * work that takes locks of libc's or ours, allocates or opens files. Blocked
 * signals are delivered at its end. Signals of faults are not blocked (see
 * mask.c): their handlers may call the library, but must return.
 */
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

/* The state that the end of the section restores. */
struct tr2_mask {
	sigset_t signals;
	int cancel_state, cancel_type;
	bool is_nested; /* this section lies in another section, which restores
			 * the state */
};

/* Begin and end a section; a nested section makes no system call. */
void tr2_mask_begin(struct tr2_mask *before);
void tr2_mask_end(const struct tr2_mask *before);

/* Return whether the calling thread's section holds back a signal. Inside a
 * section this makes a system call; signal-safe. */
bool tr2_mask_holds_back(void);
