/* SPDX-License-Identifier: MIT */
/* Regions, data, and plain messages. */
#include <stdio.h>

#include "base/buf.h"
#include "base/clock.h"
#include "session/call.h"
#include "session/quick.h"
#include "trace2.h"

static int id_of(const struct trace2_repo *repo)
{
	return repo ? repo->repo_id : 0;
}

static void enter(struct tr2_call *call, const char *category,
		  const char *label, const struct trace2_repo *repo,
		  const char *message)
{
	call->repo_id = id_of(repo);
	TR2_EMIT(call, region_enter, .category.s = category, .label.s = label,
		 .msg.s = message);
	tr2_region_push(call->thread, call->now_ns);
}

static void leave(struct tr2_call *call, const char *category,
		  const char *label, const struct trace2_repo *repo,
		  const char *message)
{
	struct tr2_thread *thread = call->thread;
	uint64_t start_ns;

	if (!tr2_region_pop(thread, &start_ns)) {
		if (thread->nr_forgiven)
			thread->nr_forgiven--;
		else
			tr2_call_misuse(call,
					"trace2: region_leave of '%s' without "
					"region_enter",
					label ? label : "");
		return;
	}
	call->t_rel_ns = tr2_clock_since(start_ns, call->now_ns);
	call->repo_id = id_of(repo);
	TR2_EMIT(call, region_leave, .category.s = category, .label.s = label,
		 .msg.s = message);
}

void trace2_region_enter_fl(const char *file, int line, const char *category,
			    const char *label, const struct trace2_repo *repo)
{
	struct tr2_call call;

	if (tr2_quick_on && tr2_quick_region_enter(file, line, category, label,
						   id_of(repo)))
		return;
	if (!tr2_call_begin(&call, file, line))
		return;
	enter(&call, category, label, repo, NULL);
	tr2_call_end(&call);
}

void trace2_region_leave_fl(const char *file, int line, const char *category,
			    const char *label, const struct trace2_repo *repo)
{
	struct tr2_call call;

	if (tr2_quick_on && tr2_quick_region_leave(file, line, category, label,
						   id_of(repo)))
		return;
	if (!tr2_call_begin(&call, file, line))
		return;
	leave(&call, category, label, repo, NULL);
	tr2_call_end(&call);
}

void trace2_region_enter_printf_va_fl(const char *file, int line,
				      const char *category, const char *label,
				      const struct trace2_repo *repo,
				      const char *fmt, va_list ap)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, file, line))
		return;
	enter(&call, category, label, repo, tr2_call_format(&call, fmt, ap));
	tr2_call_end(&call);
}

void trace2_region_leave_printf_va_fl(const char *file, int line,
				      const char *category, const char *label,
				      const struct trace2_repo *repo,
				      const char *fmt, va_list ap)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, file, line))
		return;
	leave(&call, category, label, repo, tr2_call_format(&call, fmt, ap));
	tr2_call_end(&call);
}

void trace2_region_enter_printf_fl(const char *file, int line,
				   const char *category, const char *label,
				   const struct trace2_repo *repo,
				   const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	trace2_region_enter_printf_va_fl(file, line, category, label, repo, fmt,
					 ap);
	va_end(ap);
}

void trace2_region_leave_printf_fl(const char *file, int line,
				   const char *category, const char *label,
				   const struct trace2_repo *repo,
				   const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	trace2_region_leave_printf_va_fl(file, line, category, label, repo, fmt,
					 ap);
	va_end(ap);
}

static bool begin_data(struct tr2_call *call, const char *file, int line,
		       const struct trace2_repo *repo)
{
	if (!tr2_call_begin(call, file, line))
		return false;
	tr2_call_announce(call, NULL);
	call->repo_id = id_of(repo);
	call->t_rel_ns = tr2_clock_since(tr2_region_start(call->thread),
					 call->now_ns);
	return true;
}

void trace2_data_string_fl(const char *file, int line, const char *category,
			   const struct trace2_repo *repo, const char *key,
			   const char *value)
{
	struct tr2_call call;

	if (tr2_quick_on && tr2_quick_data(file, line, category, id_of(repo),
					   key, value))
		return;
	if (!begin_data(&call, file, line, repo))
		return;
	TR2_EMIT(&call, data, .category.s = category, .key.s = key,
		 .value.s = value);
	tr2_call_end(&call);
}

void trace2_data_intmax_fl(const char *file, int line, const char *category,
			   const struct trace2_repo *repo, const char *key,
			   intmax_t value)
{
	char memory[24];
	struct tr2_buf text;

	tr2_buf_init_fixed(&text, memory, sizeof(memory));
	tr2_buf_add_i64(&text, value);
	trace2_data_string_fl(file, line, category, repo, key,
			      tr2_buf_str(&text));
}

void trace2_data_json_fl(const char *file, int line, const char *category,
			 const struct trace2_repo *repo, const char *key,
			 const char *json_text)
{
	struct tr2_call call;

	if (!begin_data(&call, file, line, repo))
		return;
	TR2_EMIT(&call, data_json, .category.s = category, .key.s = key,
		 .value.s = json_text);
	tr2_call_end(&call);
}

void trace2_printf_va_fl(const char *file, int line, const char *fmt,
			 va_list ap)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, file, line))
		return;
	TR2_EMIT(&call, printf, .msg.s = tr2_call_format(&call, fmt, ap));
	tr2_call_end(&call);
}

void trace2_printf_fl(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	trace2_printf_va_fl(file, line, fmt, ap);
	va_end(ap);
}
