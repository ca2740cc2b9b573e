/* SPDX-License-Identifier: MIT */
/*
 * file_locks - the file lock that flock() or fcntl() waits for, and the process
 * that holds it.
 */
#pragma once

#include "record/observer/wait_object.h"

/* `type`: "FLOCK", "POSIX" or "OFDLCK", as /proc/locks has it. */
void tr2_file_lock_find(struct tr2_wait *wait, int fd, const char *type);
