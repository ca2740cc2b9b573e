/* SPDX-License-Identifier: MIT */
/*
 * Collect lines from clients, and choose the file of each line. listen_socket.c
 * creates and removes the sockets.
 */
#include "record/streams/listen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "format/events/event_json.h"
#include "format/read.h"
#include "out/table.h"

#define CHUNK_BYTES (256u << 10) /* the maximum size of a datagram */
#define ACCEPTS_A_TURN 64
/* at the end, read at most this much of a client that does not stop writing */
#define LAST_BYTES (16u << 20)
#define LAST_CLIENTS 4096
#define PAUSE_NS 100000000u
#define FINISH_SECONDS 10

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c && strchr("._+-", c));
}

static bool is_safe_name(const char *p, size_t len)
{
	size_t i;

	if (!len || len > 128 || *p == '.')
		return false;
	for (i = 0; i < len; i++)
		if (!is_name_char(p[i]))
			return false;
	if (len == sizeof(TR2_DISCARD) - 1 && !memcmp(p, TR2_DISCARD, len))
		return false;
	return len < 8 || memcmp(p, "unknown-", 8);
}

/*
 * Set `name` to the file for a line of len bytes: the last component of its
 * SID. Return false if the line has no SID, or if that component is not safe as
 * a file name.
 */
static bool name_of(const char *line, size_t len, char name[TR2_SINK_NAME])
{
	const char *sid, *slash;
	size_t n;

	if (!len || *line != '{' || !tr2_event_json_sid(line, len, &sid, &n))
		return false;
	slash = memrchr(sid, '/', n);
	if (slash) {
		n -= (size_t)(slash + 1 - sid);
		sid = slash + 1;
	}
	if (!is_safe_name(sid, n))
		return false;
	memcpy(name, sid, n);
	name[n] = '\0';
	return true;
}

/* Name a new file for lines without a SID. Each client has one such file, up to
 * a limit of files. */
static void name_unknown(struct tr2_listen *l, char name[TR2_SINK_NAME])
{
	if (l->nr_unknown < TR2_LISTEN_UNKNOWN)
		l->nr_unknown++;
	snprintf(name, TR2_SINK_NAME, "unknown-%u", l->nr_unknown);
}

/* Pass lines for one file to the sink and to the forwarder. */
static void pass_lines(struct tr2_listen *l, uint64_t client, const char *name,
		       const char *p, size_t len, uint64_t nr_lines)
{
	tr2_sink_add(&l->sink, name, p, len, nr_lines);
	tr2_forward_add(l->forward, client, p, len, nr_lines);
}

/*
 * Pass on whole lines; consecutive lines for one file go together. `name` is
 * the file of this client's last line. Lines without a SID go to that file,
 * too. client: the client's number; 0: a datagram.
 */
static void read_lines(struct tr2_listen *l, uint64_t client,
		       char name[TR2_SINK_NAME], const char *p, size_t len)
{
	const char *end = p + len, *run = p, *next;
	char own[TR2_SINK_NAME];
	uint64_t nr_lines = 0;

	for (; p < end; p = next) {
		next = memchr(p, '\n', (size_t)(end - p));
		next = next ? next + 1 : end;
		if (!name_of(p, (size_t)(next - p), own)) {
			if (!*name)
				name_unknown(l, name);
		} else if (strcmp(own, name)) {
			if (nr_lines)
				pass_lines(l, client, name, run,
					   (size_t)(p - run), nr_lines);
			memcpy(name, own, sizeof(own));
			run = p;
			nr_lines = 0;
		}
		nr_lines++;
	}
	if (nr_lines)
		pass_lines(l, client, name, run, (size_t)(end - run), nr_lines);
}

static void drop_partial(struct tr2_client *c)
{
	c->listen->partial_bytes -= c->alloc_partial;
	free(c->partial);
	c->partial = NULL;
	c->nr_partial = c->alloc_partial = 0;
}

static bool grow_partial(struct tr2_client *c, size_t need)
{
	size_t alloc = c->alloc_partial ? c->alloc_partial : 1024, more;
	char *p;

	while (alloc < need)
		alloc *= 2;
	more = alloc - c->alloc_partial;
	if (!more)
		return true;
	if (c->listen->partial_bytes + more > TR2_LISTEN_PARTIAL)
		return false;
	p = realloc(c->partial, alloc);
	if (!p)
		return false;
	c->partial = p;
	c->alloc_partial = alloc;
	c->listen->partial_bytes += more;
	return true;
}

/* Keep a part of a line. If that is impossible, drop and count the whole
 * line. */
static void add_partial(struct tr2_client *c, const char *p, size_t len)
{
	bool too_long = len > TR2_LISTEN_LINE - c->nr_partial;

	if (c->skipping || !len)
		return;
	if (!too_long && grow_partial(c, c->nr_partial + len)) {
		memcpy(c->partial + c->nr_partial, p, len);
		c->nr_partial += len;
		return;
	}
	tr2_sink_lose(&c->listen->sink,
		      too_long ? TR2_LOSS_TOO_LONG : TR2_LOSS_NO_MEMORY, 1);
	drop_partial(c);
	c->skipping = true;
}

/* Complete a line that began earlier: p[0..len) with its newline. */
static void end_partial(struct tr2_client *c, const char *p, size_t len)
{
	add_partial(c, p, len);
	if (c->nr_partial)
		read_lines(c->listen, c->number, c->name, c->partial,
			   c->nr_partial);
	drop_partial(c);
	c->skipping = false;
}

static void read_bytes(struct tr2_client *c, const char *p, size_t len)
{
	const char *last = memrchr(p, '\n', len), *first;
	size_t n;

	if (!last) {
		add_partial(c, p, len);
		return;
	}
	if (c->nr_partial || c->skipping) {
		first = memchr(p, '\n', len);
		n = (size_t)(first + 1 - p);
		end_partial(c, p, n);
		p += n;
		len -= n;
	}
	n = (size_t)(last + 1 - p);
	if (n)
		read_lines(c->listen, c->number, c->name, p, n);
	add_partial(c, p + n, len - n);
}

static void unlink_client(struct tr2_client *c)
{
	struct tr2_listen *l = c->listen;

	*(c->prev ? &c->prev->next : &l->first) = c->next;
	*(c->next ? &c->next->prev : &l->last) = c->prev;
}

static void link_client_last(struct tr2_client *c)
{
	struct tr2_listen *l = c->listen;

	c->next = NULL;
	c->prev = l->last;
	*(l->last ? &l->last->next : &l->first) = c;
	l->last = c;
}

/* Close a client. If its last line is incomplete, pass it on as a line. */
static void close_client(struct tr2_client *c)
{
	if (c->nr_partial)
		end_partial(c, "\n", 1);
	drop_partial(c);
	tr2_forward_close(c->listen->forward, c->number);
	unlink_client(c);
	tr2_loop_close(c->listen->loop, &c->source);
	free(c);
}

/* Shared by all clients: each read is processed before the next. */
static char chunk[CHUNK_BYTES];

/* Read from a client. Return the number of bytes; 0: no bytes have arrived; -1:
 * the client has closed its connection. */
static ssize_t read_client(struct tr2_client *c)
{
	ssize_t n = read(c->source.fd, chunk, sizeof(chunk));

	if (n > 0)
		read_bytes(c, chunk, (size_t)n);
	else if (!n)
		n = -1;
	else if (errno == EAGAIN || errno == EINTR)
		n = 0;
	return n;
}

static void client_ready(struct tr2_source *source, uint32_t events)
{
	struct tr2_client *c = (struct tr2_client *)source;

	(void)events;
	unlink_client(c);
	link_client_last(c);
	if (read_client(c) < 0)
		close_client(c);
}

static void add_client(struct tr2_listen *l, int fd)
{
	struct tr2_client *c = calloc(1, sizeof(*c));

	if (!c) {
		close(fd);
		tr2_sink_lose(&l->sink, TR2_LOSS_NO_MEMORY, 1);
		return;
	}
	c->source.fd = fd;
	c->source.ready = client_ready;
	c->listen = l;
	link_client_last(c);
	c->number = ++l->nr_clients;
	if (tr2_loop_add(l->loop, &c->source, EPOLLIN)) {
		tr2_sink_lose(&l->sink, TR2_LOSS_NO_MEMORY, 1);
		close_client(c);
	}
}

static void resume(struct tr2_source *source, uint32_t events)
{
	struct tr2_listen *l = (void *)((char *)source -
				       offsetof(struct tr2_listen, pause));
	size_t i;

	(void)events;
	tr2_loop_close(l->loop, source);
	for (i = 0; i < l->nr_listeners; i++)
		tr2_loop_change(l->loop, &l->listeners[i].source, EPOLLIN);
}

/* Make room for a new client, since no descriptor is free: close the client
 * that was silent for longest. Without clients, stop accepting for a while. */
static void make_room(struct tr2_listen *l, struct tr2_listener *s)
{
	if (l->first) {
		l->evicted++;
		close_client(l->first);
		return;
	}
	if (l->pause.fd >= 0)
		return;
	l->pause.ready = resume;
	if (!tr2_loop_add_timer(l->loop, &l->pause, PAUSE_NS, 0))
		tr2_loop_change(l->loop, &s->source, 0);
}

/* Accept a client. Return 1 if the caller shall call again; 0: no client waits,
 * or none can be accepted now. */
static int accept_one(struct tr2_listener *s)
{
	int fd = accept4(s->source.fd, NULL, NULL,
			 SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd >= 0) {
		add_client(s->listen, fd);
		return 1;
	}
	if (errno == EINTR || errno == ECONNABORTED)
		return 1;
	if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
	    errno == ENOMEM)
		make_room(s->listen, s);
	return 0;
}

/* Read a datagram. Datagrams have many senders, so a SID does not apply to
 * lines of the next datagram. */
static void read_datagram(struct tr2_listener *s, size_t len)
{
	char name[TR2_SINK_NAME];

	memcpy(name, s->name, sizeof(name));
	read_lines(s->listen, 0, name, chunk, len);
	if (!*s->name && !strncmp(name, "unknown-", 8))
		memcpy(s->name, name, sizeof(name));
}

/* Receive a datagram. Return 1 if the caller shall call again; 0: no datagram
 * is left. */
static int receive_one(struct tr2_listener *s)
{
	struct tr2_listen *l = s->listen;
	/* Leave room for a newline, one byte. */
	ssize_t n = recv(s->source.fd, chunk, sizeof(chunk) - 1,
			 MSG_TRUNC | MSG_DONTWAIT);

	if (n < 0)
		return errno == EINTR;
	if ((size_t)n > sizeof(chunk) - 1) {
		tr2_sink_lose(&l->sink, TR2_LOSS_TOO_LONG, 1);
		return 1;
	}
	if (n && chunk[n - 1] != '\n')
		chunk[n++] = '\n';
	if (n)
		read_datagram(s, (size_t)n);
	return 1;
}

static int read_one(struct tr2_listener *s)
{
	return s->dgram ? receive_one(s) : accept_one(s);
}

static void listener_ready(struct tr2_source *source, uint32_t events)
{
	struct tr2_listener *s = (struct tr2_listener *)source;
	int i;

	(void)events;
	for (i = 0; i < ACCEPTS_A_TURN; i++)
		if (!read_one(s))
			break;
}

int tr2_listen_start(struct tr2_listen *l, const struct tr2_rotate *rotate,
		     uint64_t max_bytes)
{
	size_t i;

	if (tr2_sink_start(&l->sink, rotate, max_bytes))
		return -1;
	for (i = 0; i < l->nr_listeners; i++) {
		l->listeners[i].source.ready = listener_ready;
		if (tr2_loop_add(l->loop, &l->listeners[i].source, EPOLLIN))
			return -1;
	}
	return 0;
}

static void drain_client(struct tr2_client *c)
{
	size_t taken = 0;
	ssize_t n;

	while (taken < LAST_BYTES && (n = read_client(c)) > 0)
		taken += (size_t)n;
	close_client(c);
}

void tr2_listen_finish(struct tr2_listen *l)
{
	size_t i;
	int n;

	for (i = 0; i < l->nr_listeners; i++)
		for (n = 0; n < LAST_CLIENTS; n++)
			if (!read_one(&l->listeners[i]))
				break;
	while (l->first)
		drain_client(l->first);
	for (i = 0; i < l->nr_listeners; i++)
		tr2_listener_remove(l->loop, &l->listeners[i]);
	if (l->pause.fd >= 0)
		tr2_loop_close(l->loop, &l->pause);
	tr2_sink_finish(&l->sink, FINISH_SECONDS);
}

static void add_count(struct tr2_buf *b, uint64_t n, const char *noun)
{
	tr2_buf_add_u64(b, n);
	tr2_buf_addch(b, ' ');
	tr2_buf_addstr(b, noun);
}

static uint64_t nr_connected(const struct tr2_listen *l)
{
	const struct tr2_client *c;
	uint64_t nr = 0;

	for (c = l->first; c; c = c->next)
		nr++;
	return nr;
}

/* Append the losses, for example `17 lost (queue_full 12, too_long 5)`. */
static void add_losses(struct tr2_buf *b, const uint64_t lost[TR2_LOSS_NR])
{
	uint64_t sum = 0;
	bool first = true;
	int i;

	for (i = 0; i < TR2_LOSS_NR; i++)
		sum += lost[i];
	add_count(b, sum, "lost");
	for (i = 0; i < TR2_LOSS_NR; i++) {
		if (!lost[i])
			continue;
		tr2_buf_addstr(b, first ? " (" : ", ");
		tr2_buf_addstr(b, tr2_loss_names[i]);
		tr2_buf_addch(b, ' ');
		tr2_buf_add_u64(b, lost[i]);
		first = false;
	}
	tr2_buf_addstr(b, first ? "" : ")");
}

void tr2_listen_counts(struct tr2_listen *l, struct tr2_buf *b)
{
	struct tr2_sink *s = &l->sink;

	tr2_buf_add_u64(b, nr_connected(l));
	tr2_buf_addlit(b, " of ");
	add_count(b, l->nr_clients, "clients connected, ");
	add_count(b, s->lines, "events, ");
	tr2_fmt_bytes(b, s->bytes);
	pthread_mutex_lock(&s->lock);
	tr2_buf_addlit(b, ", ");
	add_count(b, s->queued_lines, "waiting for the disk, ");
	add_losses(b, s->lost);
	if (s->removed) {
		tr2_buf_addlit(b, "; ");
		add_count(b, s->removed, s->removed == 1 ?
			  "directory removed" : "directories removed");
	}
	pthread_mutex_unlock(&s->lock);
	if (l->forward) {
		tr2_buf_addlit(b, "; ");
		tr2_forward_counts(l->forward, b);
	}
}
