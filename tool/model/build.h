/* SPDX-License-Identifier: MIT */
/*
 * build - how loaders fill the model: each event is handed over once, in the
 * order of its session, as views into the loader's memory (copied here where
 * they are kept). Anything may be missing or absurd: it is kept as far as it
 * makes sense, and counted as a problem.
 */
#ifndef TR2_MODEL_BUILD_H
#define TR2_MODEL_BUILD_H

#include "event/event.h"
#include "model/model.h"

/* Text in the loader's memory: not ended by a NUL, valid UTF-8. p is NULL when
 * the field was not there. */
struct tr2_view {
	const char *p;
	size_t len;
};

/* Bits of tr2_in.has: which of the numbers were there. */
#define TR2_HAS_TIME (1u << 0)
#define TR2_HAS_T_ABS (1u << 1)
#define TR2_HAS_T_REL (1u << 2)
#define TR2_HAS_CODE (1u << 3)
#define TR2_HAS_PID (1u << 4)
#define TR2_HAS_ID (1u << 5)
#define TR2_HAS_NESTING (1u << 6)

/*
 * One event as a loader saw it. The names are the JSON stream's; events that
 * share a meaning share a slot: `name` is also a cmd_mode's name, `value` also
 * worktree and histogram text, `id` child_id and exec_id.
 */
struct tr2_in {
	int kind; /* enum tr2_event_kind; -1: unknown, its name in `event` */
	unsigned int has;
	uint32_t session, thread; /* indexes, from the calls below */
	int64_t wall_us;          /* `time` */
	int64_t t_abs_ns, t_rel_ns;
	int64_t code, pid, id, nesting, line, repo;
	uint64_t count, lost, unfinished;
	int64_t total_ns, min_ns, max_ns;
	bool use_shell;
	struct tr2_view event, file;
	struct tr2_view category, label, msg, fmt, key, value, name, hierarchy;
	struct tr2_view exe, evt, path, alias, child_class, hook_name, cd;
	struct tr2_view scope, param, ready, histogram;
	struct tr2_view words; /* argv, ancestry: as struct tr2_words */
	uint32_t nr_words;
	struct tr2_view raw; /* the whole line */
};

/* The session of this SID, made when it is new. 0: no memory. */
uint32_t tr2_build_session(struct tr2_model *m, const char *sid, size_t len,
			   tr2_str source);
uint32_t tr2_build_thread(struct tr2_model *m, uint32_t session,
			  const char *name, size_t len);

/* false: no memory, and the event is not in the model. */
bool tr2_build_event(struct tr2_model *m, const struct tr2_in *in);

/* A task record; see tool/read/tasks.c for the file. Returns the task. */
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
