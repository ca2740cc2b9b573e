/* SPDX-License-Identifier: MIT */
/*
 * session - one process's stream: its start, its targets, its end.
 *
 *	OFF ──start──► ON ──exit──► CLOSED
 *	               │ fork, in the child
 *	               ▼
 *	             FORKED ──first event, of any thread──► OPENING ──► ON,
 *	                              with an id and targets of its own
 *
 * trace2_enabled_ is 1 in ON and FORKED while some destination takes bytes.
 */
#ifndef TR2_SESSION_SESSION_H
#define TR2_SESSION_SESSION_H

#include <stdatomic.h>

#include "session/settings.h"
#include "trace2.h"

enum tr2_session_state {
	TR2_SESSION_OFF,
	TR2_SESSION_ON,
	TR2_SESSION_FORKED,
	TR2_SESSION_OPENING,
	TR2_SESSION_CLOSED
};

struct tr2_session {
	atomic_int state; /* enum tr2_session_state */
	struct tr2_settings settings;
	char *version; /* of the program, NULL: unknown */
	char **argv; /* as cmd_start had it, for forked children */
	atomic_int exit_code;
	atomic_int next_child_id, next_exec_id, next_repo_id;
	atomic_bool has_start, has_exit; /* the program called them */
	atomic_ullong open_execs; /* without a result, by id modulo 64 */
	atomic_bool listed_config, listed_env; /* the parameters asked for */
};

extern struct tr2_session tr2_session;

/* Did trace2_initialize() come that far, and is tracing on, or was it? */
static inline bool tr2_session_is_started(void)
{
	return tr2_session.state != TR2_SESSION_OFF;
}

/* Keeps a copy of argv. */
void tr2_session_keep_argv(const char *const *argv);

/* The library is unloaded. */
void tr2_session_release(void);

#endif
