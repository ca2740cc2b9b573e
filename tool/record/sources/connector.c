/* SPDX-License-Identifier: MIT */
/* The kernel's process connector: a netlink socket with a filter. */
#include "record/sources/connector.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/macros.h"
#include "record/elevate.h"
#include "record/refusal.h"

#define RECEIVE_BYTES (4 << 20)
#define ACK_MS 50

#define EVENT_AT (NLMSG_HDRLEN + sizeof(struct cn_msg))
#define FIELD_AT(field) \
	((uint32_t)(EVENT_AT + offsetof(struct proc_event, field)))

/* The filter loads words in network order; the events are in host order. */
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIELD_AT(field))
#define IF_EQUAL(value, yes, no) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(value), yes, no)
#define DROP BPF_STMT(BPF_RET | BPF_K, 0)
#define KEEP BPF_STMT(BPF_RET | BPF_K, 0xffffffff)

static int set_filter(int fd, enum tr2_connector_events events)
{
	struct sock_filter all[] = {
		LOAD(what),
		IF_EQUAL(PROC_EVENT_NONE, 4, 0),
		IF_EQUAL(PROC_EVENT_FORK, 3, 0),
		IF_EQUAL(PROC_EVENT_EXEC, 2, 0),
		IF_EQUAL(PROC_EVENT_EXIT, 1, 0),
		DROP,
		KEEP,
	};
	struct sock_filter execs[] = {
		LOAD(what),
		IF_EQUAL(PROC_EVENT_NONE, 2, 0),
		IF_EQUAL(PROC_EVENT_EXEC, 1, 0),
		DROP,
		KEEP,
	};
	struct sock_filter exits[] = {
		LOAD(what),
		IF_EQUAL(PROC_EVENT_NONE, 6, 0),
		IF_EQUAL(PROC_EVENT_EXIT, 0, 4),
		LOAD(event_data.exit.process_pid),
		BPF_STMT(BPF_MISC | BPF_TAX, 0),
		LOAD(event_data.exit.process_tgid),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_X, 0, 1, 0),
		DROP,
		KEEP,
	};
	const struct sock_fprog programs[] = {
		[TR2_CONNECTOR_ALL] = { ARRAY_SIZE(all), all },
		[TR2_CONNECTOR_EXECS] = { ARRAY_SIZE(execs), execs },
		[TR2_CONNECTOR_EXITS] = { ARRAY_SIZE(exits), exits },
	};

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &programs[events],
			  sizeof(programs[events]));
}

/* Send a request with this number. Every listener receives the kernel's answers
 * to all listeners. The answer to this request has the number plus one. */
static int ask_connector(int fd, uint32_t number)
{
	char packet[NLMSG_SPACE(sizeof(struct cn_msg) + sizeof(uint32_t))]
		__attribute__((aligned(NLMSG_ALIGNTO)));
	struct nlmsghdr *h = (struct nlmsghdr *)packet;
	struct cn_msg msg;
	uint32_t op = PROC_CN_MCAST_LISTEN;

	memset(packet, 0, sizeof(packet));
	memset(&msg, 0, sizeof(msg));
	h->nlmsg_len = NLMSG_LENGTH(sizeof(msg) + sizeof(op));
	h->nlmsg_type = NLMSG_DONE;
	msg.id.idx = CN_IDX_PROC;
	msg.id.val = CN_VAL_PROC;
	msg.seq = msg.ack = number;
	msg.len = sizeof(op);
	memcpy(NLMSG_DATA(h), &msg, sizeof(msg));
	memcpy((char *)NLMSG_DATA(h) + sizeof(msg), &op, sizeof(op));
	return send(fd, packet, h->nlmsg_len, 0) < 0 ? -1 : 0;
}

#define MOST_PACKETS 16

struct packet {
	char bytes[256] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct sockaddr_nl from;
	size_t size;
};

/* Receive at most `nr` packets. Return their number; -1: errno (EAGAIN:
 * none). */
static int receive(int fd, struct packet *packets, unsigned int nr)
{
	struct mmsghdr messages[MOST_PACKETS];
	struct iovec parts[MOST_PACKETS];
	unsigned int i;
	int n;

	for (i = 0; i < nr; i++) {
		parts[i] = (struct iovec){ packets[i].bytes,
					   sizeof(packets[i].bytes) };
		messages[i] = (struct mmsghdr){ .msg_hdr = {
			.msg_name = &packets[i].from,
			.msg_namelen = sizeof(packets[i].from),
			.msg_iov = &parts[i],
			.msg_iovlen = 1,
		} };
	}
	do
		n = recvmmsg(fd, messages, nr, MSG_DONTWAIT, NULL);
	while (n < 0 && errno == EINTR);
	for (i = 0; (int)i < n; i++)
		packets[i].size = messages[i].msg_len;
	return n;
}

/* Return false if the packet is not an event of the kernel. */
static bool read_packet(const struct packet *p, struct proc_event *event,
			struct cn_msg *msg)
{
	size_t size;

	if (p->size < EVENT_AT || p->from.nl_pid)
		return false;
	memcpy(msg, p->bytes + NLMSG_HDRLEN, sizeof(*msg));
	if (msg->id.idx != CN_IDX_PROC || msg->id.val != CN_VAL_PROC)
		return false;
	size = p->size - EVENT_AT;
	memset(event, 0, sizeof(*event));
	memcpy(event, p->bytes + EVENT_AT,
	       size < sizeof(*event) ? size : sizeof(*event));
	return size >= offsetof(struct proc_event, event_data);
}

/* Wait until the kernel accepts or rejects the request. Limit the wait: the
 * kernel may never answer, while events and other listeners' answers still
 * arrive. */
static int wait_for_ack(int fd, uint32_t number)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t from_ns = tr2_clock_now_ns();
	struct proc_event event;
	struct packet packet;
	struct cn_msg answer;
	int n;

	while (tr2_clock_now_ns() - from_ns < ACK_MS * UINT64_C(1000000) &&
	       poll(&p, 1, ACK_MS) > 0) {
		n = receive(fd, &packet, 1);
		if (n < 0 && errno != ENOBUFS && errno != EAGAIN)
			return -1;
		if (n <= 0 || !read_packet(&packet, &event, &answer) ||
		    event.what != PROC_EVENT_NONE || answer.ack != number + 1)
			continue;
		errno = (int)event.event_data.ack.err;
		return errno ? -1 : 0;
	}
	errno = EPERM;
	return -1;
}

static void handle_event(struct tr2_connector *c, const struct proc_event *from)
{
	struct tr2_task_event e = { .time_ns = from->timestamp_ns };
	int status = 0;

	if (from->what == PROC_EVENT_FORK) {
		e.kind = TR2_TASK_FORK;
		e.pid = from->event_data.fork.child_tgid;
		e.tid = from->event_data.fork.child_pid;
		e.ppid = from->event_data.fork.parent_tgid;
		e.ptid = from->event_data.fork.parent_pid;
	} else if (from->what == PROC_EVENT_EXEC) {
		e.kind = TR2_TASK_EXEC;
		e.pid = from->event_data.exec.process_tgid;
		e.tid = from->event_data.exec.process_pid;
	} else if (from->what == PROC_EVENT_EXIT) {
		e.kind = TR2_TASK_EXIT;
		e.pid = from->event_data.exit.process_tgid;
		e.tid = from->event_data.exit.process_pid;
		e.ppid = from->event_data.exit.parent_tgid;
		e.ptid = from->event_data.exit.parent_pid;
		status = (int)from->event_data.exit.exit_code;
	} else {
		return;
	}
	c->take(c->data, &e, status);
}

static void read_socket(struct tr2_connector *c, int fd)
{
	struct packet packets[MOST_PACKETS];
	struct proc_event event;
	struct cn_msg msg;
	int n, i;

	do {
		n = receive(fd, packets, MOST_PACKETS);
		for (i = 0; i < n; i++)
			if (read_packet(&packets[i], &event, &msg))
				handle_event(c, &event);
		c->lost += n < 0 && errno == ENOBUFS;
	} while (n == MOST_PACKETS || (n < 0 && errno == ENOBUFS));
}

/* Read exits first: the kernel reuses a pid only after its process's exit. */
void tr2_connector_read(struct tr2_connector *c)
{
	if (c->exits_fd >= 0)
		read_socket(c, c->exits_fd);
	if (c->source.fd >= 0)
		read_socket(c, c->source.fd);
}

void tr2_connector_wait(struct tr2_connector *c, int ms)
{
	struct pollfd p = {
		.fd = c->exits_fd >= 0 ? c->exits_fd : c->source.fd,
		.events = POLLIN,
	};

	poll(&p, 1, ms);
}

static void connector_ready(struct tr2_source *source, uint32_t events)
{
	(void)events;
	tr2_connector_read((struct tr2_connector *)source);
}

static int listen_on(int fd, enum tr2_connector_events events)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK,
				       .nl_groups = CN_IDX_PROC };
	int bytes = RECEIVE_BYTES;
	uint32_t number = 0;

	/* Ignore a failure: with a small buffer, more events are lost, and the
	 * losses are counted. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	if (set_filter(fd, events) ||
	    bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return -1;
	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) < 0)
		number = (uint32_t)getpid();
	return ask_connector(fd, number) ? -1 : wait_for_ack(fd, number);
}

int tr2_connector_listen(int events)
{
	int fd, err;

	errno = EINVAL;
	if (events < TR2_CONNECTOR_ALL || events > TR2_CONNECTOR_EXITS)
		return -1;
	fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_CONNECTOR);
	if (fd < 0 || !listen_on(fd, (enum tr2_connector_events)events))
		return fd;
	err = errno;
	close(fd);
	errno = err;
	return -1;
}

/* Return false with errno. */
static bool open_socket(int *fd, enum tr2_connector_events events)
{
	*fd = tr2_elevate_runs() ? tr2_elevate_connector(events) :
				   tr2_connector_listen(events);
	return *fd >= 0;
}

void tr2_connector_init(struct tr2_connector *c)
{
	c->source.fd = c->exits_fd = -1;
}

/* Does a namespace keep the kernel from answering? The kernel answers only
 * processes in the initial namespaces; in others the recorder would wait in
 * vain. */
static bool namespace_forbids(struct tr2_connector *c)
{
	const char *what = !tr2_in_first_namespace("pid")  ? "pid" :
			   !tr2_in_first_namespace("user") ? "user" : NULL;

	if (what)
		snprintf(c->why_not, sizeof(c->why_not),
			 "process connector: not in a %s namespace, such as a "
			 "container's", what);
	return what;
}

static bool open_sockets(struct tr2_connector *c,
			 enum tr2_connector_events events)
{
	if (events != TR2_CONNECTOR_ALL &&
	    !open_socket(&c->exits_fd, TR2_CONNECTOR_EXITS))
		return false;
	return events == TR2_CONNECTOR_EXITS ||
	       (open_socket(&c->source.fd, events) &&
		!tr2_loop_add(c->loop, &c->source, EPOLLIN));
}

bool tr2_connector_open(struct tr2_connector *c, struct tr2_loop *loop,
			enum tr2_connector_events events)
{
	c->loop = loop;
	c->source.ready = connector_ready;
	if (namespace_forbids(c))
		return false;
	if (open_sockets(c, events))
		return true;
	snprintf(c->why_not, sizeof(c->why_not), "process connector: %s",
		 strerror(errno));
	tr2_connector_release(c);
	return false;
}

void tr2_connector_release(struct tr2_connector *c)
{
	if (c->source.fd >= 0)
		tr2_loop_close(c->loop, &c->source);
	if (c->exits_fd >= 0)
		close(c->exits_fd);
	tr2_connector_init(c);
}
