/* SPDX-License-Identifier: MIT */
/*
 * connector - receive events of the kernel's process connector: the exit code
 * of every process of the machine and, if requested, also forks and execs.
 * Since Linux 6.6 every user may listen; before, CAP_NET_ADMIN is needed. The
 * connector reports only to the initial network and pid namespaces.
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
	/* socket for EXIT alone, which does not wake the recorder; -1: `source`
	 * gets EXIT, too. source.fd is -1 if exits_fd gets all events. */
	int exits_fd;
	struct tr2_loop *loop;
	char why_not[128]; /* "": the connector works */
	uint64_t lost;     /* number of times that the kernel dropped events */
	/* Called with each event. status: for EXIT, the status as returned by
	 * wait4(). */
	void (*take)(void *data, const struct tr2_task_event *event,
		     int status);
	void *data;
};

void tr2_connector_init(struct tr2_connector *c);
/* The events to pass. EXITs of whole processes (of their first threads) stay in
 * the kernel until the next EXEC, or the next tr2_connector_read(). */
enum tr2_connector_events {
	TR2_CONNECTOR_ALL,   /* FORK, EXEC, and EXIT of all threads */
	TR2_CONNECTOR_EXECS, /* EXEC, and EXIT of whole processes */
	TR2_CONNECTOR_EXITS  /* EXIT of whole processes */
};
/*
 * Open the connector. Set c->take and c->data before. Return after the kernel
 * has acknowledged the request, so that no later event is missed. On failure,
 * return false with the reason in why_not.
 */
bool tr2_connector_open(struct tr2_connector *c, struct tr2_loop *loop,
			enum tr2_connector_events events);
/* Open one socket for these events (with EXECS, for EXEC alone). Return it
 * after the kernel has acknowledged the request; -1 with errno on failure. */
int tr2_connector_listen(int events);
void tr2_connector_release(struct tr2_connector *c);

/* Pass all events that have arrived. */
void tr2_connector_read(struct tr2_connector *c);
/* Wait for an EXIT for at most ms milliseconds. */
void tr2_connector_wait(struct tr2_connector *c, int ms);
