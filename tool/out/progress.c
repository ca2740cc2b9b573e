/* SPDX-License-Identifier: MIT */
/*
 * progress - draw the bar at most ten times a second, and erase it at the end.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "out/progress.h"
#include "out/table.h"

#define FIRST_NS 500000000
#define BETWEEN_NS 100000000
#define BAR_WIDTH 30

void tr2_progress_start(struct tr2_progress *p, const char *verb)
{
	p->verb = verb;
	p->on = isatty(2);
	p->shown = false;
	p->start_ns = tr2_clock_now_ns();
	p->next_ns = p->start_ns + FIRST_NS;
}

static void draw_bar(const struct tr2_progress *p, uint64_t done)
{
	int full = 0, i;

	if (p->total)
		full = done >= p->total ? BAR_WIDTH :
					  (int)(done * BAR_WIDTH / p->total);
	fputs(" [", stderr);
	for (i = 0; i < BAR_WIDTH; i++)
		fputc(i < full ? '=' : ' ', stderr);
	fputs("] ", stderr);
}

static void draw_progress(const struct tr2_progress *p, uint64_t done)
{
	struct tr2_buf b = TR2_BUF_INIT;

	tr2_fmt_bytes(&b, done);
	fprintf(stderr, "\r%s", p->verb);
	draw_bar(p, done);
	fprintf(stderr, "%s\033[K", tr2_buf_str(&b));
	fflush(stderr);
	tr2_buf_release(&b);
}

void tr2_progress_step(struct tr2_progress *p, uint64_t done)
{
	uint64_t now, left_ns;
	struct tr2_buf b = TR2_BUF_INIT;

	if (!p->on)
		return;
	now = tr2_clock_now_ns();
	if (now < p->next_ns)
		return;
	p->next_ns = now + BETWEEN_NS;
	p->shown = true;
	fprintf(stderr, "\r%s %llu of %llu", p->verb,
		(unsigned long long)done + 1, (unsigned long long)p->total);
	draw_bar(p, done);
	if (done) {
		left_ns = (now - p->start_ns) / done * (p->total - done);
		tr2_fmt_ns_short(&b, (int64_t)left_ns);
		fprintf(stderr, "%s to go", tr2_buf_str(&b));
		tr2_buf_release(&b);
	}
	/* Erase the bar, so that CMD's output begins in the first column. */
	fputs("\033[K\r", stderr);
	fflush(stderr);
}

void tr2_progress_at(struct tr2_progress *p, uint64_t done_bytes)
{
	uint64_t now;

	if (!p->on)
		return;
	now = tr2_clock_now_ns();
	if (now < p->next_ns)
		return;
	p->next_ns = now + BETWEEN_NS;
	p->shown = true;
	draw_progress(p, done_bytes);
}

void tr2_progress_end(struct tr2_progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
