/* SPDX-License-Identifier: MIT */
/* fd - descriptors that the library holds in a process that is not its own. */
#ifndef TR2_BASE_FD_H
#define TR2_BASE_FD_H

/*
 * The same open file under a number away from 0, 1 and 2, so that a host that
 * runs without them does not print into it, and from those it is likely to use
 * next; close-on-exec. fd is closed. -1 and errno on error, as for fd -1.
 */
int tr2_fd_move_up(int fd);

#endif
