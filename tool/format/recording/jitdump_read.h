/* SPDX-License-Identifier: MIT */
/*
 * jitdump_read - read jit-PID.dump, the format of perf in which node
 * --perf-prof, .NET and agents of Java write the functions that they generate.
 *
 * Unlike a line of perf-PID.map, a record has the time from which a function is
 * at its address: the code there may be replaced.
 */
#pragma once

#include <stddef.h>

#include "model/model.h"

/*
 * Add the functions of a dump that the process wrote. `path` is for the
 * problems that are noted: it is another format, or damaged. The functions
 * before the damage are added.
 */
void tr2_jitdump_read(struct tr2_model *m, uint32_t task,
		      const unsigned char *data, size_t size, const char *path);
