/* SPDX-License-Identifier: MIT */
/*
 * meta_read - read the files that `trace2 record` writes beside the events.
 *
 * meta_keys.h reads DIR/meta.json.
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

/* Read DIR/meta.json and DIR/tasks.jsonl if they exist. */
void tr2_meta_load(struct tr2_model *m, const char *dir);

#endif
