/* SPDX-License-Identifier: MIT */
/*
 * listen - collect event lines from Unix sockets with many clients at once.
 *
 * Clients are not trusted. A line goes to a file named after the last component
 * of its SID, if that component is safe as a name, else to unknown-N. A line
 * may have TR2_LISTEN_LINE bytes, and all unfinished lines together
 * TR2_LISTEN_PARTIAL bytes. If descriptors run out, the client that was silent
 * for longest is closed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "record/forward/forward.h"
#include "record/loop.h"
#include "record/streams/stream_sink.h"

#define TR2_LISTEN_LINE (16u << 20)
#define TR2_LISTEN_PARTIAL (64u << 20)
#define TR2_LISTEN_UNKNOWN 100u

struct tr2_client {
	struct tr2_source source;
	struct tr2_listen *listen;
	uint64_t number; /* number of the client, from 1 */
	struct tr2_client *next, *prev; /* neighbours in the list, where the
					 * most recently active client is
					 * last */
	char *partial; /* an unfinished line */
	size_t nr_partial, alloc_partial;
	bool skipping; /* skip the rest of a line that is too long */
	char name[TR2_SINK_NAME]; /* file of the client's last line, or "" */
};

struct tr2_listener {
	struct tr2_source source;
	struct tr2_listen *listen;
	bool dgram;
	char *path;    /* absolute path */
	char *address; /* address in the form of a destination of events:
			* af_unix:KIND:PATH */
	dev_t dev;     /* device and inode of the socket file that was
			* created */
	ino_t ino;
	char name[TR2_SINK_NAME]; /* file for datagrams without a SID; "": none
				   * yet */
};

struct tr2_listen {
	struct tr2_loop *loop;
	struct tr2_sink sink;
	struct tr2_forward *forward; /* NULL: no forwarding */
	struct tr2_listener *listeners;
	size_t nr_listeners;
	struct tr2_client *first, *last;
	struct tr2_source pause; /* a timer that runs while no descriptor is
				  * free */
	size_t partial_bytes;
	unsigned int nr_unknown;
	uint64_t nr_clients; /* number of all clients so far */
	uint64_t evicted;    /* number of clients closed to free a descriptor */
};

/* Open sockets at `addresses` ([af_unix:[stream:|dgram:]]PATH). On failure,
 * remove the sockets and return -1, after an error message. */
int tr2_listen_open(struct tr2_listen *listen, struct tr2_loop *loop,
		    const char *const *addresses, size_t nr);
/* Begin to collect lines; see sink.h. -1: errno. */
int tr2_listen_start(struct tr2_listen *listen, const struct tr2_rotate *rotate,
		     uint64_t max_bytes);
/* Append the counts as text: lines and bytes that were collected, queued, lost
 * (by cause), removed by --keep, and forwarded. */
struct tr2_buf;
void tr2_listen_counts(struct tr2_listen *listen, struct tr2_buf *b);
/* Read the lines that have arrived, write them, and remove the sockets. */
void tr2_listen_finish(struct tr2_listen *listen);
void tr2_listen_release(struct tr2_listen *listen);
/* Stop listening. Remove the socket file if it is still the file that was
 * created. */
void tr2_listener_remove(struct tr2_loop *loop, struct tr2_listener *s);
