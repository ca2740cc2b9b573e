/* SPDX-License-Identifier: MIT */
/* `socket-waiters`: processes that wait for sockets with addresses, and for
 * sets: see waiters.h. */
#include "../waiters.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/select.h>
#include <sys/timerfd.h>

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_un path;
};

static union address address;
static socklen_t address_size;

/* Bind a socket to the address, and find out its port. */
static int bound(int type)
{
	int fd = socket(address.any.sa_family, type | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, &address.any, address_size))
		return -1;
	check(!getsockname(fd, &address.any, &address_size));
	return fd;
}

static void set_loopback(int family)
{
	memset(&address, 0, sizeof(address));
	address.any.sa_family = (sa_family_t)family;
	if (family == AF_INET) {
		address.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		address_size = sizeof(address.v4);
	} else {
		address.v6.sin6_addr = in6addr_loopback;
		address_size = sizeof(address.v6);
	}
}

static void set_path(const char *path)
{
	memset(&address, 0, sizeof(address));
	address.path.sun_family = AF_UNIX;
	strncpy(address.path.sun_path, path, sizeof(address.path.sun_path) - 1);
	address_size = sizeof(address.path);
}

/* Return the text `before` followed by the address, such as "127.0.0.1:80". */
static const char *text_of(const char *before)
{
	static char text[128];

	if (address.any.sa_family == AF_INET)
		snprintf(text, sizeof(text), "%s127.0.0.1:%u", before,
			 ntohs(address.v4.sin_port));
	else if (address.any.sa_family == AF_INET6)
		snprintf(text, sizeof(text), "%s[::1]:%u", before,
			 ntohs(address.v6.sin6_port));
	else
		snprintf(text, sizeof(text), "%s%s", before,
			 address.path.sun_path);
	return text;
}

static int listener;

static void accept_two(void)
{
	check(accept(listener, NULL, NULL) >= 0);
	(void)accept(listener, NULL, NULL);
}

static int connected(void)
{
	int fd = socket(address.any.sa_family, SOCK_STREAM, 0);

	check(fd >= 0 && !connect(fd, &address.any, address_size));
	return fd;
}

static void read_from_server(const char *what)
{
	int peer, fd;

	listener = bound(SOCK_STREAM);
	if (listener < 0)
		return;
	check(!listen(listener, 4));
	peer = process(accept_two);
	close(listener);
	fd = connected();
	say(what, text_of(""), peer, 1, "");
	read_one(fd);
}

static void tcp(void)
{
	set_loopback(AF_INET);
	read_from_server("tcp");
}

static void tcp6(void)
{
	set_loopback(AF_INET6);
	read_from_server("tcp");
}

static void unix_socket(void)
{
	set_path("socket");
	read_from_server("unix");
}

static void accept_one(const char *what)
{
	listener = bound(SOCK_STREAM);
	check(listener >= 0 && !listen(listener, 4));
	say(what, text_of("listen "), 0, 1, "");
	(void)accept(listener, NULL, NULL);
}

static void tcp_accept(void)
{
	set_loopback(AF_INET);
	accept_one("tcp");
}

static void unix_accept(void)
{
	set_path("accepting");
	accept_one("unix");
}

/* Wait in connect(): the queue of connections to accept is full. */
static void connect_to(const char *what, int length)
{
	int peer, fd = socket(address.any.sa_family, SOCK_STREAM, 0), i;

	listener = bound(SOCK_STREAM);
	check(fd >= 0 && listener >= 0 && !listen(listener, 0));
	for (i = 0; i < length; i++)
		connected();
	peer = process(hang);
	close(listener);
	say(what, text_of(""), peer, 1, "");
	(void)connect(fd, &address.any, address_size);
}

static void tcp_connect(void)
{
	set_loopback(AF_INET);
	connect_to("tcp", 1);
}

static void unix_connect(void)
{
	set_path("full");
	connect_to("unix", 1);
}

static void udp(void)
{
	int fd;

	set_loopback(AF_INET);
	listener = bound(SOCK_DGRAM);
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	check(listener >= 0 && fd >= 0 &&
	      !connect(fd, &address.any, address_size));
	say("udp", text_of(""), 0, 1, "");
	read_one(fd);
}

/* Wait in a network namespace of the process's own. */
static void other_network(void)
{
	if (unshare(CLONE_NEWNET) && unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return;
	set_loopback(AF_INET);
	address.v4.sin_addr.s_addr = 0;
	address.v4.sin_port = htons(7);
	listener = bound(SOCK_STREAM);
	if (listener < 0) {
		address.v4.sin_port = 0;
		listener = bound(SOCK_STREAM);
	}
	check(listener >= 0 && !listen(listener, 4));
	say("tcp", ntohs(address.v4.sin_port) == 7 ? "listen 0.0.0.0:7" :
						     "none",
	    0, 1, "");
	(void)accept(listener, NULL, NULL);
}

/* ---- Sets ---- */

static int fds[8];

static void make_set(void)
{
	fds[0] = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	fds[1] = eventfd(0, EFD_CLOEXEC);
	make_pipe();
	fds[2] = ends[0];
	fds[6] = ends[1];
	set_loopback(AF_INET);
	listener = bound(SOCK_STREAM);
	check(!listen(listener, 4));
	fds[3] = connected();
	fds[4] = connected();
	fds[5] = inotify_init1(IN_CLOEXEC);
}

static int set_peer(void)
{
	int peer;

	make_set();
	peer = process(accept_two);
	close(listener);
	return peer;
}

static void polled(void)
{
	struct pollfd set[7];
	int peer = set_peer(), i;

	for (i = 0; i < 6; i++)
		set[i] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
	set[6] = (struct pollfd){ .fd = -1 };
	close(fds[6]);
	say("tcp", text_of(""), peer, 2, "eventfd, pipe, timer, inotify");
	(void)poll(set, 7, -1);
}

static void selected(void)
{
	fd_set set;

	make_pipe();
	fds[0] = ends[0];
	fds[2] = process(keep_writing_end);
	close(ends[1]);
	fds[1] = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	FD_ZERO(&set);
	FD_SET(fds[0], &set);
	FD_SET(fds[1], &set);
	say("pipe", "", fds[2], 1, "timer");
	(void)select(fds[1] + 1, &set, NULL, NULL, NULL);
}

static void epolled(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int peer = set_peer(), i, fd = epoll_create1(EPOLL_CLOEXEC);

	for (i = 3; i < 6; i++)
		check(!epoll_ctl(fd, EPOLL_CTL_ADD, fds[i], &event));
	say("tcp", text_of(""), peer, 2, "inotify");
	(void)epoll_wait(fd, &event, 1, -1);
}

static const struct row rows[] = {
	ROW(tcp), ROW(tcp6), ROW(unix_socket), ROW(tcp_accept),
	ROW(unix_accept), ROW(tcp_connect), ROW(unix_connect), ROW(udp),
	ROW(other_network), ROW(polled), ROW(selected), ROW(epolled),
};

int main(int argc, char **argv)
{
	(void)argv;
	return wait_for_each(rows, sizeof(rows) / sizeof(*rows), argc);
}
