/* SPDX-License-Identifier: MIT */
/* trace2 export - write a recording in another program's format. */
#include <stdio.h>
#include <string.h>

#include "base/macros.h"
#include "common/options.h"
#include "common/say.h"
#include "export/export.h"
#include "report/input_options.h"
#include "samples/symbols.h"

static const struct {
	const char *name;
	const struct tr2_export_format *format;
} formats[] = {
#define TR2_EXPORT_FORMAT(symbol, name, about) { name, &tr2_export_##symbol },
#include "export/formats.def"
#undef TR2_EXPORT_FORMAT
};

/* "|chrome|folded…": the values of --to begin behind the first bar. */
static const char format_choices[] =
#define TR2_EXPORT_FORMAT(symbol, name, about) "|" name
#include "export/formats.def"
#undef TR2_EXPORT_FORMAT
	;

/* ", chrome (Perfetto…), folded…": its help begins behind the first comma. */
static const char format_help[] =
#define TR2_EXPORT_FORMAT(symbol, name, about) ", " name about
#include "export/formats.def"
#undef TR2_EXPORT_FORMAT
	;

/* "|sessions|threads…": the values of --table begin behind the first bar. */
static const char table_choices[] =
#define TR2_TABLE(name, columns) "|" #name
#include "export/tables.def"
#undef TR2_TABLE
	;

static const char *to, *compat;
static const char *sample;
static struct tr2_tree_sampling sampling = { .one_in = 1 };
static bool debuginfod;
static struct tr2_export_options chosen = { .table = "spans",
					    .database = "trace2" };

static const struct tr2_option options[] = {
	{ 0, "to", "FORMAT", TR2_OPT_STRING, &to,
	  format_help + 2, format_choices + 1 },
	{ 0, "url", "URL", TR2_OPT_LIST, &chosen.urls,
	  "with otlp: send to this collector, such as "
	  "http://localhost:4318/v1/traces, or env for the one that "
	  "OTEL_EXPORTER_OTLP_ENDPOINT names; with clickhouse: the server, "
	  "such as http://localhost:8123", NULL },
	{ 0, "database", "NAME", TR2_OPT_STRING, &chosen.database,
	  "with clickhouse: the database (trace2), created if missing",
	  NULL },
	{ 0, "cluster", "NAME", TR2_OPT_STRING, &chosen.cluster,
	  "with clickhouse: create tables for this cluster, on the server of "
	  "each --url; rows go to the first", NULL },
	{ 0, "table", "TABLE", TR2_OPT_STRING, &chosen.table,
	  "with csv: the table (spans)", table_choices + 1 },
	{ 0, "redact", NULL, TR2_OPT_FLAG, &chosen.redact,
	  "hide passwords and other secrets in every string", NULL },
	{ 0, "compat", "PROGRAM", TR2_OPT_STRING, &compat,
	  "with otlp: name spans and attributes as this program does",
	  "trace2receiver" },
	{ 0, "sample", "1/N", TR2_OPT_STRING, &sample,
	  "with otlp: one in N of the trees of processes, and all that failed; 0: "
	  "only these", NULL },
	{ 0, "slower", "T", TR2_OPT_DURATION, &sampling.slow_ns,
	  "with --sample: and all that took T or more", NULL },
	{ 0, "states", NULL, TR2_OPT_FLAG, &chosen.states,
	  "with folded: what threads did: [ready] and [wait CAUSE] below the "
	  "time on a CPU", NULL },
	{ 0, "no-states", NULL, TR2_OPT_FLAG, &chosen.no_states,
	  "with sqlite, clickhouse and chrome: leave out the states of threads, "
	  "which are the largest part", NULL },
	TR2_OPTION_DEBUGINFOD(&debuginfod),
	TR2_OPT_END
};

extern const struct tr2_command tr2_command_export;

static const struct tr2_export_format *find_format(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(formats[i].name, name))
			return formats[i].format;
	return NULL;
}

/* Whether the text is valid between back quotes. */
static bool is_name(const char *s)
{
	return *s && !s[strspn(s, "abcdefghijklmnopqrstuvwxyz"
				  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")];
}

static int check_database(void)
{
	const struct tr2_command *c = &tr2_command_export;

	if (!chosen.urls.nr)
		return tr2_usage_error(c, "--to=clickhouse needs --url URL");
	if (!is_name(chosen.database))
		return tr2_usage_error(c, "invalid database name '%s'",
				       chosen.database);
	if (chosen.cluster && !is_name(chosen.cluster))
		return tr2_usage_error(c, "invalid cluster name '%s'",
				       chosen.cluster);
	if (chosen.urls.nr > 1 && !chosen.cluster)
		return tr2_usage_error(c, "several --url need --cluster");
	return 0;
}

/* Check the options against the format. Return 0, or an exit code. */
static int check_options(const struct tr2_export_format *f)
{
	const struct tr2_command *c = &tr2_command_export;
	const char *output = tr2_common.output;

	if (f->missing_package) {
		tr2_error("this trace2 was built without %s: install the Debian "
			  "package %s and build it again",
			  f->missing_library, f->missing_package);
		return TR2_EXIT_FATAL;
	}
	if (chosen.urls.nr && !(f->flags & TR2_EXPORT_URL))
		return tr2_usage_error(c, "--to=%s cannot be sent to a URL",
				       to);
	if (chosen.urls.nr && output)
		return tr2_usage_error(c, "give either -o or --url");
	if (f->flags & TR2_EXPORT_DATABASE)
		return check_database();
	if (chosen.urls.nr > 1)
		return tr2_usage_error(c, "--to=%s is sent to one --url",
				       to);
	if (chosen.cluster)
		return tr2_usage_error(c, "--cluster is for --to=clickhouse");
	if (f->flags & TR2_EXPORT_OWN_FILE && (!output || !strcmp(output, "-")))
		return tr2_usage_error(c, "--to=%s needs -o FILE", to);
	if (compat && f != &tr2_export_otlp)
		return tr2_usage_error(c, "--compat is for --to=otlp");
	if ((sample || sampling.slow_ns) && f != &tr2_export_otlp)
		return tr2_usage_error(c, "--sample is for --to=otlp");
	if (sampling.slow_ns && !sample)
		return tr2_usage_error(c, "--slower goes with --sample");
	if (sample && !tr2_tree_sampling_parse(&sampling, sample))
		return tr2_usage_error(c, "--sample takes 1/N, up to 1/%u, or 0",
				       TR2_SAMPLING_MAX);
	if (chosen.states && f != &tr2_export_folded)
		return tr2_usage_error(c, "--states is for --to=folded");
	if (chosen.no_states && f != &tr2_export_sqlite &&
	    f != &tr2_export_chrome)
		return tr2_usage_error(c, "--no-states is for --to=sqlite, "
					  "--to=clickhouse and --to=chrome");
	return 0;
}

static int export_to(struct tr2_model *m, const struct tr2_export_format *f)
{
	struct tr2_export x = { .m = m, .opt = &chosen,
				.filter = &tr2_common.filter,
				.output = tr2_common.output,
				.sampling = &sampling };
	bool own = f->flags & TR2_EXPORT_OWN_FILE || chosen.urls.nr, ok;

	if (!own && !tr2_sink_open(&x.sink, tr2_common.output))
		return TR2_EXIT_FATAL;
	ok = tr2_export_run(&x, f);
	if (!own)
		ok = tr2_sink_close(&x.sink, ok) && ok;
	else
		tr2_buf_release(&x.sink.buf);
	return ok ? 0 : TR2_EXIT_FATAL;
}

static int run(int argc, char **argv)
{
	const struct tr2_export_format *f = to ? find_format(to) : NULL;
	struct tr2_model *m;
	int code;

	if (!f)
		return tr2_usage_error(&tr2_command_export,
				       "--to FORMAT is required");
	chosen.trace2receiver = compat != NULL;
	code = check_options(f);
	if (code)
		return code;
	tr2_symbols_ask_servers(debuginfod);
	m = tr2_inputs_load(argc, argv,
			    f->flags & TR2_EXPORT_LINES ? TR2_LOAD_LINES : 0,
			    &code);
	if (!m)
		return code;
	code = export_to(m, f);
	tr2_model_free(m);
	return code;
}

const struct tr2_command tr2_command_export = {
	.name = "export",
	.synopsis = "--to FORMAT [-o FILE | --url URL] [--redact] [INPUT...]",
	.summary = "Writes a recording in another program's format.",
	.details = "A file appears under its name only when it is complete. An "
		   "existing SQLite database is extended; sessions that it "
		   "already has are replaced. ClickHouse gets the sessions "
		   "that it does not have yet.",
	.options = options,
	.common = TR2_COMMON_INPUT | TR2_COMMON_OUTPUT | TR2_COMMON_FILTER,
	.flags = TR2_COMMAND_NO_PAGER,
	.run = run,
};
