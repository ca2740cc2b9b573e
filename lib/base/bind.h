/* SPDX-License-Identifier: MIT */
/* bind - look up the C library's functions that calls in signal handlers
 * need. */
#pragma once

/* Call each of these functions of the C library once, so that the dynamic
 * linker looks it up. May change errno. */
void tr2_bind_libc(void);
