/* SPDX-License-Identifier: MIT */
/*
 * trace2.h - the public interface of libtrace2.
 *
 * Every call here keeps these rules, unless its comment says otherwise:
 *
 * - While tracing is off, a call costs one load and one predicted branch. Its
 *   arguments are evaluated exactly once, on or off.
 * - A call accepts NULL for any pointer. A NULL string is empty or left out.
 * - A call keeps errno and the flags of floating-point exceptions, never fails
 *   its caller, never aborts, never prints.
 * - Any thread may make a call, at any time, and after fork, but not between
 *   vfork and exec. A call is no cancellation point.
 * - A call reads strings and structures only until it returns.
 * - "Signal-safe" marks the calls that a signal handler may make. A call in a
 *   handler that interrupted the library itself is counted as lost instead of
 *   performed. If the library was loaded by dlopen(), alone or inside a plugin,
 *   the thread must have made a call before the handler's, such as
 *   trace2_thread_start(). At a thread's first call the dynamic linker may call
 *   malloc.
 * - A signal-safe call takes at most 4,096 bytes of the handler's stack,
 *   including the vector registers of AVX-512 that the dynamic linker saves at
 *   a first call. The kernel's frame saves these registers, too: 3,376 bytes.
 *   An alternate stack of 8,192 bytes is therefore enough; processors with more
 *   registers (AMX) need one of sysconf(_SC_SIGSTKSZ).
 *
 * The calls are macros over functions that end in _fl and take the caller's
 * file and line first; call those to pass another file and line. Calls whose
 * category and label, or key, are constants are faster: the library then knows
 * their strings from the first call on (struct trace2_site).
 */
#ifndef TRACE2_H
#define TRACE2_H

#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) || defined(__clang__)
#define TRACE2_API __attribute__((visibility("default")))
#define TRACE2_PRINTF_(fmt_at, args_at) \
	__attribute__((format(printf, fmt_at, args_at)))
#else
#error "trace2.h needs a compiler that knows GNU attributes"
#endif

/* Not 0 while a target may take events, and before trace2_initialize() until
 * the first call. Read it through trace2_is_enabled(). */
extern TRACE2_API int trace2_enabled_;

#define trace2_is_enabled() \
	(__builtin_expect(__atomic_load_n(&trace2_enabled_, __ATOMIC_RELAXED), \
			  0))

/* TRACE2_INLINE_ functions are not static, because inline functions of the
 * program use them. artificial: debuggers and call paths show no frame for
 * these functions. */
#define TRACE2_INLINE_    \
	extern __inline__ \
		__attribute__((always_inline, gnu_inline, artificial))

/* Evaluate the arguments of a call while tracing is off, and do nothing. */
TRACE2_INLINE_ void trace2_off_(int unused, ...)
{
	(void)unused;
}

TRACE2_INLINE_ int trace2_off_id_(int unused, ...)
{
	(void)unused;
	return -1;
}

#define TRACE2_CALL_(function, ...)                               \
	(trace2_is_enabled() ?                                    \
		 function(__FILE__, __LINE__, __VA_ARGS__) : \
		 trace2_off_(0, __VA_ARGS__))

/*
 * At compile time, reject arguments that a call would misread: a negative or
 * floating constant where a number is unsigned, a constant above INTMAX_MAX
 * where a number is signed.
 */
#ifdef __has_attribute
#if __has_attribute(error)
#define TRACE2_ERROR_(message) __attribute__((__error__(message)))
#endif
#endif
#ifdef TRACE2_ERROR_
void trace2_misuse_negative_(void)
	TRACE2_ERROR_("a negative number: this one adds up");
void trace2_misuse_floating_(void)
	TRACE2_ERROR_("a floating-point number: this one takes an integer");
void trace2_misuse_large_(void)
	TRACE2_ERROR_("more than INTMAX_MAX: use trace2_data_uintmax()");
/*
 * TRACE2_LITERAL_(value): the value if the compiler's front end knows it, at
 * any level of optimization; else 0.
 */
#if defined(__cplusplus) && !defined(__clang__)
#define TRACE2_LITERAL_(value) (__builtin_constant_p(value) ? (value) : 0)
#else
#define TRACE2_LITERAL_(value) \
	__builtin_choose_expr(__builtin_constant_p(value), value, 0)
#endif
#define TRACE2_IS_FLOATING_(value) ((__typeof__((value) + 0))0.5 > 0)
#define TRACE2_MISUSED_(condition, name) \
	((condition) ? trace2_misuse_##name##_() : (void)0)
#define TRACE2_CHECK_UNSIGNED_(value)                                      \
	(TRACE2_MISUSED_(TRACE2_IS_FLOATING_(value), floating),            \
	 TRACE2_MISUSED_(TRACE2_LITERAL_(value) <= 0 &&                    \
				 TRACE2_LITERAL_(value) != 0, negative))
#ifdef __cplusplus
/* Accept any type that has a cast to intmax_t, such as enum class and
 * std::atomic. */
#define TRACE2_CHECK_SIGNED_(value)                            \
	TRACE2_MISUSED_(TRACE2_LITERAL_((long double)(value)) > \
				(long double)INTMAX_MAX, large)
#else
#define TRACE2_CHECK_SIGNED_(value)                                      \
	TRACE2_MISUSED_(TRACE2_LITERAL_(value) > 0 &&                    \
				(intmax_t)TRACE2_LITERAL_(value) < 0, large)
#endif
#else
#define TRACE2_CHECK_UNSIGNED_(value) (void)0
#define TRACE2_CHECK_SIGNED_(value) (void)0
#endif

/*
 * A place in the program that emits events, with those of its strings that are
 * constants. The macros below define a site for each of their calls; only the
 * library reads and writes it.
 */
struct trace2_site {
	const char *file;
	const char *category, *name; /* name: label or key. NULL: not a
				      * constant */
	int line;
	unsigned int number; /* 0: the library has not seen the site yet */
	const void *reserved[2];
};

#ifdef __cplusplus
#define TRACE2_NULL_ static_cast<const char *>(NULL)
#define TRACE2_HIDDEN_ __attribute__((visibility("hidden")))
#else
#define TRACE2_NULL_ ((const char *)0)
#define TRACE2_HIDDEN_
#endif

/* Hide the type in C++. Otherwise g++ makes a variable of this type in an
 * inline function unique in the process, and a module with such a variable is
 * never unloaded. */
struct TRACE2_HIDDEN_ trace2_own_site_ {
	struct trace2_site site;
};

/* TRACE2_CONSTANT_(s): s if it is a constant, else NULL. g++ has no
 * __builtin_choose_expr(); clang++ would warn about temporaries in the branch
 * of ?: that is not taken. */
#if defined(__cplusplus) && !defined(__clang__)
#define TRACE2_CONSTANT_(s) (__builtin_constant_p(s) ? (s) : TRACE2_NULL_)
#else
#define TRACE2_CONSTANT_(s) \
	__builtin_choose_expr(__builtin_constant_p(s), s, TRACE2_NULL_)
#endif

/* Silence a warning of clang: in an inline function of C that is not static,
 * each file may have a site of its own. */
#ifdef __clang__
#define TRACE2_QUIET_BEGIN_              \
	_Pragma("clang diagnostic push") \
	_Pragma("clang diagnostic ignored \"-Wstatic-local-in-inline\"")
#define TRACE2_QUIET_END_ _Pragma("clang diagnostic pop")
#else
#define TRACE2_QUIET_BEGIN_
#define TRACE2_QUIET_END_
#endif

/* Define a site. Its name is fixed, because C++ needs the same name in each
 * file that includes an inline function with a site. */
#define TRACE2_SITE_(category, name)                                       \
	__extension__({                                                    \
		TRACE2_QUIET_BEGIN_                                        \
		static struct trace2_own_site_ trace2_site_ = {            \
			{ __FILE__, TRACE2_CONSTANT_(category),            \
			  TRACE2_CONSTANT_(name), __LINE__, 0,              \
			  { TRACE2_NULL_, TRACE2_NULL_ } }                 \
		};                                                         \
		TRACE2_QUIET_END_                                          \
		&trace2_site_.site;                                        \
	})

#define TRACE2_CALL_AT_(function, category, name, ...)                   \
	(trace2_is_enabled() ?                                           \
		 function(TRACE2_SITE_(category, name), __VA_ARGS__) : \
		 trace2_off_(0, __VA_ARGS__))

/*
 * Start and end
 */

/*
 * Record the time from which t_abs counts. Call it first in main(); without
 * this call, trace2_initialize() records the time. Only the first call counts.
 */
TRACE2_API void trace2_initialize_clock(void);

#define TRACE2_NO_CONFIG_FILES (1u << 0) /* read no config files */
#define TRACE2_NO_SIGNALS (1u << 1) /* install no signal handler at all */
/*
 * Record SIGPIPE, unless the user names signals (GIT_TRACE2_SIGNALS). The
 * library then installs a handler if the disposition is the default, but never
 * in the first process of a pid namespace. Do not use it in a program whose
 * libraries check for the default disposition.
 */
#define TRACE2_SIGPIPE (1u << 2)
/* The members of trace2_options after `flags` are valid. */
#define TRACE2_MORE_OPTIONS (1u << 3)
/* The program reads its configuration itself, so trace2_cmd_name() emits no
 * parameters. */
#define TRACE2_OWN_PARAMS (1u << 4)

/* A forked child continues its parent's session: see
 * trace2_session_resume(). */
#define TRACE2_FORKS_GO_ON (1u << 5)

/* Let the user switch tracing on and off with `trace2 set` while the program
 * runs, as GIT_TRACE2_CONTROL=1 does; that variable overrides this flag. It has
 * no effect with a ring. */
#define TRACE2_CONTROL (1u << 6)

struct trace2_event;

/* Zero unused members, as the initializer { .version = "1.0" } does. */
struct trace2_options {
	/* The program's version, for the version event. */
	const char *version;
	/* The prefix of the variables' names; NULL: "GIT_TRACE2". */
	const char *prefix;
	unsigned int flags; /* TRACE2_NO_*, TRACE2_SIGPIPE … */

	/* Path of the system's config file, if GIT_CONFIG_SYSTEM is not set;
	 * NULL: "/etc/gitconfig". */
	const char *system_config;
	/*
	 * Settings from the program's own configuration, each such as
	 * "trace2.eventTarget=/var/log/trace", ending with NULL. They override
	 * the config files; variables override them. Other keys are ignored:
	 * see trace2_cmd_set_config().
	 */
	const char *const *config;
	/* A function of the program that gets each event, and sink_data: see
	 * struct trace2_event. */
	void (*sink)(const struct trace2_event *event, void *sink_data);
	void *sink_data;
	const void *reserved[2];
};

/*
 * Read the settings and open the targets. If a target is on, emit the version
 * event, arrange for the end of the session, and put GIT_TRACE2_PARENT_SID and
 * _NAME into the environment. Call it once, early, before other threads use
 * getenv(); the calling thread is `main` in the stream. Later calls do nothing.
 * Events of calls before it are lost; the first such call is reported.
 */
TRACE2_API void trace2_initialize_fl(const char *file, int line,
				     const struct trace2_options *options);
#define trace2_initialize() trace2_initialize_fl(__FILE__, __LINE__, NULL)
#define trace2_initialize_with(options) \
	trace2_initialize_fl(__FILE__, __LINE__, options)

/*
 * Return the id of the session; its last component is this process's. It works
 * with tracing off, too, for a program that passes the id to others. The first
 * call then makes the id and puts it into the environment for children
 * (GIT_TRACE2_PARENT_SID). No other thread may use getenv() during that call.
 * If tracing begins later, the session gets this id. Return "" if there is no
 * memory, or if the program has raised privileges (setuid). The string is valid
 * until the process forks or ends, or until tracing is switched on while the
 * program runs (TRACE2_CONTROL), which changes its text.
 */
TRACE2_API const char *trace2_session_id(void);

/*
 * Continue the parent's session in a forked child, such as a daemon: with its
 * id, its times, the numbers of its children, and the regions that the forking
 * thread has open. Make this call before any other call in the child. Without
 * it, a forked child has a session of its own. Timers and counters start at
 * zero. The parent should end by _exit(): otherwise it emits its own atexit,
 * under the same id. The call does nothing except in a forked child without
 * events. With a ring, the child always has a session of its own.
 */
TRACE2_API void trace2_session_resume_fl(const char *file, int line);
#define trace2_session_resume()                                     \
	(trace2_is_enabled() ?                                      \
		 trace2_session_resume_fl(__FILE__, __LINE__) : \
		 (void)0)

/* Emit the start event. argv ends with NULL, as main() gets it. */
TRACE2_API void trace2_cmd_start_fl(const char *file, int line,
				    const char *const *argv);
#define trace2_cmd_start(argv) \
	TRACE2_CALL_(trace2_cmd_start_fl, (const char *const *)(argv))

/*
 * Emit the exit event and return code, as in `return trace2_cmd_exit(rc);`. The
 * event shows the lowest 8 bits, as a parent sees them.
 */
TRACE2_API int trace2_cmd_exit_fl(const char *file, int line, int code);
TRACE2_INLINE_ int trace2_cmd_exit_(const char *file, int line, int code)
{
	return trace2_is_enabled() ? trace2_cmd_exit_fl(file, line, code) :
				     code;
}
#define trace2_cmd_exit(code) trace2_cmd_exit_(__FILE__, __LINE__, code)

/*
 * Emit the signal event, with which the session ends. Call it in a handler of
 * the program's own, for a signal that is about to end the process. Later calls
 * do nothing. If several threads have signals, the first one's is emitted; the
 * others wait until it is written, at most 0.1 s. The write of the event waits
 * at most 50 ms for readers, even with GIT_TRACE2_PATIENCE. The call does
 * nothing in a forked child without events, or if signo is no signal's number.
 * Signal-safe, also if the signal interrupted the library.
 */
TRACE2_API void trace2_signal_fl(const char *file, int line, int signo);
#define trace2_signal(signo) TRACE2_CALL_(trace2_signal_fl, signo)

/*
 * The command
 */

TRACE2_API void trace2_cmd_error_va_fl(const char *file, int line,
				       const char *fmt, va_list ap)
	TRACE2_PRINTF_(3, 0);
TRACE2_API void trace2_cmd_error_fl(const char *file, int line, const char *fmt,
				    ...) TRACE2_PRINTF_(3, 4);
/* This macro copies the va_list, so that the caller's stays usable. */
#define trace2_cmd_error_va(fmt, ap)                                    \
	(trace2_is_enabled() ?                                          \
		 trace2_cmd_error_va_fl(__FILE__, __LINE__, fmt, ap) : \
		 (void)0)
#define trace2_cmd_error(...) TRACE2_CALL_(trace2_cmd_error_fl, __VA_ARGS__)

TRACE2_API void trace2_cmd_path_fl(const char *file, int line,
				   const char *path);
#define trace2_cmd_path(path) TRACE2_CALL_(trace2_cmd_path_fl, path)

/*
 * Name the command; the last call wins. Each call appends to the hierarchy of
 * names that children inherit. The first call also emits the parameters that
 * the settings ask for.
 */
TRACE2_API void trace2_cmd_name_fl(const char *file, int line,
				   const char *name);
#define trace2_cmd_name(name) TRACE2_CALL_(trace2_cmd_name_fl, name)

TRACE2_API void trace2_cmd_mode_fl(const char *file, int line,
				   const char *mode);
#define trace2_cmd_mode(mode) TRACE2_CALL_(trace2_cmd_mode_fl, mode)

TRACE2_API void trace2_cmd_alias_fl(const char *file, int line,
				    const char *alias, const char *const *argv);
#define trace2_cmd_alias(alias, argv) \
	TRACE2_CALL_(trace2_cmd_alias_fl, alias, (const char *const *)(argv))

/* Emit the names of the processes above this one: the parent, its parent, and
 * so on. The array ends with NULL. */
TRACE2_API void trace2_cmd_ancestry_fl(const char *file, int line,
				       const char *const *names);
#define trace2_cmd_ancestry(names) \
	TRACE2_CALL_(trace2_cmd_ancestry_fl, (const char *const *)(names))

enum trace2_process_info {
	TRACE2_PROCESS_INFO_STARTUP, /* emit the event cmd_ancestry */
	TRACE2_PROCESS_INFO_EXIT /* emit data events: peak memory, CPU times */
};
TRACE2_API void trace2_collect_process_info_fl(const char *file, int line,
					       enum trace2_process_info which);
#define trace2_collect_process_info(which) \
	TRACE2_CALL_(trace2_collect_process_info_fl, which)

/*
 * Emit the parameters that the settings ask for: keys of the system's and the
 * user's Git config files, and variables. trace2_cmd_name() calls both
 * functions; call them only if the program never names a command. Each works
 * once a session.
 */
TRACE2_API void trace2_cmd_list_config_fl(const char *file, int line);
TRACE2_API void trace2_cmd_list_env_vars_fl(const char *file, int line);
#define trace2_cmd_list_config()                                     \
	(trace2_is_enabled() ?                                       \
		 trace2_cmd_list_config_fl(__FILE__, __LINE__) : \
		 (void)0)
#define trace2_cmd_list_env_vars()                                     \
	(trace2_is_enabled() ?                                         \
		 trace2_cmd_list_env_vars_fl(__FILE__, __LINE__) : \
		 (void)0)

/*
 * Emit a key of the program's own configuration, if the settings ask for that
 * key.
 */
TRACE2_API void trace2_cmd_set_config_fl(const char *file, int line,
					 const char *key, const char *value);
#define trace2_cmd_set_config(key, value) \
	TRACE2_CALL_(trace2_cmd_set_config_fl, key, value)

/*
 * Return whether the settings ask for this key of the program's configuration;
 * with NULL, whether they ask for any key. A program with a configuration of
 * its own then emits the key by trace2_def_param().
 */
TRACE2_API int trace2_wants_config_key(const char *key);
#define trace2_wants_config(key) \
	(trace2_is_enabled() ? trace2_wants_config_key(key) : \
			       trace2_off_id_(0, key) + 1)

enum trace2_scope {
	TRACE2_SCOPE_UNKNOWN,
	TRACE2_SCOPE_SYSTEM,
	TRACE2_SCOPE_GLOBAL,
	TRACE2_SCOPE_LOCAL,
	TRACE2_SCOPE_WORKTREE,
	TRACE2_SCOPE_COMMAND,
	TRACE2_SCOPE_SUBMODULE
};
TRACE2_API void trace2_def_param_fl(const char *file, int line,
				    const char *param, const char *value,
				    enum trace2_scope scope);
#define trace2_def_param(param, value, scope) \
	TRACE2_CALL_(trace2_def_param_fl, param, value, scope)

/*
 * A repository that events refer to, for a program that handles several
 * repositories. If a call gets a repo, its event has the repo's id, which is 0
 * until trace2_def_repo(). If a call gets NULL, its event has no id.
 */
struct trace2_repo {
	const char *worktree; /* must stay valid as long as events refer to the
			       * repository */
	int repo_id; /* set by the library */
};
/*
 * Assign repo->repo_id, from 1; a second call for the same repo does nothing. A
 * forked child emits def_repo again for each repo of its parent, with the first
 * event there that refers to it.
 */
TRACE2_API void trace2_def_repo_fl(const char *file, int line,
				   struct trace2_repo *repo);
#define trace2_def_repo(repo) TRACE2_CALL_(trace2_def_repo_fl, repo)

/*
 * Children
 */

struct trace2_child {
	const char *const *argv; /* ends with NULL */
	const char *child_class; /* NULL: "?" */
	const char *hook_name; /* name of the hook, with child_class "hook" */
	const char *cwd; /* the directory in which the child runs; NULL: the
			  * caller's */
	int use_shell;
	long pid; /* set it before exit or ready; -1: the child could not be
		   * started */
	/* Members for the library alone. Zero them before the start
	 * (TRACE2_CHILD_INIT). */
	int child_id;
	int child_state;
	uint64_t start_ns;
};
#define TRACE2_CHILD_INIT { NULL, NULL, NULL, NULL, 0, -1, 0, 0, 0 }

/*
 * Call start before the spawn, then exactly one of exit and ready. exit: the
 * child ended, or could not be started (pid -1, code -1); code is 128 + the
 * signal for a child that a signal ended. ready: the child goes on in the
 * background; state is "ready", "timeout" or "error". A second exit or ready is
 * dropped and reported. A start before the last child's end emits a child_ready
 * with "error" for that child, and is reported. A start without
 * TRACE2_CHILD_INIT and an end without a pid are reported, too.
 *
 * start also sets TRACEPARENT for the child. If the same thread makes the child
 * by fork(), the child gets its own value, even if other threads start children
 * at that moment. By vfork(), posix_spawn(), system() or popen(), the child may
 * get the value of another thread's child.
 */
TRACE2_API void trace2_child_start_fl(const char *file, int line,
				      struct trace2_child *child);
TRACE2_API void trace2_child_exit_fl(const char *file, int line,
				     struct trace2_child *child, int code);
TRACE2_API void trace2_child_ready_fl(const char *file, int line,
				      struct trace2_child *child,
				      const char *state);
#define trace2_child_start(child) TRACE2_CALL_(trace2_child_start_fl, child)
#define trace2_child_exit(child, code) \
	TRACE2_CALL_(trace2_child_exit_fl, child, code)
#define trace2_child_ready(child, state) \
	TRACE2_CALL_(trace2_child_ready_fl, child, state)

/* Do child_exit with the status that waitpid() returned for a child that has
 * ended. */
TRACE2_API void trace2_child_exit_status_fl(const char *file, int line,
					    struct trace2_child *child,
					    int wait_status);
#define trace2_child_exit_status(child, wait_status) \
	TRACE2_CALL_(trace2_child_exit_status_fl, child, wait_status)

/*
 * Report a child of a program that has structures of its own for children: the
 * program keeps the id that child_begin returns. child_begin reads the
 * description in `child` and keeps no pointer to it. Then call, as above,
 * exactly one of child_end (with code, as child_exit) and child_detach (with
 * state, as child_ready). Until then the library keeps the time of the start:
 * 24 bytes. child_begin returns -1 while tracing is off or if child is NULL; an
 * end with -1 is ignored. A forked process ignores the end of a child that its
 * parent began.
 */
TRACE2_API int trace2_child_begin_fl(const char *file, int line,
				     const struct trace2_child *child);
TRACE2_API void trace2_child_end_fl(const char *file, int line, int child_id,
				    long pid, int code);
TRACE2_API void trace2_child_detach_fl(const char *file, int line, int child_id,
				       long pid, const char *state);
#define trace2_child_begin(child)                                      \
	(trace2_is_enabled() ?                                         \
		 trace2_child_begin_fl(__FILE__, __LINE__, (child)) : \
		 trace2_off_id_(0, (child)))
#define trace2_child_end(child_id, pid, code) \
	TRACE2_CALL_(trace2_child_end_fl, child_id, pid, code)
#define trace2_child_detach(child_id, pid, state) \
	TRACE2_CALL_(trace2_child_detach_fl, child_id, pid, state)

/*
 * Emit an exec event; call it before an exec of this process. Return an id from
 * 0, or -1 while tracing is off. If the exec returns, call trace2_exec_result()
 * with its errno.
 */
TRACE2_API int trace2_exec_fl(const char *file, int line, const char *exe,
			      const char *const *argv);
TRACE2_API void trace2_exec_result_fl(const char *file, int line, int exec_id,
				      int code);
#define trace2_exec(exe, argv)                                            \
	(trace2_is_enabled() ?                                            \
		 trace2_exec_fl(__FILE__, __LINE__, exe,                  \
				(const char *const *)(argv)) :            \
		 trace2_off_id_(0, exe, argv))
#define trace2_exec_result(exec_id, code) \
	TRACE2_CALL_(trace2_exec_result_fl, exec_id, code)

/*
 * Threads
 */

/*
 * The first and the last call of a thread's function. If a thread calls
 * neither, the library announces it as "unknown" with its first event and
 * notices its end. A thread that began before tracing was switched on is
 * announced under its name in the kernel (pthread_setname_np()). An exit
 * without a start is reported.
 */
TRACE2_API void trace2_thread_start_fl(const char *file, int line,
				       const char *base_name);
TRACE2_API void trace2_thread_exit_fl(const char *file, int line);
#define trace2_thread_start(base_name) \
	TRACE2_CALL_(trace2_thread_start_fl, base_name)
#define trace2_thread_exit()                                     \
	(trace2_is_enabled() ?                                   \
		 trace2_thread_exit_fl(__FILE__, __LINE__) : \
		 (void)0)

/*
 * Call pthread_create() for a thread that announces itself and its end, and
 * whose creator is recorded. Return the result of pthread_create(), on or off.
 */
TRACE2_API int trace2_pthread_create_fl(const char *file, int line,
					pthread_t *thread,
					const pthread_attr_t *attr,
					const char *base_name,
					void *(*start)(void *), void *arg);
#define trace2_pthread_create(thread, attr, base_name, start, arg)      \
	trace2_pthread_create_fl(__FILE__, __LINE__, thread, attr,      \
				 base_name, start, arg)

/*
 * Regions and data
 */

/*
 * Regions of a thread are strictly nested; a leave names the category and the
 * label of its enter. A leave of an outer region first ends the regions inside
 * it. A leave that names no open region ends the innermost one; it is dropped
 * if no region is open, or if the region that it names has just ended. Each of
 * these cases is reported. repo may be NULL. Signal-safe, except for the printf
 * forms.
 */
TRACE2_API void trace2_region_enter_fl(const char *file, int line,
				       const char *category, const char *label,
				       const struct trace2_repo *repo);
TRACE2_API void trace2_region_leave_fl(const char *file, int line,
				       const char *category, const char *label,
				       const struct trace2_repo *repo);
TRACE2_API void trace2_region_enter_printf_fl(
	const char *file, int line, const char *category, const char *label,
	const struct trace2_repo *repo, const char *fmt, ...)
	TRACE2_PRINTF_(6, 7);
TRACE2_API void trace2_region_leave_printf_fl(
	const char *file, int line, const char *category, const char *label,
	const struct trace2_repo *repo, const char *fmt, ...)
	TRACE2_PRINTF_(6, 7);
TRACE2_API void trace2_region_enter_printf_va_fl(
	const char *file, int line, const char *category, const char *label,
	const struct trace2_repo *repo, const char *fmt, va_list ap)
	TRACE2_PRINTF_(6, 0);
TRACE2_API void trace2_region_leave_printf_va_fl(
	const char *file, int line, const char *category, const char *label,
	const struct trace2_repo *repo, const char *fmt, va_list ap)
	TRACE2_PRINTF_(6, 0);
TRACE2_API void trace2_region_enter_at_(struct trace2_site *site,
					const char *category, const char *label,
					const struct trace2_repo *repo);
TRACE2_API void trace2_region_leave_at_(struct trace2_site *site,
					const char *category, const char *label,
					const struct trace2_repo *repo);
TRACE2_API void trace2_region_enter_printf_at_(
	struct trace2_site *site, const char *category, const char *label,
	const struct trace2_repo *repo, const char *fmt, ...)
	TRACE2_PRINTF_(5, 6);
TRACE2_API void trace2_region_leave_printf_at_(
	struct trace2_site *site, const char *category, const char *label,
	const struct trace2_repo *repo, const char *fmt, ...)
	TRACE2_PRINTF_(5, 6);
#define trace2_region_enter(category, label, repo)                        \
	TRACE2_CALL_AT_(trace2_region_enter_at_, category, label, category, \
			label, repo)
#define trace2_region_leave(category, label, repo)                        \
	TRACE2_CALL_AT_(trace2_region_leave_at_, category, label, category, \
			label, repo)
#define trace2_region_enter_printf(category, label, repo, ...)         \
	TRACE2_CALL_AT_(trace2_region_enter_printf_at_, category, label, \
			category, label, repo, __VA_ARGS__)
#define trace2_region_leave_printf(category, label, repo, ...)         \
	TRACE2_CALL_AT_(trace2_region_leave_printf_at_, category, label, \
			category, label, repo, __VA_ARGS__)
#define trace2_region_enter_printf_va(category, label, repo, fmt, ap)        \
	(trace2_is_enabled() ?                                               \
		 trace2_region_enter_printf_va_fl(__FILE__, __LINE__,        \
						  category, label, repo, fmt, \
						  ap) :                      \
		 (void)0)
#define trace2_region_leave_printf_va(category, label, repo, fmt, ap)        \
	(trace2_is_enabled() ?                                               \
		 trace2_region_leave_printf_va_fl(__FILE__, __LINE__,        \
						  category, label, repo, fmt, \
						  ap) :                      \
		 (void)0)

/*
 * A region from here to the end of the block, however the program leaves the
 * block:
 *
 *	TRACE2_SCOPE("odb", "unzip");
 *
 * The strings are read again at the end of the block. Blocks may nest, and a
 * block may have several regions. An exception ends the region. The region is
 * not ended by longjmp(), by exit(), or, in code that was compiled without
 * -fexceptions, by the end of the thread. A block that began while tracing was
 * off has no region.
 */
struct trace2_scope_ {
	struct trace2_site *site; /* the site of the open region; NULL: no
				   * region is open */
	const char *category, *label;
};

TRACE2_INLINE_ struct trace2_scope_ trace2_scope_begin_(
	struct trace2_site *site, const char *category, const char *label)
{
	struct trace2_scope_ scope = { site, category, label };

	if (__builtin_expect(!!site, 0)) {
		trace2_region_enter_at_(site, category, label, NULL);
		/* Before trace2_initialize() the first call is lost: then no
		 * region is open. */
		if (!trace2_is_enabled())
			scope.site = NULL;
	}
	return scope;
}

TRACE2_INLINE_ void trace2_scope_end_(struct trace2_scope_ *scope)
{
	if (__builtin_expect(!!scope->site, 0))
		trace2_region_leave_at_(scope->site, scope->category,
					scope->label, NULL);
}

#define TRACE2_SCOPE(category, label) \
	TRACE2_SCOPE_AT_(category, label, __COUNTER__)
#define TRACE2_SCOPE_AT_(category, label, nr) \
	TRACE2_SCOPE_NR_(category, label, nr)
#define TRACE2_SCOPE_NR_(category, label, nr)                             \
	__attribute__((cleanup(trace2_scope_end_), unused))               \
	struct trace2_scope_ trace2_scope_##nr##_ = trace2_scope_begin_(  \
		trace2_is_enabled() ? TRACE2_SITE_(category, label) : NULL, \
		category, label)

/*
 * Emit a value. All but json are signal-safe. json takes JSON text; text that
 * is not valid JSON becomes a JSON string. double writes text that reads back
 * as the same number, with a point in any locale, or NaN, Infinity, -Infinity.
 */
TRACE2_API void trace2_data_string_fl(const char *file, int line,
				      const char *category,
				      const struct trace2_repo *repo,
				      const char *key, const char *value);
TRACE2_API void trace2_data_intmax_fl(const char *file, int line,
				      const char *category,
				      const struct trace2_repo *repo,
				      const char *key, intmax_t value);
TRACE2_API void trace2_data_json_fl(const char *file, int line,
				    const char *category,
				    const struct trace2_repo *repo,
				    const char *key, const char *json_text);
TRACE2_API void trace2_data_string_at_(struct trace2_site *site,
				       const char *category,
				       const struct trace2_repo *repo,
				       const char *key, const char *value);
TRACE2_API void trace2_data_intmax_at_(struct trace2_site *site,
				       const char *category,
				       const struct trace2_repo *repo,
				       const char *key, intmax_t value);
/* Emit an unsigned number. It may exceed INTMAX_MAX. */
TRACE2_API void trace2_data_uintmax_fl(const char *file, int line,
				       const char *category,
				       const struct trace2_repo *repo,
				       const char *key, uintmax_t value);
TRACE2_API void trace2_data_uintmax_at_(struct trace2_site *site,
					const char *category,
					const struct trace2_repo *repo,
					const char *key, uintmax_t value);
#define trace2_data_uintmax(category, repo, key, value)                  \
	TRACE2_CALL_AT_(trace2_data_uintmax_at_, category, key, category, \
			repo, key, (uintmax_t)(value))
TRACE2_API void trace2_data_double_fl(const char *file, int line,
				      const char *category,
				      const struct trace2_repo *repo,
				      const char *key, double value);
TRACE2_API void trace2_data_double_at_(struct trace2_site *site,
				       const char *category,
				       const struct trace2_repo *repo,
				       const char *key, double value);
#define trace2_data_double(category, repo, key, value)                  \
	TRACE2_CALL_AT_(trace2_data_double_at_, category, key, category, \
			repo, key, value)
TRACE2_API void trace2_data_json_at_(struct trace2_site *site,
				     const char *category,
				     const struct trace2_repo *repo,
				     const char *key, const char *json_text);
#define trace2_data_string(category, repo, key, value)                  \
	TRACE2_CALL_AT_(trace2_data_string_at_, category, key, category, \
			repo, key, value)
#define trace2_data_intmax(category, repo, key, value)                  \
	(TRACE2_CHECK_SIGNED_(value),                                    \
	 TRACE2_CALL_AT_(trace2_data_intmax_at_, category, key, category, \
			 repo, key, (intmax_t)(value)))
#define trace2_data_json(category, repo, key, json_text)              \
	TRACE2_CALL_AT_(trace2_data_json_at_, category, key, category, \
			repo, key, json_text)

TRACE2_API void trace2_printf_va_fl(const char *file, int line, const char *fmt,
				    va_list ap) TRACE2_PRINTF_(3, 0);
TRACE2_API void trace2_printf_fl(const char *file, int line, const char *fmt,
				 ...) TRACE2_PRINTF_(3, 4);
#define trace2_printf_va(fmt, ap)                                    \
	(trace2_is_enabled() ?                                       \
		 trace2_printf_va_fl(__FILE__, __LINE__, fmt, ap) : \
		 (void)0)
TRACE2_API void trace2_printf_at_(struct trace2_site *site, const char *fmt,
				  ...) TRACE2_PRINTF_(2, 3);
#define trace2_printf(...) \
	TRACE2_CALL_AT_(trace2_printf_at_, "", "", __VA_ARGS__)

#ifdef __cplusplus
}
#endif

/* The other parts of the interface. */
#include "trace2_control.h"
#include "trace2_metric.h"
#include "trace2_span.h"

#endif /* TRACE2_H */
