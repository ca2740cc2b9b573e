/* SPDX-License-Identifier: MIT */
/* Children, and exec of the process itself. */
#include <sys/wait.h>

#include "base/clock.h"
#include "base/text.h"
#include "session/call.h"
#include "part/part.h"
#include "part/traceparent.h"
#include "thread/stream.h"
#include "trace2.h"

/* The states of a child. Their values are ones that uninitialised memory is
 * unlikely to contain. */
enum child_state {
	NOT_STARTED,
	STARTED = 0x7f3a91c5,
	ENDED = 0x7f3a91c6
};

/* Emit an end with unknown result for a child whose struct the host uses for
 * another start. */
static void abandon_child(struct tr2_call *call,
			  const struct trace2_child *child)
{
	tr2_call_report_once(call,
			"trace2: child_start again, before child_exit of "
			"child %d",
			child->child_id);
	call->t_rel_ns = tr2_clock_since(child->start_ns, call->now_ns);
	TR2_EMIT(call, child_ready, .child_id.i = child->child_id,
		 .pid.i = child->pid, .ready.s = "error");
}

/*
 * Return whether the parent of this forked process has started the child. If
 * so, the parent reports the child's end.
 */
static bool is_of_parent(const struct trace2_child *child)
{
	return child->start_ns < tr2_stream.start_ns;
}

static void check_start(struct tr2_call *call, const struct trace2_child *child)
{
	switch (child->child_state) {
	case NOT_STARTED:
	case ENDED:
		break;
	case STARTED:
		if (!is_of_parent(child))
			abandon_child(call, child);
		break;
	default:
		tr2_call_report_once(call, "trace2: child_start without "
				      "TRACE2_CHILD_INIT");
	}
}

static void emit_start(struct tr2_call *call, int id,
		       const struct trace2_child *child)
{
	const char *class = child->child_class ? child->child_class : "?";

	TR2_EMIT(call, child_start, .child_id.i = id, .child_class.s = class,
		 .hook_name.s = strcmp(class, "hook") ? NULL : child->hook_name,
		 .cd.s = child->cwd, .use_shell.u = child->use_shell != 0,
		 .argv.argv = child->argv);
	tr2_traceparent_child(call->thread, id);
}

void trace2_child_start_fl(const char *file, int line,
			   struct trace2_child *child)
{
	struct tr2_call call;

	if (!child || !tr2_call_begin(&call, file, line))
		return;
	check_start(&call, child);
	child->child_id =
		atomic_fetch_add(&tr2_session.course.next_child_id, 1);
	child->child_state = STARTED;
	child->start_ns = call.now_ns;
	emit_start(&call, child->child_id, child);
	tr2_call_end(&call);
}

static void check_pid(struct tr2_call *call, const struct trace2_child *child,
		      const char *function)
{
	if (!child->pid)
		tr2_call_report_once(call, "trace2: %s without a pid",
				     function);
}

/* Return whether this child's end must still be emitted. Mark the child as
 * ended. */
static bool record_end(struct tr2_call *call, struct trace2_child *child,
		       const char *function)
{
	if (child->child_state == STARTED) {
		child->child_state = ENDED;
		if (is_of_parent(child))
			return false;
		tr2_traceparent_no_child(call->thread, child->child_id);
		check_pid(call, child, function);
		call->t_rel_ns = tr2_clock_since(child->start_ns,
						 call->now_ns);
		return true;
	}
	if (child->child_state == ENDED)
		tr2_call_report_once(call,
				"trace2: %s a second time",
				function);
	else
		tr2_call_report_once(call, "trace2: %s without child_start",
				function);
	return false;
}

void trace2_child_exit_status_fl(const char *file, int line,
				 struct trace2_child *child, int wait_status)
{
	trace2_child_exit_fl(file, line, child,
			     WIFSIGNALED(wait_status) ?
				     128 + WTERMSIG(wait_status) :
				     WEXITSTATUS(wait_status));
}

void trace2_child_exit_fl(const char *file, int line,
			  struct trace2_child *child, int code)
{
	struct tr2_call call;

	if (!child || !tr2_call_begin(&call, file, line))
		return;
	if (record_end(&call, child, "child_exit"))
		TR2_EMIT(&call, child_exit, .child_id.i = child->child_id,
			 .pid.i = child->pid, .code.i = code);
	tr2_call_end(&call);
}

void trace2_child_ready_fl(const char *file, int line,
			   struct trace2_child *child, const char *state)
{
	struct tr2_call call;

	if (!child || !tr2_call_begin(&call, file, line))
		return;
	if (record_end(&call, child, "child_ready"))
		TR2_EMIT(&call, child_ready, .child_id.i = child->child_id,
			 .pid.i = child->pid, .ready.s = state);
	tr2_call_end(&call);
}

int trace2_child_begin_fl(const char *file, int line,
			  const struct trace2_child *child)
{
	struct tr2_call call;
	int id;

	if (!child || !tr2_call_begin(&call, file, line))
		return -1;
	id = atomic_fetch_add(&tr2_session.course.next_child_id, 1);
	if (!tr2_children_add(id, call.now_ns))
		tr2_stream_lost(); /* count the event of the end as lost */
	emit_start(&call, id, child);
	tr2_call_end(&call);
	return id;
}

/* Return whether this child's end must still be emitted. Remove the child from
 * the list of open children. In a forked process the child may be the parent's:
 * the parent then reports the end. */
static bool record_child(struct tr2_call *call, int id, const char *function)
{
	uint64_t start_ns;

	if (!tr2_children_take(id, &start_ns)) {
		if (!tr2_stream.generation)
			tr2_call_report_once(call,
					     "trace2: %s of no open child",
					     function);
		return false;
	}
	tr2_traceparent_no_child(call->thread, id);
	call->t_rel_ns = tr2_clock_since(start_ns, call->now_ns);
	return true;
}

void trace2_child_end_fl(const char *file, int line, int child_id, long pid,
			 int code)
{
	struct tr2_call call;

	if (child_id < 0 || !tr2_call_begin(&call, file, line))
		return;
	if (record_child(&call, child_id, "child_end"))
		TR2_EMIT(&call, child_exit, .child_id.i = child_id,
			 .pid.i = pid, .code.i = code);
	tr2_call_end(&call);
}

void trace2_child_detach_fl(const char *file, int line, int child_id, long pid,
			    const char *state)
{
	struct tr2_call call;

	if (child_id < 0 || !tr2_call_begin(&call, file, line))
		return;
	if (record_child(&call, child_id, "child_detach"))
		TR2_EMIT(&call, child_ready, .child_id.i = child_id,
			 .pid.i = pid, .ready.s = state);
	tr2_call_end(&call);
}

static unsigned long long exec_bit(int id)
{
	return 1ULL << (id & 63);
}

int trace2_exec_fl(const char *file, int line, const char *exe,
		   const char *const *argv)
{
	struct tr2_call call;
	int id;

	if (!tr2_call_begin(&call, file, line))
		return -1;
	id = atomic_fetch_add(&tr2_session.course.next_exec_id, 1);
	atomic_fetch_or(&tr2_session.course.open_execs, exec_bit(id));
	TR2_EMIT(&call, exec, .exec_id.i = id, .exe.s = exe,
		 .argv.argv = argv);
	tr2_call_end(&call);
	return id;
}

/* Return whether the result of this exec must still be emitted, and mark the
 * exec as closed. */
static bool record_result(struct tr2_call *call, int id)
{
	if (id < 0 || id >= tr2_session.course.next_exec_id) {
		tr2_call_report_once(call, "trace2: exec_result without exec");
		return false;
	}
	if (atomic_fetch_and(&tr2_session.course.open_execs, ~exec_bit(id)) &
	    exec_bit(id))
		return true;
	tr2_call_report_once(call, "trace2: exec_result a second time");
	return false;
}

void trace2_exec_result_fl(const char *file, int line, int exec_id, int code)
{
	struct tr2_call call;
	const char *why = NULL;
	char text[128];

	if (!tr2_call_begin(&call, file, line))
		return;
	if (code > 0)
		why = tr2_error_text(code, text, sizeof(text));
	if (record_result(&call, exec_id))
		TR2_EMIT(&call, exec_result, .exec_id.i = exec_id,
			 .code.i = code, .err.s = why);
	tr2_call_end(&call);
}
