/* SPDX-License-Identifier: MIT */
/* close - the end of a session. */
#ifndef TR2_SESSION_CLOSE_H
#define TR2_SESSION_CLOSE_H

/* Emit the parts' results and atexit, and close the targets. Later calls do
 * nothing. */
void tr2_session_close(void);

#endif
