/* SPDX-License-Identifier: MIT */
/* fd - descriptors of the library in the host's process. */
#ifndef TR2_BASE_FD_H
#define TR2_BASE_FD_H

/*
 * Move an open file to a number away from 0, 1 and 2, so that a host without
 * these does not print into it, and away from those that the host is likely to
 * use next; close-on-exec. Closes fd. Returns -1 with errno on error, and for
 * fd -1.
 */
int tr2_fd_move_up(int fd);

#endif
