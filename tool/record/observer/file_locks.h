/* SPDX-License-Identifier: MIT */
/*
 * file_locks - find the file lock that flock() or fcntl() waits for, and the
 * process that holds this lock.
 */
#pragma once

#include "record/observer/wait_object.h"

/* Find the lock of this type that the wait is for. type: "FLOCK", "POSIX" or
 * "OFDLCK", as in /proc/locks. */
void tr2_file_lock_find(struct tr2_wait *wait, int fd, const char *type);
