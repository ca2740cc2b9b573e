/* SPDX-License-Identifier: MIT */
/*
 * options - run getopt_long() from a command's table. options_text.c generates
 * texts from the same table.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/split.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/say.h"
#include "common/spell.h"

/* Parse a number and the text after it. Return false if there is no number. */
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
	else if (*unit || *out >= 1) /* Refuse 5 without a percent sign: the
				      * user means 5%, but the value would be
				      * 500%. */
		return false;
	return true;
}

/* Parse a date and time, a time of today, or a duration before now. A time is
 * local unless it ends in Z. */
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
	for (i = 0; i < ARRAY_SIZE(forms) && !rest; i++) {
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

static bool is_choice(const char *choices, const char *s)
{
	const char *choice, *colon;
	size_t n;

	while ((choice = tr2_split(&choices, "|", &n))) {
		colon = memchr(choice, ':', n);
		if (colon)
			n = (size_t)(colon + 1 - choice);
		if (!strncmp(s, choice, n) && !colon == !s[n])
			return true;
	}
	return false;
}

/*
 * Set the option's variable. s NULL: the option was given without a value.
 * Return false if the value is invalid.
 */
static bool option_set(const struct tr2_option *o, const char *s)
{
	if (o->choices && s && !is_choice(o->choices, s))
		return false;
	switch (o->kind) {
		struct tr2_list *list;

	case TR2_OPT_FLAG:
		*(bool *)o->value = true;
		return true;
	case TR2_OPT_STRING:
		*(const char **)o->value = s ? s : "";
		return true;
	case TR2_OPT_LIST:
		list = o->value;
		list->item = tr2_realloc(list->item, list->nr + 1, sizeof(s));
		list->item[list->nr++] = s;
		return true;
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

/* Describe the valid values of a kind (enum tr2_opt_kind), with examples. */
static const char *option_form(int kind)
{
	switch (kind) {
	case TR2_OPT_INT:
		return "a number";
	case TR2_OPT_SIZE:
		return "a number of bytes, such as 4096, 64k or 1M";
	case TR2_OPT_DURATION:
		return "a time such as 20us, 1ms, 1.5s or 2min";
	case TR2_OPT_TIME:
		return "a time such as 14:30, '2026-11-21 14:30:00' or "
		       "2026-11-21T14:30:00Z, or a time ago such as 5min";
	case TR2_OPT_PERCENT:
		return "a percentage such as 5%";
	default:
		return "another text";
	}
}

struct tr2_common tr2_common = {
	.color = "auto",
	.filter = TR2_FILTER_ANY,
};

static const char *format_name = "text";
static bool help_wanted;

/* Groups of commands in addition to TR2_COMMON_…. */
#define NOT_MARKDOWN (1u << 30) /* commands with FORMAT but without MARKDOWN */
#define ALL_COMMANDS (1u << 31)

static const struct {
	unsigned int group; /* the commands that have the option */
	struct tr2_option option;
} common_options[] = {
	{ TR2_COMMON_INPUT,
	  { 'i', "input", "PATH", TR2_OPT_LIST, &tr2_common.input,
	    "read this recording, file or directory, or - (trace2.data)",
	    NULL } },
	{ TR2_COMMON_OUTPUT,
	  { 'o', "output", "PATH", TR2_OPT_STRING, &tr2_common.output,
	    "write to this file or directory", NULL } },
	{ TR2_COMMON_FILTER,
	  { 0, NULL, NULL, TR2_OPT_HEADING, NULL,
	    "Which processes and regions", NULL } },
	{ TR2_COMMON_FILTER,
	  { 0, "cmd", "GLOB", TR2_OPT_STRING, &tr2_common.filter.cmd,
	    "only processes whose command or command line matches GLOB",
	    NULL } },
	{ TR2_COMMON_FILTER,
	  { 0, "sid", "SID", TR2_OPT_STRING, &tr2_common.filter.sid,
	    "only the process whose session id is SID, or begins or ends with "
	    "it", NULL } },
	{ TR2_COMMON_FILTER,
	  { 0, "pid", "N", TR2_OPT_INT, &tr2_common.filter.pid,
	    "only the process with this pid", NULL } },
	{ TR2_COMMON_FILTER,
	  { 'N', "region", "GLOB", TR2_OPT_STRING, &tr2_common.filter.region,
	    "only regions whose category/label matches GLOB", NULL } },
	{ TR2_COMMON_FILTER,
	  { 't', "min-time", "TIME", TR2_OPT_DURATION,
	    &tr2_common.filter.min_ns,
	    "hide what took less than TIME (1ms, 20us, 1.5s)", NULL } },
	{ TR2_COMMON_FILTER,
	  { 0, "since", "TIME", TR2_OPT_TIME, &tr2_common.filter.since_ns,
	    "hide what ended before TIME: HH:MM:SS, a date and time, or a "
	    "time ago such as 5min", NULL } },
	{ TR2_COMMON_FILTER,
	  { 0, "until", "TIME", TR2_OPT_TIME, &tr2_common.filter.until_ns,
	    "hide what began after TIME", NULL } },
	{ TR2_COMMON_FILTER,
	  { 'D', "depth", "N", TR2_OPT_INT, &tr2_common.filter.depth,
	    "hide processes and regions deeper than N", NULL } },
	{ TR2_COMMON_FORMAT,
	  { 0, NULL, NULL, TR2_OPT_HEADING, NULL, "How it is shown", NULL } },
	{ NOT_MARKDOWN,
	  { 0, "format", "FORMAT", TR2_OPT_STRING, &format_name,
	    "text, json or csv (text)", "text|json|csv" } },
	{ TR2_COMMON_MARKDOWN,
	  { 0, "format", "FORMAT", TR2_OPT_STRING, &format_name,
	    "text, json, csv, or md or markdown (text)",
	    "text|json|csv|md|markdown" } },
	{ TR2_COMMON_FORMAT,
	  { 0, "color", "WHEN", TR2_OPT_STRING, &tr2_common.color,
	    "auto, always or never (auto: on a terminal)",
	    "auto|always|never" } },
	{ TR2_COMMON_FORMAT,
	  { 0, "no-pager", NULL, TR2_OPT_FLAG, &tr2_common.no_pager,
	    "do not use a pager", NULL } },
	{ ALL_COMMANDS,
	  { 'h', "help", NULL, TR2_OPT_FLAG, &help_wanted, "show this help",
	    NULL } },
};

size_t tr2_options_list(const struct tr2_command *c,
			const struct tr2_option *out[TR2_MAX_OPTIONS])
{
	unsigned int groups = c->common | ALL_COMMANDS;
	const struct tr2_option *o;
	size_t i, nr = 0;

	if (groups & TR2_COMMON_FORMAT && !(groups & TR2_COMMON_MARKDOWN))
		groups |= NOT_MARKDOWN;
	for (o = c->options; o && (o->letter || o->name || o->help); o++)
		if (nr < TR2_MAX_OPTIONS)
			out[nr++] = o;
	for (i = 0; i < ARRAY_SIZE(common_options); i++)
		if (common_options[i].group & groups && nr < TR2_MAX_OPTIONS)
			out[nr++] = &common_options[i].option;
	return nr;
}

/* The command whose options were parsed last. */
static const struct tr2_command *command;

int tr2_usage_error(const char *fmt, ...)
{
	struct tr2_buf usage = TR2_BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	tr2_verror(fmt, ap);
	va_end(ap);
	tr2_options_usage(command, &usage);
	fprintf(stderr, "%s'trace2 %s -h' lists its options.\n",
		tr2_buf_str(&usage), command->name);
	tr2_buf_release(&usage);
	return TR2_EXIT_USAGE;
}

int tr2_usage_check(const struct tr2_rule *rules, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (rules[i].broken)
			return tr2_usage_error("%s", rules[i].message);
	return 0;
}

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

/* List the options that the user may have meant by the word. */
static void unknown_option(const struct tr2_option *const *all, size_t nr,
			   const char *word)
{
	char name[TR2_SPELL_MAX + 1];
	struct tr2_spell spell = { .word = name, .limit = TR2_SPELL_LIMIT };
	int len = (int)strcspn(word, "=");
	size_t i;

	snprintf(name, sizeof(name), "%.*s", len, word);
	for (i = 0; i < nr; i++) {
		char option[TR2_SPELL_MAX + 1];

		if (!all[i]->name)
			continue;
		snprintf(option, sizeof(option), "--%s", all[i]->name);
		tr2_spell_try(&spell, option);
	}
	tr2_usage_error("unknown option '%.*s'%s", len, word,
			tr2_spell_question(&spell));
}

static void bad_option(const struct tr2_option *const *all, size_t nr, int got,
		       char **argv)
{
	const char *word = argv[optind - 1];

	if (!word) /* in musl, optind counts the missing value, too */
		word = argv[optind - 2];

	if (got == ':')
		tr2_usage_error("option '%s' needs a value", word);
	else if (optopt >= 256)
		tr2_usage_error("option '--%s' takes no value",
				all[optopt - 256]->name);
	else if (optopt && strncmp(word, "--", 2) != 0)
		tr2_usage_error("unknown option '-%c'", optopt);
	else
		unknown_option(all, nr, word);
}

static int print_help(const struct tr2_command *c)
{
	struct tr2_buf out = TR2_BUF_INIT;

	tr2_options_help(c, &out);
	fwrite(out.p, 1, out.len, stdout);
	tr2_buf_release(&out);
	return -1;
}

/* Set an option. Return 0, or -2 after an error message. got: the result of
 * getopt_long(), which distinguishes -n from --lines. */
static int set_option(const struct tr2_option *o, int got, const char *value)
{
	const char letter[] = { (char)o->letter, '\0' };
	bool is_long = got >= 256;

	if (option_set(o, value))
		return 0;
	tr2_usage_error("'%s' is not a value of %s%s: it takes %s", value,
			is_long ? "--" : "-", is_long ? o->name : letter,
			o->choices ? o->choices : option_form(o->kind));
	return -2;
}

int tr2_options_parse(const struct tr2_command *c, int argc, char **argv,
		      char ***rest)
{
	const struct tr2_option *options[TR2_MAX_OPTIONS];
	size_t nr = tr2_options_list(c, options);
	struct option longs[TR2_MAX_OPTIONS + 1];
	char letters[3 * TR2_MAX_OPTIONS + 3];
	const struct tr2_option *o;
	int got, n = 0;

	command = c;
	/* Put ':' before the letters, so that getopt_long() distinguishes a
	 * missing value from an unknown option. */
	if (c->flags & TR2_COMMAND_STOP)
		letters[n++] = '+';
	letters[n++] = ':';
	make_getopt(options, nr, letters + n, longs);
	opterr = 0;
	optind = 0;
	while ((got = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		o = got == '?' || got == ':' ? NULL :
					       find_option(options, nr, got);
		if (!o)
			return bad_option(options, nr, got, argv), -2;
		if (set_option(o, got, optarg))
			return -2;
		if (help_wanted)
			return print_help(c);
	}
	tr2_common.format = !strcmp(format_name, "json") ? TR2_FORMAT_JSON :
			    !strcmp(format_name, "csv")	 ? TR2_FORMAT_CSV :
			    *format_name == 'm'		 ? TR2_FORMAT_MARKDOWN :
							   TR2_FORMAT_TEXT;
	*rest = argv + optind;
	return argc - optind;
}
