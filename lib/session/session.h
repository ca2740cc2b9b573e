/* SPDX-License-Identifier: MIT */
/*
 * session - one process's stream: its start, its targets, its end.
 *
 *	OFF ──start──► ON ──exit──► CLOSED
 *	               ▲ `trace2 set` (control.h)
 *	               ▼
 *	             PAUSED: no target is on; a session may follow
 *
 *	In between the state is PAUSING, until no thread is in a call, while
 *	other calls wait; if that takes too long, it is ON again, and nothing
 *	was lost. Then it is CHANGING, while calls do nothing.
 *
 *	               │ fork, in the child
 *	               ▼
 *	             FORKED ──first event, of any thread──► OPENING ──► ON,
 *	                              with an id and targets of its own
 *
 * trace2_enabled_ is 1 in ON and FORKED while some destination takes bytes.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "base/macros.h"
#include "session/settings.h"
#include "trace2.h"

enum tr2_session_state {
	TR2_SESSION_OFF,
	TR2_SESSION_ON,
	TR2_SESSION_FORKED,
	TR2_SESSION_OPENING,
	TR2_SESSION_PAUSING,
	TR2_SESSION_CHANGING,
	TR2_SESSION_PAUSED,
	TR2_SESSION_CLOSED
};

/* The part of a session's state that a forked child resets; a child that
 * continues its parent's session copies it. At that time the child has no other
 * thread. */
struct tr2_session_course {
	atomic_int next_child_id, next_exec_id;
	int nr_inherited_repos; /* the parent has defined the repositories with
				 * numbers from 1 to this */
	atomic_bool has_start, has_exit; /* the program has called
					  * trace2_cmd_start() or
					  * trace2_cmd_exit() */
	atomic_ullong open_execs; /* a bit for each exec without a result so
				   * far, by id modulo 64 */
	atomic_bool listed_config, listed_env; /* the parameters of config or
						* environment were emitted */
};

struct tr2_session {
	atomic_int state; /* enum tr2_session_state */
	struct tr2_settings settings;
	char *version; /* version of the program; NULL: unknown */
	char **argv; /* the argv of cmd_start, for forked children */
	bool forks_go_on; /* TRACE2_FORKS_GO_ON */
	atomic_int exit_code;
	atomic_int next_repo_id;
	unsigned int part; /* number of the current files of the session; 0: its
			    * first files */
	struct tr2_session_course course;
};

extern struct tr2_session tr2_session TR2_HIDDEN;

/* Return whether trace2_initialize() has ever switched tracing on. */
static inline bool tr2_session_is_started(void)
{
	return tr2_session.state != TR2_SESSION_OFF;
}

/* Wait until the state is not PAUSING. */
void tr2_session_await_pause(void);

/* Keep a copy of argv. */
void tr2_session_keep_argv(const char *const *argv);

/* Reset times and numbers: another session begins in this process. */
void tr2_session_begin_again(uint64_t now_ns);

/* Release memory, when the library is unloaded. */
void tr2_session_release(void);

/* In start.c: record the process's start; only the first call counts. */
void tr2_session_start_clock(void);

/* Do trace2_initialize(); only the first call counts. */
void tr2_session_start(const char *file, int line,
		       const struct trace2_options *options);

/* Return the id, and make it if there is none yet. "": no memory, or raised
 * privileges. */
const char *tr2_session_id_while_off(void);

/* In close.c: emit the parts' results and atexit, and close the targets. Later
 * calls do nothing. */
void tr2_session_close(void);

/*
 * End the session as at exit, with the code 0, but keep the data of the
 * process: another session may begin. The calling thread is in a call. -EBUSY:
 * another thread is writing, or the session has already ended. In this case the
 * caller must set trace2_enabled_ again, and nothing else has changed.
 */
int tr2_session_pause(void);

/* Emit the metrics so far. */
struct tr2_call;
void tr2_session_flush(struct tr2_call *call);

/* In exit.c: return whether this code is in the program itself, or in a library
 * that stays until the process ends. */
bool tr2_session_is_never_unloaded(void);

/* End the session, unless this is a forked child without events. */
void tr2_session_exit(void);
