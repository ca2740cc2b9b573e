/* SPDX-License-Identifier: MIT */
/*
 * targets - what a build made by each process: the file that the job of make or
 * ninja was for, which all processes of that job share.
 *
 * ninja's log names it: it has a hash of each command. Else it is what a
 * compiler or ar was told to write. A job in which several files were written
 * has no target, but each of its compilers may have one.
 */
#pragma once

#include "model/model.h"

/* Return the target, below the directory of the recording without that; 0: it
 * is unknown, or the process made none. */
tr2_str tr2_target(struct tr2_model *m, uint32_t node);
