/* SPDX-License-Identifier: MIT */
/*
 * tracer - Git's own tracer: the functions behind the macros of its trace2.h,
 * which have been the same since Git 2.22. Its header would need those that
 * its build generates.
 */
#pragma once

struct repository;

void trace2_initialize_clock(void);
void trace2_initialize_fl(const char *file, int line);
void trace2_cmd_start_fl(const char *file, int line, const char **argv);
void trace2_collect_process_info(int reason); /* 0: the start */
void trace2_cmd_name_fl(const char *file, int line, const char *name);
void trace2_cmd_exit_fl(const char *file, int line, int code);
void trace2_region_enter_fl(const char *file, int line, const char *category,
			    const char *label, const struct repository *repo,
			    ...);
void trace2_region_leave_fl(const char *file, int line, const char *category,
			    const char *label, const struct repository *repo,
			    ...);
void trace2_data_string_fl(const char *file, int line, const char *category,
			   const struct repository *repo, const char *key,
			   const char *value);
void trace2_printf_fl(const char *file, int line, const char *fmt, ...);

/* Git's archive calls it. common-main.c of Git defines it, but has a main(),
 * too. */
int common_exit(const char *file, int line, int code);

/* Start as a command of Git does. */
static inline void git_start(const char **argv)
{
	trace2_initialize_clock();
	trace2_initialize_fl(__FILE__, __LINE__);
	trace2_cmd_start_fl(__FILE__, __LINE__, argv);
	trace2_collect_process_info(0);
	trace2_cmd_name_fl(__FILE__, __LINE__, "bench");
}
