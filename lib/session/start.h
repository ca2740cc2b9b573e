/* SPDX-License-Identifier: MIT */
/* start - the start of a session. */
#ifndef TR2_SESSION_START_H
#define TR2_SESSION_START_H

#include "trace2.h"

/* Record the process's start; only the first call counts. */
void tr2_session_start_clock(void);

/* trace2_initialize(); only the first call counts. */
void tr2_session_start(const char *file, int line,
		       const struct trace2_options *options);

/* Make the id if there is none yet; "": no memory, or raised privileges. */
const char *tr2_session_id_while_off(void);

#endif
