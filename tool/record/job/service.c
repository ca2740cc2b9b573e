/* SPDX-License-Identifier: MIT */
/* Report counts of a long-running recorder. */
#include "record/job/service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "record/job/notify.h"

#define STATUS_NS 10000000000u /* interval for reports to the manager only */

/* Report the same text to both. */
static void report_counts(const struct tr2_service *s, const char *counts,
			  bool says)
{
	struct tr2_buf b = TR2_BUF_INIT;

	if (says)
		fprintf(stderr, "trace2 record: %s\n", counts);
	if (s->notifies) {
		tr2_buf_addlit(&b, "STATUS=");
		tr2_buf_addstr(&b, counts);
		tr2_notify(tr2_buf_str(&b));
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

	s->loop = loop;
	s->listen = listen;
	s->says = every_ns != 0;
	s->notifies = tr2_notify_wanted();
	s->timer.ready = on_timer;
	tr2_notify("READY=1");
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
	tr2_notify("STOPPING=1");
	s->listen = NULL;
}

void tr2_service_release(struct tr2_service *s)
{
	free(s->last);
	s->last = NULL;
}
