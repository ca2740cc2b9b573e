/* SPDX-License-Identifier: MIT */
/*
 * notify - report to a service manager: datagrams of systemd's sd_notify(3), to
 * the socket that $NOTIFY_SOCKET names. Does nothing without it, or if the
 * socket does not accept them.
 */
#ifndef TR2_RECORD_JOB_NOTIFY_H
#define TR2_RECORD_JOB_NOTIFY_H

#include <stdbool.h>

bool tr2_notify_wanted(void);

/* Send lines such as `READY=1` or `STATUS=…`. Never waits. */
void tr2_notify(const char *text);

#endif
