/* SPDX-License-Identifier: MIT */
/*
 * syscalls - count the system calls of a command and its descendants, by kind.
 * BPF programs at the kernel's tracepoints follow the tasks and count. A call
 * costs the command about 50 ns. A call of any other process is not counted,
 * but costs a part of that time.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

struct tr2_syscalls;

/* Begin to follow tasks. Return NULL, with the reason in *why_not, if this user
 * or kernel cannot count. */
struct tr2_syscalls *tr2_syscalls_open(const char **why_not);
void tr2_syscalls_close(struct tr2_syscalls *s);

/* Begin a run: forget the counts and the tasks of the last run. */
void tr2_syscalls_begin(struct tr2_syscalls *s);
/* Return the descriptor for tr2_syscalls_mark(). */
int tr2_syscalls_mark_fd(const struct tr2_syscalls *s);
/* In the child, before its exec: count this task from now on. */
void tr2_syscalls_mark(int mark_fd);
/* End a run: keep its counts. */
void tr2_syscalls_end(struct tr2_syscalls *s);
/* Return why the counts of the last run are incomplete; NULL: they are
 * complete. */
const char *tr2_syscalls_why_not(const struct tr2_syscalls *s);
/* Append the value of `syscalls` in meta.json. */
void tr2_syscalls_add_meta(const struct tr2_syscalls *s, struct tr2_buf *b);
