/* SPDX-License-Identifier: MIT */
/* A program that calls a tracer as Git does, for the test of the adapter. */
#include "git-compat-util.h"

#include "config.h"
#include "json-writer.h"
#include "repository.h"
#include "run-command.h"
#include "trace2.h"
#include "version.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

const char git_version_string[] = "7.8.9";
static struct repository repo = { "/some where", 0 };
struct repository *the_repository = &repo;

char *git_system_config(void)
{
	return strdup("/dev/null");
}

void read_early_config(struct repository *r, config_fn_t *fn, void *data)
{
	static const struct key_value_info local = { CONFIG_SCOPE_LOCAL };
	static const struct config_context context = { &local };

	(void)r;
	fn("core.wanted", "yes", &context, data);
	fn("other.unwanted", "yes", &context, data);
}

void trace2_collect_process_info(enum trace2_process_info_reason reason)
{
	(void)reason;
}

void trace_git_fsync_stats(void)
{
}

static void run_child(void)
{
	const char *argv[] = { "log", "-1", NULL };
	struct child_process cmd = { .args = { argv, 2 }, .git_cmd = 1 };

	trace2_child_start_fl(__FILE__, __LINE__, &cmd);
	cmd.pid = 77;
	trace2_child_exit_fl(__FILE__, __LINE__, &cmd, 3);
}

static void emit(void)
{
	char json[] = "{\"a\":[1]}";
	struct json_writer jw = { { json } };

	trace2_def_repo_fl(__FILE__, __LINE__, &repo);
	trace2_region_enter_fl(__FILE__, __LINE__, "index", "load", &repo);
	trace2_timer_start(TRACE2_TIMER_ID_READ);
	trace2_timer_stop(TRACE2_TIMER_ID_READ);
	trace2_counter_add(TRACE2_COUNTER_ID_OBJECTS, 42);
	trace2_data_json_fl(__FILE__, __LINE__, "index", &repo, "j", &jw);
	trace2_region_leave_fl(__FILE__, __LINE__, "index", "load", &repo);
	run_child();
}

/* The parent leaves, as with `git gc --auto`. */
static void go_on_in_background(void)
{
	pid_t pid = fork();

	if (pid) {
		waitpid(pid, NULL, 0);
		_exit(0);
	}
}

int main(int argc, const char **argv)
{
	trace2_initialize_clock();
	trace2_initialize_fl(__FILE__, __LINE__);
	trace2_cmd_start_fl(__FILE__, __LINE__, argv);
	trace2_cmd_name_fl(__FILE__, __LINE__, argv[1]);
	trace2_cmd_list_config_fl(__FILE__, __LINE__);
	emit();
	if (argc > 1 && !strcmp(argv[1], "gc"))
		go_on_in_background();
	run_child();
	trace2_cmd_exit_fl(__FILE__, __LINE__, 0);
	printf("git version %s\n", git_version_string);
	return 0;
}
