/* SPDX-License-Identifier: MIT */
/* metric - what the calls of metrics share. */
#pragma once

#include <stdbool.h>

/* A forked child's cells lie in its own ring's file: open that first, if the
 * process has rings. false: not possible now, in a signal handler. */
bool tr2_metric_file_is_open(void);
