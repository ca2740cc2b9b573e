/* SPDX-License-Identifier: MIT */
/*
 * build - how loaders fill the model: each event is handed over once, in the
 * order of its session, as views into the loader's memory (copied here where
 * they are kept). Anything may be missing or absurd: it is kept as far as it
 * makes sense, and counted as a problem.
 */
#ifndef TR2_MODEL_BUILD_H
#define TR2_MODEL_BUILD_H

#include "base/buf.h"
#include "event/event.h"
#include "model/model.h"

/* Text in the loader's memory: not ended by a NUL, valid UTF-8. p is NULL when
 * the field was not there. */
struct tr2_view {
	const char *p;
	size_t len;
};

/*
 * One event as a loader saw it. Members bear the names of the fields of the
 * table of events (lib/event/events.def), so that a loader's knowledge of
 * fields is made from that table: text and JSON is a view, ARGV words, every
 * number an int64_t (TR2_ABSENT when it was not there; times in nanoseconds)
 * or, of type UINT, a uint64_t (0). Start from TR2_IN_INIT.
 */
struct tr2_words_view {
	const char *p; /* each ended by a NUL */
	size_t len;
	uint32_t nr;
};

#define TR2_ABSENT INT64_MIN

struct tr2_in {
	int kind; /* enum tr2_event_kind; -1: unknown, see `event` */
	uint32_t session, thread; /* indexes, from the calls below */
	uint64_t line_number;
	/* The fields that all events have. */
	struct tr2_view event, file;
	int64_t wall_us, line, repo;
	/* The fields of the table. */
	int64_t t_abs, t_rel, nesting;
	int64_t code, signo, child_id, exec_id, pid;
	int64_t t_total, t_min, t_max;
	bool use_shell;
	uint64_t lost, intervals, unfinished, count;
	struct tr2_view evt, exe, msg, fmt, path, name, hierarchy, alias;
	struct tr2_view child_class, hook_name, cd, ready, err, scope, param;
	struct tr2_view value, worktree, category, label, key, histogram;
	struct tr2_words_view argv, ancestry;
	struct tr2_view raw; /* the whole line; NULL from text targets */
	/* Behind the start of every view, 32 bytes are readable. */
	bool padded;
};

extern const struct tr2_in tr2_in_init;

/* tr2_intern(), faster for short texts that were there lately. 32 bytes from s
 * on are readable, however long it is. */
tr2_str tr2_intern_padded(struct tr2_model *m, const char *s, size_t len);

/* The session of this SID, made when it is new. 0: no memory. */
uint32_t tr2_build_session(struct tr2_model *m, const char *sid, size_t len,
			   tr2_str source);
uint32_t tr2_build_thread(struct tr2_model *m, uint32_t session,
			  const char *name, size_t len);

/* false: no memory, and the event is not in the model. */
bool tr2_build_event(struct tr2_model *m, const struct tr2_in *in);

/* A timer or counter that no event told of: a `timer` or `counter` in `in`
 * that counts as none. false: no memory. */
bool tr2_build_metric(struct tr2_model *m, const struct tr2_in *in);

/* Where the last event went: its session and thread (which a SID that begins
 * anew makes other than those it was given for), and the span that it began
 * or ended (0: none). */
uint32_t tr2_build_last_session(const struct tr2_model *m);
uint32_t tr2_build_last_thread(const struct tr2_model *m);
uint32_t tr2_build_last_span(const struct tr2_model *m);

/* A task record; see tool/read/meta.h for the file. Returns the task. */
uint32_t tr2_build_task_fork(struct tr2_model *m, int32_t pid, int32_t ppid,
			     int32_t tid, int64_t wall_ns);
uint32_t tr2_build_task_comm(struct tr2_model *m, int32_t pid, int32_t tid,
			     const char *comm, bool exec, int64_t wall_ns);
uint32_t tr2_build_task_exit(struct tr2_model *m, int32_t pid, int32_t tid,
			     int64_t wall_ns);

/* Notes a problem: the first of its kind in a source keeps its text and line,
 * the rest are counted. text is copied. */
void tr2_build_problem(struct tr2_model *m, enum tr2_problem_kind kind,
		       tr2_str source, uint64_t line, const char *text);

#endif
