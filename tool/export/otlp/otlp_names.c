/* SPDX-License-Identifier: MIT */
/*
 * otlp_names - add attributes. The attributes of the resource are from
 * OpenTelemetry's semantic conventions. trace2's own attributes begin with
 * "trace2.".
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/words.h"
#include "event/redact.h"
#include "export/otlp/otlp.h"
#include "model/kind.h"
#include "model/memory_use.h"
#include "model/objects.h"
#include "model/states.h"

void tr2_attributes_open(struct tr2_attributes *a, struct tr2_export *x,
			 struct tr2_buf *b)
{
	*a = (struct tr2_attributes){ x, b, false };
	tr2_buf_addlit(b, "\"attributes\":[");
}

void tr2_attributes_close(struct tr2_attributes *a)
{
	tr2_buf_addch(a->b, ']');
}

static void open_value(struct tr2_attributes *a, const char *key,
		       const char *type)
{
	tr2_buf_addstr(a->b, a->any ? ",{\"key\":" : "{\"key\":");
	tr2_export_add_str(a->x, a->b, key);
	tr2_buf_addall(a->b, ",\"value\":{\"", type, "\":");
	a->any = true;
}

void tr2_attribute_str(struct tr2_attributes *a, const char *key,
		       const char *value)
{
	if (!value || !*value)
		return;
	open_value(a, key, "stringValue");
	tr2_export_add_str(a->x, a->b, value);
	tr2_buf_addlit(a->b, "}}");
}

void tr2_attribute_int(struct tr2_attributes *a, const char *key, int64_t value)
{
	open_value(a, key, "intValue");
	tr2_buf_addch(a->b, '"');
	tr2_buf_add_i64(a->b, value);
	tr2_buf_addlit(a->b, "\"}}");
}

/* Add an unsigned number. OTLP's integers are signed, so a larger number
 * becomes a double. */
static void add_unsigned(struct tr2_attributes *a, const char *key,
			 uint64_t value)
{
	if (value <= INT64_MAX) {
		tr2_attribute_int(a, key, (int64_t)value);
		return;
	}
	open_value(a, key, "doubleValue");
	tr2_buf_add_u64(a->b, value);
	tr2_buf_addlit(a->b, "}}");
}

void tr2_attribute_json(struct tr2_attributes *a, const char *key,
			const char *type, const struct tr2_view *value,
			bool quoted)
{
	open_value(a, key, type);
	tr2_buf_addstr(a->b, quoted ? "\"" : "");
	tr2_buf_add(a->b, value->p, value->len);
	tr2_buf_addstr(a->b, quoted ? "\"}}" : "}}");
}

void tr2_attribute_true(struct tr2_attributes *a, const char *key)
{
	open_value(a, key, "boolValue");
	tr2_buf_addlit(a->b, "true}}");
}

void tr2_attribute_words(struct tr2_attributes *a, const char *key,
			 const struct tr2_words *words)
{
	const char *w;
	uint32_t i;

	if (!words->nr)
		return;
	open_value(a, key, "arrayValue");
	tr2_buf_addlit(a->b, "{\"values\":[");
	tr2_for_each_word(words, w, i) {
		tr2_buf_addstr(a->b, i ? ",{\"stringValue\":" :
					 "{\"stringValue\":");
		tr2_export_add_str(a->x, a->b, w);
		tr2_buf_addch(a->b, '}');
	}
	tr2_buf_addlit(a->b, "]}}}");
}

void tr2_attribute_number(struct tr2_attributes *a, const char *key,
			  const char *text)
{
	size_t sign = text && *text == '-', len = text ? strlen(text) : 0;

	/* Numbers of up to 18 digits fit into 64 bits. A text with a leading
	 * zero is not a number. */
	if (len > sign && len <= 18 + sign &&
	    strspn(text + sign, "0123456789") == len - sign &&
	    (text[sign] != '0' || len == 1))
		tr2_attribute_int(a, key, strtoll(text, NULL, 10));
	else
		tr2_attribute_str(a, key, text);
}

static void add_host(struct tr2_attributes *a)
{
	char name[256];
	size_t len;
	const char *host = tr2_export_host(a->x->m->meta_json, &len);

	if (!len || len >= sizeof(name))
		return;
	memcpy(name, host, len);
	name[len] = '\0';
	tr2_attribute_str(a, "host.name", name);
}

/* The names service.*, process.* and host.* are from the semantic conventions
 * 1.27. */
void tr2_otlp_resource(struct tr2_attributes *a, uint32_t node,
		       uint32_t session)
{
	const struct tr2_model *m = a->x->m;
	const struct tr2_model_session *s = &m->sessions[session];
	const struct tr2_words *argv = session && s->argv.nr ?
		&s->argv : tr2_node_words(m, node);
	const char *program = argv->nr ? tr2_base_name(argv->text) :
					 tr2_node_name(m, node);
	int32_t pid = session && s->pid > 0 ? s->pid : m->nodes[node].pid;

	if (!node && !session) {
		tr2_attribute_str(a, "service.name", TR2_OTLP_RECORDER);
		add_host(a);
		return;
	}
	tr2_attribute_str(a, "service.name", *program ? program : "unknown");
	tr2_attribute_str(a, "service.version", tr2_s(m, s->exe_version));
	if (pid > 0)
		tr2_attribute_int(a, "process.pid", pid);
	tr2_attribute_str(a, "process.executable.name", program);
	tr2_attribute_str(a, "process.executable.path", tr2_s(m, s->path));
	tr2_attribute_words(a, "process.command_args", argv);
	add_host(a);
}

static void own_process_name(struct tr2_export *x, struct tr2_buf *b,
			     uint32_t node, uint32_t session)
{
	(void)session;
	tr2_export_node_name(x, b, node);
}

/* The values of each kind of metric. An attribute's name is the metric's name
 * plus this suffix. */
static const struct value {
	const char *suffix; /* NULL: end of the values */
	size_t at; /* offset in struct tr2_metric */
} values[TR2_DEFINITION_KINDS][5] = {
#define AT(member) offsetof(struct tr2_metric, member)
	[TR2_DEFINITION_TIMER] = { { ".intervals", AT(count) },
				   { ".total_ns", AT(total_ns) } },
	[TR2_DEFINITION_COUNTER] = { { "", AT(count) } },
	[TR2_DEFINITION_DISTRIBUTION] = { { ".count", AT(count) },
					  { ".sum", AT(total_ns) },
					  { ".min", AT(min_ns) },
					  { ".max", AT(max_ns) } },
	[TR2_DEFINITION_GAUGE] = { { ".last", AT(count) },
				   { ".min", AT(min_ns) },
				   { ".max", AT(max_ns) } },
};

static void add_metric(struct tr2_attributes *a,
		       const struct tr2_metric *metric)
{
	const struct value *v = values[metric->kind];
	struct tr2_buf *key = &a->x->text;
	uint64_t value;
	size_t len;

	tr2_buf_reset(key);
	tr2_buf_addall(key, "trace2.", tr2_metric_names[metric->kind], ".");
	tr2_export_metric_name(a->x, key, metric);
	for (len = key->len; v->suffix; v++, key->len = len) {
		tr2_buf_addstr(key, v->suffix);
		value = *(const uint64_t *)(const void *)
				((const char *)metric + v->at);
		if (metric->kind == TR2_DEFINITION_GAUGE)
			tr2_attribute_int(a, tr2_buf_str(key), (int64_t)value);
		else
			add_unsigned(a, tr2_buf_str(key), value);
	}
}

static void add_metrics(struct tr2_attributes *a, uint32_t session,
			uint32_t thread)
{
	const struct tr2_model *m = a->x->m;
	uint32_t i;

	tr2_for_each_metric(m, session, i)
		if (m->metrics[i].thread == thread)
			add_metric(a, &m->metrics[i]);
}

static void add_param(struct tr2_attributes *a, const struct tr2_point *p)
{
	const struct tr2_model *m = a->x->m;
	const char *key = tr2_s(m, p->key);

	tr2_buf_reset(&a->x->text);
	tr2_buf_addall(&a->x->text, "trace2.param.", key);
	tr2_attribute_str(a, tr2_buf_str(&a->x->text),
			  tr2_export_is_secret(a->x, key) ? TR2_REDACTED :
							    p->value);
}

static void add_exit(struct tr2_attributes *a, const struct tr2_node *n)
{
	if (n->has_code && n->end == TR2_END_SIGNAL) {
		tr2_attribute_int(a, "trace2.signal", n->code);
		tr2_attribute_str(a, "trace2.signal_name",
				  tr2_export_signal(a->x, n->code));
	} else if (n->has_code)
		tr2_attribute_int(a, "process.exit.code", n->code);
	if (n->has_code && n->end_by == TR2_BY_PARENT)
		tr2_attribute_str(a, "trace2.end_by", "parent");
	if (n->end == TR2_END_OPEN)
		tr2_attribute_true(a, "trace2.open");
	if (n->spawn_ns != TR2_NO_TIME)
		tr2_attribute_int(a, "trace2.spawn_ns", n->spawn_ns);
}

static void add_waits(struct tr2_attributes *a,
		      const struct tr2_state_sums *sums)
{
	char key[40];
	int i;

	tr2_attribute_int(a, "trace2.ready_ns", sums->ready_ns);
	tr2_attribute_int(a, "trace2.wait_ns", sums->wait_ns);
	for (i = 0; i < TR2_CAUSE_NR; i++) {
		if (!sums->cause_ns[i])
			continue;
		snprintf(key, sizeof(key), "trace2.wait.%s_ns",
			 tr2_cause_name(i));
		tr2_attribute_int(a, key, sums->cause_ns[i]);
	}
}

/* Add the peer's address, if the connection is named ADDRESS:PORT. */
static void add_peer(struct tr2_attributes *a, const char *name)
{
	const char *colon = strrchr(name, ':');
	struct tr2_buf *b = &a->x->text;

	if (!colon || strchr(name, ' '))
		return;
	tr2_buf_reset(b);
	tr2_buf_add(b, name, (size_t)(colon - name));
	tr2_attribute_str(a, "network.peer.address", tr2_buf_str(b));
	tr2_attribute_int(a, "network.peer.port", atoi(colon + 1));
}

/* Add the object for which the process waited longest, under trace2's names and
 * under names of the semantic conventions. */
static void add_object(struct tr2_attributes *a, uint32_t task)
{
	const struct tr2_model *m = a->x->m;
	const struct tr2_observed_object *o;
	const char *what, *name;
	int64_t ns;

	o = tr2_object_of_task(m, task, &ns);
	if (!o)
		return;
	what = tr2_s(m, o->what);
	name = m->redact ? "" : tr2_s(m, o->name);
	tr2_attribute_str(a, "trace2.wait.object", tr2_s(m, o->text));
	tr2_attribute_int(a, "trace2.wait.object_ns", ns);
	if (*name && (!strcmp(what, "tcp") || !strcmp(what, "udp")))
		add_peer(a, name);
	else if (*name && (!strcmp(what, "file") || !strcmp(what, "lock")))
		tr2_attribute_str(a, "file.path", name);
}

/* Add attributes for the states that the kernel recorded of a process. */
static void add_states(struct tr2_attributes *a, const struct tr2_node *n)
{
	const struct tr2_model *m = a->x->m;
	const struct tr2_times *times = tr2_times(m, n);
	struct tr2_state_sums sums = { 0 };

	struct tr2_observed_memory_point peak;

	if (times->cpu_ns != TR2_NO_TIME)
		tr2_attribute_int(a, "trace2.cpu_ns", times->cpu_ns);
	if (n == &m->nodes[m->first_root] && tr2_memory_peak(m, &peak))
		tr2_attribute_int(a, "trace2.peak_memory_bytes",
				  (int64_t)peak.tree_bytes);
	if (!n->task || !m->has_states || times->wait_ns == TR2_NO_TIME)
		return;
	tr2_states_sum_task(m, n->task, n->start_ns, n->end_ns, &sums);
	add_waits(a, &sums);
	add_object(a, n->task);
}

/* Add attributes for a thread's states between two times of its session. */
static void add_thread_states(struct tr2_attributes *a, uint32_t thread,
			      int64_t start_ns, int64_t end_ns)
{
	const struct tr2_model *m = a->x->m;
	const struct tr2_model_thread *t = &m->threads[thread];
	int64_t wall_ns = m->sessions[t->session].wall_ns;
	struct tr2_state_sums sums = { 0 };

	if (!t->task_thread)
		return;
	tr2_states_sum(m, t->task_thread, wall_ns + start_ns, wall_ns + end_ns,
		       &sums);
	tr2_attribute_int(a, "trace2.cpu_ns", sums.run_ns);
	add_waits(a, &sums);
}

static void own_process(struct tr2_attributes *a, uint32_t node,
			uint32_t session, struct tr2_points points)
{
	const struct tr2_model *m = a->x->m;
	const struct tr2_model_session *s = &m->sessions[session];
	const struct tr2_rare *rare = tr2_rare(m, session);
	uint32_t i;

	tr2_attribute_str(a, "trace2.span", "process");
	add_exit(a, &m->nodes[node]);
	tr2_attribute_str(a, "trace2.kind",
			  tr2_s(m, tr2_kind(a->x->m, node, 0)));
	if (m->nodes[node].session == session)
		add_states(a, &m->nodes[node]);
	if (!session)
		return;
	tr2_attribute_str(a, "trace2.sid", s->sid);
	tr2_attribute_str(a, "trace2.name", tr2_s(m, s->name));
	tr2_attribute_str(a, "trace2.hierarchy", tr2_s(m, s->hierarchy));
	tr2_attribute_str(a, "trace2.mode", tr2_s(m, s->mode));
	tr2_attribute_words(a, "trace2.ancestry", &rare->ancestry);
	if (rare->lost)
		tr2_attribute_int(a, "trace2.lost", (int64_t)rare->lost);
	add_metrics(a, session, 0);
	for (i = points.first; i; i = points.next[i])
		if (m->points[i].kind == TR2_POINT_PARAM)
			add_param(a, &m->points[i]);
}

static void own_thread(struct tr2_attributes *a, uint32_t thread,
		       struct tr2_points points)
{
	const struct tr2_model_thread *t = &a->x->m->threads[thread];

	(void)points;
	tr2_attribute_str(a, "trace2.span", "thread");
	tr2_attribute_str(a, "thread.name", tr2_s(a->x->m, t->name));
	add_thread_states(a, thread, t->start_ns, t->end_ns);
	add_metrics(a, t->session, thread);
}

static void own_child(struct tr2_attributes *a, const struct tr2_span *s)
{
	const struct tr2_model *m = a->x->m;
	const struct tr2_child *c = &m->children[s->child];

	tr2_attribute_int(a, "trace2.child.id", c->id);
	tr2_attribute_str(a, "trace2.child.class", tr2_s(m, c->child_class));
	tr2_attribute_str(a, "trace2.child.hook", tr2_s(m, c->hook));
	tr2_attribute_str(a, "trace2.child.cd", tr2_s(m, c->cd));
	tr2_attribute_str(a, "trace2.child.exe", tr2_s(m, c->exe));
	tr2_attribute_words(a, "trace2.child.argv", &c->argv);
	if (c->pid > 0)
		tr2_attribute_int(a, "trace2.child.pid", c->pid);
	if (c->has_code)
		tr2_attribute_int(a, "trace2.child.code", c->code);
}

static void own_span(struct tr2_attributes *a, uint32_t span,
		     struct tr2_points points)
{
	static const char *const kinds[] = { [TR2_SPAN_REGION] = "region",
					     [TR2_SPAN_CHILD] = "child",
					     [TR2_SPAN_EXEC] = "exec" };
	const struct tr2_model *m = a->x->m;
	const struct tr2_span *s = &m->spans[span];

	(void)points;
	tr2_attribute_str(a, "trace2.span", kinds[s->kind]);
	tr2_attribute_str(a, "trace2.category", tr2_s(m, s->category));
	tr2_attribute_str(a, "trace2.label", tr2_s(m, s->label));
	tr2_attribute_str(a, "trace2.msg", tr2_s(m, s->msg));
	if (s->child)
		own_child(a, s);
	else
		add_thread_states(a, s->thread, s->start_ns, s->end_ns);
	if (s->repo)
		tr2_attribute_int(a, "trace2.repo", s->repo);
	if (s->flags & TR2_SPAN_OPEN)
		tr2_attribute_true(a, "trace2.open");
	tr2_attribute_str(a, "code.filepath", tr2_s(m, s->file));
	if (s->file)
		tr2_attribute_int(a, "code.lineno", s->line);
}

const struct tr2_otlp_names tr2_otlp_own_names = {
	.process_name = own_process_name,
	.span_name = tr2_export_span_name,
	.process = own_process,
	.thread = own_thread,
	.span = own_span,
	.scope = "trace2",
	.events = true,
};
