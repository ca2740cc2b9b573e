/* SPDX-License-Identifier: MIT */
/* chrome_events - write single events of Trace Event JSON. */
#include <string.h>

#include "export/profile/chrome.h"

static void add_us(struct tr2_buf *b, int64_t ns)
{
	uint64_t magnitude = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	if (ns < 0)
		tr2_buf_addch(b, '-');
	tr2_buf_add_u64(b, magnitude / 1000);
	tr2_buf_addch(b, '.');
	tr2_buf_add_digits(b, magnitude % 1000, 3);
}

struct tr2_buf *tr2_chrome_open_event(struct tr2_export *x, char phase,
				  uint32_t pid, uint32_t tid)
{
	struct tr2_chrome *c = x->state;
	struct tr2_buf *b = &x->sink.buf;

	tr2_buf_addstr(b, c->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	c->any = true;
	tr2_buf_addch(b, phase);
	tr2_buf_addlit(b, "\",\"pid\":");
	tr2_buf_add_u64(b, pid);
	tr2_buf_addlit(b, ",\"tid\":");
	tr2_buf_add_u64(b, tid);
	return b;
}

void tr2_chrome_add_time(struct tr2_export *x, int64_t wall_ns)
{
	const struct tr2_chrome *c = x->state;

	tr2_buf_addlit(&x->sink.buf, ",\"ts\":");
	add_us(&x->sink.buf, wall_ns - c->origin_ns);
}

void tr2_chrome_add_name(struct tr2_export *x, const char *name)
{
	tr2_buf_addlit(&x->sink.buf, ",\"name\":");
	tr2_json_add_string(&x->sink.buf, name);
}

size_t tr2_chrome_open_args(struct tr2_buf *b)
{
	tr2_buf_addlit(b, ",\"args\":{");
	return b->len;
}

void tr2_chrome_close_args(struct tr2_buf *b, size_t start)
{
	if (b->len > start && !b->failed) {
		memmove(b->p + start, b->p + start + 1, b->len - start - 1);
		b->len--;
	}
	tr2_buf_addlit(b, "}}");
}

void tr2_chrome_metadata(struct tr2_export *x, const char *name, uint32_t pid,
		     uint32_t tid, const char *key, const char *text)
{
	struct tr2_buf *b = tr2_chrome_open_event(x, 'M', pid, tid);
	size_t args;

	tr2_chrome_add_name(x, name);
	args = tr2_chrome_open_args(b);
	tr2_buf_addlit(b, ",\"");
	tr2_buf_addstr(b, key);
	tr2_buf_addlit(b, "\":");
	tr2_json_add_string(b, text);
	tr2_chrome_close_args(b, args);
}

void tr2_chrome_sort_index(struct tr2_export *x, const char *name, uint32_t pid,
		       uint32_t tid, uint32_t index)
{
	struct tr2_buf *b = tr2_chrome_open_event(x, 'M', pid, tid);
	size_t args;

	tr2_chrome_add_name(x, name);
	args = tr2_chrome_open_args(b);
	tr2_export_json_int(b, "sort_index", index);
	tr2_chrome_close_args(b, args);
}

struct tr2_buf *tr2_chrome_open_slice(struct tr2_export *x, const struct tr2_chrome_slice *s,
				  const char *category, const char *name)
{
	struct tr2_buf *b = tr2_chrome_open_event(x, 'X', s->pid, s->tid);

	tr2_chrome_add_time(x, s->start_ns);
	tr2_buf_addlit(b, ",\"dur\":");
	add_us(b, s->end_ns - s->start_ns);
	tr2_export_json_str(x, b, "cat", category);
	tr2_chrome_add_name(x, name);
	return b;
}

void tr2_chrome_flow(struct tr2_export *x, char phase, const char *name,
		     uint32_t id, const struct tr2_chrome_slice *at)
{
	struct tr2_buf *b = tr2_chrome_open_event(x, phase, at->pid, at->tid);

	tr2_chrome_add_time(x, at->start_ns);
	tr2_export_json_int(b, "id", id);
	tr2_buf_addstr(b, phase == 'f' ? ",\"bp\":\"e\"" : "");
	tr2_export_json_str(x, b, "cat", name);
	tr2_chrome_add_name(x, name);
	tr2_buf_addch(b, '}');
}
