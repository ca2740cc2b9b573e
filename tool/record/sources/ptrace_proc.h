/* SPDX-License-Identifier: MIT */
/*
 * ptrace_proc - read the data of a stopped process from /proc, as members of a
 * record of tasks.jsonl.
 */
#pragma once

#include <sys/types.h>

#include "base/buf.h"
#include "record/sources/run.h"

/* Add argv, cut and cwd. In another namespace than the recorder's, also add the
 * pid in that namespace, since the process's SID contains it. Return false if
 * the process is gone. */
bool tr2_ptrace_add_argv(struct tr2_buf *b, pid_t pid);
/* At a process's exec, add the members of tr2_ptrace_add_argv(), and exe. */
void tr2_ptrace_add_program(struct tr2_buf *b, pid_t pid);
/* At the exit of a process's last thread, add the process's reads and writes,
 * and its peak of memory. Set *io. */
void tr2_ptrace_add_end(struct tr2_buf *b, pid_t pid, struct tr2_io *io);
/* Add the CPU time of a thread that has ended and was not reaped. */
void tr2_ptrace_add_times(struct tr2_buf *b, pid_t tid);

/* Set *pid to the process of a thread, and *ppid to the process's parent.
 * Return false if the thread is gone. */
bool tr2_ptrace_parents(pid_t tid, pid_t *pid, pid_t *ppid);
bool tr2_ptrace_is_thread_of(pid_t tid, pid_t pid);
