/* SPDX-License-Identifier: MIT */
/*
 * ptrace_proc - what /proc says of a process that stands at a stop, as members
 * of a record of tasks.jsonl.
 */
#pragma once

#include <sys/types.h>

#include "base/buf.h"
#include "record/sources/run.h"

/* argv, cut, cwd, and the pid that the process has in its own namespace, by
 * which it names its session, if that is another one than the recorder's. false:
 * it is gone. */
bool tr2_ptrace_add_argv(struct tr2_buf *b, pid_t pid);
/* At its exec: these, and exe. */
void tr2_ptrace_add_program(struct tr2_buf *b, pid_t pid);
/* At the exit of its last thread: what it read and wrote, and the most memory
 * that it had. io: filled. */
void tr2_ptrace_add_end(struct tr2_buf *b, pid_t pid, struct tr2_io *io);
/* Of a thread that has ended and was not reaped: its CPU time. */
void tr2_ptrace_add_times(struct tr2_buf *b, pid_t tid);

/* Read the process of a thread, and its parent. false: it is gone. */
bool tr2_ptrace_parents(pid_t tid, pid_t *pid, pid_t *ppid);
bool tr2_ptrace_is_thread_of(pid_t tid, pid_t pid);
