/* SPDX-License-Identifier: MIT */
/*
 * `test-tool trace2 VERB`: each verb makes the calls of one situation. The
 * verbs up to 010 and 1xx to 4xx are Git's, as used by its test scripts; the
 * others are trace2's.
 */
#include "cmd-trace2.h"

int tr2_cmd_trace2(int argc, const char **argv)
{
	static const struct tool_verb *const tables[] = {
		tool_verbs_basic,  tool_verbs_child,  tool_verbs_call,
		tool_verbs_exit,   tool_verbs_thread, tool_verbs_fork,
		tool_verbs_signal, tool_verbs_host,   tool_verbs_load,
		tool_verbs_metric, tool_verbs_span,   tool_verbs_daemon,
		NULL,
	};

	return tool_run_verb(tables, argc, argv);
}
