/* SPDX-License-Identifier: MIT */
/* elevated - the helper of record/elevate.h. */
#pragma once

/* Serve the recorder over standard input until the recorder closes the other
 * end. Return the exit code. */
int tr2_elevated_serve(void);
