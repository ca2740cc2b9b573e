/* SPDX-License-Identifier: MIT */
/*
 * build - the functions by which loaders fill the model. A loader passes each
 * event once, in the order of its session, with views into the loader's memory;
 * a function here copies what it keeps. Any field may be missing or invalid:
 * valid fields are kept, and a problem is counted.
 */
#pragma once

#include "model/model.h"
#include "model/view.h"

struct tr2_parsed_event;

/* Return the session of this SID; a new session is added. */
uint32_t tr2_build_session(struct tr2_model *m, const char *sid, size_t len,
			   tr2_str source);
uint32_t tr2_build_thread(struct tr2_model *m, uint32_t session,
			  const char *name, size_t len);

void tr2_build_event(struct tr2_model *m, const struct tr2_parsed_event *ev);

/* Add a metric of the session, without a name. */
struct tr2_metric *tr2_build_metric(struct tr2_model *m, uint32_t session,
				    enum tr2_definition_kind kind);

/* Return the session and the thread to which the last event was added (not
 * those given, if its SID began again), and the span that it began or ended (0:
 * none). */
uint32_t tr2_build_last_session(const struct tr2_model *m);
uint32_t tr2_build_last_thread(const struct tr2_model *m);
uint32_t tr2_build_last_span(const struct tr2_model *m);
/* Return 1 + the number of regions that were open around the last event, which
 * is of this kind. Before a thread or process ends, its open regions are
 * closed. */
unsigned int tr2_build_last_nesting(const struct tr2_model *m, int kind);

/* Add a task record and return its task; tool/format/recording/meta_read.h
 * describes the file. */
uint32_t tr2_build_task_fork(struct tr2_model *m, int32_t pid, int32_t ppid,
			     int32_t tid, int64_t wall_ns);
/* Add a thread that already ran: it began at begun_ns, and was in this state,
 * waiting in that function of the kernel ("": unknown). */
void tr2_build_task_found(struct tr2_model *m, int32_t pid, int32_t tid,
			  int64_t wall_ns, int64_t begun_ns, char state,
			  const struct tr2_view *function);
/* Note that the control group of the recording was throttled for this long, at
 * some time between these two. Add throttlings in their order. */
void tr2_build_throttling(struct tr2_model *m, int64_t since_ns, int64_t to_ns,
			  int64_t ns);
uint32_t tr2_build_task_comm(struct tr2_model *m, int32_t pid, int32_t tid,
			     const char *comm, bool exec, int64_t wall_ns);
/* Set the argv of a program. It is kept if it has words, which must live as
 * long as the model. */
uint32_t tr2_build_task_argv(struct tr2_model *m, int32_t pid,
			     const struct tr2_words *argv, int64_t wall_ns);
/* Note that this task is the recorded command. So its arguments are known, even
 * if they could not be read while it ran. */
void tr2_build_task_command(struct tr2_model *m, uint32_t task);
uint32_t tr2_build_task_exit(struct tr2_model *m, int32_t pid, int32_t tid,
			     int64_t wall_ns);
/* Add a status, which may be later than the end. */
uint32_t tr2_build_task_status(struct tr2_model *m, int32_t pid,
			       int64_t wall_ns);
/*
 * Find set-uid programs among the tasks from first_task on; an ordinary user
 * recorded them. If a task's records end with its exec, the kernel took the
 * user's events off it, as at the exec of a set-uid program. Then it ended when
 * its status was reported; without a status, its end is unknown.
 */
void tr2_build_privileged(struct tr2_model *m, uint32_t first_task);
/* The kernel counted this many processes as killed because memory was short,
 * perhaps some outside. Find those that it did not name. */
void tr2_build_oom_kills(struct tr2_model *m, uint32_t first_task,
			 uint64_t nr_kills);

/* Add what the observer saw a thread wait for. `object` is complete except for
 * its thread and its peer, the process with the pid `peer` (0: none). */
void tr2_build_object(struct tr2_model *m, int32_t pid, int32_t tid,
		      int32_t peer, const struct tr2_observed_object *object);
/* Add the memory of a process, which `point` has; pid 0: of all processes. */
void tr2_build_memory(struct tr2_model *m, int32_t pid,
		      const struct tr2_observed_memory_point *point);

/* Add a function that a process generated. It replaces earlier functions at its
 * addresses. */
void tr2_build_code_function(struct tr2_model *m,
			     const struct tr2_code_function *function);
void tr2_build_command(struct tr2_model *m,
		       const struct tr2_build_command *command);

/* Note a problem. The first of its kind in a source keeps its text and line,
 * the others are only counted. The text is copied. */
void tr2_build_problem(struct tr2_model *m, enum tr2_problem_kind kind,
		       tr2_str source, uint64_t line, const char *text);
/* Note this number of problems at once; if count is 0, do nothing. */
void tr2_build_problems(struct tr2_model *m, enum tr2_problem_kind kind,
			tr2_str source, const char *text, uint64_t count);
