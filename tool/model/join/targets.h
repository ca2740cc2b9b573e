/* SPDX-License-Identifier: MIT */
/*
 * targets - find the target of each process of a build: the file that a job of
 * make or ninja was to make. All processes of a job share its target.
 *
 * The log of ninja has each target with a hash of the target's command; the
 * output of `make --trace` has each target with the text of the target's
 * command. Without both, the target is the file that a command line tells a
 * compiler, ar or CMake's launcher to write. A job that wrote several files has
 * no target, but each of its compilers may have one.
 */
#pragma once

#include "model/model.h"

/* Return the target, relative to the directory of the recording; 0: it is
 * unknown, or the process made none. */
tr2_str tr2_target(struct tr2_model *m, uint32_t node);
