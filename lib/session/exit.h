/* SPDX-License-Identifier: MIT */
/* exit - exit handlers, and unloading of the library. */
#ifndef TR2_SESSION_EXIT_H
#define TR2_SESSION_EXIT_H

/* End the session, unless this is a forked child without events. */
void tr2_session_exit(void);

#endif
