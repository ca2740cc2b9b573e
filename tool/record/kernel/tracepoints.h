/* SPDX-License-Identifier: MIT */
/*
 * tracepoints - read the formats of tracepoints from tracefs: the id of a
 * tracepoint, and the tracing data of a perf.data file, by which perf decodes
 * samples.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "format/kernel/kernel_data.h"

struct tr2_tracepoints {
	struct tr2_kernel_formats formats;
	struct tr2_buf data;
	char why_not[128]; /* "": the formats were read */
};

/* Return false with the reason in why_not. */
bool tr2_tracepoints_read(struct tr2_tracepoints *tracepoints);
void tr2_tracepoints_release(struct tr2_tracepoints *tracepoints);

/* Open the directory of tracefs for openat(). It has the kernel's files on
 * tracepoints and probes. Root needs no mount. Return -1 with errno; ENOENT:
 * tracefs is not mounted. */
int tr2_tracefs_open(void);
