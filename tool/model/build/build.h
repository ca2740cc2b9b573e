/* SPDX-License-Identifier: MIT */
/*
 * build - the functions by which loaders fill the model. A loader passes each
 * event once, in the order of the session's events, with views into the
 * loader's memory. The functions copy the texts that they keep. Any field may
 * be missing or invalid: valid fields are kept, and a problem is counted.
 */
#pragma once

#include "model/model.h"
#include "model/view.h"

struct tr2_parsed_event;

/* Return the session of this SID; add the session if it is new. */
uint32_t tr2_build_session(struct tr2_model *m, const char *sid, size_t len,
			   tr2_str source);
uint32_t tr2_build_thread(struct tr2_model *m, uint32_t session,
			  const char *name, size_t len);

void tr2_build_event(struct tr2_model *m, const struct tr2_parsed_event *ev);

/* Add a metric of the session, without a name. */
struct tr2_metric *tr2_build_metric(struct tr2_model *m, uint32_t session,
				    enum tr2_definition_kind kind);

/* Return the session and the thread to which the last event was added. They
 * differ from the given ones if the event's SID began again. Also return the
 * span that the event began or ended (0: none). */
uint32_t tr2_build_last_session(const struct tr2_model *m);
uint32_t tr2_build_last_thread(const struct tr2_model *m);
uint32_t tr2_build_last_span(const struct tr2_model *m);
/* Return 1 + the number of regions that were open around the last event, whose
 * kind is given. The end of a thread or process first closes its open
 * regions. */
unsigned int tr2_build_last_nesting(const struct tr2_model *m, int kind);

/* Add a task record and return its task; tool/format/recording/meta_read.h
 * describes the file. */
uint32_t tr2_build_task_fork(struct tr2_model *m, int32_t pid, int32_t ppid,
			     int32_t tid, int64_t wall_ns);
/* Add a thread that already ran when the recording began. The thread began at
 * begun_ns, was in this state, and waited in this function of the kernel ("":
 * unknown). */
void tr2_build_task_found(struct tr2_model *m, int32_t pid, int32_t tid,
			  int64_t wall_ns, int64_t begun_ns, char state,
			  const struct tr2_view *function);
/* Note that the recording's control group was throttled for `ns` at some time
 * between since_ns and to_ns. Add throttlings in their order. */
void tr2_build_throttling(struct tr2_model *m, int64_t since_ns, int64_t to_ns,
			  int64_t ns);
uint32_t tr2_build_task_comm(struct tr2_model *m, int32_t pid, int32_t tid,
			     const char *comm, bool exec, int64_t wall_ns);
/* Set the argv of a program, unless `argv` has no words. The words must live as
 * long as the model. */
uint32_t tr2_build_task_argv(struct tr2_model *m, int32_t pid,
			     const struct tr2_words *argv, int64_t wall_ns);
/* Note that this task is the recorded command. The command's arguments are
 * known, even if nobody could read them while it ran. */
void tr2_build_task_command(struct tr2_model *m, uint32_t task);
uint32_t tr2_build_task_exit(struct tr2_model *m, int32_t pid, int32_t tid,
			     int64_t wall_ns);
/* Add the exit status of a process. wall_ns is the time of its report, which
 * may be later than the end. */
uint32_t tr2_build_task_status(struct tr2_model *m, int32_t pid,
			       int64_t wall_ns);
/*
 * An ordinary user recorded the tasks from first_task on: find the set-uid
 * programs among them. If a task's records end with its exec, the kernel has
 * removed the user's events from the task, as at the exec of a set-uid program.
 * Such a task ended when its status was reported; without a status, its end is
 * unknown.
 */
void tr2_build_privileged(struct tr2_model *m, uint32_t first_task);
/* If the kernel named none of the processes that it killed because memory was
 * short, find them. nr_kills: the kernel's count of these kills, perhaps also
 * of processes outside of the recording. */
void tr2_build_oom_kills(struct tr2_model *m, uint32_t first_task,
			 uint64_t nr_kills);

/* Add the object for which the observer saw a thread wait. In `object`, all
 * members are set except the thread and the peer. `peer` is the pid of the peer
 * (0: none). */
void tr2_build_object(struct tr2_model *m, int32_t pid, int32_t tid,
		      int32_t peer, const struct tr2_observed_object *object);
/* Add the memory in `point`, which belongs to the process with this pid; pid 0:
 * to all processes. */
void tr2_build_memory(struct tr2_model *m, int32_t pid,
		      const struct tr2_observed_memory_point *point);

/* Add a function that a process generated. The function replaces earlier
 * functions at its addresses. */
void tr2_build_code_function(struct tr2_model *m,
			     const struct tr2_code_function *function);
void tr2_build_command(struct tr2_model *m,
		       const struct tr2_build_command *command);

/* Note a problem. The first problem of a kind in a source keeps a copy of its
 * text and its line. The others are only counted. */
void tr2_build_problem(struct tr2_model *m, enum tr2_problem_kind kind,
		       tr2_str source, uint64_t line, const char *text);
/* Note this number of problems at once; if count is 0, do nothing. */
void tr2_build_problems(struct tr2_model *m, enum tr2_problem_kind kind,
			tr2_str source, const char *text, uint64_t count);
