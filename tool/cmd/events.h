/* SPDX-License-Identifier: MIT */
/*
 * events - `-e list`: the events that have names, and which of them this
 * machine counts.
 */
#ifndef TR2_CMD_EVENTS_H
#define TR2_CMD_EVENTS_H

/* Prints them. The exit code. */
int tr2_events_list(void);

#endif
