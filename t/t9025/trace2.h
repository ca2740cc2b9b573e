/* SPDX-License-Identifier: MIT */
/* What the adapter uses of this header of Git; written for the test. */
struct child_process;
struct repository;
struct json_writer;
struct key_value_info;

enum trace2_timer_id {
	TRACE2_TIMER_ID_READ,
	TRACE2_NUMBER_OF_TIMERS
};
enum trace2_counter_id {
	TRACE2_COUNTER_ID_PACKS,
	TRACE2_COUNTER_ID_OBJECTS,
	TRACE2_NUMBER_OF_COUNTERS
};
enum trace2_process_info_reason {
	TRACE2_PROCESS_INFO_STARTUP,
	TRACE2_PROCESS_INFO_EXIT
};
void trace2_collect_process_info(enum trace2_process_info_reason reason);

void trace2_initialize_clock(void);
void trace2_initialize_fl(const char *file, int line);
int trace2_is_enabled(void);
const char *trace2_session_id(void);
void trace2_cmd_start_fl(const char *file, int line, const char **argv);
void trace2_cmd_exit_fl(const char *file, int line, int code);
void trace2_cmd_error_va_fl(const char *file, int line, const char *fmt,
			    va_list ap);
void trace2_cmd_name_fl(const char *file, int line, const char *name);
void trace2_cmd_list_config_fl(const char *file, int line);
void trace2_cmd_list_env_vars_fl(const char *file, int line);
void trace2_def_param_fl(const char *file, int line, const char *param,
			 const char *value, const struct key_value_info *kvi);
void trace2_def_repo_fl(const char *file, int line, struct repository *repo);
void trace2_child_start_fl(const char *file, int line,
			   struct child_process *cmd);
void trace2_child_exit_fl(const char *file, int line, struct child_process *cmd,
			  int child_exit_code);
void trace2_region_enter_fl(const char *file, int line, const char *category,
			    const char *label, const struct repository *repo,
			    ...);
void trace2_region_leave_fl(const char *file, int line, const char *category,
			    const char *label, const struct repository *repo,
			    ...);
void trace2_region_enter_printf_va_fl(const char *file, int line,
				      const char *category, const char *label,
				      const struct repository *repo,
				      const char *fmt, va_list ap);
void trace2_region_leave_printf_va_fl(const char *file, int line,
				      const char *category, const char *label,
				      const struct repository *repo,
				      const char *fmt, va_list ap);
void trace2_data_json_fl(const char *file, int line, const char *category,
			 const struct repository *repo, const char *key,
			 const struct json_writer *jw);
void trace2_timer_start(enum trace2_timer_id tid);
void trace2_timer_stop(enum trace2_timer_id tid);
void trace2_counter_add(enum trace2_counter_id cid, uint64_t value);
