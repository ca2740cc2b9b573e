/* SPDX-License-Identifier: MIT */
/*
 * sockets - the addresses of sockets, and the process at the other end, if it
 * is in the recording.
 *
 * The table of a network namespace is read when it lacks a socket that is asked
 * for, at most once a look. A connected socket stays so until it is closed, and
 * the kernel does not soon use inode numbers again.
 */
#pragma once

#include <sys/socket.h>

#include "record/observer/wait_object.h"

/* Set `what`, name and peer of the socket with this inode. `protocol` is the
 * kernel's name: "TCP", "UNIX-STREAM", "NETLINK". `what` stays NULL if it is
 * unknown. */
void tr2_socket_describe(struct tr2_wait *wait, uint64_t inode,
			 const char *protocol, struct tr2_wait_object *object);

/* The same for a socket that was asked for before; false: it was not. */
bool tr2_socket_describe_known(struct tr2_wait *wait, uint64_t inode,
			       struct tr2_wait_object *object);

/* Set name and peer of a socket that is being connected to this address. */
void tr2_socket_set_remote(struct tr2_wait *wait,
			   const struct sockaddr_storage *address, size_t size,
			   struct tr2_wait_object *object);

void tr2_sockets_free(struct tr2_sockets *sockets);
