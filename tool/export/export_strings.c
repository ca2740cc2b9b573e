/* SPDX-License-Identifier: MIT */
/*
 * export_strings - text and names for exports, redacted if requested: see
 * export/export.h.
 */

#include "common/words.h"
#include "event/redact.h"
#include "export/export.h"

const char *tr2_export_text(struct tr2_export *x, const char *s)
{
	const char *safe;
	size_t len;

	if (!s || !x->opt->redact)
		return s;
	len = strlen(s);
	safe = tr2_redact(&x->scratch, s, &len);
	return safe == x->scratch.p ? tr2_buf_str(&x->scratch) : safe;
}

static const char *shown_word(struct tr2_export *x,
			      const struct tr2_words *words, const char *before,
			      const char *word)
{
	const char *safe;
	size_t len = strlen(word);

	if (!x->opt->redact)
		return word;
	safe = tr2_redact_word(&x->scratch, before ? words->text : NULL, before,
			       word, &len);
	return safe == x->scratch.p ? tr2_buf_str(&x->scratch) : safe;
}

bool tr2_export_is_secret(const struct tr2_export *x, const char *name)
{
	return x->opt->redact && tr2_redact_is_secret_name(name);
}

const char *tr2_export_value(struct tr2_export *x, const char *name,
			     const char *s)
{
	if (s && *s && tr2_export_is_secret(x, name))
		return TR2_REDACTED;
	return tr2_export_text(x, s);
}

void tr2_export_add_str(struct tr2_export *x, struct tr2_buf *b, const char *s)
{
	tr2_json_add_string(b, tr2_export_text(x, s));
}

void tr2_export_add_words(struct tr2_export *x, struct tr2_buf *b,
			  const struct tr2_words *words)
{
	const char *w, *before = NULL;
	uint32_t i;

	tr2_buf_addch(b, '[');
	tr2_for_each_word(words, w, i) {
		if (i)
			tr2_buf_addch(b, ',');
		tr2_json_add_string(b, shown_word(x, words, before, w));
		before = w;
	}
	tr2_buf_addch(b, ']');
}

void tr2_export_add_json(struct tr2_export *x, struct tr2_buf *b,
			 const char *json)
{
	const char *safe = tr2_export_text(x, json);

	tr2_json_add_text(b, safe, strlen(safe));
}

static void add_key(struct tr2_buf *b, const char *key)
{
	tr2_buf_addall(b, ",\"", key, "\":");
}

void tr2_export_json_str(struct tr2_export *x, struct tr2_buf *b,
			 const char *key, const char *s)
{
	if (!s || !*s)
		return;
	add_key(b, key);
	tr2_export_add_str(x, b, s);
}

void tr2_export_json_words(struct tr2_export *x, struct tr2_buf *b,
			   const char *key, const struct tr2_words *words)
{
	if (!words->nr)
		return;
	add_key(b, key);
	tr2_export_add_words(x, b, words);
}

void tr2_export_json_int(struct tr2_buf *b, const char *key, int64_t value)
{
	add_key(b, key);
	tr2_buf_add_i64(b, value);
}

void tr2_export_pair(struct tr2_export *x, struct tr2_buf *b, tr2_str category,
		     tr2_str name)
{
	tr2_buf_addstr(b, tr2_export_text(x, tr2_s(x->m, category)));
	if (category && name)
		tr2_buf_addch(b, '/');
	tr2_buf_addstr(b, tr2_export_text(x, tr2_s(x->m, name)));
}

/* Append the program of a command line, which is the first word without its
 * directory. */
static void add_program(struct tr2_buf *b, const char *command, size_t len)
{
	const char *start = command, *end = command + len, *slash;

	for (slash = command; slash < end; slash++)
		if (*slash == '/' && slash + 1 < end)
			start = slash + 1;
	if (end - start > 4 && !memcmp(start, "git-", 4))
		start += 4;
	tr2_buf_add(b, start, (size_t)(end - start));
}

static void add_child_program(struct tr2_export *x, struct tr2_buf *b,
			      const struct tr2_child *c)
{
	const char *command = tr2_export_text(x, c->argv.text);
	size_t len = strlen(command);

	if (c->use_shell)
		len = strcspn(command, " \t\n;|&");
	add_program(b, command, len);
}

/* Append the command of a child. For a command such as `git fetch`, append the
 * second word, which says more than the first. */
static void add_child_command(struct tr2_export *x, struct tr2_buf *b,
			      const struct tr2_child *c)
{
	size_t start = b->len;
	const char *verb;

	add_child_program(x, b, c);
	if (c->argv.nr < 2 || b->failed || b->len - start != 3 ||
	    memcmp(b->p + start, "git", 3))
		return;
	verb = c->argv.text + strlen(c->argv.text) + 1;
	if (*verb == '-')
		return;
	tr2_buf_addch(b, ' ');
	tr2_buf_addstr(b, tr2_export_text(x, verb));
}

void tr2_export_node_name(struct tr2_export *x, struct tr2_buf *b,
			  uint32_t node)
{
	const struct tr2_node *n = &x->m->nodes[node];
	const struct tr2_child *c = &x->m->children[n->child];
	const char *name;

	if (!n->session && !c->hook && c->argv.nr && *c->argv.text) {
		add_child_program(x, b, c);
		return;
	}
	name = tr2_export_text(x, tr2_node_name(x->m, node));
	add_program(b, name, strlen(name));
}

void tr2_export_span_name(struct tr2_export *x, struct tr2_buf *b,
			  uint32_t span)
{
	const struct tr2_span *s = &x->m->spans[span];
	const struct tr2_child *c = &x->m->children[s->child];
	const struct tr2_model *m = x->m;

	if (s->kind == TR2_SPAN_REGION) {
		if (s->category || s->label)
			tr2_export_pair(x, b, s->category, s->label);
		else
			tr2_buf_addlit(b, "region");
		return;
	}
	tr2_buf_addstr(b, s->kind == TR2_SPAN_EXEC ? "exec" : "child");
	if (c->hook || c->exe || c->argv.nr)
		tr2_buf_addch(b, ' ');
	if (c->hook)
		tr2_buf_addstr(b, tr2_export_text(x, tr2_s(m, c->hook)));
	else if (c->argv.nr)
		add_child_command(x, b, c);
	else
		tr2_buf_addstr(b, tr2_export_text(x, tr2_s(m, c->exe)));
}

void tr2_export_metric_name(struct tr2_export *x, struct tr2_buf *b,
			    const struct tr2_metric *metric)
{
	tr2_export_pair(x, b, metric->category, metric->name);
}

void tr2_export_trace_span_name(struct tr2_export *x, struct tr2_buf *b,
				uint32_t trace_span)
{
	const struct tr2_trace_span *s = &x->m->trace_spans[trace_span];

	if (s->category || s->name)
		tr2_export_pair(x, b, s->category, s->name);
	else
		tr2_buf_addlit(b, "span");
}

void tr2_export_add_command(struct tr2_export *x, struct tr2_buf *b,
			    const struct tr2_words *words)
{
	const char *w;
	uint32_t i;

	tr2_for_each_word(words, w, i) {
		if (i)
			tr2_buf_addch(b, ' ');
		tr2_quote_add_word(b, tr2_export_text(x, w));
	}
}
