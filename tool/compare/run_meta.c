/* SPDX-License-Identifier: MIT */
/* Read meta.json of a run. */
#include "compare/run_meta.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "common/memory.h"
#include "format/recording/meta_keys.h"
#include "model/json_members.h"

const char *const tr2_origin_keys[TR2_ORIGIN_NR] = {
	[TR2_ORIGIN_HOST] = "host",	[TR2_ORIGIN_MACHINE] = "machine",
	[TR2_ORIGIN_CPUS] = "cpus",	[TR2_ORIGIN_KERNEL] = "kernel",
	[TR2_ORIGIN_TRACE2] = "trace2",
};

void tr2_origin_release(struct tr2_origin *o)
{
	int key;

	for (key = 0; key < TR2_ORIGIN_NR; key++)
		free(o->text[key]);
	memset(o, 0, sizeof(*o));
}

void tr2_origin_take(struct tr2_origin *o, enum tr2_origin_key key,
		     const char *text, size_t len)
{
	if (!o->text[key])
		o->text[key] = tr2_strf("%.*s", (int)len, text);
	else if (strlen(o->text[key]) != len ||
		 memcmp(o->text[key], text, len) != 0)
		o->mixed[key] = true;
}

const char *tr2_origin_text(const struct tr2_origin *o,
			    enum tr2_origin_key key)
{
	return o->mixed[key] ? "several" : o->text[key];
}

bool tr2_origin_differs(const struct tr2_origin *a, const struct tr2_origin *b,
			enum tr2_origin_key key)
{
	if (!a->text[key] || !b->text[key])
		return false;
	return a->mixed[key] || b->mixed[key] ||
	       strcmp(a->text[key], b->text[key]) != 0;
}

/* Copy a text to a buffer with room after the text: the parser reads some bytes
 * there. */
static void copy_text(struct tr2_buf *b, const char *text, size_t len)
{
	tr2_buf_add(b, text, len);
	tr2_buf_addchars(b, '\n', TR2_JSON_PADDING);
}

static void note_origin(struct tr2_origin *o, enum tr2_origin_key key,
			const struct tr2_view *text)
{
	if (text->len)
		tr2_origin_take(o, key, text->p, text->len);
}

static void read_origin(struct tr2_origin *o, const struct tr2_meta_keys *keys)
{
	struct tr2_view programs = keys->programs;
	struct tr2_json_member member;
	struct tr2_buf text = TR2_BUF_INIT;
	char cpus[24];

	note_origin(o, TR2_ORIGIN_HOST, &keys->host);
	note_origin(o, TR2_ORIGIN_MACHINE, &keys->machine);
	note_origin(o, TR2_ORIGIN_KERNEL, &keys->kernel);
	if (keys->cpus >= 0)
		tr2_origin_take(o, TR2_ORIGIN_CPUS, cpus,
				(size_t)snprintf(cpus, sizeof(cpus),
						 "%" PRId64, keys->cpus));
	while (tr2_json_next_member(&programs, &member)) {
		struct tr2_view version = tr2_json_member_text(&member, &text);

		if (tr2_json_member_is(&member, "trace2"))
			note_origin(o, TR2_ORIGIN_TRACE2, &version);
	}
	tr2_buf_release(&text);
}

/* Return the member's value as a number; NAN: it is not a number. */
static double number_of(const struct tr2_json_member *member)
{
	char first = member->value.len ? *member->value.p : '"';

	return !member->is_string && (first == '-' ||
				      (first >= '0' && first <= '9')) ?
		       strtod(member->value.p, NULL) : NAN;
}

static void cell_text(const struct tr2_json_member *member, struct tr2_buf *b)
{
	if (member->is_string)
		tr2_json_member_text(member, b);
}

static void read_counter(const struct tr2_json_member *counter,
			 tr2_run_counter_fn *fn, void *data)
{
	double value = NAN, enabled_ns = 0, running_ns = 0;
	struct tr2_buf name = TR2_BUF_INIT, unit = TR2_BUF_INIT;
	struct tr2_buf note = TR2_BUF_INIT;
	struct tr2_view text = counter->value;
	struct tr2_run_counter out = { 0 };
	struct tr2_json_member member;

	while (tr2_json_next_member(&text, &member)) {
		if (tr2_json_member_is(&member, "value"))
			value = number_of(&member);
		else if (tr2_json_member_is(&member, "enabled_ns"))
			enabled_ns = number_of(&member);
		else if (tr2_json_member_is(&member, "running_ns"))
			running_ns = number_of(&member);
		else if (tr2_json_member_is(&member, "unit"))
			cell_text(&member, &unit);
		else if (tr2_json_member_is(&member, "error"))
			cell_text(&member, &note);
	}
	/* Scale up the value of a counter that shared its hardware, and so ran
	 * only for a part of the time. */
	out.value = running_ns > 0 && running_ns < enabled_ns ?
			    value * (enabled_ns / running_ns) : value;
	if (note.len)
		out.note = tr2_buf_str(&note);
	else if (isnan(value) || (enabled_ns > 0 && running_ns <= 0))
		out.note = "not counted";
	tr2_buf_add(&name, counter->key.p, counter->key.len);
	out.name = tr2_buf_str(&name);
	out.unit = tr2_buf_str(&unit);
	fn(data, &out);
	tr2_buf_release(&name);
	tr2_buf_release(&unit);
	tr2_buf_release(&note);
}

/* Return the number of all system calls; -1: they were not counted. */
static int64_t read_syscalls(struct tr2_view text, tr2_run_counter_fn *fn,
			     void *data)
{
	struct tr2_buf name = TR2_BUF_INIT;
	struct tr2_json_member member;
	int64_t all = -1, value;

	while (tr2_json_next_member(&text, &member)) {
		struct tr2_run_counter out = { .is_syscall = true, .unit = "" };

		if (!tr2_json_member_int(&member, &value) || value < 0)
			continue;
		tr2_buf_reset(&name);
		tr2_buf_add(&name, member.key.p, member.key.len);
		out.name = tr2_buf_str(&name);
		out.value = (double)value;
		fn(data, &out);
		if (__builtin_add_overflow(all < 0 ? 0 : all, value, &all))
			all = INT64_MAX;
	}
	tr2_buf_release(&name);
	return all;
}

void tr2_run_meta_read(struct tr2_run_meta *meta, const struct tr2_model *m,
		       struct tr2_origin *origin, tr2_run_counter_fn *fn,
		       void *data)
{
	struct tr2_json *json = tr2_json_new();
	struct tr2_buf text = TR2_BUF_INIT;
	struct tr2_meta_keys keys;
	struct tr2_json_member member;

	/* Without meta.json, parse an empty object: all values are missing
	 * then. */
	copy_text(&text, m->meta_json ? m->meta_json : "{}",
		  m->meta_json ? strlen(m->meta_json) : 2);
	tr2_must(!text.failed);
	tr2_meta_keys_read(&keys, json, text.p, text.len - TR2_JSON_PADDING);
	if (origin)
		read_origin(origin, &keys);
	while (tr2_json_next_member(&keys.counters, &member))
		read_counter(&member, fn, data);
	*meta = (struct tr2_run_meta){
		.wall_ns = keys.wall_ns,
#define TR2_META_USAGE(key, value, name, unit) .key = keys.rusage.key,
#include "format/recording/meta.def"
#define TR2_META_IO(key, field, name, unit) .key = keys.io.key,
#include "format/recording/meta.def"
		.syscalls = read_syscalls(keys.syscalls, fn, data),
		.failed = keys.exit_signal >= 0 || keys.exit_code > 0,
	};
	tr2_buf_release(&text);
	tr2_json_free(json);
}
