/* SPDX-License-Identifier: MIT */
/*
 * elevate - a helper with root's rights that opens what the kernel refuses to an
 * ordinary user, and passes the descriptors (record --elevate).
 *
 * Nothing else has these rights: the recorder and CMD stay the user's, with his
 * environment, descriptors, terminal, groups and limits, none of which pass
 * through sudo. The helper opens events of the recorder and of what it starts,
 * or the two tracepoints of the scheduler, and a few files of the kernel to read.
 * It ends before CMD starts.
 */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

/* The command that the helper is: trace2 elevated, with a socket as standard
 * input. */
#define TR2_ELEVATED "elevated"

enum tr2_elevated_file { TR2_ELEVATED_KALLSYMS, TR2_ELEVATED_TRACEFS };

/* What the recorder sends; the answer is an int, errno or 0, with a descriptor. */
enum tr2_elevate_wish { TR2_WISH_HELLO, TR2_WISH_EVENT, TR2_WISH_FILE, TR2_WISH_CONNECTOR };

struct tr2_elevate_request {
	enum tr2_elevate_wish wish;
	int cpu;
	bool whole_machine;
	enum tr2_elevated_file file;
	int events; /* of the connector */
	char name[64];
	struct perf_event_attr attr;
};

/* Start the helper by sudo, or by pkexec. false, after an error message: there is
 * none. Nothing is to be done for root. */
bool tr2_elevate_start(void);
/* Does it run? The functions below are for then alone. */
bool tr2_elevate_runs(void);
/* May what was opened be opened by root alone? Stays true when the helper has
 * ended. */
bool tr2_elevate_was_used(void);
void tr2_elevate_stop(void);

/* Each returns a descriptor; -1: errno, as where the helper opened it. */
/* Open an event of the recorder, to be inherited, or of the whole machine. */
int tr2_elevate_event(const struct perf_event_attr *attr, int cpu,
		      bool whole_machine);
/* Open a file to read. name: in TRACEFS, of a tracepoint's format. */
int tr2_elevate_file(enum tr2_elevated_file file, const char *name);
/* Open the connector, which the kernel has acknowledged. */
int tr2_elevate_connector(int events);
