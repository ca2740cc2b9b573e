/* SPDX-License-Identifier: MIT */
/*
 * sockets - find the addresses of sockets, and the process at the other end, if
 * this process is in the recording.
 *
 * The table of a network namespace is read again when it lacks a socket that is
 * asked for, at most once in each look. A found socket stays valid: it stays
 * connected until it is closed, and the kernel does not soon use its inode
 * number again.
 */
#pragma once

#include <sys/socket.h>

#include "record/observer/wait_object.h"

/* Set `what`, name and peer of the socket with this inode. `protocol` is the
 * kernel's name: "TCP", "UNIX-STREAM", "NETLINK". `what` stays NULL if the
 * protocol is unknown. */
void tr2_socket_describe(struct tr2_wait *wait, uint64_t inode,
			 const char *protocol, struct tr2_wait_object *object);

/* Set the members of tr2_socket_describe() for a socket that was asked for
 * before, without reading a table. Return false if the tables lack the
 * socket. */
bool tr2_socket_describe_known(struct tr2_wait *wait, uint64_t inode,
			       struct tr2_wait_object *object);

/* Set the name and the peer of a socket that is being connected to this
 * address. */
void tr2_socket_set_remote(struct tr2_wait *wait,
			   const struct sockaddr_storage *address, size_t size,
			   struct tr2_wait_object *object);

void tr2_sockets_free(struct tr2_sockets *sockets);
