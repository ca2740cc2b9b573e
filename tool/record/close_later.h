/* SPDX-License-Identifier: MIT */
/*
 * close_later - close descriptors without waiting for what the kernel does
 * then: it takes tens of milliseconds for the last event of a tracepoint.
 */
#ifndef TR2_RECORD_CLOSE_LATER_H
#define TR2_RECORD_CLOSE_LATER_H

#include <stdint.h>

/* Close them. If the caller had the last ones of their files, the kernel
 * releases the files in the background, if it can. */
void tr2_close_later(const int *fds, uint32_t nr);

#endif
