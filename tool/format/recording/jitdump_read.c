/* SPDX-License-Identifier: MIT */
/* jitdump_read - read the records of functions that a process made or moved. */
#include "format/recording/jitdump_read.h"

#include <string.h>

#include "common/map.h"
#include "common/time.h"
#include "format/events/utf8.h"
#include "model/build/build.h"

#define MAGIC 0x4a695444u
#define VERSION 1
/* Flag of a dump whose times are from the processor's clock instead of
 * CLOCK_MONOTONIC. */
#define OTHER_CLOCK 1

/* Offsets of fields. Numbers have the byte order of the machine that wrote
 * them. */
enum {
	HEADER_VERSION = 4, HEADER_SIZE = 8, HEADER_PID = 20, HEADER_FLAGS = 32,
	HEADER_BYTES = 40,
	RECORD_SIZE = 4, RECORD_TIME = 8, RECORD_BYTES = 16, RECORD_PID = 16,
	LOAD_ADDR = 24, LOAD_LEN = 40, LOAD_INDEX = 48, LOAD_NAME = 56,
	MOVE_ADDR = 24, MOVE_INDEX = 56, MOVE_BYTES = 64
};
enum { LOAD, MOVE };

struct dump {
	struct tr2_model *m;
	uint32_t task, pid;
	const unsigned char *data;
	size_t size;
	bool is_swapped, has_other_clock;
	struct tr2_map by_index; /* maps code_index + 1 to a function */
};

static uint32_t dump_get32(const struct dump *d, size_t at)
{
	uint32_t v;

	memcpy(&v, d->data + at, sizeof(v));
	return d->is_swapped ? __builtin_bswap32(v) : v;
}

static uint64_t dump_get64(const struct dump *d, size_t at)
{
	uint64_t v;

	memcpy(&v, d->data + at, sizeof(v));
	return d->is_swapped ? __builtin_bswap64(v) : v;
}

/* Return the wall time of a record. If this time is not within the life of the
 * process, the clock was another one: return 0, which is before all samples. */
static int64_t time_of(const struct dump *d, size_t at)
{
	const struct tr2_model_task *task = &d->m->tasks[d->task];
	uint64_t ns = dump_get64(d, at + RECORD_TIME);
	int64_t wall_ns;

	if (d->has_other_clock || ns > INT64_MAX / 4)
		return 0;
	wall_ns = tr2_wall_ns((int64_t)ns + d->m->meta_wall_ns -
			      d->m->meta_mono_ns);
	if (wall_ns < task->start_ns ||
	    (task->end_ns != TR2_NO_TIME && wall_ns > task->end_ns))
		return 0;
	return wall_ns;
}

static void add_function(struct dump *d, uint64_t index,
			 const struct tr2_code_function *f)
{
	if (!f->len || f->addr > UINT64_MAX - f->len)
		return;
	tr2_build_code_function(d->m, f);
	if (index != UINT64_MAX)
		*tr2_map_slot(&d->by_index, index + 1) =
			d->m->nr_code_functions - 1;
}

static void load(struct dump *d, size_t at, size_t size)
{
	const char *name = (const char *)d->data + at + LOAD_NAME;
	size_t len = strnlen(name, size - LOAD_NAME);
	bool is_whole = len < size - LOAD_NAME;
	struct tr2_code_function f = { .task = d->task };

	f.addr = dump_get64(d, at + LOAD_ADDR);
	f.len = dump_get64(d, at + LOAD_LEN);
	f.from_ns = time_of(d, at);
	f.name = tr2_utf8_intern(d->m, name, len);
	if (len && is_whole)
		add_function(d, dump_get64(d, at + LOAD_INDEX), &f);
}

static void move_function(struct dump *d, size_t at)
{
	uint64_t index = dump_get64(d, at + MOVE_INDEX);
	uint32_t old = tr2_map_get(&d->by_index, index + 1);
	struct tr2_code_function f = d->m->code_functions[old];

	f.addr = dump_get64(d, at + MOVE_ADDR);
	f.from_ns = time_of(d, at);
	if (old)
		add_function(d, index, &f);
}

/* Add the function of a record. Skip records of a child that inherited the
 * descriptor: the child's addresses mean other code. */
static void take_record(struct dump *d, size_t at, size_t size)
{
	uint32_t kind = dump_get32(d, at);

	if (size < RECORD_PID + sizeof(d->pid) ||
	    dump_get32(d, at + RECORD_PID) != d->pid)
		return;
	if (kind == LOAD && size > LOAD_NAME)
		load(d, at, size);
	else if (kind == MOVE && size >= MOVE_BYTES)
		move_function(d, at);
}

/* Read the header. Return the reason why the dump cannot be read; NULL: it can
 * be read. */
static const char *read_header(struct dump *d)
{
	if (d->size < HEADER_BYTES)
		return "not a jitdump: it has no header";
	d->is_swapped = dump_get32(d, 0) == __builtin_bswap32(MAGIC);
	if (dump_get32(d, 0) != MAGIC)
		return "not a jitdump: it does not begin with JiTD";
	if (dump_get32(d, HEADER_VERSION) != VERSION ||
	    dump_get32(d, HEADER_SIZE) < HEADER_BYTES)
		return "a jitdump of an unknown version";
	d->pid = dump_get32(d, HEADER_PID);
	d->has_other_clock = dump_get64(d, HEADER_FLAGS) & OTHER_CLOCK;
	return NULL;
}

/* Read all records. Return false if the last record is not whole. */
static bool read_records(struct dump *d)
{
	size_t at = dump_get32(d, HEADER_SIZE), size;

	for (; at < d->size; at += size) {
		if (d->size - at < RECORD_BYTES)
			return false;
		size = dump_get32(d, at + RECORD_SIZE);
		if (size < RECORD_BYTES || size > d->size - at)
			return false;
		take_record(d, at, size);
	}
	return at == d->size;
}

void tr2_jitdump_read(struct tr2_model *m, uint32_t task,
		      const unsigned char *data, size_t size, const char *path)
{
	struct dump d = { .m = m, .task = task, .data = data, .size = size };
	tr2_str source = tr2_intern(m, path, strlen(path));
	const char *why = read_header(&d);

	if (why)
		tr2_build_problem(m, TR2_PROBLEM_BAD_LINE, source, 0, why);
	else if (!read_records(&d))
		tr2_build_problem(m, TR2_PROBLEM_CUT_LINE, source, 0,
				  "the list of generated functions ends within "
				  "one: later ones have no names");
	tr2_map_release(&d.by_index);
}
