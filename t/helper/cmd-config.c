/* SPDX-License-Identifier: MIT */
/*
 * test-tool config: tests the library's config reader.
 *
 * `list` prints the keys of one file as `git config --list` does; `settings`
 * and `all` print the keys of the files that the library reads by itself.
 */
#include "config/config.h"
#include "test-tool.h"

static const char *file; /* the argument of --file */

static const char *need_file(void)
{
	if (!file)
		tool_usage_error("needs --file <file>");
	return file;
}

static void tell_fault(void *cookie, const struct tr2_config_fault *fault)
{
	if (fault->line)
		tool_error("cannot read '%s': line %u: %s", fault->path,
			   fault->line, fault->reason);
	else
		tool_error("cannot read '%s': %s", fault->path, fault->reason);
}

static void report_param(void *cookie, const struct tr2_config_entry *entry)
{
	if (trace2_wants_config(entry->key))
		trace2_def_param(entry->key, entry->value, TRACE2_SCOPE_LOCAL);
}

void tool_report_repository(void)
{
	const struct tr2_config_request request = { .entry = report_param };

	tr2_config_read_file(&request, TR2_CONFIG_GLOBAL, ".git/config");
}

/* The output format of list. */
struct format {
	bool scope;
	bool nul;
	const char *patterns;
};

static void print_entry(void *cookie, const struct tr2_config_entry *entry)
{
	const struct format *format = cookie;

	if (format->patterns && !tr2_config_match(format->patterns, entry->key))
		return;
	if (format->scope)
		printf("%s\t", tr2_config_scope_name(entry->scope));
	fputs(entry->key, stdout);
	if (entry->value)
		printf("%c%s", format->nul ? '\n' : '=', entry->value);
	putchar(format->nul ? '\0' : '\n');
}

static int verb_list(int argc, const char **argv)
{
	struct format format = { 0 };
	struct tr2_config_request request = {
		.entry = print_entry, .fault = tell_fault, .cookie = &format,
		.no_includes = true,
	};
	int err;

	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "-z"))
			format.nul = true;
		else if (!strcmp(argv[i], "--includes"))
			request.no_includes = false;
		else
			tool_usage_error("unknown option '%s'", argv[i]);
	}
	err = tr2_config_read_file(&request, TR2_CONFIG_GLOBAL, need_file());
	if (err == -ENOENT)
		tool_error("cannot read '%s': no such file", file);
	return err ? TOOL_CODE_DIE : 0;
}

static int verb_settings(int argc, const char **argv)
{
	struct format format = { .scope = true };
	bool unchecked = argc && !strcmp(argv[0], "--unchecked");
	const struct tr2_config_request request = {
		.entry = print_entry, .fault = tell_fault, .cookie = &format,
		.section = argc ? argv[argc - 1] : NULL,
		.thorough = !unchecked,
	};

	if (argc == 2 && !unchecked)
		tool_usage_error("unknown option '%s'", argv[0]);
	if (argc == 1 && unchecked)
		tool_usage_error("--unchecked needs a section");
	tr2_config_read(&request);
	return 0;
}

static int verb_all(int argc, const char **argv)
{
	struct format format = { .scope = true };
	const struct tr2_config_request request = {
		.entry = print_entry, .fault = tell_fault, .cookie = &format,
	};

	format.patterns = argc ? argv[0] : NULL;
	tr2_config_read(&request);
	return 0;
}

static int verb_bool(int argc, const char **argv)
{
	int truth;

	if (tr2_config_bool(argc ? argv[0] : NULL, &truth)) {
		tool_error("'%s' is no boolean", argv[0]);
		return TOOL_CODE_DIE;
	}
	puts(truth ? "true" : "false");
	return 0;
}

static int verb_int(int argc, const char **argv)
{
	int number;
	int err = tr2_config_int(argc ? argv[0] : NULL, &number);

	if (err) {
		tool_error("'%s' is no number: %s", argc ? argv[0] : "",
			   err == -ERANGE ? "out of range" : "malformed");
		return TOOL_CODE_DIE;
	}
	printf("%d\n", number);
	return 0;
}

static int verb_match(int argc, const char **argv)
{
	return tr2_config_match(argv[0], argv[1]) ? 0 : 1;
}

static const struct tool_verb verbs[] = {
	{ "list", "[-z] [--includes]  (after --file <file>)", 0, 2,
	  verb_list },
	{ "settings", "[[--unchecked] <section>]", 0, 2, verb_settings },
	{ "all", "[<patterns>]", 0, 1, verb_all },
	{ "bool", "[<value>]", 0, 1, verb_bool },
	{ "int", "[<value>]", 0, 1, verb_int },
	{ "match", "<patterns> <key>", 2, 2, verb_match },
	{ NULL, NULL, 0, 0, NULL },
};

int tr2_cmd_config(int argc, const char **argv)
{
	static const struct tool_verb *const tables[] = { verbs, NULL };

	if (argc > 2 && !strcmp(argv[1], "--file")) {
		file = argv[2];
		argv[2] = argv[0];
		argv += 2;
		argc -= 2;
	}
	return tool_run_verb(tables, argc, argv);
}
