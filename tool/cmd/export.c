/* SPDX-License-Identifier: MIT */
/* trace2 export - write a recording in another program's format. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* "|chrome|folded…"; the values of --to are the text after the first bar. */
static const char format_choices[] =
#define TR2_EXPORT_FORMAT(symbol, name, about) "|" name
#include "export/formats.def"
#undef TR2_EXPORT_FORMAT
	;

/* ", chrome (Perfetto…), folded…"; the help of --to begins after the first
 * comma. */
static const char format_help[] =
#define TR2_EXPORT_FORMAT(symbol, name, about) ", " name about
#include "export/formats.def"
#undef TR2_EXPORT_FORMAT
	;

/* "|sessions|threads…"; the values of --table are the text after the first
 * bar. */
static const char table_choices[] =
#define TR2_TABLE(name, of, columns) "|" #name
#include "export/tables.def"
#undef TR2_TABLE
	;

static const char *to;
static struct tr2_tree_sampling sampling = { .one_in = 1 };
static bool debuginfod;
static struct tr2_export_options chosen;

static const struct tr2_option options[] = {
	{ 0, "to", "FORMAT", TR2_OPT_STRING, &to,
	  format_help + 2, format_choices + 1 },
#define TR2_EXPORT_OPTION(kind, member, usual, name, arg, formats, help, choices) \
	{ 0, name, arg, TR2_OPT_##kind, &chosen.member,                           \
	  formats[0] ? "with " formats ": " help : help, choices },
#include "export/export_options.def"
#undef TR2_EXPORT_OPTION
	TR2_OPTION_DEBUGINFOD(&debuginfod),
	TR2_OPT_END
};

static const struct tr2_export_format *find_format(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(formats[i].name, name))
			return formats[i].format;
	return NULL;
}

/* Return whether the text may stand between back quotes. */
static bool is_name(const char *s)
{
	return *s && !s[strspn(s, "abcdefghijklmnopqrstuvwxyz"
				  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")];
}

static int check_database(void)
{
	if (!chosen.urls.nr)
		return tr2_usage_error("--to=clickhouse needs --url URL");
	if (!is_name(chosen.database))
		return tr2_usage_error("invalid database name '%s'",
				       chosen.database);
	if (chosen.cluster && !is_name(chosen.cluster))
		return tr2_usage_error("invalid cluster name '%s'",
				       chosen.cluster);
	if (chosen.urls.nr > 1 && !chosen.cluster)
		return tr2_usage_error("several --url need --cluster");
	return 0;
}

/* Return whether the list of formats contains the chosen format. An empty list
 * stands for all formats. */
static bool is_for(const char *list)
{
	size_t len = strlen(to), n;

	if (!*list)
		return true;
	for (; *list; list += n + strspn(list + n, ", ")) {
		n = strcspn(list, ", ");
		if (n == len && !memcmp(list, to, n))
			return true;
	}
	return false;
}

#define IS_GIVEN_LIST(list) (list).nr
#define IS_GIVEN_STRING(text) (text)
#define IS_GIVEN_FLAG(flag) (flag)
#define IS_GIVEN_DURATION(ns) (ns)

/* Reject options that have no effect on the chosen formats. */
static int check_formats(void)
{
#define TR2_EXPORT_OPTION(kind, member, usual, name, arg, formats, help, choices) \
	if (IS_GIVEN_##kind(chosen.member) && !is_for(formats))                   \
		return tr2_usage_error("--%s needs --to=%s", name, formats);
#include "export/export_options.def"
#undef TR2_EXPORT_OPTION
	return 0;
}

static void set_usual(void)
{
#define SET_STRING(member, usual) \
	if (!chosen.member)       \
		chosen.member = usual;
#define SET_LIST(member, usual)
#define SET_FLAG(member, usual)
#define SET_DURATION(member, usual)
#define TR2_EXPORT_OPTION(kind, member, usual, name, arg, formats, help, choices) \
	SET_##kind(member, usual)
#include "export/export_options.def"
#undef TR2_EXPORT_OPTION
}

/* Check the options against the format. Return 0, or an exit code. */
static int check_options(const struct tr2_export_format *f)
{
	const char *output = tr2_common.output;
	int code;

	if (f->missing_package) {
		tr2_error("this trace2 was built without %s: install the "
			  "Debian package %s and build it again",
			  f->missing_library, f->missing_package);
		return TR2_EXIT_FATAL;
	}
	if (chosen.urls.nr && !(f->flags & TR2_EXPORT_URL))
		return tr2_usage_error("--to=%s cannot be sent to a URL", to);
	if (chosen.urls.nr && output)
		return tr2_usage_error("give either -o or --url");
	code = check_formats();
	if (code)
		return code;
	set_usual();
	if (f->flags & TR2_EXPORT_DATABASE)
		return check_database();
	if (chosen.urls.nr > 1)
		return tr2_usage_error("--to=%s takes only one --url", to);
	if (f->flags & TR2_EXPORT_OWN_FILE && (!output || !strcmp(output, "-")))
		return tr2_usage_error("--to=%s needs -o FILE", to);
	if (f->flags & TR2_EXPORT_BINARY && !output && isatty(1))
		return tr2_usage_error("--to=%s is binary: give -o FILE, or "
				       "pipe it to a program", to);
	if (chosen.slower_ns && !chosen.sample)
		return tr2_usage_error("--slower needs --sample");
	sampling.slow_ns = chosen.slower_ns;
	if (chosen.sample && !tr2_tree_sampling_parse(&sampling, chosen.sample))
		return tr2_usage_error("--sample takes 1/N, up to 1/%u, or 0",
				       TR2_SAMPLING_MAX);
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

static int run_export(int argc, char **argv)
{
	const struct tr2_export_format *f = to ? find_format(to) : NULL;
	struct tr2_model *m;
	int code;

	if (!f)
		return tr2_usage_error("--to FORMAT is required");
	code = check_options(f);
	if (code)
		return code;
	tr2_symbols_ask_servers(debuginfod);
	m = tr2_inputs_load(argc, argv,
			    (f->flags & TR2_EXPORT_LINES ? TR2_LOAD_LINES : 0) |
			    (chosen.redact ? TR2_LOAD_REDACT : 0) |
			    (chosen.waits ? TR2_LOAD_WAITS : 0), &code);
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
	.run = run_export,
};
