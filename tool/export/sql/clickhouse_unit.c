/* SPDX-License-Identifier: MIT */
/*
 * clickhouse_unit - identify sessions, processes and recordings by data that is
 * the same in every export. The id follows from the key; day and host follow
 * from the SID.
 */
#include <stdlib.h>

#include "export/sha256.h"
#include "export/sql/clickhouse.h"

#define DAY_NS (INT64_C(86400) * 1000000000)
#define LAST_DAY 49708 /* 2106-02-05, the last day of ClickHouse's type Date */

int64_t tr2_clickhouse_id(const char *key, size_t len)
{
	uint8_t digest[32];
	uint64_t id = 0;
	int i;

	tr2_sha256(key, len, digest);
	for (i = 0; i < 8; i++)
		id = id << 8 | digest[i];
	return (int64_t)(id >> 2) + 1;
}

/* Return the day of a SID that begins with the eight digits of a date; -1: no
 * such date. */
static int32_t day_of_sid(const char *own)
{
	const char *rest = own + strspn(own, "0123456789");
	unsigned int date, month, day;

	if (rest - own != 8 || *rest != 'T')
		return -1;
	date = (unsigned int)atoi(own);
	month = date / 100 % 100;
	day = date % 100;
	if (date < 19700000 || month < 1 || month > 12 || day < 1 || day > 31)
		return -1;
	return (int32_t)tr2_days_until(date / 10000, month, day);
}

static int32_t day_of(const char *own, int64_t wall_ns)
{
	int64_t day = day_of_sid(own);

	if (day < 0)
		day = wall_ns / DAY_NS;
	return day >= 0 && day <= LAST_DAY ? (int32_t)day : 0;
}

/* Set the unit's host from a SID of the form TIME-HOST-PID; "": the SID has
 * another form. */
static void set_host(struct tr2_clickhouse_unit *u, const char *own)
{
	const char *host = strchr(own, '-');
	const char *pid = strrchr(own, '-');

	u->host = own;
	if (!host || host == pid)
		return;
	u->host = host + 1;
	u->host_len = (size_t)(pid - host - 1);
}

/* Return a number that grows when more becomes known of a session: events and
 * samples, its end, or its parent. */
static uint64_t revision_of(const struct tr2_model *m, uint32_t session)
{
	const struct tr2_model_session *s = &m->sessions[session];
	const struct tr2_node *n = &m->nodes[s->node];
	bool last = s->node && !s->next_of_node;
	uint8_t end = last ? n->end : s->end;
	uint64_t nr = s->nr_events;
	uint32_t i;

	tr2_for_each_sample(m, session, i)
		nr++;
	return (nr << 2) |
	       (end != TR2_END_OPEN ? 2u : 0u) | (n->parent ? 1u : 0u);
}

void tr2_clickhouse_session_unit(struct tr2_export *x,
				 struct tr2_clickhouse_unit *u, uint32_t i)
{
	const struct tr2_model_session *s = &x->m->sessions[i];
	const char *slash = strrchr(s->sid, '/');
	const char *own = slash ? slash + 1 : s->sid;

	tr2_export_name(x, tr2_session_key, i);
	u->unit = tr2_clickhouse_id(x->text.p, x->text.len);
	u->tree = tr2_clickhouse_id(s->sid, strcspn(s->sid, "/"));
	u->revision = revision_of(x->m, i);
	u->day = day_of(own, s->wall_ns + s->start_ns);
	set_host(u, own);
}

void tr2_clickhouse_process_unit(struct tr2_export *x,
				 struct tr2_clickhouse_unit *u,
				 const struct tr2_clickhouse_unit *near,
				 uint32_t i)
{
	const struct tr2_node *n = &x->m->nodes[i];
	const struct tr2_model_input *in =
		&x->m->inputs[tr2_input_of_node(x->m, i)];

	*u = (struct tr2_clickhouse_unit){ .host = "" };
	if (near)
		*u = *near;
	else
		u->host = tr2_export_host(in->meta_json, &u->host_len);
	tr2_buf_reset(&x->text);
	tr2_buf_addlit(&x->text, "process/");
	tr2_buf_add(&x->text, u->host, u->host_len);
	tr2_buf_addch(&x->text, '/');
	tr2_process_key(x, &x->text, i);
	u->unit = tr2_clickhouse_id(x->text.p, x->text.len);
	if (!near)
		u->tree = u->unit;
	u->day = day_of("", n->start_ns);
	u->revision = (n->end != TR2_END_OPEN ? 4u : 0u) |
		      (n->task ? 2u : 0u) | (n->session ? 1u : 0u);
}

void tr2_clickhouse_recording_unit(struct tr2_export *x,
				   struct tr2_clickhouse_unit *u, uint32_t i)
{
	const struct tr2_model_input *in = &x->m->inputs[i];

	*u = (struct tr2_clickhouse_unit){ .host = "" };
	u->host = tr2_export_host(in->meta_json, &u->host_len);
	tr2_buf_reset(&x->text);
	tr2_buf_addlit(&x->text, "recording/");
	tr2_recording_key(x, &x->text, i);
	u->unit = tr2_clickhouse_id(x->text.p, x->text.len);
	u->tree = u->unit;
	u->day = day_of("", in->wall_ns);
}
