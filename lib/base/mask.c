/* SPDX-License-Identifier: MIT */
/* Block signals and cancellation in the calling thread, once for all nested
 * sections. */
#include "base/mask.h"

#include <string.h>

/* The outermost section; NULL: the thread is in no section. */
static __thread const struct tr2_mask *section;

/*
 * Signals that are not blocked: the kernel would kill a process that blocks the
 * signal of its own fault. In handlers of faults a garbage collector provides
 * pages of the heap, a runtime provides pages of a stack, and a sandbox answers
 * a refused call. SIGTRAP is not among these signals: a debugged program may
 * leave the library at any instruction.
 */
static const unsigned char faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL,
					SIGSYS };

void tr2_mask_begin(struct tr2_mask *before)
{
	sigset_t all;
	size_t i;

	before->is_nested = section != NULL;
	if (section)
		return;
	/* Do not call sigfillset(): the loader would have to look it up in each
	 * process. */
	memset(&all, 0xff, sizeof(all));
	for (i = 0; i < sizeof(faults); i++)
		sigdelset(&all, faults[i]);
	/* Block first: a handler that jumps out here leaves the thread
	 * unchanged. */
	pthread_sigmask(SIG_BLOCK, &all, &before->signals);
	section = before;
	/* Set the type, too: glibc's handler may already be running, and checks
	 * only the type. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before->cancel_state);
	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before->cancel_type);
}

void tr2_mask_end(const struct tr2_mask *before)
{
	if (before->is_nested)
		return;
	pthread_setcanceltype(before->cancel_type, NULL);
	pthread_setcancelstate(before->cancel_state, NULL);
	section = NULL;
	pthread_sigmask(SIG_SETMASK, &before->signals, NULL);
}

static bool is_ignored(int signo)
{
	struct sigaction action;

	if (sigaction(signo, NULL, &action))
		return true;
	return action.sa_handler == SIG_IGN ||
	       (action.sa_handler == SIG_DFL &&
		(signo == SIGCHLD || signo == SIGCONT || signo == SIGURG ||
		 signo == SIGWINCH));
}

bool tr2_mask_holds_back(void)
{
	sigset_t pending;
	int signo;

	if (!section || sigpending(&pending))
		return false;
	for (signo = 1; signo < NSIG; signo++)
		if (sigismember(&pending, signo) == 1 &&
		    !sigismember(&section->signals, signo) &&
		    !is_ignored(signo))
			return true;
	return false;
}
