/* SPDX-License-Identifier: MIT */
/* Compile the templates of the event table into operations. */
#include "event/template.h"

#include <string.h>

#include "base/check.h"
#include "base/macros.h"

#define MAX_OPS 640

struct tr2_templates tr2_templates[TR2_EVENT_NR];

TR2_LARGE struct tr2_op tr2_template_ops[MAX_OPS];
static unsigned int nr_ops;

static struct tr2_op *add_op(enum tr2_op_kind kind)
{
	struct tr2_op *op = &tr2_template_ops[nr_ops];

	TR2_CHECK(nr_ops < MAX_OPS - 1);
	if (nr_ops < MAX_OPS - 1)
		nr_ops++;

	op->kind = (uint8_t)kind;
	return op;
}

static void add_text(const char *text, size_t len)
{
	struct tr2_op *op;

	if (!len)
		return;
	op = add_op(TR2_OP_TEXT);
	op->text = text;
	op->len = (uint16_t)len;
}

static uint8_t field_index(const struct tr2_event_row *row, const char *name,
			   size_t len)
{
	uint8_t i;

	for (i = 0; *row->field[i].name; i++)
		if (strlen(row->field[i].name) == len &&
		    !memcmp(row->field[i].name, name, len))
			return i;
	TR2_CHECK(!"a template names a field that its event has not");
	return TR2_MAX_FIELDS;
}

/* Return the operation for a field. form: the character after the colon that
 * follows the field's name; '\0': no colon. */
static enum tr2_op_kind field_op(enum tr2_field_type type, char form)
{
	switch (type) {
	case TR2_T_STR:
	case TR2_T_JSON:
		return form == 'q' ? TR2_OP_WORD : TR2_OP_STR;
	case TR2_T_ARGV:
		return form == '<' ? TR2_OP_ARROWS : TR2_OP_WORDS;
	case TR2_T_SECONDS:
		return form == '8' ? TR2_OP_WIDE : TR2_OP_SECONDS;
	case TR2_T_INT:
		return TR2_OP_INT;
	case TR2_T_UINT:
	case TR2_T_BOOL:
		return TR2_OP_UINT;
	case TR2_T_T_ABS:
		return TR2_OP_T_ABS;
	case TR2_T_T_REL:
		return TR2_OP_T_REL;
	case TR2_T_NESTING:
		return TR2_OP_NESTING;
	case TR2_T_HISTOGRAM:
		break;
	}
	TR2_CHECK(!"a template names a field that has no text");
	return TR2_OP_END;
}

static const char *add_template(const struct tr2_event_row *row,
				const char *p);

/* Compile `name:template}`; p points after "{?". Return the text after the
 * "}". */
static const char *add_condition(const struct tr2_event_row *row, const char *p)
{
	size_t len = strcspn(p, ":");
	struct tr2_op *op = add_op(TR2_OP_IF);
	unsigned int first = nr_ops;

	op->field = field_index(row, p, len);
	p = add_template(row, p + len + 1);
	op->len = (uint16_t)(nr_ops - first);
	return *p ? p + 1 : p;
}

static const char *add_field(const struct tr2_event_row *row, const char *p)
{
	size_t len = strcspn(p, ":}");
	uint8_t field = field_index(row, p, len);
	char form = p[len] == ':' ? p[len + 1] : '\0';

	add_op(field_op(row->field[field].type, form))->field = field;
	p += strcspn(p, "}");
	return *p ? p + 1 : p;
}

/* Compile up to the end, or to the "}" that closes the enclosing condition. */
static const char *add_template(const struct tr2_event_row *row, const char *p)
{
	size_t run;

	while (*p && *p != '}') {
		run = strcspn(p, "{}");
		add_text(p, run);
		p += run;
		if (*p != '{')
			break;
		p = p[1] == '?' ? add_condition(row, p + 2) :
				  add_field(row, p + 1);
	}
	return p;
}

/* Change op for the end of a line: op is the last operation. */
static void set_last(const struct tr2_event_row *row, struct tr2_op *op)
{
	if (op->kind == TR2_OP_STR)
		op->kind = row->field[op->field].flags & TR2_F_FREE ?
				   TR2_OP_FREE_STR :
				   TR2_OP_LAST_STR;
}

static const struct tr2_op *compile_template(const struct tr2_event_row *row,
					     const char *template, bool ends_line)
{
	static const struct tr2_op nothing = { .kind = TR2_OP_END };
	const struct tr2_op *start = &tr2_template_ops[nr_ops];

	if (!template || !*template)
		return &nothing;
	add_template(row, template);
	if (ends_line)
		set_last(row, &tr2_template_ops[nr_ops - 1]);
	add_op(TR2_OP_END);
	return start;
}

static void prepare_normal(void)
{
	unsigned int i;

	for (i = 0; i < TR2_EVENT_NR; i++)
		tr2_templates[i].normal = compile_template(
			&tr2_event_rows[i], tr2_event_text(i).normal, true);
}

static void prepare_perf(void)
{
	unsigned int i;

	for (i = 0; i < TR2_EVENT_NR; i++) {
		const struct tr2_event_row *row = &tr2_event_rows[i];
		const struct tr2_event_text text = tr2_event_text(i);
		struct tr2_templates *t = &tr2_templates[i];

		t->perf_category =
			compile_template(row, text.perf_category, false);
		t->perf_message =
			compile_template(row, text.perf_message, true);
	}
}

void tr2_templates_prepare(bool normal, bool perf)
{
	if (normal && !tr2_templates->normal)
		prepare_normal();
	if (perf && !tr2_templates->perf_message)
		prepare_perf();
}
