/* SPDX-License-Identifier: MIT */
/*
 * build - how loaders fill the model: each event is handed over once, in the
 * order of its session, as views into the loader's memory (copied here where
 * they are kept). Anything may be missing or absurd: it is kept as far as it
 * makes sense, and counted as a problem.
 */
#ifndef TR2_MODEL_BUILD_H
#define TR2_MODEL_BUILD_H

#include "model/model.h"

struct tr2_parsed_event;

/* tr2_intern(), faster for short texts that were there lately. 32 bytes from s
 * on are readable, however long it is. */
tr2_str tr2_intern_padded(struct tr2_model *m, const char *s, size_t len);

/* The session of this SID, made when it is new. 0: no memory. */
uint32_t tr2_build_session(struct tr2_model *m, const char *sid, size_t len,
			   tr2_str source);
uint32_t tr2_build_thread(struct tr2_model *m, uint32_t session,
			  const char *name, size_t len);

/* false: no memory, and the event is not in the model. */
bool tr2_build_event(struct tr2_model *m, const struct tr2_parsed_event *ev);

/* A `timer` or `counter` that its process did not come to emit: it does not
 * count as an event. false: no memory. */
bool tr2_build_metric(struct tr2_model *m, const struct tr2_parsed_event *ev);

/* Where the last event went: its session and thread (which a SID that begins
 * anew makes other than those it was given for), and the span that it began
 * or ended (0: none). */
uint32_t tr2_build_last_session(const struct tr2_model *m);
uint32_t tr2_build_last_thread(const struct tr2_model *m);
uint32_t tr2_build_last_span(const struct tr2_model *m);
/* 1 + the regions that were open around the last event, which is of this kind.
 * What a thread or the process leaves open is unwound before its end is told. */
unsigned int tr2_build_last_nesting(const struct tr2_model *m, int kind);

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
/* The same, so many times at once; nothing when that is 0. */
void tr2_build_problems(struct tr2_model *m, enum tr2_problem_kind kind,
			tr2_str source, const char *text, uint64_t count);

#endif
