/* SPDX-License-Identifier: MIT */
/* bind - look up the C library's functions that calls in signal handlers
 * need. */
#pragma once

/* Call these functions once, so that the dynamic linker looks them up. May
 * change errno. */
void tr2_bind_libc(void);
