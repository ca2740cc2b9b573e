/* SPDX-License-Identifier: MIT */
/*
 * connector - events of the kernel's process connector: the exit code of every
 * process of the machine, whoever reaps it, and if requested, forks and execs
 * too. Since Linux 6.6 every user may listen; before, CAP_NET_ADMIN is needed.
 * It reports the initial network and pid namespaces only.
 *
 * A filter in the kernel drops unneeded events. The caller determines whether a
 * process belongs to the recording.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "format/recording/tasklog.h"
#include "record/loop.h"

struct tr2_connector {
	struct tr2_source source;
	/* EXIT: a socket of its own, by which the recorder is not woken; -1:
	 * source has them, too */
	int exits_fd;
	struct tr2_loop *loop;
	char why_not[128]; /* "" if it works */
	uint64_t lost;     /* how often the kernel dropped events */
	/* status: of EXIT, as returned by wait4() */
	void (*take)(void *data, const struct tr2_task_event *event,
		     int status);
	void *data;
};

void tr2_connector_init(struct tr2_connector *c);
/*
 * Open the connector. with_forks: pass FORK and all EXIT and EXEC events; else
 * EXEC, and EXIT of whole processes (their first thread), which stay in the
 * kernel until the next EXEC, or the next tr2_connector_read(). Returns after
 * the kernel has acknowledged, so that no later event is missed. The caller sets
 * c->take and c->data before. false: why_not is the reason.
 */
bool tr2_connector_open(struct tr2_connector *c, struct tr2_loop *loop,
			bool with_forks);
/* Open one of its sockets, for events of connector.c, that the kernel has
 * acknowledged. -1: errno. */
int tr2_connector_listen(int events);
void tr2_connector_release(struct tr2_connector *c);

/* Pass all events that have arrived. */
void tr2_connector_read(struct tr2_connector *c);
/* Wait for an EXIT, at most so long. */
void tr2_connector_wait(struct tr2_connector *c, int ms);
