/* SPDX-License-Identifier: MIT */
/*
 * forward - send each tree of processes to an OpenTelemetry collector when the
 * tree has ended, while other lines arrive.
 *
 * The caller's thread queues lines and never waits. A second thread collects
 * lines by tree (trees.h), chooses trees (export/sampling.h) and renders them
 * (requests.h); a third one sends (sender.h). Each of the three stages has a
 * limit of bytes; data above the limit is dropped and counted.
 */
#pragma once

#include "base/buf.h"
#include "export/sampling.h"

#define TR2_FORWARD_QUEUE_BYTES (8u << 20)

struct tr2_forward_options {
	const char *url; /* `env`: take the URL from the environment; NULL: do
			  * not forward */
	struct tr2_tree_sampling sampling;
	bool redact;
	bool quiet; /* print errors only */
};

struct tr2_forward;

/* Check the URL and load the library that sends. NULL: an error was printed. */
struct tr2_forward *tr2_forward_new(const struct tr2_forward_options *options);
/* Start the threads. Return 0, or an error number. */
int tr2_forward_start(struct tr2_forward *f);

/* Queue whole lines of a client that have one SID; client 0: a datagram. Do
 * nothing if f is NULL; this holds for the functions below, too. */
void tr2_forward_add(struct tr2_forward *f, uint64_t client, const char *text,
		     size_t len, uint64_t nr_lines);
/* Note that a client has closed its connection. */
void tr2_forward_close(struct tr2_forward *f, uint64_t client);

/* Append the numbers of trees that were sent, that wait, that were left out,
 * and that were lost by each cause. */
void tr2_forward_counts(struct tr2_forward *f, struct tr2_buf *b);
/* Return the URL for messages. */
const char *tr2_forward_shown(struct tr2_forward *f);

/* End all trees and send them. Give up after `seconds`, and count the remaining
 * trees as lost. */
void tr2_forward_finish(struct tr2_forward *f, unsigned int seconds);
void tr2_forward_free(struct tr2_forward *f);
