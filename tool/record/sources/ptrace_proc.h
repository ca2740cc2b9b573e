/* SPDX-License-Identifier: MIT */
/*
 * ptrace_proc - read from /proc what is known of a process at a stop, as
 * members of a record of tasks.jsonl.
 */
#pragma once

#include <sys/types.h>

#include "base/buf.h"
#include "record/sources/run.h"

/* Add argv, cut, cwd; and the pid in the process's own namespace, if that is
 * not the recorder's: the process names its session by it. Return false if the
 * process is gone. */
bool tr2_ptrace_add_argv(struct tr2_buf *b, pid_t pid);
/* At its exec, add these members and exe. */
void tr2_ptrace_add_program(struct tr2_buf *b, pid_t pid);
/* At the exit of its last thread, add what it read and wrote, and its peak of
 * memory. io is filled. */
void tr2_ptrace_add_end(struct tr2_buf *b, pid_t pid, struct tr2_io *io);
/* Add the CPU time of a thread that has ended and was not reaped. */
void tr2_ptrace_add_times(struct tr2_buf *b, pid_t tid);

/* Read the process of a thread, and its parent. Return false if it is gone. */
bool tr2_ptrace_parents(pid_t tid, pid_t *pid, pid_t *ppid);
bool tr2_ptrace_is_thread_of(pid_t tid, pid_t pid);
