/* SPDX-License-Identifier: MIT */
/*
 * tasklog - write tasks.jsonl: the events of tasks, in order of time.
 *
 * The kernel delivers its records one CPU at a time. So the log holds records
 * until no older record can come, and then writes them in order. When it holds
 * TR2_TASKLOG_HELD records, it writes the oldest half, even if older records
 * may still come.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"

enum tr2_task_kind {
#define TR2_TASK(name, type, fields, meaning) TR2_TASK_##name,
#include "format/recording/tasks.def"
};

#define TR2_COMM_SIZE 16

struct tr2_task_event {
	enum tr2_task_kind kind;
	pid_t pid, tid, ppid, ptid; /* the ids have the meanings of the
				     * recording format */
	uint64_t time_ns;
	uint64_t lost;            /* for LOST */
	char comm[TR2_COMM_SIZE]; /* name in EXEC and COMM; may be empty */
	char *more; /* further JSON members of ARGV and STATUS, each after a
		     * comma; from malloc(), freed by the log */
};

/* Record at most this many bytes of a program's arguments. */
#define TR2_ARGV_BYTES 4096u
/* Add argv, cut and own_pid, which are members of ARGV. The arguments are
 * `size` bytes of text. Each argument ends with a NUL, which the last one may
 * lack. A size above TR2_ARGV_BYTES means that the arguments are cut. The text
 * is changed. own_pid 0: none. */
void tr2_argv_add(struct tr2_buf *b, char text[TR2_ARGV_BYTES + 1], size_t size,
		  int32_t own_pid);

#define TR2_TASKLOG_HELD 65536u

struct tr2_tasklog {
	int fd;
	struct tr2_task_event *held;
	size_t nr, alloc;
	struct tr2_buf text;
	uint64_t bytes;     /* number of bytes written so far */
	uint64_t max_bytes; /* 0: no limit */
	bool is_full;       /* a record did not fit into max_bytes */
	uint64_t lost;      /* number of records that could not be held or
			     * written */
	int write_errno;    /* errno of the first write that failed */
};

/* Begin a log that writes to fd. Releasing the log closes fd. */
void tr2_tasklog_init(struct tr2_tasklog *log, int fd);
void tr2_tasklog_release(struct tr2_tasklog *log);

void tr2_tasklog_add(struct tr2_tasklog *log,
		     const struct tr2_task_event *event);
/* Write the records that are older than time_ns; UINT64_MAX: all records. */
void tr2_tasklog_write(struct tr2_tasklog *log, uint64_t time_ns);
