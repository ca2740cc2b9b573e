/* SPDX-License-Identifier: MIT */
/* bind - look up what calls in signal handlers need of the C library. */
#ifndef TR2_BASE_BIND_H
#define TR2_BASE_BIND_H

/* May change errno. */
void tr2_bind_libc(void);

#endif
