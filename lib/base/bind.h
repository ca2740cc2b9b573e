/* SPDX-License-Identifier: MIT */
/* bind - look up the C library's functions that calls in signal handlers
 * need. */
#pragma once

/* May change errno. */
void tr2_bind_libc(void);
