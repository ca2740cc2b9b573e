/* SPDX-License-Identifier: MIT */
/* Times, and memory, for all renderers. */
#include "event/render.h"

#include "base/clock.h"
#include "base/local_time.h"
#include "base/put.h"
#include "event/redact.h"
#include "event/render_internal.h"
#include "event/template.h"

void tr2_render_prepare(bool normal, bool perf)
{
	tr2_templates_prepare(normal, perf);
}

void tr2_render_release(struct tr2_render *r)
{
	tr2_buf_release(&r->line);
	tr2_buf_release(&r->redacted);
}

static void add_civil(struct tr2_buf *b, uint64_t seconds, const char *dash,
		      const char *colon)
{
	struct tr2_civil c;

	tr2_clock_civil(&c, seconds);
	tr2_buf_add_digits(b, c.year, 4);
	tr2_buf_addstr(b, dash);
	tr2_buf_add_digits(b, c.month, 2);
	tr2_buf_addstr(b, dash);
	tr2_buf_add_digits(b, c.day, 2);
	tr2_buf_addch(b, 'T');
	tr2_buf_add_digits(b, c.hour, 2);
	tr2_buf_addstr(b, colon);
	tr2_buf_add_digits(b, c.minute, 2);
	tr2_buf_addstr(b, colon);
	tr2_buf_add_digits(b, c.second, 2);
	tr2_buf_addch(b, '.');
}

void tr2_render_time_compact(struct tr2_buf *b, uint64_t wall_us)
{
	add_civil(b, wall_us / TR2_US_PER_S, "", "");
	tr2_buf_add_digits(b, wall_us % TR2_US_PER_S, 6);
	tr2_buf_addch(b, 'Z');
}

void tr2_render_time_utc(struct tr2_buf *b, uint64_t wall_us)
{
	add_civil(b, wall_us / TR2_US_PER_S, "-", ":");
	tr2_buf_add_digits(b, wall_us % TR2_US_PER_S, 6);
	tr2_buf_addch(b, 'Z');
}

void tr2_render_new_utc(struct tr2_render *r, uint64_t wall_us)
{
	struct tr2_buf text;
	char memory[32];

	tr2_buf_init_fixed(&text, memory, sizeof(memory));
	add_civil(&text, wall_us / TR2_US_PER_S, "-", ":");
	memcpy(r->utc, memory, sizeof(r->utc));
	r->utc_end_us = (wall_us / TR2_US_PER_S + 1) * TR2_US_PER_S;
}

void tr2_render_new_local(struct tr2_render *r, uint64_t wall_us)
{
	uint64_t second = wall_us / TR2_US_PER_S;
	struct tr2_civil c;

	tr2_clock_civil(&c, second + (uint64_t)tr2_zone_offset(second));
	tr2_put_2(r->local, c.hour);
	r->local[2] = ':';
	tr2_put_2(r->local + 3, c.minute);
	r->local[5] = ':';
	tr2_put_2(r->local + 6, c.second);
	r->local_end_us = (second + 1) * TR2_US_PER_S;
}

const char *tr2_render_word(struct tr2_render *r, const char *const *argv,
			    const char *const *word, size_t *len)
{
	*len = strlen(*word);
	if (!r->redact)
		return *word;
	return tr2_redact_word(&r->redacted, word == argv ? NULL : *argv,
			       word == argv ? NULL : word[-1], *word, len);
}

const char *tr2_render_shown(struct tr2_render *r, const char *s, size_t *len)
{
	return r->redact ? tr2_redact(&r->redacted, s, len) : s;
}
