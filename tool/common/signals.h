/* SPDX-License-Identifier: MIT */
/*
 * signals - the names of signals.
 */
#pragma once

struct tr2_buf;

/* Return "KILL" for 9. NULL: no name is known. */
const char *tr2_signal_name(int signo);

/* Append a name like SIGKILL or SIG34. */
void tr2_signal_add(struct tr2_buf *out, int signo);
