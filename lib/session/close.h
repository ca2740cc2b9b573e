/* SPDX-License-Identifier: MIT */
#ifndef TR2_SESSION_CLOSE_H
#define TR2_SESSION_CLOSE_H

/* What parts have to say, atexit, and no more. Once; later calls do nothing. */
void tr2_session_close(void);

#endif
