/* SPDX-License-Identifier: MIT */
/* bind - look up what calls in signal handlers need of the C library. */
#pragma once

/* May change errno. */
void tr2_bind_libc(void);
