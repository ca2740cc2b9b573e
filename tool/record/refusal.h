/* SPDX-License-Identifier: MIT */
/*
 * refusal - why the kernel refuses what a recorder asks for, and what permits
 * more. An error number alone does not tell: a filter of system calls may return
 * any, and the kernel's own limit has two.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum tr2_right {
	TR2_RIGHT_USER,        /* events of programs, outside of the kernel */
	TR2_RIGHT_KERNEL,      /* likewise, in the kernel */
	TR2_RIGHT_TRACEPOINTS, /* events of tracepoints */
	TR2_RIGHT_TRACEFS,     /* descriptions of tracepoints, and probes */
	TR2_RIGHT_KALLSYMS     /* the names of the kernel's functions */
};

/* Is this process in the first namespace of the machine, which has a fixed number?
 * kind: "pid" or "user". */
bool tr2_in_first_namespace(const char *kind);

/* How a text begins that says what may not be counted. */
#define TR2_NOT_PERMITTED "not permitted"

/* Describe a cause: what was asked for, and the errno of the refusal. */
void tr2_refusal_explain(char *text, size_t size, enum tr2_right right,
			 int err);
/* The same without what failed and its errno, for whoever was not permitted
 * (EACCES, EPERM) to use perf_event_open(). */
void tr2_refusal_cause(char *text, size_t size, enum tr2_right right);

/* Return the command, or the condition, that permits more to this process; NULL:
 * none is known. */
const char *tr2_refusal_remedy(void);
