/* SPDX-License-Identifier: MIT */
/*
 * build - the functions by which loaders fill the model: each event is passed
 * once, in the order of its session, with views into the loader's memory
 * (copied here if kept). Any field may be missing or invalid: the valid ones
 * are kept, and a problem is counted.
 */
#pragma once

#include "model/model.h"
#include "model/view.h"

struct tr2_parsed_event;

/* Return the session of this SID, adding it if it is new. */
uint32_t tr2_build_session(struct tr2_model *m, const char *sid, size_t len,
			   tr2_str source);
uint32_t tr2_build_thread(struct tr2_model *m, uint32_t session,
			  const char *name, size_t len);

void tr2_build_event(struct tr2_model *m, const struct tr2_parsed_event *ev);

/* Add a metric of the session, without a name. */
struct tr2_metric *tr2_build_metric(struct tr2_model *m, uint32_t session,
				    enum tr2_definition_kind kind);

/* The session and the thread to which the last event was added (others than
 * given, if its SID began again), and the span that it began or ended (0:
 * none). */
uint32_t tr2_build_last_session(const struct tr2_model *m);
uint32_t tr2_build_last_thread(const struct tr2_model *m);
uint32_t tr2_build_last_span(const struct tr2_model *m);
/* 1 + the number of regions that were open around the last event, which is of
 * this kind. Before a thread or process ends, its open regions are closed. */
unsigned int tr2_build_last_nesting(const struct tr2_model *m, int kind);

/* Add a task record and return its task; tool/format/recording/meta_read.h describes the
 * file. */
uint32_t tr2_build_task_fork(struct tr2_model *m, int32_t pid, int32_t ppid,
			     int32_t tid, int64_t wall_ns);
/* The thread ran already then: it began at begun_ns, and had this state, waiting
 * in that function of the kernel ("": unknown). */
void tr2_build_task_found(struct tr2_model *m, int32_t pid, int32_t tid,
			  int64_t wall_ns, int64_t begun_ns, char state,
			  const struct tr2_view *function);
/* The control group of the recording was throttled for so long, and no more, at
 * a moment between these times. Add them in their order. */
void tr2_build_throttling(struct tr2_model *m, int64_t since_ns, int64_t to_ns,
			  int64_t ns);
uint32_t tr2_build_task_comm(struct tr2_model *m, int32_t pid, int32_t tid,
			     const char *comm, bool exec, int64_t wall_ns);
/* argv is kept if it has words; they must live as long as the model. */
uint32_t tr2_build_task_argv(struct tr2_model *m, int32_t pid,
			     const struct tr2_words *argv, int64_t wall_ns);
/* The recorded command is this task: its arguments are known, even if they could
 * not be read while it ran. */
void tr2_build_task_command(struct tr2_model *m, uint32_t task);
uint32_t tr2_build_task_exit(struct tr2_model *m, int32_t pid, int32_t tid,
			     int64_t wall_ns);
/* A status that may be later than the end. */
uint32_t tr2_build_task_status(struct tr2_model *m, int32_t pid,
			       int64_t wall_ns);
/*
 * Of the tasks from first_task on, that an ordinary user recorded: if the records
 * of one end with its exec, the kernel took the user's events off it, as it does
 * at the exec of a set-uid program. Then it ended when its status was told, or
 * nobody knows when.
 */
void tr2_build_privileged(struct tr2_model *m, uint32_t first_task);
/* The kernel counted so many of them, and perhaps of others, as killed because
 * memory was short: find those that it did not name. */
void tr2_build_oom_kills(struct tr2_model *m, uint32_t first_task,
			 uint64_t nr_kills);

/* Add what the observer saw a thread wait for: `object` is complete but for its
 * thread and its peer, which is the process with the pid `peer` (0: none). */
void tr2_build_object(struct tr2_model *m, int32_t pid, int32_t tid,
		      int32_t peer, const struct tr2_observed_object *object);
/* Add the memory of a process, which is set in `point`; pid 0: of all. */
void tr2_build_memory(struct tr2_model *m, int32_t pid,
		      const struct tr2_observed_memory_point *point);

/* Add a function that a process generated. A later one replaces those at its
 * addresses. */
void tr2_build_code_function(struct tr2_model *m,
			     const struct tr2_code_function *function);
void tr2_build_command(struct tr2_model *m,
		       const struct tr2_build_command *command);

/* Note a problem: the first of its kind in a source keeps its text and line,
 * the others are only counted. text is copied. */
void tr2_build_problem(struct tr2_model *m, enum tr2_problem_kind kind,
		       tr2_str source, uint64_t line, const char *text);
/* Note so many problems at once, or none if count is 0. */
void tr2_build_problems(struct tr2_model *m, enum tr2_problem_kind kind,
			tr2_str source, const char *text, uint64_t count);
