/* SPDX-License-Identifier: MIT */
/*
 * session - one process's stream: its start, its targets, its end.
 *
 *	OFF ──start──► ON ──exit──► CLOSED
 *	               │ fork, in the child
 *	               ▼
 *	             FORKED ──first event──► ON, with an id and targets of its own
 *
 * trace2_enabled_ is 1 in ON and FORKED while some destination takes bytes.
 */
#ifndef TR2_SESSION_SESSION_H
#define TR2_SESSION_SESSION_H

#include "session/settings.h"
#include "session/thread.h"
#include "target/target.h"
#include "trace2.h"

enum tr2_session_state {
	TR2_SESSION_OFF,
	TR2_SESSION_ON,
	TR2_SESSION_FORKED,
	TR2_SESSION_CLOSED
};

struct tr2_session {
	atomic_int state; /* enum tr2_session_state */
	struct tr2_settings settings;
	struct tr2_target target[TR2_TARGET_NR];
	uint64_t start_ns; /* monotonic; t_abs counts from it */
	char *version; /* of the program, NULL: unknown */
	char **argv; /* as cmd_start had it, for forked children */
	atomic_int exit_code;
	atomic_int next_child_id, next_exec_id, next_repo_id;
	atomic_bool listed_config, listed_env; /* the parameters asked for */
	atomic_uint_fast64_t lost; /* events that no target saw */
};

extern struct tr2_session tr2_session;

/* Notes the process's start; only the first call counts. */
void tr2_session_start_clock(void);

void tr2_session_start(const char *file, int line,
		       const struct trace2_options *options);

/* What a forked child does at its first event. Called in a call. */
void tr2_session_reopen(struct tr2_thread *thread, const char *file, int line);

/* Keeps a copy of argv. */
void tr2_session_keep_argv(const char *const *argv);

/* Metrics, atexit, and no more. Once; later calls do nothing. */
void tr2_session_close(void);

#endif
