/* SPDX-License-Identifier: MIT */
/*
 * socket_table - list all tcp, udp and unix sockets of a network namespace. For
 * the recorder's namespace, ask NETLINK_SOCK_DIAG. For others, read
 * /proc/PID/net, which lacks the peers of unix sockets.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TR2_SOCKET_PATH_SIZE 112

enum tr2_socket_kind { TR2_SOCKET_TCP, TR2_SOCKET_UDP, TR2_SOCKET_UNIX };

/* One end of a connection. IPv4 addresses are mapped into IPv6. */
struct tr2_socket_end {
	struct in6_addr address;
	uint16_t port; /* 0: none */
};

struct tr2_socket {
	uint64_t inode; /* inode; 0: no process has accepted the connection */
	uint64_t peer;  /* inode of a unix socket's peer; 0: none, or unknown */
	enum tr2_socket_kind kind;
	bool listens;
	struct tr2_socket_end local, remote;
	char path[TR2_SOCKET_PATH_SIZE]; /* path of a unix socket; "": none;
					  * "@name": abstract */
};

struct tr2_socket_table {
	struct tr2_socket *all; /* sorted by inode */
	size_t nr, alloc;
};

/* Read the sockets of a kind in the namespace of the process. is_own: this is
 * the recorder's namespace, too. */
void tr2_socket_table_read(struct tr2_socket_table *table,
			   enum tr2_socket_kind kind, pid_t pid, bool is_own);
/* Return the socket with this inode. NULL: no such socket, table is NULL, or
 * inode is 0. */
const struct tr2_socket *
tr2_socket_table_find(const struct tr2_socket_table *table, uint64_t inode);
void tr2_socket_table_release(struct tr2_socket_table *table);

/* Set an end from an IPv4 (4 bytes) or IPv6 address in network order. */
void tr2_socket_end_set(struct tr2_socket_end *end, const void *address,
			size_t size, uint16_t port);
