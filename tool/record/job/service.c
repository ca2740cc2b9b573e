/* SPDX-License-Identifier: MIT */
/* Report counts of a long-running recorder. */
#include "record/job/service.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"

#define VARIABLE "NOTIFY_SOCKET"

/*
 * Set the address to a path, or to an abstract name that begins with @. Return
 * its length; 0: `name` is neither.
 */
static socklen_t address_of(struct sockaddr_un *un, const char *name)
{
	size_t len = name ? strlen(name) : 0;

	if (len < 2 || len >= sizeof(un->sun_path) ||
	    (*name != '/' && *name != '@'))
		return 0;
	memset(un, 0, sizeof(*un));
	un->sun_family = AF_UNIX;
	memcpy(un->sun_path, name, len);
	if (*name == '@')
		un->sun_path[0] = '\0';
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
}

/* Send lines such as `READY=1` or `STATUS=…` to the service manager, without
 * waiting. */
static void notify(const char *text)
{
	struct sockaddr_un un;
	socklen_t len = address_of(&un, getenv(VARIABLE));
	int fd;

	if (!len)
		return;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	sendto(fd, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL,
	       (const struct sockaddr *)&un, len);
	close(fd);
}

#define STATUS_NS 10000000000u /* interval of reports if only the service
				* manager gets them */

/* Report the counts to the service manager and, if s->says, on stderr. */
static void report_counts(const struct tr2_service *s, const char *counts,
			  bool says)
{
	struct tr2_buf b = TR2_BUF_INIT;

	if (says)
		fprintf(stderr, "trace2 record: %s\n", counts);
	if (s->notifies) {
		tr2_buf_addlit(&b, "STATUS=");
		tr2_buf_addstr(&b, counts);
		notify(tr2_buf_str(&b));
	}
	tr2_buf_release(&b);
}

static void on_timer(struct tr2_source *source, uint32_t events)
{
	struct tr2_service *s = (struct tr2_service *)source;
	struct tr2_buf b = TR2_BUF_INIT;
	uint64_t ticks;

	(void)events;
	if (read(source->fd, &ticks, sizeof(ticks)) < 0)
		return;
	tr2_listen_counts(s->listen, &b);
	if (!s->last || strcmp(s->last, tr2_buf_str(&b)) != 0) {
		report_counts(s, tr2_buf_str(&b), s->says);
		free(s->last);
		s->last = strdup(tr2_buf_str(&b));
	}
	tr2_buf_release(&b);
}

int tr2_service_start(struct tr2_service *s, struct tr2_loop *loop,
		      struct tr2_listen *listen, uint64_t every_ns)
{
	uint64_t ns = every_ns ? every_ns : STATUS_NS;
	struct sockaddr_un un;

	s->loop = loop;
	s->listen = listen;
	s->says = every_ns != 0;
	s->notifies = address_of(&un, getenv(VARIABLE)) != 0;
	s->timer.ready = on_timer;
	notify("READY=1");
	if (!s->says && !s->notifies)
		return 0;
	return tr2_loop_add_timer(loop, &s->timer, ns, ns);
}

void tr2_service_say(struct tr2_service *s)
{
	struct tr2_buf b = TR2_BUF_INIT;

	if (!s->listen)
		return;
	tr2_listen_counts(s->listen, &b);
	report_counts(s, tr2_buf_str(&b), true);
	tr2_buf_release(&b);
}

void tr2_service_stop(struct tr2_service *s)
{
	if (!s->listen)
		return;
	tr2_loop_close(s->loop, &s->timer);
	notify("STOPPING=1");
	s->listen = NULL;
}

void tr2_service_release(struct tr2_service *s)
{
	free(s->last);
	s->last = NULL;
}
