/* SPDX-License-Identifier: MIT */
/* exit - what exit handlers do, and what unloading the library does. */
#ifndef TR2_SESSION_EXIT_H
#define TR2_SESSION_EXIT_H

/* The end of the session, unless this is a forked child that did nothing. */
void tr2_session_exit(void);

#endif
