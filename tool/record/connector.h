/* SPDX-License-Identifier: MIT */
/*
 * connector - what the kernel's process connector tells: the exit code of
 * every process of the machine, whoever reaps it, and where asked for, forks
 * and execs too. Linux 6.6 lets everybody listen; before, CAP_NET_ADMIN is
 * needed. It speaks in the initial network and pid namespaces only.
 *
 * A filter in the kernel keeps away what is of no interest. Whether a process
 * is one of ours is for the caller to find out.
 */
#ifndef TR2_RECORD_CONNECTOR_H
#define TR2_RECORD_CONNECTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/loop.h"
#include "record/tasklog.h"

struct tr2_connector {
	struct tr2_source source;
	struct tr2_loop *loop;
	char why_not[128]; /* "" when it works */
	uint64_t lost;     /* times that the kernel had to drop something */
	/* status: of EXIT, as wait4() gives it */
	void (*take)(void *data, const struct tr2_task_event *event,
		     int status);
	void *data;
};

/*
 * with_forks: FORK and all EXIT and EXEC events; else EXEC, and EXIT of whole
 * processes (their first thread). Returns when the kernel has acknowledged, so
 * that nothing later is missed. c->take and c->data are set by the caller
 * before. false: why_not says why.
 */
bool tr2_connector_open(struct tr2_connector *c, struct tr2_loop *loop,
			bool with_forks);
void tr2_connector_release(struct tr2_connector *c);

/* Takes all that is there. */
void tr2_connector_read(struct tr2_connector *c);

#endif
