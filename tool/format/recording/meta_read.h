/* SPDX-License-Identifier: MIT */
/*
 * meta_read - read the files that `trace2 record` writes beside the events.
 *
 * DIR/meta.json is one JSON object:
 *
 *	version          TR2_META_VERSION; it grows when the meaning of a
 *			 member that older readers know changes
 *	command          the words of the command line
 *	command_pid      its process
 *	cwd, host, kernel, machine, user      text
 *	cpus             number
 *	start_wall_ns, start_monotonic_ns     one moment in both clocks
 *	end_monotonic_ns when the command ended
 *	exit_code or exit_signal              how it ended
 *	task_records     "kernel", or why there are none
 *	lost             number of events and records known to be lost
 *	programs         {name: version}
 *
 * DIR/tasks.jsonl has one JSON object a line, times in CLOCK_MONOTONIC
 * nanoseconds, approximately in order of time:
 *
 *	{"type":"fork","time_ns":N,"pid":N,"ppid":N,"tid":N,"ptid":N}
 *			 of a thread that ran already, also:
 *			 "begun_ns":N,"state":"S","wchan":"do_wait"
 *	{"type":"comm","time_ns":N,"pid":N,"tid":N,"comm":"sh","exec":true}
 *	{"type":"exit","time_ns":N,"pid":N,"ppid":N,"tid":N,"ptid":N}
 *	{"type":"argv","pid":N,"time_ns":N,"argv":["sh","-c","true"]}
 *	{"type":"status","pid":N,"time_ns":N,"code":N or "signal":N,
 *	 "user_ns":N,"system_ns":N,"maxrss_bytes":N}
 *	{"type":"lost","count":N}
 */
#ifndef TR2_FORMAT_RECORDING_META_READ_H
#define TR2_FORMAT_RECORDING_META_READ_H

#include "common/lines.h"
#include "format/read.h"

#define TR2_META_VERSION 1

/* Read DIR/meta.json and DIR/tasks.jsonl if they exist. */
void tr2_meta_load(struct tr2_model *m, const char *dir);

#endif
