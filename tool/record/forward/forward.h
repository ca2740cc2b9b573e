/* SPDX-License-Identifier: MIT */
/*
 * forward - send each tree of processes to an OpenTelemetry collector when it
 * has ended, while lines arrive.
 *
 * The caller's thread queues lines and never waits. A second thread collects
 * them by tree (trees.h), chooses trees (export/sampling.h) and renders them
 * (requests.h); a third one sends (sender.h). Each of the three stages has a
 * limit of bytes; what exceeds it is dropped and counted.
 */
#pragma once

#include "base/buf.h"
#include "export/sampling.h"

#define TR2_FORWARD_QUEUE_BYTES (8u << 20)

struct tr2_forward_options {
	const char *url; /* `env`: take it from the environment; NULL: do not
			  * forward */
	struct tr2_tree_sampling sampling;
	bool redact;
	bool quiet; /* print errors only */
};

struct tr2_forward;

/* Check the URL and load the library that sends. NULL: an error was printed. */
struct tr2_forward *tr2_forward_new(const struct tr2_forward_options *options);
/* 0, or an error number. */
int tr2_forward_start(struct tr2_forward *f);

/* Queue whole lines with one SID of a client; client 0: a datagram. Here and
 * below, f may be NULL: nothing is done. */
void tr2_forward_add(struct tr2_forward *f, uint64_t client, const char *text,
		     size_t len, uint64_t nr_lines);
/* The client has closed its connection. */
void tr2_forward_close(struct tr2_forward *f, uint64_t client);

/* Append the counts: trees sent, waiting, left out, lost by cause. */
void tr2_forward_counts(struct tr2_forward *f, struct tr2_buf *b);
/* Return the URL for messages. */
const char *tr2_forward_shown(struct tr2_forward *f);

/* Send all trees: every one has ended. Give up after `seconds`, and count the
 * remaining trees as lost. */
void tr2_forward_finish(struct tr2_forward *f, unsigned int seconds);
void tr2_forward_free(struct tr2_forward *f);
