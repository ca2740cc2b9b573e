/* SPDX-License-Identifier: MIT */
/* Sort the records of tasks by time, and write them as JSON. */
#include "format/recording/tasklog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

enum field {
#define TR2_TASK_FIELD(key, type, value) FIELD_##key,
#include "common/order.h"
#include "format/recording/tasks.def"
};

/* For each kind of record: its name, and a bit for each of its fields. */
#define F(key) | 1u << FIELD_##key
#define M(key)
static const struct {
	const char *name;
	unsigned int fields;
} kinds[] = {
#define TR2_TASK(name, type, fields, meaning) { type, 0 fields },
#include "format/recording/tasks.def"
};

void tr2_tasklog_init(struct tr2_tasklog *log, int fd)
{
	memset(log, 0, sizeof(*log));
	log->fd = fd;
}

void tr2_tasklog_release(struct tr2_tasklog *log)
{
	size_t i;

	for (i = 0; i < log->nr; i++)
		free(log->held[i].more);
	free(log->held);
	tr2_buf_release(&log->text);
	if (log->fd >= 0)
		close(log->fd);
	tr2_tasklog_init(log, -1);
}

static void add_key(struct tr2_buf *b, const char *key)
{
	tr2_buf_addlit(b, ",\"");
	tr2_buf_addstr(b, key);
	tr2_buf_addlit(b, "\":");
}

#define add_INT(b, value) tr2_buf_add_u64(b, (uint64_t)(value))
#define add_STRING(b, value) tr2_json_add_string(b, value)
#define add_BOOL(b, value) tr2_buf_addstr(b, (value) ? "true" : "false")

static void add_line(struct tr2_buf *b, const struct tr2_task_event *e)
{
	unsigned int fields = kinds[e->kind].fields;

	tr2_buf_addlit(b, "{\"type\":\"");
	tr2_buf_addstr(b, kinds[e->kind].name);
	tr2_buf_addch(b, '"');
	add_key(b, "time_ns");
	tr2_buf_add_u64(b, e->time_ns);
#define TR2_TASK_FIELD(key, type, value)  \
	if (fields & 1u << FIELD_##key) { \
		add_key(b, #key);         \
		add_##type(b, value);     \
	}
#include "format/recording/tasks.def"
	if (e->more)
		tr2_buf_addstr(b, e->more);
	tr2_buf_addlit(b, "}\n");
}

void tr2_argv_add(struct tr2_buf *b, char text[TR2_ARGV_BYTES + 1], size_t size,
		  int32_t own_pid)
{
	bool cut = size > TR2_ARGV_BYTES;
	const char *p, *end;

	if (cut)
		size = TR2_ARGV_BYTES;
	/* End the last word: the text may have been cut or changed. */
	text[size] = '\0';
	end = text + size;
	tr2_buf_addlit(b, ",\"argv\":[");
	for (p = text; p < end; p += strlen(p) + 1) {
		if (p > text)
			tr2_buf_addch(b, ',');
		tr2_json_add_string(b, p);
	}
	tr2_buf_addch(b, ']');
	if (cut)
		tr2_buf_addlit(b, ",\"cut\":true");
	if (own_pid > 0) {
		add_key(b, "own_pid");
		tr2_buf_add_u64(b, (uint64_t)own_pid);
	}
}

static int write_text(int fd, const char *p, size_t len)
{
	ssize_t n;

	while (len) {
		n = write(fd, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Write the text. If the disk takes only a part of a line, remove that part. */
static void flush_text(struct tr2_tasklog *log, uint64_t nr_lines)
{
	struct tr2_buf *b = &log->text;

	if (!b->len)
		return;
	log->is_full |= log->max_bytes && log->bytes + b->len > log->max_bytes;
	if (b->failed || log->is_full || log->fd < 0) {
		log->lost += nr_lines;
	} else if (write_text(log->fd, b->p, b->len)) {
		log->lost += nr_lines;
		if (!log->write_errno)
			log->write_errno = errno;
		if (ftruncate(log->fd, (off_t)log->bytes) ||
		    lseek(log->fd, (off_t)log->bytes, SEEK_SET) < 0) {
			close(log->fd);
			log->fd = -1;
		}
	} else {
		log->bytes += b->len;
	}
	tr2_buf_reset(b);
}

TR2_ORDER(by_time, struct tr2_task_event, TR2_UP(time_ns))

/* Write the first nr held records. Records must be sorted. */
static void write_first(struct tr2_tasklog *log, size_t nr)
{
	uint64_t nr_lines = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		add_line(&log->text, &log->held[i]);
		free(log->held[i].more);
		nr_lines++;
		if (log->text.len >= 65536) {
			flush_text(log, nr_lines);
			nr_lines = 0;
		}
	}
	flush_text(log, nr_lines);
	memmove(log->held, log->held + nr, (log->nr - nr) * sizeof(*log->held));
	log->nr -= nr;
}

void tr2_tasklog_write(struct tr2_tasklog *log, uint64_t time_ns)
{
	size_t nr = 0;

	if (!log->nr)
		return;
	qsort(log->held, log->nr, sizeof(*log->held), by_time);
	while (nr < log->nr && (log->held[nr].time_ns < time_ns ||
				time_ns == UINT64_MAX))
		nr++;
	write_first(log, nr);
}

static bool make_room(struct tr2_tasklog *log)
{
	size_t alloc = log->alloc ? log->alloc * 2 : 256;
	struct tr2_task_event *held;

	if (log->nr < log->alloc)
		return true;
	if (alloc <= TR2_TASKLOG_HELD) {
		held = realloc(log->held, alloc * sizeof(*held));
		if (held) {
			log->held = held;
			log->alloc = alloc;
			return true;
		}
	}
	if (!log->nr)
		return false;
	qsort(log->held, log->nr, sizeof(*log->held), by_time);
	write_first(log, (log->nr + 1) / 2);
	return true;
}

void tr2_tasklog_add(struct tr2_tasklog *log,
		     const struct tr2_task_event *event)
{
	if (make_room(log)) {
		log->held[log->nr++] = *event;
		return;
	}
	free(event->more);
	log->lost++;
}
