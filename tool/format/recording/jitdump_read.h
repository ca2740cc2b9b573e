/* SPDX-License-Identifier: MIT */
/*
 * jitdump_read - read jit-PID.dump, the format of perf in which node
 * --perf-prof, .NET and agents of Java write the functions that they generate.
 *
 * Unlike a line of perf-PID.map, a record has the time from which a function is
 * at its address: the process may replace the code at an address.
 */
#pragma once

#include <stddef.h>

#include "model/model.h"

/*
 * Add the functions of a dump that the process wrote. If the dump is damaged or
 * has another format, note a problem with `path`, and add the functions before
 * the damage.
 */
void tr2_jitdump_read(struct tr2_model *m, uint32_t task,
		      const unsigned char *data, size_t size, const char *path);
