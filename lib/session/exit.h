/* SPDX-License-Identifier: MIT */
/* exit - exit handlers, and unloading of the library. */
#ifndef TR2_SESSION_EXIT_H
#define TR2_SESSION_EXIT_H

#include <stdbool.h>

/* Whether this is the program itself, or a library that stays until the process
 * ends. */
bool tr2_session_is_never_unloaded(void);

/* End the session, unless this is a forked child without events. */
void tr2_session_exit(void);

#endif
