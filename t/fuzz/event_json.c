/* SPDX-License-Identifier: MIT */
/*
 * Lines of the event target: read with the fast reader, and with simdjson
 * alone.
 */
#include "format/events/event_json_private.h"
#include "fuzz.h"
#include "model/path/critical.h"

struct side {
	struct tr2_model *m;
	struct tr2_event_reader *r;
};

static void side_init(struct side *s, bool only_simdjson)
{
	s->m = tr2_model_new();
	s->r = tr2_event_reader_new(s->m, fuzz_write_event, NULL);
	if (!s->r)
		abort();
	s->r->only_simdjson = only_simdjson;
	tr2_event_reader_source(s->r, tr2_intern(s->m, "fuzz", 4));
}

static void side_release(struct side *s)
{
	struct tr2_step *steps = NULL;

	tr2_model_finish(s->m);
	if (s->m->nr_nodes > 1) {
		tr2_critical_path(s->m, 1, &steps);
		free(steps);
	}
	tr2_event_reader_free(s->r);
	tr2_model_free(s->m);
}

static bool same_bytes(const char *a, size_t a_len, const char *b, size_t b_len)
{
	return !a == !b && a_len == b_len && (!a_len || !memcmp(a, b, a_len));
}

static bool same_view(const struct tr2_view *a, const struct tr2_view *b)
{
	return same_bytes(a->p, a->len, b->p, b->len);
}

static bool same_words(const struct tr2_words_view *a,
		       const struct tr2_words_view *b)
{
	/* An empty list may have p NULL. */
	return a->nr == b->nr && a->len == b->len &&
	       (!a->len || !memcmp(a->p, b->p, a->len));
}

static bool same_field(int i, const struct tr2_parsed_event *a,
		       const struct tr2_parsed_event *b)
{
	const struct tr2_parsed_value *x = &a->value[i], *y = &b->value[i];

	switch (tr2_event_rows[a->kind].field[i].type) {
	case TR2_T_STR:
	case TR2_T_JSON:
	case TR2_T_HISTOGRAM:
		return same_view(&x->text, &y->text);
	case TR2_T_ARGV:
		return same_words(&x->words, &y->words);
	case TR2_T_BOOL:
		return x->b == y->b;
	case TR2_T_UINT:
		return x->u == y->u;
	default:
		return tr2_parsed_number(a, i) == tr2_parsed_number(b, i);
	}
}

static void check_fields(const struct tr2_parsed_event *a,
			 const struct tr2_parsed_event *b)
{
	const struct tr2_field *field = tr2_event_rows[a->kind].field;
	int i;

	for (i = 0; *field[i].name; i++)
		fuzz_check(same_field(i, a, b), "%s differs", field[i].name);
}

static void check_same(const struct side *a, const struct side *b,
		       const struct tr2_parsed_event *x,
		       const struct tr2_parsed_event *y)
{
	fuzz_check(x->kind == y->kind, "kinds %d and %d", x->kind, y->kind);
	fuzz_check(same_view(&a->r->sid_seen, &b->r->sid_seen), "sid differs");
	fuzz_check(same_view(&a->r->thread_seen, &b->r->thread_seen),
		   "thread differs");
	fuzz_check(same_view(&x->event, &y->event), "event differs");
	fuzz_check(same_view(&x->file, &y->file), "file differs");
	fuzz_check(x->wall_us == y->wall_us, "time differs");
	fuzz_check(x->line == y->line, "line differs");
	fuzz_check(x->repo == y->repo, "repo differs");
	fuzz_check(x->t_abs == y->t_abs && x->t_rel == y->t_rel &&
			   x->nesting == y->nesting,
		   "t_abs, t_rel or nesting differs");
	if (x->kind >= 0)
		check_fields(x, y);
}

static void read_line(const struct side *a, const struct side *b,
		      const char *line, size_t len, uint64_t number, bool last)
{
	char *copy = malloc(len + 1 + TR2_JSON_PADDING);
	struct tr2_parsed_event x, y;
	bool first, second;

	if (!copy)
		abort();
	memcpy(copy, line, len);
	memset(copy + len, '\n', 1 + TR2_JSON_PADDING);
	first = tr2_event_reader_parse(a->r, copy, len, &x);
	second = tr2_event_reader_parse(b->r, copy, len, &y);
	fuzz_check(first == second, "%d, simdjson %d: %.*s", first, second,
		   (int)len, line);
	if (first)
		check_same(a, b, &x, &y);
	first = tr2_event_reader_line(a->r, copy, len, number, last);
	second = tr2_event_reader_line(b->r, copy, len, number, last);
	fuzz_check(first == second, "%d, simdjson %d", first, second);
	free(copy);
}

static void check_models(const struct tr2_model *a, const struct tr2_model *b)
{
	fuzz_check(a->nr_sessions == b->nr_sessions &&
			   a->nr_threads == b->nr_threads &&
			   a->nr_spans == b->nr_spans &&
			   a->nr_events == b->nr_events &&
			   a->nr_problems == b->nr_problems,
		   "the models differ");
}

void fuzz_event_json(struct fuzz_input *in)
{
	struct side both, simdjson;
	uint64_t number = 0;
	const char *line;
	size_t len;

	side_init(&both, false);
	side_init(&simdjson, true);
	while (fuzz_line(in, &line, &len))
		if (len)
			read_line(&both, &simdjson, line, len, ++number,
				  !in->n);
	check_models(both.m, simdjson.m);
	side_release(&both);
	side_release(&simdjson);
}
