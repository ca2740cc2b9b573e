/* SPDX-License-Identifier: MIT */
/* tracefs - the kernel's files on tracepoints and probes. */
#ifndef TR2_RECORD_KERNEL_TRACEFS_H
#define TR2_RECORD_KERNEL_TRACEFS_H

/* Open its directory, for openat(). Root needs no mount. -1: errno; ENOENT: it is
 * mounted nowhere. */
int tr2_tracefs_open(void);

#endif
