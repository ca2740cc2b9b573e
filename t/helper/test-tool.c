/* SPDX-License-Identifier: MIT */
/*
 * test-tool - the program that the test scripts trace.
 *
 * It starts and ends like a program that uses the library as Git does: clock,
 * settings, start, ancestry, the subcommand's name, and one exit function.
 * Options before the subcommand change the start, for tests of it.
 *
 * TEST_TOOL_AS_GIT=<version>: be a Git of this version for Git's own tests, and
 * report parameters of the repository, too.
 */
#include "test-tool.h"

#include "host-state.h"

static const struct {
	const char *name, *purpose;
	tool_command_fn *run;
	bool untraced; /* do not trace test-tool, only the programs that it
			* runs */
} commands[] = {
	{ "trace2", "make the calls that a verb stands for", tr2_cmd_trace2,
	  false },
	{ "config", "read and write config files", tr2_cmd_config, false },
	{ "keep", "keep what a command removes", tr2_cmd_keep, true },
	{ "events", "print the table of events", tr2_cmd_events, false },
	{ "perf", "open counters, and give them something to count",
	  tr2_cmd_perf, false },
	{ "fault", "be a bad reader, or run a command in a bad place",
	  tr2_cmd_fault, true },
	{ "ring", "show what is in the file of a ring", tr2_cmd_ring, true },
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static int find_command(const char *name)
{
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return (int)i;
	return -1;
}

bool tool_has_command(const char *name)
{
	return find_command(name) >= 0;
}

#define MAX_CONFIG 8

/* How to start the library. */
struct setup {
	struct trace2_options options;
	bool no_init;
	const char *config[MAX_CONFIG + 1];
	size_t nr_config;
};

static void set_directory(struct setup *setup, const char *value)
{
	if (chdir(value))
		tool_die("cannot change to '%s': %s", value, strerror(errno));
}

static void set_prefix(struct setup *setup, const char *value)
{
	setup->options.prefix = value;
}

static void set_no_config_files(struct setup *setup, const char *value)
{
	setup->options.flags |= TRACE2_NO_CONFIG_FILES;
}

static void set_system_config(struct setup *setup, const char *value)
{
	setup->options.flags |= TRACE2_MORE_OPTIONS;
	setup->options.system_config = value;
}

static void set_config(struct setup *setup, const char *value)
{
	if (setup->nr_config == MAX_CONFIG)
		tool_die("more than %d times --config", MAX_CONFIG);
	setup->options.flags |= TRACE2_MORE_OPTIONS;
	setup->config[setup->nr_config++] = value;
	setup->options.config = setup->config;
}

static void set_own_params(struct setup *setup, const char *value)
{
	setup->options.flags |= TRACE2_OWN_PARAMS;
}

static void set_no_signals(struct setup *setup, const char *value)
{
	setup->options.flags |= TRACE2_NO_SIGNALS;
}

static void set_forks_go_on(struct setup *setup, const char *value)
{
	setup->options.flags |= TRACE2_FORKS_GO_ON;
}

static void set_sigpipe(struct setup *setup, const char *value)
{
	setup->options.flags |= TRACE2_SIGPIPE;
}

static void set_no_init(struct setup *setup, const char *value)
{
	setup->no_init = true;
}

static void set_handled(struct setup *setup, const char *value)
{
	/* NOLINTNEXTLINE(*-signal-handler,cert-sig30-c): this is under test */
	signal(tool_signal(value), tool_telling_handler);
}

static void set_ignored(struct setup *setup, const char *value)
{
	signal(tool_signal(value), SIG_IGN);
}

static void set_blocked(struct setup *setup, const char *value)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, tool_signal(value));
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* Options whose name ends with '=' take a value. */
static const struct {
	const char *name, *value, *purpose;
	void (*set)(struct setup *setup, const char *value);
} options[] = {
	{ "--chdir=", "<dir>", "start in another directory", set_directory },
	{ "--prefix=", "<name>", "of the variables, for GIT_TRACE2",
	  set_prefix },
	{ "--no-config-files", "", "TRACE2_NO_CONFIG_FILES",
	  set_no_config_files },
	{ "--system-config=", "<file>", "the option of that name",
	  set_system_config },
	{ "--config=", "<key>=<value>", "a setting of the program's own",
	  set_config },
	{ "--own-params", "", "TRACE2_OWN_PARAMS", set_own_params },
	{ "--no-signals", "", "TRACE2_NO_SIGNALS", set_no_signals },
	{ "--forks-go-on", "", "TRACE2_FORKS_GO_ON", set_forks_go_on },
	{ "--sigpipe", "", "TRACE2_SIGPIPE", set_sigpipe },
	{ "--no-init", "", "never initialize the library", set_no_init },
	{ "--handle=", "<signal>", "have a handler before the library",
	  set_handled },
	{ "--ignore=", "<signal>", "ignore it before the library",
	  set_ignored },
	{ "--block=", "<signal>", "block it before the library",
	  set_blocked },
};

#define NR_OPTIONS (sizeof(options) / sizeof(options[0]))

static bool parse_option(struct setup *setup, const char *arg)
{
	size_t i;

	for (i = 0; i < NR_OPTIONS; i++) {
		size_t len = strlen(options[i].name);
		bool takes_value = options[i].name[len - 1] == '=';

		if (strncmp(arg, options[i].name, len) ||
		    (!takes_value && arg[len]))
			continue;
		options[i].set(setup, arg + len);
		return true;
	}
	return false;
}

static int usage(void)
{
	size_t i;

	fputs("usage: test-tool [<option>...] <command> [<argument>...]\n"
	      "   or: test-tool --version\n\ncommands:\n",
	      stderr);
	for (i = 0; i < NR_COMMANDS; i++)
		fprintf(stderr, "    %-20s %s\n", commands[i].name,
			commands[i].purpose);
	fputs("\noptions:\n", stderr);
	for (i = 0; i < NR_OPTIONS; i++) {
		int width = 20 - (int)strlen(options[i].name);

		fprintf(stderr, "    %s%-*s %s\n", options[i].name, width,
			options[i].value, options[i].purpose);
	}
	return TOOL_CODE_USAGE;
}

static bool is_untraced(const char *name)
{
	int i = name ? find_command(name) : -1;

	return i >= 0 && commands[i].untraced;
}

static void start(const struct setup *setup, const char **argv)
{
	trace2_initialize_with(&setup->options);
	trace2_cmd_start(argv);
	trace2_collect_process_info(TRACE2_PROCESS_INFO_STARTUP);
}

static int run(const struct setup *setup, int argc, const char **argv)
{
	int i = argc ? find_command(argv[0]) : -1;

	if (i < 0) {
		if (argc)
			tool_error("there is no command '%s'", argv[0]);
		return usage();
	}
	if (!setup->no_init)
		trace2_cmd_name(argv[0]);
	if (getenv("TEST_TOOL_AS_GIT"))
		tool_report_repository();
	return commands[i].run(argc, argv);
}

int main(int argc, const char **argv)
{
	struct setup setup = { .options.version = getenv("TEST_TOOL_AS_GIT") };
	int nr = 1;

	trace2_initialize_clock();
	if (!setup.options.version)
		setup.options.version = TOOL_VERSION;
	while (nr < argc && parse_option(&setup, argv[nr]))
		nr++;
	if (!is_untraced(argv[nr])) {
		host_state_watch();
		if (!setup.no_init)
			start(&setup, argv);
	}
	if (nr < argc && !strcmp(argv[nr], "--version")) {
		puts(TOOL_VERSION);
		return tool_before_exit(0);
	}
	return tool_before_exit(run(&setup, argc - nr, argv + nr));
}
