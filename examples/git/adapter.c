/* SPDX-License-Identifier: MIT */
/*
 * adapter - Git's tracer on libtrace2: the functions that Git's trace2.h
 * declares, for use in place of its trace2.c and trace2/.
 *
 * The names of Git and of libtrace2 clash, so libtrace2 is built with names of
 * its own here: libtrace2_ in place of trace2_ (PREFIX_NAMES=lib). `build`
 * makes libtrace2.h, and trace2-metrics.h with the tables of Git's metrics.
 *
 * GIT_HAS_*: which form of Git this is, found by `build` in Git's headers.
 */
#define USE_THE_REPOSITORY_VARIABLE
#include <git-compat-util.h>
#ifdef GIT_HAS_CACHE_H
#include <cache.h>
#endif
#include <config.h>
#include <json-writer.h>
#include <repository.h>
#include <run-command.h>
#include <strbuf.h>
#include <trace2.h>
#include <version.h>

#include <libtrace2.h>
#include <trace2-metrics.h>

/*
 * Metrics. Git numbers them; GIT_TIMERS and GIT_COUNTERS are rows for its
 * numbers. Each is opened by its first use: most commands use none, and the
 * pages that opening writes are some of the costs of a short process.
 */

struct metric {
	const char *path;
	unsigned int flags;
};

static struct libtrace2_timer *timer_of(enum trace2_timer_id tid)
{
	static const struct metric rows[] = { GIT_TIMERS };
	static struct libtrace2_timer *opened[ARRAY_SIZE(rows)];
	struct libtrace2_timer *timer =
		__atomic_load_n(&opened[tid], __ATOMIC_ACQUIRE);

	if (!timer) { /* the same one in each thread */
		timer = libtrace2_timer_open(rows[tid].path, rows[tid].flags,
					     NULL, 0);
		__atomic_store_n(&opened[tid], timer, __ATOMIC_RELEASE);
	}
	return timer;
}

static struct libtrace2_counter *counter_of(enum trace2_counter_id cid)
{
	static const struct metric rows[] = { GIT_COUNTERS };
	static struct libtrace2_counter *opened[ARRAY_SIZE(rows)];
	struct libtrace2_counter *counter =
		__atomic_load_n(&opened[cid], __ATOMIC_ACQUIRE);

	if (!counter) {
		counter = libtrace2_counter_open(rows[cid].path,
						 rows[cid].flags, NULL, 0);
		__atomic_store_n(&opened[cid], counter, __ATOMIC_RELEASE);
	}
	return counter;
}

void trace2_timer_start(enum trace2_timer_id tid)
{
	if (libtrace2_is_enabled())
		libtrace2_timer_start(*timer_of(tid));
}

void trace2_timer_stop(enum trace2_timer_id tid)
{
	if (libtrace2_is_enabled())
		libtrace2_timer_stop(*timer_of(tid));
}

void trace2_counter_add(enum trace2_counter_id cid, uint64_t value)
{
	if (libtrace2_is_enabled())
		libtrace2_counter_add(*counter_of(cid), value);
}

/*
 * Start and end
 */

void trace2_initialize_clock(void)
{
	libtrace2_initialize_clock();
}

void trace2_initialize_fl(const char *file, int line)
{
	char *system_config = git_system_config();
	const struct libtrace2_options options = {
		.version = git_version_string,
		.flags = LIBTRACE2_SIGPIPE | LIBTRACE2_MORE_OPTIONS |
			 LIBTRACE2_OWN_PARAMS | LIBTRACE2_FORKS_GO_ON,
		.system_config = system_config,
	};

	libtrace2_initialize_fl(file, line, &options);
	free(system_config);
}

int trace2_is_enabled(void)
{
	return libtrace2_is_enabled();
}

const char *trace2_session_id(void)
{
	return libtrace2_session_id();
}

void trace2_cmd_start_fl(const char *file, int line, const char **argv)
{
	if (libtrace2_is_enabled())
		libtrace2_cmd_start_fl(file, line, (const char *const *)argv);
}

void trace2_cmd_exit_fl(const char *file, int line, int code)
{
	if (!libtrace2_is_enabled())
		return;
#ifdef GIT_HAS_FSYNC_STATS
	trace_git_fsync_stats();
#endif
	trace2_collect_process_info(TRACE2_PROCESS_INFO_EXIT);
	libtrace2_cmd_exit_fl(file, line, code);
}

/*
 * The name and mode of the command
 */

void trace2_cmd_error_va_fl(const char *file, int line, const char *fmt,
			    va_list ap)
{
	if (libtrace2_is_enabled())
		libtrace2_cmd_error_va_fl(file, line, fmt, ap);
}

void trace2_cmd_path_fl(const char *file, int line, const char *pathname)
{
	if (libtrace2_is_enabled())
		libtrace2_cmd_path_fl(file, line, pathname);
}

void trace2_cmd_ancestry_fl(const char *file, int line,
			    const char **parent_names)
{
	if (libtrace2_is_enabled())
		libtrace2_cmd_ancestry_fl(file, line,
					  (const char *const *)parent_names);
}

void trace2_cmd_name_fl(const char *file, int line, const char *name)
{
	if (libtrace2_is_enabled())
		libtrace2_cmd_name_fl(file, line, name);
#ifndef GIT_LISTS_PARAMETERS
	trace2_cmd_list_config_fl(file, line);
	trace2_cmd_list_env_vars_fl(file, line);
#endif
}

void trace2_cmd_mode_fl(const char *file, int line, const char *mode)
{
	if (libtrace2_is_enabled())
		libtrace2_cmd_mode_fl(file, line, mode);
}

void trace2_cmd_alias_fl(const char *file, int line, const char *alias,
			 const char **argv)
{
	if (libtrace2_is_enabled())
		libtrace2_cmd_alias_fl(file, line, alias,
				       (const char *const *)argv);
}

/*
 * Parameters. Git reads its configuration, which libtrace2 does not know: that
 * of the repository, of the command line, and conditional includes.
 */

struct place {
	const char *file;
	int line;
};

static enum libtrace2_scope our_scope(enum config_scope scope)
{
	switch (scope) {
	case CONFIG_SCOPE_SYSTEM:
		return LIBTRACE2_SCOPE_SYSTEM;
	case CONFIG_SCOPE_GLOBAL:
		return LIBTRACE2_SCOPE_GLOBAL;
	case CONFIG_SCOPE_LOCAL:
		return LIBTRACE2_SCOPE_LOCAL;
	case CONFIG_SCOPE_WORKTREE:
		return LIBTRACE2_SCOPE_WORKTREE;
	case CONFIG_SCOPE_COMMAND:
		return LIBTRACE2_SCOPE_COMMAND;
	case CONFIG_SCOPE_SUBMODULE:
		return LIBTRACE2_SCOPE_SUBMODULE;
	default:
		return LIBTRACE2_SCOPE_UNKNOWN;
	}
}

#ifdef GIT_HAS_KEY_VALUE_INFO
static int list_key(const char *key, const char *value,
		    const struct config_context *context, void *place_)
{
	const struct place *place = place_;

	if (libtrace2_wants_config(key))
		libtrace2_def_param_fl(place->file, place->line, key, value,
				       our_scope(context->kvi->scope));
	return 0;
}

void trace2_def_param_fl(const char *file, int line, const char *param,
			 const char *value, const struct key_value_info *kvi)
{
	if (libtrace2_is_enabled())
		libtrace2_def_param_fl(file, line, param, value,
				       our_scope(kvi->scope));
}
#else
static int list_key(const char *key, const char *value, void *place_)
{
	const struct place *place = place_;

	if (libtrace2_wants_config(key))
		libtrace2_def_param_fl(place->file, place->line, key, value,
				       our_scope(current_config_scope()));
	return 0;
}

void trace2_def_param_fl(const char *file, int line, const char *param,
			 const char *value)
{
	if (libtrace2_is_enabled())
		libtrace2_def_param_fl(file, line, param, value,
				       our_scope(current_config_scope()));
}
#endif

void trace2_cmd_list_config_fl(const char *file, int line)
{
	struct place place = { file, line };
#ifndef GIT_LISTS_PARAMETERS
	static int listed; /* here they are asked for at each name */

	if (listed)
		return;
	listed = libtrace2_is_enabled();
#endif

	if (!libtrace2_is_enabled() || !libtrace2_wants_config(NULL))
		return;
#ifdef GIT_EARLY_CONFIG_OF_REPOSITORY
	read_early_config(the_repository, list_key, &place);
#else
	read_early_config(list_key, &place);
#endif
}

void trace2_cmd_list_env_vars_fl(const char *file, int line)
{
	if (libtrace2_is_enabled())
		libtrace2_cmd_list_env_vars_fl(file, line);
}

void trace2_cmd_set_config_fl(const char *file, int line, const char *key,
			      const char *value)
{
	if (libtrace2_is_enabled())
		libtrace2_cmd_set_config_fl(file, line, key, value);
}

void trace2_def_repo_fl(const char *file, int line, struct repository *repo)
{
	struct libtrace2_repo ours;

	if (!libtrace2_is_enabled())
		return;
	ours.worktree = repo->worktree;
	ours.repo_id = repo->trace2_repo_id;
	libtrace2_def_repo_fl(file, line, &ours);
	repo->trace2_repo_id = ours.repo_id;
}

/*
 * Children and exec
 */

/* The arguments of a Git command stand without "git"; show it. */
static const char **argv_of(const struct child_process *cmd)
{
	const char **argv;

	ALLOC_ARRAY(argv, cmd->args.nr + 2);
	argv[0] = "git";
	COPY_ARRAY(argv + 1, cmd->args.v, cmd->args.nr + 1);
	return argv;
}

void trace2_child_start_fl(const char *file, int line,
			   struct child_process *cmd)
{
	const char **argv = NULL;
	struct libtrace2_child child = LIBTRACE2_CHILD_INIT;

	if (!libtrace2_is_enabled())
		return;
	child.argv = cmd->git_cmd ? (argv = argv_of(cmd)) : cmd->args.v;
	child.child_class = cmd->trace2_hook_name ? "hook" :
						    cmd->trace2_child_class;
	child.hook_name = cmd->trace2_hook_name;
	child.cwd = cmd->dir;
	child.use_shell = cmd->use_shell;
	cmd->trace2_child_id = libtrace2_child_begin_fl(file, line, &child);
	free(argv);
}

void trace2_child_exit_fl(const char *file, int line, struct child_process *cmd,
			  int child_exit_code)
{
	if (libtrace2_is_enabled())
		libtrace2_child_end_fl(file, line, cmd->trace2_child_id,
				       cmd->pid, child_exit_code);
}

void trace2_child_ready_fl(const char *file, int line,
			   struct child_process *cmd, const char *ready)
{
	if (libtrace2_is_enabled())
		libtrace2_child_detach_fl(file, line, cmd->trace2_child_id,
					  cmd->pid, ready);
}

int trace2_exec_fl(const char *file, int line, const char *exe,
		   const char **argv)
{
	if (!libtrace2_is_enabled())
		return -1;
	return libtrace2_exec_fl(file, line, exe, (const char *const *)argv);
}

void trace2_exec_result_fl(const char *file, int line, int exec_id, int code)
{
	if (libtrace2_is_enabled())
		libtrace2_exec_result_fl(file, line, exec_id, code);
}

/*
 * Threads
 */

void trace2_thread_start_fl(const char *file, int line,
			    const char *thread_base_name)
{
	if (libtrace2_is_enabled())
		libtrace2_thread_start_fl(file, line, thread_base_name);
}

void trace2_thread_exit_fl(const char *file, int line)
{
	if (libtrace2_is_enabled())
		libtrace2_thread_exit_fl(file, line);
}

/*
 * Regions and data
 */

static const struct libtrace2_repo *repo_of(const struct repository *repo,
					    struct libtrace2_repo *ours)
{
	if (!repo)
		return NULL;
	ours->worktree = repo->worktree;
	ours->repo_id = repo->trace2_repo_id;
	return ours;
}

void trace2_region_enter_fl(const char *file, int line, const char *category,
			    const char *label, const struct repository *repo,
			    ...)
{
	struct libtrace2_repo ours;

	if (libtrace2_is_enabled())
		libtrace2_region_enter_fl(file, line, category, label,
					  repo_of(repo, &ours));
}

void trace2_region_leave_fl(const char *file, int line, const char *category,
			    const char *label, const struct repository *repo,
			    ...)
{
	struct libtrace2_repo ours;

	if (libtrace2_is_enabled())
		libtrace2_region_leave_fl(file, line, category, label,
					  repo_of(repo, &ours));
}

void trace2_region_enter_printf_va_fl(const char *file, int line,
				      const char *category, const char *label,
				      const struct repository *repo,
				      const char *fmt, va_list ap)
{
	struct libtrace2_repo ours;

	if (libtrace2_is_enabled())
		libtrace2_region_enter_printf_va_fl(file, line, category, label,
						    repo_of(repo, &ours), fmt,
						    ap);
}

void trace2_region_leave_printf_va_fl(const char *file, int line,
				      const char *category, const char *label,
				      const struct repository *repo,
				      const char *fmt, va_list ap)
{
	struct libtrace2_repo ours;

	if (libtrace2_is_enabled())
		libtrace2_region_leave_printf_va_fl(file, line, category, label,
						    repo_of(repo, &ours), fmt,
						    ap);
}

void trace2_region_enter_printf_fl(const char *file, int line,
				   const char *category, const char *label,
				   const struct repository *repo,
				   const char *fmt, ...)
{
	va_list ap;

	if (!libtrace2_is_enabled())
		return;
	va_start(ap, fmt);
	trace2_region_enter_printf_va_fl(file, line, category, label, repo, fmt,
					 ap);
	va_end(ap);
}

void trace2_region_leave_printf_fl(const char *file, int line,
				   const char *category, const char *label,
				   const struct repository *repo,
				   const char *fmt, ...)
{
	va_list ap;

	if (!libtrace2_is_enabled())
		return;
	va_start(ap, fmt);
	trace2_region_leave_printf_va_fl(file, line, category, label, repo, fmt,
					 ap);
	va_end(ap);
}

void trace2_data_string_fl(const char *file, int line, const char *category,
			   const struct repository *repo, const char *key,
			   const char *value)
{
	struct libtrace2_repo ours;

	if (libtrace2_is_enabled())
		libtrace2_data_string_fl(file, line, category,
					 repo_of(repo, &ours), key, value);
}

void trace2_data_intmax_fl(const char *file, int line, const char *category,
			   const struct repository *repo, const char *key,
			   intmax_t value)
{
	struct libtrace2_repo ours;

	if (libtrace2_is_enabled())
		libtrace2_data_intmax_fl(file, line, category,
					 repo_of(repo, &ours), key, value);
}

void trace2_data_json_fl(const char *file, int line, const char *category,
			 const struct repository *repo, const char *key,
			 const struct json_writer *jw)
{
	struct libtrace2_repo ours;

	if (libtrace2_is_enabled())
		libtrace2_data_json_fl(file, line, category,
				       repo_of(repo, &ours), key, jw->json.buf);
}

void trace2_printf_va_fl(const char *file, int line, const char *fmt,
			 va_list ap)
{
	if (libtrace2_is_enabled())
		libtrace2_printf_va_fl(file, line, fmt, ap);
}

void trace2_printf_fl(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	if (!libtrace2_is_enabled())
		return;
	va_start(ap, fmt);
	libtrace2_printf_va_fl(file, line, fmt, ap);
	va_end(ap);
}
