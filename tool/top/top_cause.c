/* SPDX-License-Identifier: MIT */
/*
 * top_cause - find out for what a thread waits, by the kernel's function in
 * which it waits and, for root, by the functions that called that function.
 */

#include "model/wait_causes.h"
#include "top/top.h"

#define STACK_BYTES 4096

/* Return the function in a line such as `[<0>] do_wait+0x5f/0xe0`. */
static const char *function_of(const char *line, size_t *len)
{
	const char *name = strstr(line, "] ");

	if (!name)
		return NULL;
	*len = strcspn(name + 2, "+/ \n");
	return name + 2;
}

/* Return the cause that belongs to the innermost function for which a cause is
 * known. The innermost function comes first in `stack`. */
static enum tr2_cause cause_of_stack(char *stack, enum tr2_cause cause)
{
	struct tr2_wait_function f;
	char *line, *rest = stack;
	bool found = false;
	const char *name;
	size_t len;

	while ((line = strsep(&rest, "\n"))) {
		name = function_of(line, &len);
		if (!name)
			continue;
		f = tr2_wait_function(name, len);
		if (found && f.page_fault)
			return TR2_CAUSE_page;
		if (found || !f.listed)
			continue;
		cause = f.cause;
		if (cause != TR2_CAUSE_disk)
			return cause;
		found = true;
	}
	return cause;
}

enum tr2_cause tr2_top_cause(int32_t pid, int32_t tid,
			     char function[TR2_PROCFS_NAME_SIZE])
{
	char stack[STACK_BYTES];
	struct tr2_wait_function f;

	if (!tr2_procfs_text(pid, tid, "wchan", function,
			     TR2_PROCFS_NAME_SIZE) || !strcmp(function, "0")) {
		*function = '\0';
		return TR2_CAUSE_unknown;
	}
	f = tr2_wait_function(function, strlen(function));
	if (f.listed && f.cause != TR2_CAUSE_disk)
		return f.cause;
	if (tr2_procfs_text(pid, tid, "stack", stack, sizeof(stack)))
		return cause_of_stack(stack, f.cause);
	return f.cause;
}
