/* SPDX-License-Identifier: MIT */
/*
 * listen - collects event lines from Unix sockets, of many clients at once.
 *
 * A client is hostile until proven otherwise: its lines go to a file named
 * after a SID component that is safe as a name, else to unknown-N; a line may
 * have TR2_LISTEN_LINE bytes, all unfinished lines together
 * TR2_LISTEN_PARTIAL; and when descriptors run out, the client that said
 * nothing for longest gives way.
 */
#ifndef TR2_RECORD_LISTEN_H
#define TR2_RECORD_LISTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "record/loop.h"
#include "record/sink.h"

#define TR2_LISTEN_LINE (16u << 20)
#define TR2_LISTEN_PARTIAL (64u << 20)
#define TR2_LISTEN_UNKNOWN 100u

struct tr2_client {
	struct tr2_source source;
	struct tr2_listen *listen;
	struct tr2_client *next, *prev; /* most recently heard last */
	char *partial; /* a line without its end yet */
	size_t nr_partial, alloc_partial;
	bool skipping; /* the rest of a line that is too long */
	char name[TR2_SINK_NAME]; /* where its last line went; "" */
};

struct tr2_listener {
	struct tr2_source source;
	struct tr2_listen *listen;
	bool dgram;
	char *path;    /* absolute */
	char *address; /* as a destination: af_unix:KIND:PATH */
	dev_t dev;     /* of the socket file that we made */
	ino_t ino;
	char name[TR2_SINK_NAME]; /* of datagrams: as a client's */
};

struct tr2_listen {
	struct tr2_loop *loop;
	struct tr2_sink sink;
	struct tr2_listener *listeners;
	size_t nr_listeners;
	struct tr2_client *first, *last;
	struct tr2_source pause; /* a timer, while no descriptor is free */
	size_t partial_bytes;
	unsigned int nr_unknown;
	uint64_t nr_clients; /* ever */
	uint64_t evicted;    /* closed to make room for another */
};

/* Opens sockets at `addresses`, ([af_unix:[stream:|dgram:]]PATH). -1: it was
 * said on stderr why not, and nothing is left behind. */
int tr2_listen_open(struct tr2_listen *listen, struct tr2_loop *loop,
		    const char *const *addresses, size_t nr);
/* Starts taking lines; see sink.h. -1: errno. */
int tr2_listen_start(struct tr2_listen *listen, const struct tr2_rotate *rotate,
		     uint64_t max_bytes);
/* How much was taken, what waits, what was lost and why, and what --keep
 * removed: appended, in words. */
struct tr2_buf;
void tr2_listen_counts(struct tr2_listen *listen, struct tr2_buf *b);
/* Takes what has arrived, writes it, and removes the sockets. */
void tr2_listen_finish(struct tr2_listen *listen);
void tr2_listen_release(struct tr2_listen *listen);

/*
 * Where a line of len bytes belongs: the last component of its SID into `name`.
 * false: it has none that is safe as a file name.
 */
bool tr2_listen_name(const char *line, size_t len, char name[TR2_SINK_NAME]);

#endif
