/* SPDX-License-Identifier: MIT */
/*
 * notify - what a service manager is told: the datagrams of systemd's
 * sd_notify(3), to the socket that $NOTIFY_SOCKET names. Without it, and
 * whenever the socket does not take them, nothing happens.
 */
#ifndef TR2_RECORD_NOTIFY_H
#define TR2_RECORD_NOTIFY_H

#include <stdbool.h>

bool tr2_notify_wanted(void);

/* `READY=1`, `STATUS=…`, lines of them. Never waits. */
void tr2_notify(const char *text);

#endif
