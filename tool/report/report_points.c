/* SPDX-License-Identifier: MIT */
/*
 * report_points - trace2 report --data and --errors: events at a point in time.
 */
#include "report/node.h"
#include "report/report.h"

struct point_row {
	struct tr2_session_row of;
	const struct tr2_point *p;
};

static void link_to_point(struct tr2_table *t, const struct point_row *r)
{
	tr2_cell_link(t, TR2_LINK_POINT, (uint32_t)(r->p - r->of.m->points));
}

static void cell_name(struct tr2_table *t, const struct point_row *r)
{
	if (r->p->kind <= TR2_POINT_DATA_JSON)
		tr2_cell_strf(t, "%s/%s", tr2_s(r->of.m, r->p->category),
			      tr2_s(r->of.m, r->p->key));
	else
		tr2_cell_str(t, r->p->kind == TR2_POINT_SIGNAL ? "signal" :
								 "message");
	link_to_point(t, r);
}

#define WHERE(DATA, TEXT) \
	TEXT(place, "WHERE", TR2_COL_DATA | TR2_COL_PAGE, if (r->p->file) \
	     tr2_cell_strf(t, "%s:%u", tr2_s(r->of.m, r->p->file), \
			   r->p->line)) \
	DATA(file, if (r->p->file) \
		tr2_cell_str(t, tr2_s(r->of.m, r->p->file))) \
	DATA(line, tr2_cell_uint(t, r->p->line)) \
	DATA(sid, tr2_session_cell_sid(t, &r->of))

#define DATA_COLUMNS(COLUMN, DATA, TEXT) \
	COLUMN(time, "TIME", TR2_COL_LEFT, \
	       tr2_cell_wall(t, r->of.session->wall_ns + r->p->at_ns)) \
	COLUMN(pid, "PID", 0, tr2_session_cell_pid(t, &r->of)) \
	COLUMN(process, "PROCESS", TR2_COL_LEFT, \
	       tr2_session_cell_process(t, &r->of)) \
	COLUMN(name, "NAME", TR2_COL_FLEX, cell_name(t, r)) \
	COLUMN(value, "VALUE", TR2_COL_FLEX, \
	       tr2_cell_value(t, tr2_s(r->of.m, r->p->key), r->p->value)) \
	WHERE(DATA, TEXT)

TR2_COLUMN_LIST(data_columns, struct point_row, DATA_COLUMNS)

#define ERROR_COLUMNS(COLUMN, DATA, TEXT) \
	COLUMN(time, "TIME", TR2_COL_LEFT, \
	       tr2_cell_wall(t, r->of.session->wall_ns + r->p->at_ns)) \
	COLUMN(pid, "PID", 0, tr2_session_cell_pid(t, &r->of)) \
	COLUMN(process, "PROCESS", TR2_COL_LEFT, \
	       tr2_session_cell_process(t, &r->of)) \
	COLUMN(message, "MESSAGE", TR2_COL_FLEX, \
	       tr2_cell_str(t, r->p->value ? r->p->value : "(no message)"); \
	       link_to_point(t, r)) \
	DATA(format, \
	     if (r->p->key) tr2_cell_str(t, tr2_s(r->of.m, r->p->key))) \
	WHERE(DATA, TEXT)

TR2_COLUMN_LIST(error_columns, struct point_row, ERROR_COLUMNS)

static bool is_data(const struct tr2_point *p)
{
	return p->kind <= TR2_POINT_DATA_JSON ||
	       p->kind == TR2_POINT_PRINTF || p->kind == TR2_POINT_SIGNAL;
}

static bool is_error(const struct tr2_point *p)
{
	return p->kind == TR2_POINT_ERROR;
}

static bool print_points(const struct tr2_report *r, const char *name,
			 const struct tr2_column *columns, size_t nr_columns,
			 bool (*is_wanted)(const struct tr2_point *))
{
	struct point_row row = { .of.m = r->m };
	uint32_t session, thread, i;
	struct tr2_table t;

	tr2_table_init(&t, r->out, name, columns, nr_columns);
	tr2_report_for_each_session(r, session) {
		row.of.session = &r->m->sessions[session];
		tr2_for_each_thread(r->m, session, thread)
			tr2_for_each_point(r->m, thread, i) {
				row.p = &r->m->points[i];
				if (is_wanted(row.p))
					tr2_table_add(&t, &row);
			}
	}
	return tr2_report_table_if_any(r, &t, "time");
}

bool tr2_report_data(const struct tr2_report *r)
{
	return print_points(r, "data", TR2_COLUMNS(data_columns), is_data);
}

bool tr2_report_errors(const struct tr2_report *r)
{
	return print_points(r, "errors", TR2_COLUMNS(error_columns), is_error);
}
