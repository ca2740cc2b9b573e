/* SPDX-License-Identifier: MIT */
/*
 * Exit codes, messages, data, redaction: Git's simple verbs.
 */
#include "cmd-trace2.h"

#include <wchar.h>

static int ut_001return(int argc, const char **argv)
{
	return (int)tool_number(argv[0], INT_MIN, INT_MAX);
}

static int ut_002exit(int argc, const char **argv)
{
	tool_exit((int)tool_number(argv[0], INT_MIN, INT_MAX));
}

static int ut_003error(int argc, const char **argv)
{
	int i;

	for (i = 0; i < argc; i++)
		tool_error("%s", argv[i]);
	return 0;
}

/* A repository that has no id, as in the same verb of Git. */
static struct trace2_repo the_repository;

static int ut_006data(int argc, const char **argv)
{
	if (argc % 3)
		tool_usage_error("expected groups of three");
	for (; argc; argc -= 3, argv += 3)
		trace2_data_string(argv[0], &the_repository, argv[1], argv[2]);
	return 0;
}

static int ut_007bug(int argc, const char **argv)
{
	tool_BUG("the bug message");
}

static void two_bugs(void)
{
	tool_bug("a bug message");
	tool_bug("another bug message");
}

static int ut_008bug(int argc, const char **argv)
{
	two_bugs();
	tool_bug_check("an explicit BUG_if_bug() following bug() call(s) is "
		       "nice, but not required");
	return 0;
}

static int ut_009bug_BUG(int argc, const char **argv)
{
	two_bugs();
	return 0;
}

static int ut_010bug_BUG(int argc, const char **argv)
{
	tool_bug("a bug message");
	tool_BUG("a %s message", "BUG");
}

static int ut_011die(int argc, const char **argv)
{
	tool_die("%s", argv[0]);
}

static int ut_300redact_start(int argc, const char **argv)
{
	trace2_cmd_start(argv);
	return 0;
}

static int ut_301redact_child_start(int argc, const char **argv)
{
	struct trace2_child child = TRACE2_CHILD_INIT;

	child.argv = argv;
	trace2_child_start(&child);
	return 0;
}

static int ut_302redact_exec(int argc, const char **argv)
{
	trace2_exec(argv[0], argv + 1);
	return 0;
}

static int ut_303redact_def_param(int argc, const char **argv)
{
	trace2_def_param(argv[0], argv[1], TRACE2_SCOPE_UNKNOWN);
	return 0;
}

/* Declare no format attribute: compilers would refuse the formats. */
static void print(const char *fmt, ...)
{
	void (*const print_va)(const char *file, int line, const char *fmt,
			       va_list ap) = trace2_printf_va_fl;
	va_list ap;

	va_start(ap, fmt);
	print_va(__FILE__, __LINE__, fmt, ap);
	va_end(ap);
}

/* Pass unusual formats to several functions: with computed widths, and with
 * many kinds of conversions. */
static int ut_012formats(int argc, const char **argv)
{
	int wide = (int)tool_number(argv[0], INT_MIN, INT_MAX);
	static const wchar_t no_character[] = { 0x110000, 0 };
	signed char length = 0;

	trace2_cmd_error("%*d", wide, 3);
	trace2_printf("%.*f", wide, 3.5);
	trace2_region_enter_printf("c", "l", NULL, "%-*s", wide, "x");
	trace2_region_leave_printf("c", "l", NULL, "%1$*2$d", 1, wide);
	trace2_printf("%s: %20000000d", "x", 3);
	trace2_printf("%f%Lf%lld%zu%c %*d", 1.0, 2.0L, 3LL, (size_t)4, '5',
		      wide, 6);
	trace2_printf("%ls", no_character);
	trace2_printf("%.*s %-5d|%*s", wide, "whole", 7, 4, "y");
	print("%d%hhn", 1, &length);
	print("%2$s", 1, "x");
	print("%1$s %3$s", "x", 1, "x");
	print("%2$s %1$s", "x", "y");
	return 0;
}

const struct tool_verb tool_verbs_basic[] = {
	{ "001return", "<code>", 1, 1, ut_001return },
	{ "002exit", "<code>", 1, 1, ut_002exit },
	{ "003error", "<message>...", 1, -1, ut_003error },
	{ "006data", "(<category> <key> <value>)...", 3, -1, ut_006data },
	{ "007bug", "", 0, 0, ut_007bug },
	{ "008bug", "", 0, 0, ut_008bug },
	{ "009bug_BUG", "", 0, 0, ut_009bug_BUG },
	{ "010bug_BUG", "", 0, 0, ut_010bug_BUG },
	{ "011die", "<message>", 1, 1, ut_011die },
	{ "012formats", "<width>", 1, 1, ut_012formats },
	{ "300redact_start", "<arg>...", 1, -1, ut_300redact_start },
	{ "301redact_child_start", "<arg>...", 1, -1,
	  ut_301redact_child_start },
	{ "302redact_exec", "<exe> <arg>...", 2, -1, ut_302redact_exec },
	{ "303redact_def_param", "<key> <value>", 2, 2,
	  ut_303redact_def_param },
	{ NULL, NULL, 0, 0, NULL },
};
