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

#include "session/settings.h"
#include "session/thread.h"
#include "target/target.h"
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
	struct tr2_target target[TR2_TARGET_NR];
	uint64_t start_ns; /* monotonic; t_abs counts from it */
	volatile unsigned int generation; /* how many forks it is away */
	char *version; /* of the program, NULL: unknown */
	char **argv; /* as cmd_start had it, for forked children */
	atomic_int exit_code;
	atomic_int next_child_id, next_exec_id, next_repo_id;
	atomic_bool has_start, has_exit; /* the program called them */
	atomic_ullong open_execs; /* without a result, by id modulo 64 */
	atomic_bool listed_config, listed_env; /* the parameters asked for */
	atomic_uint_fast64_t lost; /* events that no target saw */
};

extern struct tr2_session tr2_session;

/* Notes the process's start; only the first call counts. */
void tr2_session_start_clock(void);

void tr2_session_start(const char *file, int line,
		       const struct trace2_options *options);

struct tr2_call;

/* Opens what the settings ask for, again in a forked child. true: at least one
 * destination takes bytes. */
bool tr2_session_open_targets(bool again);

/* The first event; then the targets that found no room are closed, and tracing
 * is on if any is left. */
void tr2_session_emit_version(struct tr2_call *call);

/* Has tr2_session_after_fork() called in every child; once. */
void tr2_session_watch_forks(void);

/* What a forked child does at its first event; other threads wait until it is
 * done. Called in a call of this thread. */
void tr2_session_reopen(struct tr2_thread *thread, const char *file, int line);

/* Puts a forked child into the state FORKED, if that was not done yet. */
void tr2_session_after_fork(void);

/*
 * 0 in a child of a fork that ran no handlers (_Fork(), a bare clone()): the
 * kernel clears the page it lies in. Looked at by every call.
 */
extern const volatile uint32_t *tr2_session_fork_guard;

/* Did trace2_initialize() come that far, and is tracing on, or was it? */
static inline bool tr2_session_is_started(void)
{
	return tr2_session.state != TR2_SESSION_OFF;
}

/* Not before trace2_initialize(), as trace2_is_enabled() is. */
static inline bool tr2_session_is_on(void)
{
	return __atomic_load_n(&trace2_enabled_, __ATOMIC_RELAXED) == 1;
}

/* Acquire: threads may look while the session starts; pairs with make_guard().
 */
static inline bool tr2_session_is_forked(void)
{
	return !*__atomic_load_n(&tr2_session_fork_guard, __ATOMIC_ACQUIRE);
}

/* Keeps a copy of argv. */
void tr2_session_keep_argv(const char *const *argv);

/* What exit handlers do: the end of the session, unless this is a forked child
 * that did nothing. */
void tr2_session_exit(void);
extern bool tr2_session_exit_has_begun;

/* No call looks at it any more. */
void tr2_session_release_guard(void);

/* Metrics, atexit, and no more. Once; later calls do nothing. */
void tr2_session_close(void);

#endif
