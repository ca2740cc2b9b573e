/* SPDX-License-Identifier: MIT */
/*
 * The verbs of `test-tool trace2`, a table for each concern.
 */
#ifndef CMD_TRACE2_H
#define CMD_TRACE2_H

#include "test-tool.h"

extern const struct tool_verb tool_verbs_basic[], tool_verbs_call[],
	tool_verbs_child[], tool_verbs_exit[], tool_verbs_fork[],
	tool_verbs_host[], tool_verbs_load[], tool_verbs_metric[],
	tool_verbs_signal[], tool_verbs_thread[];

/* A joined thread or death. */
void tool_run_thread(void *(*run)(void *), void *arg);
/* nr threads that all live before the first ends, each given arg. */
void tool_run_threads(unsigned int nr, void *(*run)(void *), void *arg);

void tool_sleep_ms(int ms);

#endif
