/* SPDX-License-Identifier: MIT */
/*
 * join_transport - put the server of a Git transport below its client. Each
 * side records the session id that the other sent (transfer.advertiseSID), as
 * data of the category `transfer`. A server in another tree moves below the
 * client, with the processes above the server that began after the client, and
 * with all processes below these. The server stays if the kernel recorded the
 * parent of the topmost of these processes.
 */
#include <string.h>

#include "model/join/join_private.h"

/* The clocks of two machines may differ by this. */
#define CLOCKS_NS 1000000000

static uint32_t top_of(const struct tr2_model *m, uint32_t node)
{
	while (m->nodes[node].parent)
		node = m->nodes[node].parent;
	return node;
}

/* Return the host in a session id, `…-H0a7c9cdf-P…`. */
static const char *host_in(const char *sid)
{
	const char *host = strrchr(sid, 'H');

	return host ? host : "";
}

static bool began_after(const struct tr2_model *m, uint32_t node,
			const struct tr2_model_session *client)
{
	const struct tr2_model_session *s =
		&m->sessions[m->nodes[node].session];
	int64_t slop_ns = strncmp(host_in(s->sid), host_in(client->sid), 9) ?
				  CLOCKS_NS : 0;

	return m->nodes[node].session &&
	       s->wall_ns >= client->wall_ns - slop_ns;
}

static void join_ends(struct tr2_model *m, uint32_t client, uint32_t server)
{
	uint32_t node = m->sessions[server].node;
	const struct tr2_model_session *s = &m->sessions[client];

	if (!s->node || !node || top_of(m, node) == top_of(m, s->node) ||
	    !began_after(m, node, s))
		return;
	while (m->nodes[node].parent &&
	       began_after(m, m->nodes[node].parent, s))
		node = m->nodes[node].parent;
	if (m->nodes[node].join == TR2_JOIN_TASK)
		return;
	m->nodes[node].parent = s->node;
	m->nodes[node].join = TR2_JOIN_TRANSPORT;
	m->nodes[node].child = 0;
}

static void join_by(struct tr2_model *m, const struct tr2_point *p,
		    bool is_server)
{
	uint32_t session = m->threads[p->thread].session;
	uint32_t other =
		p->value ? tr2_sid_find(m, p->value, strlen(p->value)) : 0;

	if (other)
		join_ends(m, is_server ? other : session,
			  is_server ? session : other);
}

void tr2_join_transports(struct tr2_model *m)
{
	tr2_str transfer = tr2_interned_n(m, "transfer", 8);
	tr2_str server_sid = tr2_interned_n(m, "server-sid", 10);
	tr2_str client_sid = tr2_interned_n(m, "client-sid", 10);
	uint32_t i;

	if (!transfer || !(server_sid || client_sid))
		return;
	for (i = 1; i < m->nr_points; i++) {
		const struct tr2_point *p = &m->points[i];

		if (p->kind != TR2_POINT_DATA || p->category != transfer)
			continue;
		if (server_sid && p->key == server_sid)
			join_by(m, p, false);
		else if (client_sid && p->key == client_sid)
			join_by(m, p, true);
	}
}
