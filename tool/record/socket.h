/* SPDX-License-Identifier: MIT */
/*
 * socket - Unix sockets in the file system: making one where none is in use,
 * and removing no other than the one that was made.
 */
#ifndef TR2_RECORD_SOCKET_H
#define TR2_RECORD_SOCKET_H

#include "record/listen.h"

/* Fills s->path, dgram, address from [af_unix:[stream:|dgram:]]PATH, and
 * listens there. -1: it was said on stderr why not. */
int tr2_listener_open(struct tr2_listener *s, const char *address);
/* Stops listening and removes the file, if it is still ours. */
void tr2_listener_remove(struct tr2_loop *loop, struct tr2_listener *s);
void tr2_listener_release(struct tr2_listener *s);

#endif
