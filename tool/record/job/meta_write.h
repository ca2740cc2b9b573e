/* SPDX-License-Identifier: MIT */
/*
 * meta_write - write meta.json: the command, where and when it ran, and the
 * result (Documentation/technical/recording-format.adoc).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "common/procfs.h"
#include "record/kernel/counters.h"
#include "record/kernel/kernel_records.h"
#include "record/observer/observer.h"
#include "record/sources/cpu_limit.h"
#include "record/sources/procs.h"
#include "record/sources/run.h"
#include "record/job/environment.h"
#include "record/store.h"
#include "record/streams/listen.h"
#include "record/streams/stream_totals.h"

struct tr2_straggler {
	int pid;
	char comm[TR2_COMM_SIZE];
};

struct tr2_meta {
	char *const *argv; /* arguments of the command; NULL: no command */
	int command_pid;   /* 0: the command was not started */
	struct tr2_record_trace trace;
	const pid_t *pids; /* processes that ran already */
	size_t nr_pids;
	const struct tr2_switch *switched; /* state of live tracing in the
					    * processes of `pids` */
	int64_t nest, timeout_ns, max_size_bytes, rotate_bytes, keep;
	const struct tr2_listen *listen;
	struct tr2_anchor start, end;
	const struct tr2_cpu_limit *limit;
	/* Reasons why records of tasks, or exit codes, are missing; NULL: they
	 * are available. */
	const char *no_task_records, *no_exit_codes;
	const char *task_source; /* perf, connector, ptrace, none */
	const char *remedy; /* how to permit the refused sources; NULL: not
			     * known */
	/* Reasons why states, causes of waits, wakers and so on are missing;
	 * "": they are available. */
	const char *refused[TR2_KERNEL_SOURCES];

	/* The members below are set at the end. */
	bool complete;
	bool started; /* the command ran: status and usage are set */
	int status, exit_code;
	uint64_t wall_ns; /* wall time of the command */
	uint64_t recorder_cpu_ns; /* CPU time of the recorder during wall_ns */
	struct tr2_usage usage;
	struct tr2_io io; /* reads and writes of the command, without writes of
			   * lines of events */
	const struct tr2_procs *procs;
	struct tr2_observer_sums observed;
	uint64_t processes;
	struct tr2_stream_totals totals;
	uint64_t lost_kernel_records, lost_kernel_data;
	uint64_t lost_task_log, lost_exit_codes;
	uint64_t oom_kills;
	uint64_t lost_programs; /* programs that started after --max-size was
				 * reached */
	/* Programs in which tracing was switched off when --max-size was
	 * reached. */
	uint64_t cut_programs;
	const struct tr2_straggler *stragglers;
	size_t nr_stragglers;
	const struct tr2_event_counters *counters; /* NULL: none */
};

/* Return the number of all known losses: records, lines, events, programs. */
uint64_t tr2_meta_lost(const struct tr2_meta *meta);

/* -1: errno. */
int tr2_meta_write(const struct tr2_meta *meta, struct tr2_store *store);

/* Add `,"code":0` or `,"signal":9,"core_dumped":true` for a status of
 * wait4(). */
void tr2_meta_add_status(struct tr2_buf *b, int status);
/* Add `,"user_ns":…` etc. */
void tr2_meta_add_usage(struct tr2_buf *b, const struct tr2_usage *usage);
/* "wait", "connector", "none" */
const char *tr2_meta_source(enum tr2_status_source from);
