/* SPDX-License-Identifier: MIT */
/*
 * sockets - the addresses of sockets, and the process at the other end, where it
 * is in the recording.
 *
 * The table of a network namespace is read when a socket is asked for that is not
 * in it, at most once a look. What was connected stays so until it is closed, and
 * the numbers of inodes are not used again soon.
 */
#pragma once

#include <sys/socket.h>

#include "record/observer/wait_object.h"

/* Set `what`, name and peer of the socket with this inode; `protocol` as the
 * kernel calls it: "TCP", "UNIX-STREAM", "NETLINK". `what` stays NULL where it
 * cannot be told. */
void tr2_socket_describe(struct tr2_wait *wait, uint64_t inode,
			 const char *protocol, struct tr2_wait_object *object);

/* Set name and peer of a socket that is being connected to this address. */
void tr2_socket_set_remote(struct tr2_wait *wait,
			   const struct sockaddr_storage *address, size_t size,
			   struct tr2_wait_object *object);

void tr2_sockets_free(struct tr2_sockets *sockets);
