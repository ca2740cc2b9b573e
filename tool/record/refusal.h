/* SPDX-License-Identifier: MIT */
/*
 * refusal - explain why the kernel refuses a request of the recorder, and say
 * how to permit it. The errno alone is not enough: a filter of system calls may
 * return any errno, and the kernel's own limit returns one of two errnos.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum tr2_right {
	TR2_RIGHT_USER,        /* events of programs, outside the kernel */
	TR2_RIGHT_KERNEL,      /* events of programs, in the kernel */
	TR2_RIGHT_TRACEPOINTS, /* events of tracepoints */
	TR2_RIGHT_TRACEFS,     /* descriptions of tracepoints, and probes */
	TR2_RIGHT_KALLSYMS     /* the names of the kernel's functions */
};

/* Is this process in the machine's first namespace of a kind? That namespace
 * has a fixed number. kind: "pid" or "user". */
bool tr2_in_first_namespace(const char *kind);

/* If the user may not count an event, the text that explains this begins with
 * these words. */
#define TR2_NOT_PERMITTED "not permitted"

/* Describe the cause: which right was refused, and with which errno. */
void tr2_refusal_explain(char *text, size_t size, enum tr2_right right,
			 int err);
/* Describe only the cause, without the right and the errno. perf_event_open()
 * must have failed with EACCES or EPERM. */
void tr2_refusal_cause(char *text, size_t size, enum tr2_right right);

/* Return the command, or the condition, that gives more rights to this process.
 * NULL: none is known. */
const char *tr2_refusal_remedy(void);
