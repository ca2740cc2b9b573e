/* SPDX-License-Identifier: MIT */
/*
 * events - `-e list`: the named events, and which of them this machine counts.
 */
#ifndef TR2_CMD_EVENTS_H
#define TR2_CMD_EVENTS_H

/* Print the list. Return an exit code. */
int tr2_events_list(void);

#endif
