/* SPDX-License-Identifier: MIT */
/* Read meta.json of a run. */
#include "compare/run_meta.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "format/events/json.h"

struct reader {
	struct tr2_run_meta *meta;
	struct tr2_origin *origin;
	tr2_run_counter_fn *fn;
	void *data;
	/* Copies of inner objects: a view is valid until the next parse. */
	struct tr2_buf rusage, io, counters, syscalls, programs;
};

static bool is(const char *key, size_t len, const char *want)
{
	return strlen(want) == len && !memcmp(key, want, len);
}

static void copy_text(struct tr2_buf *b, const char *text, size_t len)
{
	tr2_buf_reset(b);
	tr2_buf_add(b, text, len);
	tr2_buf_addchars(b, '\n', TR2_JSON_PADDING);
}

static size_t text_len(const struct tr2_buf *b)
{
	return b->failed || b->len < TR2_JSON_PADDING ?
		       0 : b->len - TR2_JSON_PADDING;
}

static void on_origin(void *data, const char *key, size_t len,
		      const struct tr2_json_value *v)
{
	struct tr2_origin *origin = ((struct reader *)data)->origin;
	char number[24];
	int i;

	for (i = 0; origin && i < TR2_ORIGIN_NR; i++) {
		if (!is(key, len, tr2_origin_keys[i]))
			continue;
		if (v->type == TR2_JSON_STRING)
			tr2_origin_take(origin, (enum tr2_origin_key)i,
					v->text.p, v->text.len);
		else if (v->type == TR2_JSON_INT)
			tr2_origin_take(origin, (enum tr2_origin_key)i, number,
					(size_t)snprintf(number, sizeof(number),
							 "%" PRId64, v->i));
	}
}

static void on_member(void *data, const char *key, size_t len,
		      const struct tr2_json_value *v)
{
	struct reader *r = data;

	if (v->type == TR2_JSON_INT && is(key, len, "wall_ns"))
		r->meta->wall_ns = v->i;
	else if (v->type == TR2_JSON_RAW && is(key, len, "rusage"))
		copy_text(&r->rusage, v->text.p, v->text.len);
	else if (v->type == TR2_JSON_RAW && is(key, len, "io"))
		copy_text(&r->io, v->text.p, v->text.len);
	else if (v->type == TR2_JSON_RAW && is(key, len, "counters"))
		copy_text(&r->counters, v->text.p, v->text.len);
	else if (v->type == TR2_JSON_RAW && is(key, len, "syscalls"))
		copy_text(&r->syscalls, v->text.p, v->text.len);
	else if (v->type == TR2_JSON_RAW && is(key, len, "programs"))
		copy_text(&r->programs, v->text.p, v->text.len);
	else if (is(key, len, "exit_signal") ||
		 (v->type == TR2_JSON_INT && v->i && is(key, len, "exit_code")))
		r->meta->failed = true;
	else
		on_origin(r, key, len, v);
}

/* The members of "rusage" and "io". */
static void on_number(void *data, const char *key, size_t len,
		      const struct tr2_json_value *v)
{
	struct tr2_run_meta *meta = ((struct reader *)data)->meta;
	const struct {
		const char *key;
		int64_t *value;
	} members[] = {
		{ "user_ns", &meta->user_ns },
		{ "system_ns", &meta->system_ns },
		{ "maxrss_bytes", &meta->maxrss_bytes },
		{ "read_bytes", &meta->read_bytes },
		{ "written_bytes", &meta->written_bytes },
		{ "reads", &meta->reads },
		{ "writes", &meta->writes },
	};
	size_t i;

	for (i = 0; v->type == TR2_JSON_INT && i < ARRAY_SIZE(members); i++)
		if (is(key, len, members[i].key))
			*members[i].value = v->i;
}

struct counter {
	double value, enabled_ns, running_ns;
	bool has_value;
	struct tr2_buf unit, note;
};

static double number(const struct tr2_json_value *v)
{
	return v->type == TR2_JSON_UINT ? (double)v->u : (double)v->i;
}

static void on_counter_member(void *data, const char *key, size_t len,
			      const struct tr2_json_value *v)
{
	struct counter *c = data;
	bool is_number = v->type == TR2_JSON_INT || v->type == TR2_JSON_UINT;

	if (is_number && is(key, len, "value")) {
		c->value = number(v);
		c->has_value = true;
	} else if (is_number && is(key, len, "enabled_ns")) {
		c->enabled_ns = number(v);
	} else if (is_number && is(key, len, "running_ns")) {
		c->running_ns = number(v);
	} else if (v->type == TR2_JSON_STRING && is(key, len, "unit")) {
		tr2_buf_add(&c->unit, v->text.p, v->text.len);
	} else if (v->type == TR2_JSON_STRING && is(key, len, "error")) {
		tr2_buf_add(&c->note, v->text.p, v->text.len);
	}
}

static void give_counter(struct reader *r, const char *name,
			 struct counter *c)
{
	struct tr2_run_counter out = { .name = name,
				       .unit = tr2_buf_str(&c->unit),
				       .value = c->value };

	/* Scale up a counter that shared its hardware with others. */
	if (c->running_ns > 0 && c->running_ns < c->enabled_ns)
		out.value *= c->enabled_ns / c->running_ns;
	if (c->note.len)
		out.note = tr2_buf_str(&c->note);
	else if (!c->has_value || (c->enabled_ns > 0 && c->running_ns <= 0))
		out.note = "not counted";
	r->fn(r->data, &out);
}

static void on_counter(void *data, const char *key, size_t len,
		       const struct tr2_json_value *v)
{
	struct tr2_json *json = tr2_json_new();
	struct tr2_buf text = TR2_BUF_INIT, name = TR2_BUF_INIT;
	struct counter c = { .unit = TR2_BUF_INIT, .note = TR2_BUF_INIT };

	copy_text(&text, v->text.p, v->text.len);
	tr2_buf_add(&name, key, len);
	if (json && v->type == TR2_JSON_RAW && text_len(&text) &&
	    tr2_json_object(json, text.p, text_len(&text), on_counter_member,
			    &c) == TR2_JSON_OK)
		give_counter(data, tr2_buf_str(&name), &c);
	tr2_buf_release(&c.unit);
	tr2_buf_release(&c.note);
	tr2_buf_release(&name);
	tr2_buf_release(&text);
	tr2_json_free(json);
}

static void on_syscall(void *data, const char *key, size_t len,
		       const struct tr2_json_value *v)
{
	struct reader *r = data;
	struct tr2_buf name = TR2_BUF_INIT;
	struct tr2_run_counter out = { .is_syscall = true, .unit = "" };

	if (v->type != TR2_JSON_INT && v->type != TR2_JSON_UINT)
		return;
	tr2_buf_add(&name, key, len);
	out.name = tr2_buf_str(&name);
	out.value = number(v);
	r->meta->syscalls = (r->meta->syscalls < 0 ? 0 : r->meta->syscalls) +
			    (int64_t)out.value;
	r->fn(r->data, &out);
	tr2_buf_release(&name);
}

void tr2_run_meta_read(struct tr2_run_meta *meta, const struct tr2_model *m,
		       struct tr2_origin *origin, tr2_run_counter_fn *fn,
		       void *data)
{
	struct reader r = { meta, origin, fn, data,
			    TR2_BUF_INIT, TR2_BUF_INIT, TR2_BUF_INIT,
			    TR2_BUF_INIT, TR2_BUF_INIT };
	struct tr2_buf text = TR2_BUF_INIT;
	struct tr2_json *json;

	*meta = (struct tr2_run_meta){ -1, -1, -1, -1, -1, -1, -1, -1,
					-1, false };
	json = m->meta_json ? tr2_json_new() : NULL;
	if (!json)
		return;
	copy_text(&text, m->meta_json, strlen(m->meta_json));
	if (text_len(&text))
		tr2_json_object(json, text.p, text_len(&text), on_member, &r);
	if (text_len(&r.rusage))
		tr2_json_object(json, r.rusage.p, text_len(&r.rusage),
				on_number, &r);
	if (text_len(&r.io))
		tr2_json_object(json, r.io.p, text_len(&r.io), on_number, &r);
	if (text_len(&r.counters))
		tr2_json_object(json, r.counters.p, text_len(&r.counters),
				on_counter, &r);
	if (text_len(&r.syscalls))
		tr2_json_object(json, r.syscalls.p, text_len(&r.syscalls),
				on_syscall, &r);
	if (text_len(&r.programs))
		tr2_json_object(json, r.programs.p, text_len(&r.programs),
				on_origin, &r);
	tr2_json_free(json);
	tr2_buf_release(&r.rusage);
	tr2_buf_release(&r.io);
	tr2_buf_release(&r.programs);
	tr2_buf_release(&r.counters);
	tr2_buf_release(&r.syscalls);
	tr2_buf_release(&text);
}
