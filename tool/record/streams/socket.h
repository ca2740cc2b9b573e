/* SPDX-License-Identifier: MIT */
/*
 * socket - Unix sockets in the file system: create one where none is in use,
 * and remove only the one that was created.
 */
#pragma once

#include "record/streams/listen.h"

/* Parse [af_unix:[stream:|dgram:]]PATH into s->path, dgram, address, and listen
 * there. -1: the reason was printed to stderr. */
int tr2_listener_open(struct tr2_listener *s, const char *address);
/* Stop listening and remove the file, if it is still the same. */
void tr2_listener_remove(struct tr2_loop *loop, struct tr2_listener *s);
void tr2_listener_release(struct tr2_listener *s);
