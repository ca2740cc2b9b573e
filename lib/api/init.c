/* SPDX-License-Identifier: MIT */
/* The start of a session, and queries about it. */
#include <signal.h>

#include "session/call.h"
#include "session/inherit.h"
#include "session/signal.h"
#include "session/session.h"
#include "thread/stream.h"
#include "trace2.h"

void trace2_initialize_clock(void)
{
	tr2_session_start_clock();
}

void trace2_initialize_fl(const char *file, int line,
			  const struct trace2_options *options)
{
	tr2_session_start(file, line, options);
}

void trace2_session_resume_fl(const char *file, int line)
{
	struct tr2_call call;

	tr2_session_resume();
	if (tr2_call_begin(&call, file, line))
		tr2_call_end(&call);
}

void trace2_signal_fl(const char *file, int line, int signo)
{
	if (signo >= 1 && signo < NSIG)
		tr2_signal_end(file, line, signo);
}

const char *trace2_session_id(void)
{
	struct tr2_call call;

	/* In a forked child, tr2_call_begin() makes the child's own id. */
	if (!tr2_stream_is_on() || !tr2_call_begin(&call, __FILE__, __LINE__))
		return tr2_session_id_while_off();
	tr2_call_end(&call);
	return tr2_inherit_sid();
}
