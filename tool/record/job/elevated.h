/* SPDX-License-Identifier: MIT */
/* elevated - the helper of record/elevate.h, which sudo starts. */
#ifndef TR2_RECORD_JOB_ELEVATED_H
#define TR2_RECORD_JOB_ELEVATED_H

/* Serve the recorder on standard input until it closes that. Return the exit
 * code. */
int tr2_elevated_serve(void);

#endif
