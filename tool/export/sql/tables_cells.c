/* SPDX-License-Identifier: MIT */
/* tables_cells - the cells of a row: see export/sql/tables_private.h. */
#include "export/sql/tables_private.h"

struct tr2_row_value *tr2_value_next(struct tr2_row *r,
				     enum tr2_value_kind kind)
{
	struct tr2_row_value *v =
		&r->value[r->nr < TR2_MAX_COLUMNS ? r->nr++ : 0];

	v->kind = kind;
	return v;
}

void tr2_row_begin(struct tr2_row *r)
{
	r->nr = 0;
	tr2_buf_reset(&r->text);
}

void tr2_value_none(struct tr2_row *r)
{
	tr2_value_next(r, TR2_VALUE_NULL);
}

void tr2_value_number(struct tr2_row *r, int64_t value)
{
	tr2_value_next(r, TR2_VALUE_INT)->i = value;
}

void tr2_value_number_if(struct tr2_row *r, bool known, int64_t value)
{
	if (known)
		tr2_value_number(r, value);
	else
		tr2_value_none(r);
}

void tr2_value_size(struct tr2_row *r, uint64_t value)
{
	if (value <= INT64_MAX)
		tr2_value_number(r, (int64_t)value);
	else
		tr2_value_next(r, TR2_VALUE_UINT)->u = value;
}

void tr2_value_text_from(struct tr2_row *r, size_t start)
{
	struct tr2_row_value *v = tr2_value_next(r, TR2_VALUE_TEXT);

	v->at = start;
	v->len = r->text.len - start;
	tr2_buf_addch(&r->text, '\0');
}

void tr2_value_text(struct tr2_export *x, struct tr2_row *r, const char *s)
{
	size_t start = r->text.len;

	if (!s || !*s) {
		tr2_value_none(r);
		return;
	}
	tr2_buf_addstr(&r->text, tr2_export_text(x, s));
	tr2_value_text_from(r, start);
}

void tr2_value_part(struct tr2_row *r, size_t from, size_t to)
{
	struct tr2_row_value *v = tr2_value_next(
		r, from < to ? TR2_VALUE_TEXT : TR2_VALUE_NULL);

	v->at = from;
	v->len = to - from;
}

int64_t tr2_row_session_id(const struct tr2_row_ids *ids, uint32_t session)
{
	return ids->session_ids ? ids->session_ids[session] : session;
}

int64_t tr2_row_thread_id(const struct tr2_row_ids *ids, uint32_t thread)
{
	return ids->thread_ids ? ids->thread_ids[thread] : ids->thread + thread;
}

int64_t tr2_row_span_id(const struct tr2_row_ids *ids, uint32_t span)
{
	return ids->span_ids ? ids->span_ids[span] : ids->span + span;
}

void tr2_row_release(struct tr2_row *r)
{
	tr2_buf_release(&r->text);
}
