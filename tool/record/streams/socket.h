/* SPDX-License-Identifier: MIT */
/*
 * socket - Unix sockets in the file system: create one where none is in use,
 * and remove only the one that was created.
 */
#pragma once

#include "record/streams/listen.h"

/* Stop listening and remove the file, if it is still the same. */
void tr2_listener_remove(struct tr2_loop *loop, struct tr2_listener *s);
