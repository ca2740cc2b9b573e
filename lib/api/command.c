/* SPDX-License-Identifier: MIT */
/* The command: its start, name and end. */
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "session/call.h"
#include "session/inherit.h"
#include "session/params.h"
#include "session/repo.h"
#include "session/targets.h"
#include "trace2.h"

void trace2_cmd_start_fl(const char *file, int line, const char *const *argv)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, file, line))
		return;
	if (atomic_exchange(&tr2_session.course.has_start, true)) {
		tr2_call_report_once(&call, "trace2: cmd_start a second time");
	} else {
		tr2_session_keep_argv(argv);
		tr2_session_emit_start(&call, argv);
	}
	tr2_call_end(&call);
}

int trace2_cmd_exit_fl(const char *file, int line, int code)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, file, line))
		return code;
	tr2_session.exit_code = code & 0xff;
	if (atomic_exchange(&tr2_session.course.has_exit, true))
		tr2_call_report_once(&call, "trace2: cmd_exit a second time");
	else
		TR2_EMIT(&call, exit, .code.i = code & 0xff);
	tr2_call_end(&call);
	return code;
}

void trace2_cmd_error_va_fl(const char *file, int line, const char *fmt,
			    va_list ap)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, file, line))
		return;
	TR2_EMIT(&call, error, .msg.s = tr2_call_format(&call, fmt, ap),
		 .fmt.s = fmt);
	tr2_call_end(&call);
}

void trace2_cmd_error_fl(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	trace2_cmd_error_va_fl(file, line, fmt, ap);
	va_end(ap);
}

void trace2_cmd_path_fl(const char *file, int line, const char *path)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, file, line))
		return;
	TR2_EMIT(&call, cmd_path, .path.s = path);
	tr2_call_end(&call);
}

void trace2_cmd_name_fl(const char *file, int line, const char *name)
{
	char usual[256];
	struct tr2_buf *hierarchy, fixed;
	struct tr2_call call;
	const char *names;
	size_t len;
	bool locked;

	if (!tr2_call_begin(&call, file, line))
		return;
	name = name ? name : "";
	/* Read the name before signals are blocked: the host's handler may
	 * provide its page. */
	len = strlen(name);
	tr2_buf_init_fixed(&fixed, usual, sizeof(usual));
	locked = tr2_lock_others();
	names = tr2_inherit_add_name(name, len);
	hierarchy =
		strlen(names) < sizeof(usual) ? &fixed : &call.thread->message;
	tr2_buf_reset(hierarchy);
	tr2_buf_addstr(hierarchy, names);
	if (locked)
		tr2_unlock();
	TR2_EMIT(&call, cmd_name, .name.s = name,
		 .hierarchy.s = tr2_buf_str(hierarchy));
	if (!tr2_session.settings.own_params) {
		tr2_params_list_config(&call);
		tr2_params_list_env(&call);
	}
	tr2_call_end(&call);
}

void trace2_cmd_mode_fl(const char *file, int line, const char *mode)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, file, line))
		return;
	TR2_EMIT(&call, cmd_mode, .name.s = mode);
	tr2_call_end(&call);
}

void trace2_cmd_alias_fl(const char *file, int line, const char *alias,
			 const char *const *argv)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, file, line))
		return;
	TR2_EMIT(&call, alias, .alias.s = alias, .argv.argv = argv);
	tr2_call_end(&call);
}

void trace2_cmd_ancestry_fl(const char *file, int line,
			    const char *const *names)
{
	struct tr2_call call;

	if (!names || !tr2_call_begin(&call, file, line))
		return;
	TR2_EMIT(&call, cmd_ancestry, .ancestry.argv = names);
	tr2_call_end(&call);
}

void trace2_collect_process_info_fl(const char *file, int line,
				    enum trace2_process_info which)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, file, line))
		return;
	if (which == TRACE2_PROCESS_INFO_STARTUP)
		tr2_process_emit_ancestry(&call);
	else if (which == TRACE2_PROCESS_INFO_EXIT)
		tr2_process_emit_usage(&call);
	tr2_call_end(&call);
}

void trace2_cmd_list_config_fl(const char *file, int line)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, file, line))
		return;
	tr2_params_list_config(&call);
	tr2_call_end(&call);
}

void trace2_cmd_list_env_vars_fl(const char *file, int line)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, file, line))
		return;
	tr2_params_list_env(&call);
	tr2_call_end(&call);
}

void trace2_cmd_set_config_fl(const char *file, int line, const char *key,
			      const char *value)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, file, line))
		return;
	tr2_params_set_config(&call, key, value);
	tr2_call_end(&call);
}

int trace2_wants_config_key(const char *key)
{
	struct tr2_call call;
	bool wants;

	if (!tr2_call_begin(&call, __FILE__, __LINE__))
		return 0;
	wants = tr2_params_wants_config(key);
	tr2_call_end(&call);
	return wants;
}

static const char *scope_name(enum trace2_scope scope)
{
	switch (scope) {
	case TRACE2_SCOPE_SYSTEM:
		return "system";
	case TRACE2_SCOPE_GLOBAL:
		return "global";
	case TRACE2_SCOPE_LOCAL:
		return "local";
	case TRACE2_SCOPE_WORKTREE:
		return "worktree";
	case TRACE2_SCOPE_COMMAND:
		return "command";
	case TRACE2_SCOPE_SUBMODULE:
		return "submodule";
	default:
		return "unknown";
	}
}

void trace2_def_param_fl(const char *file, int line, const char *param,
			 const char *value, enum trace2_scope scope)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, file, line))
		return;
	tr2_params_emit(&call, param, value, scope_name(scope));
	tr2_call_end(&call);
}

void trace2_def_repo_fl(const char *file, int line, struct trace2_repo *repo)
{
	struct tr2_call call;

	if (!repo || !tr2_call_begin(&call, file, line))
		return;
	tr2_repo_define(&call, repo);
	tr2_call_end(&call);
}
