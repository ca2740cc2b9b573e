/* SPDX-License-Identifier: MIT */
/* elevated - the helper of record/elevate.h. */
#pragma once

/* Serve the recorder on standard input until it closes that. Return the exit
 * code. */
int tr2_elevated_serve(void);
