/* SPDX-License-Identifier: MIT */
/* Read tables of sockets from the kernel. */
#include "record/observer/socket_table.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/order.h"
#include "record/observer/proc_lines.h"

/* Read at most this many sockets. */
#define MOST 65536u
/* The kernel's state of a listening tcp socket, and its flag of a listening
 * unix socket. */
#define STATE_LISTEN 10
#define FLAG_ACCEPTS 0x10000u

/* Add a socket. Return NULL if there are too many, or memory is short. */
static struct tr2_socket *add_socket(struct tr2_socket_table *table,
				     enum tr2_socket_kind kind)
{
	size_t alloc = table->alloc ? table->alloc * 2 : 64;
	struct tr2_socket *grown;

	if (table->nr == table->alloc) {
		grown = table->nr < MOST ?
				realloc(table->all, alloc * sizeof(*grown)) :
				NULL;
		if (!grown)
			return NULL;
		table->all = grown;
		table->alloc = alloc;
	}
	grown = &table->all[table->nr++];
	*grown = (struct tr2_socket){ .kind = kind };
	return grown;
}

void tr2_socket_end_set(struct tr2_socket_end *end, const void *address,
			size_t size, uint16_t port)
{
	*end = (struct tr2_socket_end){ .port = port };
	if (size == sizeof(struct in6_addr)) {
		memcpy(&end->address, address, size);
		return;
	}
	end->address.s6_addr[10] = end->address.s6_addr[11] = 0xff;
	memcpy(&end->address.s6_addr[12], address, sizeof(struct in_addr));
}

/* Set the path to a path's text or, after a NUL, to an abstract name. */
static void set_path(struct tr2_socket *s, const char *name, size_t size)
{
	size_t i;

	if (size >= sizeof(s->path))
		size = sizeof(s->path) - 1;
	memcpy(s->path, name, size);
	for (i = 0; i < size; i++)
		if (!s->path[i] && (!i || !name[0]))
			s->path[i] = '@';
}

/* ---- By netlink ---- */

static void parse_inet(struct tr2_socket_table *table,
		       enum tr2_socket_kind kind, const struct nlmsghdr *h)
{
	const struct inet_diag_msg *m = NLMSG_DATA(h);
	size_t size = m->idiag_family == AF_INET ? sizeof(struct in_addr) :
						   sizeof(struct in6_addr);
	struct tr2_socket *s;

	if (h->nlmsg_len < NLMSG_LENGTH(sizeof(*m)))
		return;
	s = add_socket(table, kind);
	if (!s)
		return;
	s->inode = m->idiag_inode;
	s->listens = kind == TR2_SOCKET_TCP && m->idiag_state == STATE_LISTEN;
	tr2_socket_end_set(&s->local, m->id.idiag_src, size,
			   ntohs(m->id.idiag_sport));
	tr2_socket_end_set(&s->remote, m->id.idiag_dst, size,
			   ntohs(m->id.idiag_dport));
}

/* Return the next message or attribute; both are aligned. The kernel's macros
 * for that cast characters, which some compilers refuse. */
static const void *after_header(const void *message, size_t len)
{
	return (const char *)message + len;
}

static void parse_unix(struct tr2_socket_table *table,
		       enum tr2_socket_kind kind, const struct nlmsghdr *h)
{
	const struct unix_diag_msg *m = NLMSG_DATA(h);
	const struct rtattr *a = (const void *)(m + 1);
	struct tr2_socket *s;
	unsigned int peer;
	int left;

	if (h->nlmsg_len < NLMSG_LENGTH(sizeof(*m)))
		return;
	s = add_socket(table, kind);
	if (!s)
		return;
	s->inode = m->udiag_ino;
	s->listens = m->udiag_state == STATE_LISTEN;
	left = (int)(h->nlmsg_len - NLMSG_LENGTH(sizeof(*m)));
	for (; RTA_OK(a, left); left -= (int)RTA_ALIGN(a->rta_len),
				a = after_header(a, RTA_ALIGN(a->rta_len))) {
		if (a->rta_type == UNIX_DIAG_NAME)
			set_path(s, RTA_DATA(a), RTA_PAYLOAD(a));
		if (a->rta_type == UNIX_DIAG_PEER &&
		    RTA_PAYLOAD(a) == sizeof(peer)) {
			memcpy(&peer, RTA_DATA(a), sizeof(peer));
			s->peer = peer;
		}
	}
}

struct question {
	struct nlmsghdr h;
	union {
		struct inet_diag_req_v2 inet;
		struct unix_diag_req unix_;
	};
};

/* Return false if the kernel did not answer to the end. */
static bool parse_answers(int fd, struct tr2_socket_table *table,
			  enum tr2_socket_kind kind)
{
	_Alignas(struct nlmsghdr) char text[32768];
	const struct nlmsghdr *h;
	ssize_t n;
	int left;

	while ((n = recv(fd, text, sizeof(text), 0)) > 0) {
		left = (int)n;
		for (h = (const void *)text; NLMSG_OK(h, (unsigned int)left);
		     left -= (int)NLMSG_ALIGN(h->nlmsg_len),
		    h = after_header(h, NLMSG_ALIGN(h->nlmsg_len))) {
			if (h->nlmsg_type != SOCK_DIAG_BY_FAMILY)
				return h->nlmsg_type == NLMSG_DONE;
			if (kind == TR2_SOCKET_UNIX)
				parse_unix(table, kind, h);
			else
				parse_inet(table, kind, h);
		}
	}
	return false;
}

static bool ask_kernel(struct tr2_socket_table *table,
		       enum tr2_socket_kind kind, int family)
{
	struct question q = {
		.h = { .nlmsg_type = SOCK_DIAG_BY_FAMILY,
		       .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		       .nlmsg_len = sizeof(q) },
	};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC,
			NETLINK_SOCK_DIAG);
	bool ok;

	if (fd < 0)
		return false;
	if (family == AF_UNIX)
		q.unix_ = (struct unix_diag_req){
			.sdiag_family = AF_UNIX, .udiag_states = UINT32_MAX,
			.udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_PEER,
		};
	else
		q.inet = (struct inet_diag_req_v2){
			.sdiag_family = (uint8_t)family,
			.sdiag_protocol = kind == TR2_SOCKET_TCP ? IPPROTO_TCP :
								   IPPROTO_UDP,
			.idiag_states = UINT32_MAX,
		};
	ok = send(fd, &q, sizeof(q), 0) == sizeof(q) &&
	     parse_answers(fd, table, kind);
	close(fd);
	return ok;
}

static bool read_netlink(struct tr2_socket_table *table,
			 enum tr2_socket_kind kind)
{
	if (kind == TR2_SOCKET_UNIX)
		return ask_kernel(table, kind, AF_UNIX);
	return ask_kernel(table, kind, AF_INET) &&
	       ask_kernel(table, kind, AF_INET6);
}

/* ---- By /proc ---- */

/* Parse "0100007F:1F90": words of 32 bits in the byte order of this machine. */
static bool parse_end(const char *text, struct tr2_socket_end *end)
{
	size_t digits = strcspn(text, ":"), i;
	uint32_t words[4];
	char word[9] = "";

	if (digits != 8 && digits != 32)
		return false;
	for (i = 0; i < digits / 8; i++) {
		memcpy(word, text + i * 8, 8);
		words[i] = (uint32_t)strtoul(word, NULL, 16);
	}
	tr2_socket_end_set(end, words, digits / 2,
			   (uint16_t)strtoul(text + digits + 1, NULL, 16));
	return true;
}

static void parse_inet_line(struct tr2_socket_table *table,
			    enum tr2_socket_kind kind, const char *text)
{
	unsigned long long inode;
	struct tr2_socket_end local, remote;
	char ends[2][48];
	unsigned int state;
	struct tr2_socket *s;

	if (sscanf(text, " %*d: %47s %47s %x %*s %*s %*s %*s %*s %llu",
		   ends[0], ends[1], &state, &inode) != 4 ||
	    !parse_end(ends[0], &local) || !parse_end(ends[1], &remote))
		return;
	s = add_socket(table, kind);
	if (!s)
		return;
	s->inode = inode;
	s->local = local;
	s->remote = remote;
	s->listens = kind == TR2_SOCKET_TCP && state == STATE_LISTEN;
}

static void parse_unix_line(struct tr2_socket_table *table,
			    enum tr2_socket_kind kind, const char *text)
{
	unsigned long long inode;
	struct tr2_socket *s;
	unsigned int flags;
	int at = 0;

	if (sscanf(text, "%*x: %*x %*x %x %*x %*x %llu%n", &flags, &inode,
		   &at) != 2 || !at)
		return;
	s = add_socket(table, kind);
	if (!s)
		return;
	s->inode = inode;
	s->listens = flags & FLAG_ACCEPTS;
	if (text[at] == ' ')
		set_path(s, text + at + 1, strlen(text + at + 1));
}

static void read_lines(struct tr2_socket_table *table,
		       enum tr2_socket_kind kind, pid_t pid, const char *name)
{
	struct tr2_proc_lines lines;

	if (!tr2_proc_lines_open(&lines, pid, name))
		return;
	while (tr2_proc_lines_next(&lines)) {
		if (kind == TR2_SOCKET_UNIX)
			parse_unix_line(table, kind, lines.line);
		else
			parse_inet_line(table, kind, lines.line);
	}
}

static void read_proc(struct tr2_socket_table *table, enum tr2_socket_kind kind,
		      pid_t pid)
{
	static const char *const names[][2] = {
		[TR2_SOCKET_TCP] = { "net/tcp", "net/tcp6" },
		[TR2_SOCKET_UDP] = { "net/udp", "net/udp6" },
		[TR2_SOCKET_UNIX] = { "net/unix", NULL },
	};

	read_lines(table, kind, pid, names[kind][0]);
	if (names[kind][1])
		read_lines(table, kind, pid, names[kind][1]);
}

TR2_ORDER(by_inode, struct tr2_socket, TR2_UP(inode))

void tr2_socket_table_read(struct tr2_socket_table *table,
			   enum tr2_socket_kind kind, pid_t pid, bool is_own)
{
	table->nr = 0;
	if (!is_own || !read_netlink(table, kind)) {
		table->nr = 0;
		read_proc(table, kind, pid);
	}
	if (table->nr)
		qsort(table->all, table->nr, sizeof(*table->all), by_inode);
}

const struct tr2_socket *
tr2_socket_table_find(const struct tr2_socket_table *table, uint64_t inode)
{
	size_t low = 0, high = table ? table->nr : 0, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (table->all[middle].inode < inode)
			low = middle + 1;
		else
			high = middle;
	}
	return inode && table && low < table->nr &&
			       table->all[low].inode == inode ?
		       &table->all[low] : NULL;
}

void tr2_socket_table_release(struct tr2_socket_table *table)
{
	free(table->all);
}
