/* SPDX-License-Identifier: MIT */
/*
 * priority - let the recorder run as soon as a ring has records, if the user
 * has permission. On a machine whose CPUs are all in use, the kernel's rings
 * may fill before an ordinary process gets a CPU.
 */
#pragma once

#include <stdbool.h>

/* Raise the priority. Call it after the command was forked, so that the command
 * does not inherit the priority. Return false if the user has no permission, or
 * if the process has a special policy already. */
bool tr2_priority_raise(void);
/* Undo tr2_priority_raise(), if that returned true. */
void tr2_priority_restore(void);
