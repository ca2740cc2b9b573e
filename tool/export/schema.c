/* SPDX-License-Identifier: MIT */
/*
 * schema - see export/schema.h. Views are made anew by each export, so that a
 * newer trace2 brings newer ones; they have no data of their own.
 */
#include "export/schema.h"

const char tr2_schema_indexes[] =
	"CREATE INDEX IF NOT EXISTS sessions_sid ON sessions(sid);"
	"CREATE INDEX IF NOT EXISTS sessions_parent ON sessions(parent_id);"
	"CREATE INDEX IF NOT EXISTS sessions_span ON sessions(parent_span_id);"
	"CREATE INDEX IF NOT EXISTS sessions_start ON sessions(start_ns);"
	"CREATE INDEX IF NOT EXISTS threads_session ON threads(session_id);"
	"CREATE INDEX IF NOT EXISTS spans_session ON spans(session_id);"
	"CREATE INDEX IF NOT EXISTS spans_slowest ON spans(kind, duration_ns);"
	"CREATE INDEX IF NOT EXISTS spans_name ON spans(category, label);"
	"CREATE INDEX IF NOT EXISTS events_session ON events(session_id);"
	"CREATE INDEX IF NOT EXISTS events_kind ON events(kind);"
	"CREATE INDEX IF NOT EXISTS data_session ON data(session_id);"
	"CREATE INDEX IF NOT EXISTS data_key ON data(category, key);"
	"CREATE INDEX IF NOT EXISTS timers_session ON timers(session_id);"
	"CREATE INDEX IF NOT EXISTS counters_session ON counters(session_id);"
	"CREATE UNIQUE INDEX IF NOT EXISTS tasks_key ON tasks("
	"pid, coalesce(start_ns, exec_ns, end_ns, 0));";

const char tr2_schema_views[] =
	/* Single regions, the longest first. */
	"DROP VIEW IF EXISTS slowest_regions;"
	"CREATE VIEW slowest_regions AS"
	" SELECT p.category, p.label, p.msg,"
	"  p.duration_ns / 1e6 AS ms, p.self_ns / 1e6 AS self_ms,"
	"  s.name AS process, s.command, s.sid, p.id AS span_id"
	" FROM spans p JOIN sessions s ON s.id = p.session_id"
	" WHERE p.kind = 'region' ORDER BY p.duration_ns DESC;"
	/* Regions by name, over all sessions. */
	"DROP VIEW IF EXISTS regions;"
	"CREATE VIEW regions AS"
	" SELECT category, label, count(*) AS calls,"
	"  sum(duration_ns) / 1e6 AS total_ms, sum(self_ns) / 1e6 AS self_ms,"
	"  avg(duration_ns) / 1e6 AS mean_ms, max(duration_ns) / 1e6 AS max_ms,"
	"  count(DISTINCT session_id) AS sessions"
	" FROM spans WHERE kind = 'region' GROUP BY category, label"
	" ORDER BY total_ms DESC;"
	/* Sessions below those that started them, with the children that said
	 * nothing. `tree` is the name, indented; order by `path`. */
	"DROP VIEW IF EXISTS process_tree;"
	"CREATE VIEW process_tree AS"
	" WITH RECURSIVE process(session_id, parent_id, start_ns, duration_ns,"
	"  self_ns, spawn_ns, name, command, code, sort) AS ("
	"  SELECT id, parent_id, start_ns, duration_ns, self_ns, spawn_ns, name,"
	"   command, code, printf('%020d.%d', start_ns, id) FROM sessions"
	"  UNION ALL"
	"  SELECT NULL, p.session_id, p.start_ns, p.duration_ns, p.duration_ns,"
	"   NULL, coalesce(p.hook, p.command), p.command, p.child_code,"
	"   printf('%020d.c%d', p.start_ns, p.id) FROM spans p"
	"  WHERE p.kind = 'child' AND NOT EXISTS ("
	"   SELECT 1 FROM sessions c WHERE c.parent_span_id = p.id)),"
	" tree(session_id, depth, path, start_ns, duration_ns, self_ns,"
	"  spawn_ns, name, command, code) AS ("
	"  SELECT session_id, 0, sort, start_ns, duration_ns, self_ns, spawn_ns,"
	"   name, command, code FROM process WHERE parent_id IS NULL"
	"  UNION ALL"
	"  SELECT p.session_id, t.depth + 1, t.path || '/' || p.sort,"
	"   p.start_ns, p.duration_ns, p.self_ns, p.spawn_ns, p.name,"
	"   p.command, p.code FROM process p"
	"  JOIN tree t ON p.parent_id = t.session_id)"
	" SELECT depth, substr(printf('%*s', depth * 2, ''), 1, depth * 2) ||"
	"  coalesce(name, '?') AS tree, duration_ns / 1e6 AS ms,"
	"  self_ns / 1e6 AS self_ms, spawn_ns / 1e6 AS spawn_ms, code,"
	"  command, session_id, path FROM tree ORDER BY path;"
	/* What ended with a code other than 0 or by a signal. */
	"DROP VIEW IF EXISTS failures;"
	"CREATE VIEW failures AS"
	" SELECT s.name AS process, s.code, s.signal, s.command,"
	"  (SELECT e.value FROM events e WHERE e.session_id = s.id"
	"   AND e.kind = 'error' ORDER BY e.time_ns LIMIT 1) AS error,"
	"  s.sid, s.start_ns FROM sessions s"
	" WHERE s.code <> 0 OR s.signal IS NOT NULL ORDER BY s.start_ns;"
	/* What starting processes cost, by what was started. */
	"DROP VIEW IF EXISTS spawn_overhead;"
	"CREATE VIEW spawn_overhead AS"
	" SELECT s.name AS process, count(*) AS started,"
	"  sum(s.spawn_ns) / 1e6 AS spawn_ms,"
	"  sum(p.duration_ns) / 1e6 AS seen_by_parent_ms,"
	"  1.0 * sum(s.spawn_ns) / max(sum(p.duration_ns), 1) AS share"
	" FROM sessions s JOIN spans p ON p.id = s.parent_span_id"
	" WHERE s.spawn_ns IS NOT NULL GROUP BY s.name"
	" ORDER BY spawn_ms DESC;";
