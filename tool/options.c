/* SPDX-License-Identifier: MIT */
/*
 * options - getopt_long() from a command's table, the values that it gives,
 * and the texts that are made from the same table.
 */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/text.h"
#include "options.h"

struct tr2_common tr2_common = {
	.color = "auto",
	.pid = -1,
	.depth = -1,
	.since_ns = INT64_MIN,
	.until_ns = INT64_MAX,
};

static const char *format_name = "text";

/* ---- the common groups ---------------------------------------------------------- */

static const struct tr2_option input_options[] = {
	{ 'i', "input", "PATH", TR2_OPT_LIST, &tr2_common.input,
	  "read this recording, file or directory, or - (trace2.data)", NULL },
	TR2_OPT_END
};

static const struct tr2_option output_options[] = {
	{ 'o', "output", "PATH", TR2_OPT_STRING, &tr2_common.output,
	  "write to this file or directory", NULL },
	TR2_OPT_END
};

static const struct tr2_option filter_options[] = {
	{ 0, NULL, NULL, TR2_OPT_HEADING, NULL, "Which processes and regions",
	  NULL },
	{ 0, "cmd", "GLOB", TR2_OPT_STRING, &tr2_common.cmd,
	  "processes whose command or command line is like this", NULL },
	{ 0, "sid", "SID", TR2_OPT_STRING, &tr2_common.sid,
	  "the process of this session id (or of this start or end of one)",
	  NULL },
	{ 0, "pid", "N", TR2_OPT_INT, &tr2_common.pid,
	  "the process of this number", NULL },
	{ 'N', "region", "GLOB", TR2_OPT_STRING, &tr2_common.region,
	  "regions whose category/label is like this", NULL },
	{ 't', "min-time", "TIME", TR2_OPT_DURATION, &tr2_common.min_ns,
	  "nothing that took less than this (1ms, 20us, 1.5s)", NULL },
	{ 0, "since", "TIME", TR2_OPT_TIME, &tr2_common.since_ns,
	  "what went on after this: HH:MM:SS, a date and time, or a time ago such as 5min",
	  NULL },
	{ 0, "until", "TIME", TR2_OPT_TIME, &tr2_common.until_ns,
	  "what went on before this", NULL },
	{ 'D', "depth", "N", TR2_OPT_INT, &tr2_common.depth,
	  "processes and regions not deeper than this", NULL },
	TR2_OPT_END
};

static const struct tr2_option format_options[] = {
	{ 0, NULL, NULL, TR2_OPT_HEADING, NULL, "How it is shown", NULL },
	{ 0, "format", "FORMAT", TR2_OPT_STRING, &format_name,
	  "text, json or csv (text)", "text|json|csv" },
	TR2_OPT_END
};

static const struct tr2_option markdown_options[] = {
	{ 0, NULL, NULL, TR2_OPT_HEADING, NULL, "How it is shown", NULL },
	{ 0, "format", "FORMAT", TR2_OPT_STRING, &format_name,
	  "text, json, csv or md, for Markdown (text)", "text|json|csv|md" },
	TR2_OPT_END
};

static const struct tr2_option look_options[] = {
	{ 0, "color", "WHEN", TR2_OPT_STRING, &tr2_common.color,
	  "auto, always or never (auto: on a terminal)", "auto|always|never" },
	{ 0, "no-pager", NULL, TR2_OPT_FLAG, &tr2_common.no_pager,
	  "do not show through a pager", NULL },
	TR2_OPT_END
};

static bool help_wanted;

static const struct tr2_option help_options[] = {
	{ 'h', "help", NULL, TR2_OPT_FLAG, &help_wanted, "show this help",
	  NULL },
	TR2_OPT_END
};

size_t tr2_options_list(const struct tr2_command *c,
			const struct tr2_option *out[TR2_MAX_OPTIONS])
{
	const struct tr2_option *const groups[] = {
		c->options,
		c->common & TR2_COMMON_INPUT ? input_options : NULL,
		c->common & TR2_COMMON_OUTPUT ? output_options : NULL,
		c->common & TR2_COMMON_FILTER ? filter_options : NULL,
		!(c->common & TR2_COMMON_FORMAT) ? NULL :
		c->common & TR2_COMMON_MARKDOWN	 ? markdown_options :
						   format_options,
		c->common & TR2_COMMON_FORMAT ? look_options : NULL,
		help_options,
	};
	const struct tr2_option *o;
	size_t i, nr = 0;

	for (i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		for (o = groups[i]; o && (o->letter || o->name || o->help); o++)
			if (nr < TR2_MAX_OPTIONS)
				out[nr++] = o;
	return nr;
}

/* ---- values ------------------------------------------------------------------------ */

/* A number and what follows it. false: no number. */
static bool number_and_unit(const char *s, double *number, const char **unit)
{
	char *end;

	if (!((*s >= '0' && *s <= '9') || *s == '.'))
		return false;
	errno = 0;
	*number = strtod(s, &end);
	*unit = end;
	return end > s && !errno;
}

static bool parse_int(const char *s, int64_t *out)
{
	char *end;

	if (!(*s >= '0' && *s <= '9'))
		return false;
	errno = 0;
	*out = strtoll(s, &end, 10);
	return !errno && !*end;
}

struct unit {
	const char *name;
	double factor;
};

static bool parse_unit(const char *s, const struct unit *units, int64_t *out)
{
	const char *unit;
	double number;

	if (!number_and_unit(s, &number, &unit))
		return false;
	while (*unit == ' ')
		unit++;
	for (; units->name; units++)
		if (!strcmp(units->name, unit))
			break;
	if (!units->name || number * units->factor > 9e18)
		return false;
	*out = (int64_t)(number * units->factor + 0.5);
	return true;
}

static bool parse_duration(const char *s, int64_t *out)
{
	static const struct unit units[] = {
		{ "", 1e9 },    { "s", 1e9 },  { "ms", 1e6 },	 { "us", 1e3 },
		{ "µs", 1e3 }, { "ns", 1 },   { "min", 60e9 }, { "m", 60e9 },
		{ "h", 3600e9 }, { "d", 86400e9 }, { NULL, 0 }
	};

	return parse_unit(s, units, out);
}

static bool parse_size(const char *s, int64_t *out)
{
	static const struct unit units[] = {
		{ "", 1 },	      { "k", 1024 },	    { "K", 1024 },
		{ "KiB", 1024 },      { "M", 1048576 },	    { "MiB", 1048576 },
		{ "G", 1073741824.0 }, { "GiB", 1073741824.0 }, { NULL, 0 }
	};

	return parse_unit(s, units, out);
}

static bool parse_percent(const char *s, double *out)
{
	const char *unit;

	if (!number_and_unit(s, out, &unit))
		return false;
	if (!strcmp(unit, "%"))
		*out /= 100;
	return !*unit || !strcmp(unit, "%");
}

/* A date and time, a time of today, or so long ago. Local time unless it ends
 * with Z. */
static bool parse_time(const char *s, int64_t *out)
{
	static const char *const forms[] = { "%Y-%m-%dT%H:%M:%S",
					     "%Y-%m-%d %H:%M:%S",
					     "%Y-%m-%d %H:%M", "%Y-%m-%d",
					     "%H:%M:%S", "%H:%M" };
	time_t now = time(NULL), t;
	const char *rest = NULL;
	struct tm tm;
	double fraction = 0;
	int64_t ago;
	size_t i;

	if (parse_duration(s, &ago)) {
		*out = (int64_t)now * 1000000000 - ago;
		return true;
	}
	for (i = 0; i < sizeof(forms) / sizeof(*forms) && !rest; i++) {
		localtime_r(&now, &tm);
		tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
		tm.tm_isdst = -1;
		rest = strptime(s, forms[i], &tm);
		if (rest && *rest == '.')
			fraction = strtod(rest, (char **)&rest);
		if (rest && *rest && strcmp(rest, "Z") != 0)
			rest = NULL;
	}
	if (!rest)
		return false;
	t = *rest == 'Z' ? timegm(&tm) : mktime(&tm);
	*out = (int64_t)t * 1000000000 + (int64_t)(fraction * 1e9);
	return true;
}

static bool add_to_list(struct tr2_list *list, const char *item)
{
	const char **p = realloc(list->item, (list->nr + 1) * sizeof(*p));

	if (!p)
		return false;
	list->item = p;
	list->item[list->nr++] = item;
	return true;
}

static bool is_choice(const char *choices, const char *s)
{
	size_t len = strlen(s), n;

	for (; len; choices += n + 1) {
		n = strcspn(choices, "|");
		if (n == len && !memcmp(choices, s, n))
			return true;
		if (!choices[n])
			break;
	}
	return false;
}

static bool set_value(const struct tr2_option *o, const char *s)
{
	if (o->choices && s && !is_choice(o->choices, s))
		return false;
	switch (o->kind) {
	case TR2_OPT_FLAG:
		*(bool *)o->value = true;
		return true;
	case TR2_OPT_STRING:
		*(const char **)o->value = s ? s : "";
		return true;
	case TR2_OPT_LIST:
		return add_to_list(o->value, s);
	case TR2_OPT_INT:
		return parse_int(s, o->value);
	case TR2_OPT_SIZE:
		return parse_size(s, o->value);
	case TR2_OPT_DURATION:
		return parse_duration(s, o->value);
	case TR2_OPT_TIME:
		return parse_time(s, o->value);
	case TR2_OPT_PERCENT:
		return parse_percent(s, o->value);
	default:
		return true;
	}
}

/* ---- errors ---------------------------------------------------------------------------- */

/* One line, whatever the names in it hold: those of files in a directory that
 * all may write to are anybody's. */
__attribute__((format(printf, 2, 0))) static void
say(const char *prefix, const char *fmt, va_list ap)
{
	struct tr2_buf said = TR2_BUF_INIT, shown = TR2_BUF_INIT;

	fflush(stdout);
	tr2_buf_vaddf(&said, fmt, ap);
	tr2_text_add(&shown, tr2_buf_str(&said), said.len);
	fprintf(stderr, "%s%s\n", prefix, tr2_buf_str(&shown));
	tr2_buf_release(&said);
	tr2_buf_release(&shown);
}

void tr2_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("trace2: ", fmt, ap);
	va_end(ap);
}

void tr2_warning(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("trace2: warning: ", fmt, ap);
	va_end(ap);
}

int tr2_usage_error(const struct tr2_command *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("trace2: ", fmt, ap);
	va_end(ap);
	fprintf(stderr, "Usage: trace2 %s %s\n'trace2 %s -h' lists its "
			"options.\n", c->name, c->synopsis, c->name);
	return TR2_EXIT_USAGE;
}

/* ---- parsing ------------------------------------------------------------------------------ */

static void make_getopt(const struct tr2_option *const *options, size_t nr,
			char *letters, struct option *longs)
{
	size_t i, n = 0;

	for (i = 0; i < nr; i++) {
		const struct tr2_option *o = options[i];
		int takes = !o->arg ? no_argument :
			    *o->arg == '[' ? optional_argument :
					     required_argument;

		if (o->letter) {
			*letters++ = (char)o->letter;
			if (takes != no_argument)
				*letters++ = ':';
			if (takes == optional_argument)
				*letters++ = ':';
		}
		if (o->name)
			longs[n++] = (struct option){ o->name, takes, NULL,
						      256 + (int)i };
	}
	*letters = '\0';
	longs[n] = (struct option){ NULL, 0, NULL, 0 };
}

static const struct tr2_option *find_option(const struct tr2_option *const *all,
					    size_t nr, int got)
{
	size_t i;

	if (got >= 256)
		return all[got - 256];
	for (i = 0; i < nr; i++)
		if (all[i]->letter == got)
			return all[i];
	return NULL;
}

static void bad_option(const struct tr2_command *c, int got, char **argv)
{
	const char *word = argv[optind - 1];

	if (!word) /* musl has counted the value that is missing */
		word = argv[optind - 2];

	if (got == ':')
		tr2_usage_error(c, "option '%s' needs a value", word);
	else if (optopt && optopt < 256 && strncmp(word, "--", 2) != 0)
		tr2_usage_error(c, "unknown option '-%c'", optopt);
	else
		tr2_usage_error(c, "unknown option '%s'", word);
}

static int print_help(const struct tr2_command *c)
{
	struct tr2_buf out = TR2_BUF_INIT;

	tr2_options_help(c, &out);
	fwrite(out.p, 1, out.len, stdout);
	tr2_buf_release(&out);
	return -1;
}

static int take_option(const struct tr2_command *c, const struct tr2_option *o,
		       const char *value)
{
	if (set_value(o, value))
		return 0;
	if (o->choices)
		tr2_usage_error(c, "'%s' is not a value of --%s: it takes %s",
				value, o->name, o->choices);
	else
		tr2_usage_error(c, "'%s' is not a value of %s%s (%s)", value,
				o->name ? "--" : "-",
				o->name ? o->name : (char[]){ (char)o->letter, 0 },
				o->arg);
	return -2;
}

int tr2_options_parse(const struct tr2_command *c, int argc, char **argv,
		      char ***rest)
{
	const struct tr2_option *options[TR2_MAX_OPTIONS];
	size_t nr = tr2_options_list(c, options);
	struct option longs[TR2_MAX_OPTIONS + 1];
	char letters[3 * TR2_MAX_OPTIONS + 3];
	int got, n = 0;

	/* ':' tells a missing value from an unknown option. */
	if (c->flags & TR2_COMMAND_STOP)
		letters[n++] = '+';
	letters[n++] = ':';
	make_getopt(options, nr, letters + n, longs);
	opterr = 0;
	optind = 0;
	while ((got = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (got == '?' || got == ':')
			return bad_option(c, got, argv), -2;
		if (take_option(c, find_option(options, nr, got), optarg))
			return -2;
		if (help_wanted)
			return print_help(c);
	}
	tr2_common.format = !strcmp(format_name, "json") ? TR2_FORMAT_JSON :
			    !strcmp(format_name, "csv")	 ? TR2_FORMAT_CSV :
			    !strcmp(format_name, "md")	 ? TR2_FORMAT_MARKDOWN :
							   TR2_FORMAT_TEXT;
	*rest = argv + optind;
	return argc - optind;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* `-i, --input PATH`, with `=` before the value where `equals`. */
static void add_names(struct tr2_buf *b, const struct tr2_option *o)
{
	const char *arg = o->arg;

	if (o->letter) {
		tr2_buf_addch(b, '-');
		tr2_buf_addch(b, (char)o->letter);
	}
	if (o->letter && o->name)
		tr2_buf_addlit(b, ", ");
	if (o->name) {
		tr2_buf_addlit(b, "--");
		tr2_buf_addstr(b, o->name);
	}
	if (!arg)
		return;
	if (*arg == '[') {
		tr2_buf_addlit(b, "[=");
		tr2_buf_addstr(b, arg + 1);
		return;
	}
	tr2_buf_addch(b, ' ');
	tr2_buf_addstr(b, arg);
}

#define HELP_COLUMN 26
#define HELP_WIDTH 80

/* Text from column `from` on, broken between words. */
static void add_wrapped(struct tr2_buf *b, const char *text, size_t from)
{
	size_t at = from, n;

	while (*text) {
		n = strcspn(text, " ");
		if (at > from && at + 1 + n > HELP_WIDTH) {
			tr2_buf_addch(b, '\n');
			tr2_buf_addchars(b, ' ', from);
			at = from;
		} else if (at > from) {
			tr2_buf_addch(b, ' ');
			at++;
		}
		tr2_buf_add(b, text, n);
		at += n;
		text += n + (text[n] == ' ');
	}
	tr2_buf_addch(b, '\n');
}

static void add_option(struct tr2_buf *b, const struct tr2_option *o)
{
	size_t start = b->len, width;

	if (o->kind == TR2_OPT_HEADING) {
		tr2_buf_addch(b, '\n');
		tr2_buf_addstr(b, o->help);
		tr2_buf_addlit(b, ":\n");
		return;
	}
	tr2_buf_addlit(b, "  ");
	if (!o->letter)
		tr2_buf_addlit(b, "    ");
	add_names(b, o);
	width = b->len - start;
	if (width + 2 > HELP_COLUMN) {
		tr2_buf_addch(b, '\n');
		width = 0;
	}
	tr2_buf_addchars(b, ' ', HELP_COLUMN - width);
	add_wrapped(b, o->help, HELP_COLUMN);
}

void tr2_options_help(const struct tr2_command *c, struct tr2_buf *out)
{
	const struct tr2_option *options[TR2_MAX_OPTIONS];
	size_t nr = tr2_options_list(c, options), i;

	tr2_buf_addlit(out, "Usage: trace2 ");
	tr2_buf_addstr(out, c->name);
	tr2_buf_addch(out, ' ');
	add_wrapped(out, c->synopsis, 15 + strlen(c->name));
	tr2_buf_addch(out, '\n');
	add_wrapped(out, c->summary, 0);
	tr2_buf_addch(out, '\n');
	for (i = 0; i < nr; i++)
		add_option(out, options[i]);
	if (c->details) {
		tr2_buf_addch(out, '\n');
		add_wrapped(out, c->details, 0);
	}
}

static void add_asciidoc_name(struct tr2_buf *b, const struct tr2_option *o,
			      bool is_long)
{
	const char *arg = o->arg;

	tr2_buf_addch(b, '`');
	tr2_buf_addstr(b, is_long ? "--" : "-");
	if (is_long)
		tr2_buf_addstr(b, o->name);
	else
		tr2_buf_addch(b, (char)o->letter);
	tr2_buf_addch(b, '`');
	if (!arg)
		return;
	if (*arg == '[') {
		tr2_buf_addlit(b, "[=_");
		tr2_buf_add(b, arg + 1, strlen(arg) - 2);
		tr2_buf_addlit(b, "_]");
	} else {
		tr2_buf_addlit(b, " _");
		tr2_buf_addstr(b, arg);
		tr2_buf_addch(b, '_');
	}
}

static void add_asciidoc_option(struct tr2_buf *b, const struct tr2_option *o)
{
	if (o->kind == TR2_OPT_HEADING) {
		tr2_buf_addlit(b, "=== ");
		tr2_buf_addstr(b, o->help);
		tr2_buf_addlit(b, "\n\n");
		return;
	}
	if (o->letter)
		add_asciidoc_name(b, o, false);
	if (o->letter && o->name)
		tr2_buf_addlit(b, "::\n");
	if (o->name)
		add_asciidoc_name(b, o, true);
	tr2_buf_addlit(b, "::\n\t");
	tr2_buf_addstr(b, o->help);
	tr2_buf_addlit(b, ".\n\n");
}

void tr2_options_asciidoc(const struct tr2_command *c, struct tr2_buf *out)
{
	const struct tr2_option *options[TR2_MAX_OPTIONS];
	size_t nr = tr2_options_list(c, options), i;

	tr2_buf_addlit(out, "// Made by make generate from the table of "
			    "options.\n"
			    "// tag::synopsis[]\n[subs=quotes]\n*trace2 ");
	tr2_buf_addstr(out, c->name);
	tr2_buf_addstr(out, *c->synopsis ? "* " : "*");
	tr2_buf_addstr(out, c->synopsis);
	tr2_buf_addlit(out, "\n// end::synopsis[]\n// tag::options[]\n");
	for (i = 0; i < nr; i++)
		add_asciidoc_option(out, options[i]);
	tr2_buf_addlit(out, "// end::options[]\n");
}
