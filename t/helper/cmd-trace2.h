/* SPDX-License-Identifier: MIT */
/*
 * The verbs of `test-tool trace2`, one table per topic.
 */
#pragma once

#include "test-tool.h"

extern const struct tool_verb tool_verbs_basic[], tool_verbs_call[],
	tool_verbs_child[], tool_verbs_daemon[], tool_verbs_exit[],
	tool_verbs_fork[],
	tool_verbs_host[], tool_verbs_load[], tool_verbs_metric[],
	tool_verbs_signal[], tool_verbs_span[], tool_verbs_thread[];

/* Run and join a thread; die on failure. */
void tool_run_thread(void *(*run)(void *), void *arg);
/* Run nr threads, each with arg. All of them are alive before the first one
 * ends. */
void tool_run_threads(unsigned int nr, void *(*run)(void *), void *arg);

void tool_sleep_ms(int ms);

TRACE2_DISTRIBUTION_DECLARE(tool_sizes);
