/* SPDX-License-Identifier: MIT */
/* metric - shared by the calls of metrics. */
#pragma once

#include <stdbool.h>

/* Open the file of a forked child's own ring, if the process has rings: the
 * child's cells lie in that file. false: not possible now, in a signal
 * handler. */
bool tr2_metric_file_is_open(void);
