/* SPDX-License-Identifier: MIT */
/*
 * elevate - a helper with root's rights, for record --elevate. It opens events
 * and files that the kernel refuses to an ordinary user, and passes the
 * descriptors to the recorder.
 *
 * Only the helper has these rights. The recorder and CMD run as the user, with
 * the user's environment, descriptors, terminal, groups and limits; sudo would
 * not keep all of these. The helper opens events of the recorder and of
 * processes that it starts, or the two tracepoints of the scheduler, and a few
 * files of the kernel for reading. It ends before CMD starts.
 */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

/* The helper is the command `trace2 elevated`, with a socket as its standard
 * input. */
#define TR2_ELEVATED "elevated"

enum tr2_elevated_file { TR2_ELEVATED_KALLSYMS, TR2_ELEVATED_TRACEFS };

/* Requests of the recorder. The answer is an int: 0, with a descriptor, or an
 * errno. */
enum tr2_elevate_wish {
	TR2_WISH_HELLO,
	TR2_WISH_EVENT,
	TR2_WISH_FILE,
	TR2_WISH_CONNECTOR
};

struct tr2_elevate_request {
	enum tr2_elevate_wish wish;
	int cpu;
	bool whole_machine;
	enum tr2_elevated_file file;
	int events; /* the events that the connector shall report */
	char name[64];
	struct perf_event_attr attr;
};

/* Start the helper with sudo or pkexec. Return false, after an error message,
 * if there is no helper. For root, do nothing and return true. */
bool tr2_elevate_start(void);
/* Does the helper run? The functions below that open something need the
 * helper. */
bool tr2_elevate_runs(void);
/* Has the helper given rights to this process? Stays true after the helper's
 * end. */
bool tr2_elevate_was_used(void);
void tr2_elevate_stop(void);

/* Each function below returns a descriptor, or -1 with the helper's errno. */
/* Open an event of the recorder that its children inherit, or of the whole
 * machine. */
int tr2_elevate_event(const struct perf_event_attr *attr, int cpu,
		      bool whole_machine);
/* Open a file to read. name: for TRACEFS, the path of a tracepoint's format. */
int tr2_elevate_file(enum tr2_elevated_file file, const char *name);
/* Open a socket of the connector. The kernel has already acknowledged the
 * helper's request to send events to this socket. */
int tr2_elevate_connector(int events);
