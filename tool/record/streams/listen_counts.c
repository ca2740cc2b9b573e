/* SPDX-License-Identifier: MIT */
/*
 * The counts that a long-running recorder reports.
 */
#include "base/buf.h"
#include "out/table.h"
#include "record/streams/listen.h"

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

/* Add `17 lost (queue_full 12, too_long 5)`. */
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
