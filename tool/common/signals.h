/* SPDX-License-Identifier: MIT */
/*
 * signals - what signals are called.
 */
#ifndef TR2_COMMON_SIGNALS_H
#define TR2_COMMON_SIGNALS_H

struct tr2_buf;

/* "KILL" for 9. NULL: it has no name here. */
const char *tr2_signal_name(int signo);

/* SIGKILL, SIG34: appended. */
void tr2_signal_add(struct tr2_buf *out, int signo);

#endif
