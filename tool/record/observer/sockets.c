/* SPDX-License-Identifier: MIT */
/* Find sockets in the tables of their namespace, and name them. */
#include "record/observer/sockets.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/macros.h"
#include "record/observer/holders.h"
#include "record/observer/host_names.h"
#include "record/observer/socket_table.h"

/* One table of each kind, for the namespace that was asked for last. */
struct tr2_sockets {
	struct {
		struct tr2_socket_table table;
		char namespace[64];
		uint64_t look; /* number (from 1) of the look in which the table
				* was read */
	} kinds[TR2_SOCKET_UNIX + 1];
	char own[64]; /* the recorder's namespace; "": unknown */
	/* The namespace of the process `pid`, which was asked for last, in the
	 * look `look`. */
	char its[64];
	pid_t pid;
	uint64_t look;
	struct tr2_host_names *hosts;
	bool has_hosts; /* `hosts` was read */
};

static void read_namespace(pid_t pid, char *text, size_t size)
{
	char path[48];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)pid);
	n = readlink(path, text, size - 1);
	text[n > 0 ? n : 0] = '\0';
}

/* Return the tables, with its[] set to the namespace of the waiting process.
 * NULL: the namespace is unknown, or memory is short. */
static struct tr2_sockets *sockets_of(const struct tr2_wait *wait)
{
	struct tr2_observer *o = wait->o;
	struct tr2_sockets *s = o->sources.sockets;

	if (!s) {
		s = o->sources.sockets = calloc(1, sizeof(*s));
		if (!s)
			return NULL;
		read_namespace(getpid(), s->own, sizeof(s->own));
	}
	if (s->pid != wait->p->pid || s->look != o->looks + 1) {
		s->pid = wait->p->pid;
		s->look = o->looks + 1;
		read_namespace(s->pid, s->its, sizeof(s->its));
	}
	return s->own[0] && s->its[0] ? s : NULL;
}

/* Return the table of this kind. With is_new, read the table again, but only
 * once in each look. NULL: it cannot be read. */
static const struct tr2_socket_table *
table_of(const struct tr2_wait *wait, enum tr2_socket_kind kind, bool is_new)
{
	struct tr2_sockets *s = sockets_of(wait);

	if (!s)
		return NULL;
	if (!strcmp(s->kinds[kind].namespace, s->its) &&
	    (!is_new || s->kinds[kind].look == s->look))
		return &s->kinds[kind].table;
	tr2_socket_table_read(&s->kinds[kind].table, kind, s->pid,
			      !strcmp(s->its, s->own));
	memcpy(s->kinds[kind].namespace, s->its, sizeof(s->its));
	s->kinds[kind].look = s->look;
	return &s->kinds[kind].table;
}

/* Does the socket keep its ends until it is closed? */
static bool is_settled(const struct tr2_socket *s)
{
	return s->kind == TR2_SOCKET_TCP ? s->listens || s->remote.port :
					   s->kind == TR2_SOCKET_UNIX && s->peer;
}

static bool same_end(const struct tr2_socket_end *a,
		     const struct tr2_socket_end *b)
{
	return a->port == b->port &&
	       !memcmp(&a->address, &b->address, sizeof(a->address));
}

static bool is_any(const struct tr2_socket_end *end)
{
	static const struct tr2_socket_end mapped = {
		.address.s6_addr = { [10] = 0xff, [11] = 0xff },
	};

	return IN6_IS_ADDR_UNSPECIFIED(&end->address) ||
	       !memcmp(&end->address, &mapped.address, sizeof(end->address));
}

static bool is_loopback(const struct tr2_socket_end *end)
{
	const uint8_t *byte = end->address.s6_addr;

	return IN6_IS_ADDR_LOOPBACK(&end->address) ||
	       (IN6_IS_ADDR_V4MAPPED(&end->address) && byte[12] == 127);
}

/* Find the socket at the other end. If there is none, find the only listening
 * socket that could accept the connection. */
static const struct tr2_socket *
find_other(const struct tr2_socket_table *table,
	   const struct tr2_socket_end *local,
	   const struct tr2_socket_end *remote)
{
	const struct tr2_socket *s, *listener = NULL;
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < table->nr; i++) {
		s = &table->all[i];
		if (!s->inode || s->local.port != remote->port)
			continue;
		if (same_end(&s->local, remote) && same_end(&s->remote, local))
			return s;
		if (s->listens &&
		    (same_end(&s->local, remote) ||
		     (is_any(&s->local) && is_loopback(remote)))) {
			listener = s;
			nr++;
		}
	}
	return nr == 1 ? listener : NULL;
}

#define LINK_SIZE 40

static void set_link(char link[LINK_SIZE], uint64_t inode)
{
	snprintf(link, LINK_SIZE, "socket:[%llu]", (unsigned long long)inode);
}

static bool has_itself(const struct tr2_wait *wait, uint64_t inode)
{
	char link[LINK_SIZE];

	set_link(link, inode);
	return tr2_holders_self(wait, -1, link, TR2_BOTH);
}

static void set_holder(struct tr2_wait *wait, uint64_t inode,
		       struct tr2_wait_object *object)
{
	char link[LINK_SIZE];

	set_link(link, inode);
	object->peer = tr2_holders_find(wait, -1, link, TR2_BOTH, NULL).pid;
	object->lacks_peer = !object->peer;
}

/* Return the host's name. In another network namespace, the address may belong
 * to another machine. */
static const char *host_of(const struct tr2_wait *wait,
			   const struct tr2_socket_end *end)
{
	struct tr2_sockets *s = sockets_of(wait);

	if (!s || strcmp(s->its, s->own) != 0)
		return NULL;
	if (!s->has_hosts)
		s->hosts = tr2_host_names_read("/etc/hosts");
	s->has_hosts = true;
	return tr2_host_name(s->hosts, &end->address);
}

static void set_address(const struct tr2_wait *wait,
			struct tr2_wait_object *object, const char *before,
			const struct tr2_socket_end *end)
{
	bool is_v4 = IN6_IS_ADDR_V4MAPPED(&end->address);
	char text[INET6_ADDRSTRLEN];

	if (inet_ntop(is_v4 ? AF_INET : AF_INET6,
		      end->address.s6_addr + (is_v4 ? 12 : 0), text,
		      sizeof(text)))
		snprintf(object->name, sizeof(object->name),
			 is_v4 ? "%s%s:%u" : "%s[%s]:%u", before, text,
			 (unsigned int)end->port);
	object->host = host_of(wait, end);
}

static void describe_inet(struct tr2_wait *wait,
			  const struct tr2_socket_table *table,
			  const struct tr2_socket *s,
			  struct tr2_wait_object *object)
{
	const struct tr2_socket *other;

	if (!s->remote.port) {
		if (s->local.port)
			set_address(wait, object, "listen ", &s->local);
		return;
	}
	set_address(wait, object, "", &s->remote);
	other = find_other(table, &s->local, &s->remote);
	if (other)
		set_holder(wait, other->inode, object);
}

static void describe_unix(struct tr2_wait *wait,
			  const struct tr2_socket_table *table,
			  const struct tr2_socket *s,
			  struct tr2_wait_object *object)
{
	const struct tr2_socket *other = tr2_socket_table_find(table, s->peer);
	const char *path = other && other->path[0] ? other->path : s->path;

	/* Skip a socket that sends datagrams: the datagrams go to the address
	 * in the call, not to the address of the socket. */
	if (!s->peer && !strncmp(wait->call_name, "send", 4))
		return;
	snprintf(object->name, sizeof(object->name), "%s%s",
		 s->listens ? "listen " : "", path);
	if (!s->peer)
		return;
	set_holder(wait, s->peer, object);
	if (!other || path[0])
		return;
	object->is_inner = !object->peer && has_itself(wait, s->peer);
	object->what = object->is_inner ? "own socketpair" : "socketpair";
}

static const struct {
	const char *protocol; /* beginning of the protocol's name */
	const char *what;
	int kind; /* kind of the table; -1: these sockets have no address */
} protocols[] = {
	{ "TCP", "tcp", TR2_SOCKET_TCP },
	{ "UDP", "udp", TR2_SOCKET_UDP },
	{ "UNIX", "unix", TR2_SOCKET_UNIX },
	{ "NETLINK", "netlink", -1 },
	{ "PACKET", "packet", -1 },
	{ "PING", "icmp", -1 },
	{ "RAW", "raw", -1 },
	{ "MPTCP", "mptcp", -1 },
	{ "AF_VSOCK", "vsock", -1 },
	{ "ALG", "alg", -1 },
};

static void describe_socket(struct tr2_wait *wait, enum tr2_socket_kind kind,
			    uint64_t inode, struct tr2_wait_object *object)
{
	const struct tr2_socket_table *table = table_of(wait, kind, false);
	const struct tr2_socket *s = tr2_socket_table_find(table, inode);

	if (!s || !is_settled(s)) {
		table = table_of(wait, kind, true);
		s = tr2_socket_table_find(table, inode);
	}
	if (s && kind == TR2_SOCKET_UNIX)
		describe_unix(wait, table, s, object);
	else if (s)
		describe_inet(wait, table, s, object);
}

/* Describe a socket that a table contains. Until the socket is closed, no other
 * socket gets its inode number. */
bool tr2_socket_describe_known(struct tr2_wait *wait, uint64_t inode,
			       struct tr2_wait_object *object)
{
	struct tr2_sockets *s = sockets_of(wait);
	const struct tr2_socket *socket;
	size_t i;

	for (i = 0; s && i < ARRAY_SIZE(protocols); i++) {
		if (protocols[i].kind < 0 ||
		    strcmp(s->kinds[protocols[i].kind].namespace, s->its) != 0)
			continue;
		socket = tr2_socket_table_find(
			&s->kinds[protocols[i].kind].table, inode);
		if (!socket || !is_settled(socket))
			continue;
		object->what = protocols[i].what;
		describe_socket(wait, (enum tr2_socket_kind)protocols[i].kind,
				inode, object);
		return true;
	}
	return false;
}

void tr2_socket_describe(struct tr2_wait *wait, uint64_t inode,
			 const char *protocol, struct tr2_wait_object *object)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(protocols); i++) {
		if (strncmp(protocol, protocols[i].protocol,
			    strlen(protocols[i].protocol)) != 0)
			continue;
		object->what = protocols[i].what;
		if (protocols[i].kind >= 0)
			describe_socket(wait,
					(enum tr2_socket_kind)protocols[i].kind,
					inode, object);
		return;
	}
	object->what = "socket";
}

static void set_inet(struct tr2_wait *wait, const struct tr2_socket_end *remote,
		     struct tr2_wait_object *object)
{
	const struct tr2_socket_end nobody = { .port = 0 };
	const struct tr2_socket_table *table =
		table_of(wait, TR2_SOCKET_TCP, true);
	const struct tr2_socket *other = NULL;

	set_address(wait, object, "", remote);
	object->peer = 0;
	if (table && !strcmp(object->what, "tcp"))
		other = find_other(table, &nobody, remote);
	if (other)
		set_holder(wait, other->inode, object);
}

/* Do both processes have the same current directory? Otherwise, a relative path
 * names another socket. */
static bool same_directory(pid_t a, pid_t b)
{
	char path[32];
	struct stat st_a, st_b;

	snprintf(path, sizeof(path), "/proc/%d/cwd", (int)a);
	if (stat(path, &st_a))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/cwd", (int)b);
	return !stat(path, &st_b) && st_a.st_dev == st_b.st_dev &&
	       st_a.st_ino == st_b.st_ino;
}

static void set_unix(struct tr2_wait *wait, const char *path,
		     struct tr2_wait_object *object)
{
	const struct tr2_socket_table *table =
		table_of(wait, TR2_SOCKET_UNIX, true);
	uint64_t inode = 0;
	unsigned int nr = 0;
	size_t i;

	snprintf(object->name, sizeof(object->name), "%s", path);
	object->host = NULL;
	object->what = "unix";
	object->peer = 0;
	for (i = 0; table && i < table->nr; i++)
		if (table->all[i].listens &&
		    !strcmp(table->all[i].path, path)) {
			inode = table->all[i].inode;
			nr++;
		}
	if (nr == 1)
		set_holder(wait, inode, object);
	if (!strchr("/@", *path) && !same_directory(wait->p->pid, object->peer))
		object->peer = 0;
}

void tr2_socket_set_remote(struct tr2_wait *wait,
			   const struct sockaddr_storage *address, size_t size,
			   struct tr2_wait_object *object)
{
	const struct sockaddr_in *v4 = (const void *)address;
	const struct sockaddr_in6 *v6 = (const void *)address;
	const struct sockaddr_un *path = (const void *)address;
	struct tr2_socket_end end;

	if (address->ss_family == AF_INET && size >= sizeof(*v4)) {
		tr2_socket_end_set(&end, &v4->sin_addr, sizeof(v4->sin_addr),
				   ntohs(v4->sin_port));
		set_inet(wait, &end, object);
	} else if (address->ss_family == AF_INET6 && size >= sizeof(*v6)) {
		tr2_socket_end_set(&end, &v6->sin6_addr, sizeof(v6->sin6_addr),
				   ntohs(v6->sin6_port));
		set_inet(wait, &end, object);
	} else if (address->ss_family == AF_UNIX && path->sun_path[0] &&
		   size < sizeof(*address)) {
		set_unix(wait, path->sun_path, object);
	}
}

void tr2_sockets_free(struct tr2_sockets *sockets)
{
	size_t i;

	for (i = 0; sockets && i <= TR2_SOCKET_UNIX; i++)
		tr2_socket_table_release(&sockets->kinds[i].table);
	if (sockets)
		tr2_host_names_free(sockets->hosts);
	free(sockets);
}
