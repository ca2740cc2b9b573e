/* SPDX-License-Identifier: MIT */
/* metric - shared by the calls of metrics. */
#pragma once

#include <stdbool.h>

/* In a forked child, open the file of the child's own ring, if the process has
 * rings: the child's cells lie in that file. false: not possible now, for
 * example in a signal handler that interrupted the library. */
bool tr2_metric_file_is_open(void);
