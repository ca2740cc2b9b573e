/* SPDX-License-Identifier: MIT */
/* What the adapter uses of this header of Git; written for the test. */
struct child_process {
	struct {
		const char **v;
		size_t nr;
	} args;
	pid_t pid;
	int trace2_child_id;
	uint64_t trace2_child_us_start;
	const char *trace2_child_class, *trace2_hook_name, *dir;
	unsigned int git_cmd, use_shell;
};
