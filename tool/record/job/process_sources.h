/* SPDX-License-Identifier: MIT */
/*
 * process_sources - collect information on the recorded processes from all
 * sources into tasks.jsonl and the list of processes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "format/recording/tasklog.h"
#include "record/job/meta_write.h"
#include "record/kernel/kernel_records.h"
#include "record/loop.h"
#include "record/observer/observer.h"
#include "record/sources/code_maps.h"
#include "record/sources/connector.h"
#include "record/sources/cpu_limit.h"
#include "record/sources/ninja_logs.h"
#include "record/sources/oom_kills.h"
#include "record/sources/pidfds.h"
#include "record/sources/procs.h"
#include "record/sources/ptrace.h"
#include "record/sources/run.h"

struct tr2_watch {
	struct tr2_source timer; /* first member: its address is cast to this
				  * struct */
	struct tr2_source look_timer;
	struct tr2_cpu_limit limit; /* opened by the caller */
	struct tr2_oom_kills oom_kills;
	/* Records for the next look: forks and execs if there is no connector,
	 * and arguments whose process is not known yet. */
	struct tr2_task_event *unread;
	size_t nr_unread, alloc_unread;
	struct tr2_pidfds pidfds; /* used without the connector */
	struct tr2_loop *loop;
	pid_t own_pid; /* pid of the recorder */
	struct tr2_procs procs;
	struct tr2_tasklog log;
	struct tr2_kernel_records kernel;
	struct tr2_connector connector;
	struct tr2_ptrace ptrace;
	enum tr2_ptrace_wanted wants_ptrace; /* set by the caller */
	/* Directory of the recording, and whether functions are sampled; set by
	 * the caller. */
	int dir_fd;
	bool wants_maps;
	struct tr2_code_maps code_maps;
	struct tr2_ninja_logs ninja_logs;
	struct tr2_observer *observer; /* NULL: none */
	size_t nr_observed; /* all processes before this index were passed to
			     * the observer */
	struct tr2_observer_sums observed; /* set at the end of the recording */
	struct tr2_run *run; /* with ptrace: the run for whose child the ptrace
			      * thread waits */
	bool has_tasks, has_connector;
	bool traced; /* set at the end: ptrace was used */
	bool was_opened; /* tr2_watch_open() has tried the kernel's sources */
	bool is_needed; /* with no source, fail: there is nothing else to
			 * record */
	bool quiet; /* do not warn about unavailable sources */
	char why_not[500]; /* the reason if there are no task records */
	uint64_t written_ns; /* time of the last write to the log */
	struct tr2_buf text; /* text of the record that is being added to the
			      * log */
};

/* Initialise the watch. Set watch->log.fd afterwards. */
void tr2_watch_init(struct tr2_watch *watch);
void tr2_watch_release(struct tr2_watch *watch);

/*
 * Open the sources, before the command is forked. Unavailable ones are reported
 * once on stderr and left out. data_fd: kernel.data; -1: it is not recorded.
 */
void tr2_watch_open(struct tr2_watch *watch, struct tr2_loop *loop,
		    int data_fd);
/* If the kernel refused a source, print on stderr how to permit it. */
void tr2_watch_say_remedy(const struct tr2_watch *watch);
/* Watch run->pid, a child of this process that has not called exec yet, and its
 * descendants. */
void tr2_watch_start(struct tr2_watch *watch, struct tr2_run *run);

/* Watch processes that run already: tr2_watch_run() begins, tr2_watch_add()
 * adds a record, tr2_watch_argv() adds the arguments of a process. After
 * tr2_watch_add(), event->more belongs to the log. */
void tr2_watch_run(struct tr2_watch *watch);
void tr2_watch_add(struct tr2_watch *watch, const struct tr2_task_event *event);
void tr2_watch_argv(struct tr2_watch *watch, pid_t pid, uint64_t time_ns);

/* Reap the children that have ended. Return false if there are no children
 * left. */
bool tr2_watch_reap(struct tr2_watch *watch, struct tr2_run *run);

/* Read the records of everything that has happened until now. */
void tr2_watch_read(struct tr2_watch *watch);

/* Read the remaining events and write all to tasks.jsonl. */
void tr2_watch_finish(struct tr2_watch *watch);

/* Set the members of meta.json that the watch knows. */
void tr2_watch_result(const struct tr2_watch *watch, struct tr2_meta *meta);

/* List the running descendants of this process, or the recorded processes that
 * have not ended, at most 1000. The caller frees *stragglers. Return their
 * number. */
size_t tr2_watch_stragglers(struct tr2_straggler **stragglers);
size_t tr2_watch_running(const struct tr2_watch *watch,
			 struct tr2_straggler **stragglers);
