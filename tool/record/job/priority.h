/* SPDX-License-Identifier: MIT */
/*
 * priority - let the recorder run at once when a ring has records, where the
 * user is permitted to: on a machine whose CPUs are all in use, the kernel's
 * rings are full before an ordinary process gets its turn.
 */
#pragma once

#include <stdbool.h>

/* Call it after the command was forked, which does not inherit it then. false:
 * not permitted, or the process has a policy other than the usual one. */
bool tr2_priority_raise(void);
/* Undo tr2_priority_raise(), if that returned true. */
void tr2_priority_restore(void);
