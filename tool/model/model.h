/* SPDX-License-Identifier: MIT */
/*
 * model - a recording in memory: sessions (the stream of one process each),
 * their threads, the spans and points of each thread, metrics, and the kernel's
 * task records. Above them is a tree of processes: every session belongs to a
 * process, and every process is below the process that started it.
 *
 * Layout. All elements of a kind are in one array, and refer to others by index
 * into their arrays (uint32_t). Arrays may move while a recording is loaded:
 * hold indexes, not pointers, until tr2_model_finish() has run. Element 0 of
 * every array is unused, and index 0 means "none". Lists are chained through a
 * `next` index in the order in which their elements began.
 *
 * Strings belong to the model, are valid UTF-8, and end with their only NUL.
 * Repeated texts (categories, labels, thread names, files, keys) are interned:
 * two numbers of type tr2_str are equal exactly if the texts are equal; 0 is
 * "not given". tr2_s(m, id) is the text, "" for 0.
 *
 * Units. All times inside a session are in nanoseconds since the start of the
 * session's process (`t_abs`), by the monotonic clock. A session's wall_ns is
 * this start in nanoseconds since 1970: session->wall_ns + span->start_ns can
 * be compared between sessions of one machine. Nodes of the tree and tasks
 * contain wall times directly. Times may be negative if a clock was set.
 *
 * One thread fills a model (tool/model/build/build.h). After tr2_model_finish()
 * it is read-only, and any thread may read it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena/kinds.h"
#include "base/build_id.h"
#include "common/time.h"
#include "common/words.h"
#include "event/span.h"

typedef uint32_t tr2_str;

enum tr2_span_kind {
	TR2_SPAN_REGION,
	TR2_SPAN_CHILD, /* child_start to child_exit or child_ready */
	TR2_SPAN_EXEC   /* exec to exec_result, or to the end */
};

#define TR2_SPAN_OPEN (1u << 0) /* no end: end_ns is the last event's time */
#define TR2_SPAN_CLOSED_BY_OUTER (1u << 1) /* has no leave; the region around it
					    * ended */
#define TR2_SPAN_NO_START (1u << 2) /* has no enter; start is from the leave's
				     * t_rel */

struct tr2_span {
	int64_t start_ns, end_ns;
	uint32_t thread;
	uint32_t next;   /* the next span that began in this thread */
	uint32_t parent; /* innermost region around this span; 0: none */
	uint32_t child;  /* CHILD and EXEC: index into children */
	tr2_str category, label, msg; /* names and text of a region */
	tr2_str file;
	uint32_t line;
	uint32_t repo;
	/* while loading: the innermost region that was open at this span's
	 * start; its parent, unless the two overlap */
	uint32_t below;
	uint16_t depth; /* 0 for an outermost span */
	uint8_t kind;   /* enum tr2_span_kind */
	uint8_t flags;  /* TR2_SPAN_… */
};

/* The additional data of a child or exec span. */
struct tr2_child {
	uint32_t span;
	uint32_t node; /* the process that the child became; 0: unknown */
	/* the previous child (not exec) of the same session */
	uint32_t previous;
	int32_t id;    /* child_id or exec_id */
	int32_t pid;   /* -1: unknown, or not started */
	int32_t code;  /* as in child_exit: 128 + n for signal n */
	bool has_code;
	bool use_shell;
	bool ready;    /* child_ready ended the span; the child went on */
	bool traced;   /* the child has a session, found by its pid */
	tr2_str child_class, hook, cd, exe;
	struct tr2_words argv;
};

enum tr2_point_kind {
	TR2_POINT_DATA,      /* category, key, value */
	TR2_POINT_DATA_JSON, /* value is valid JSON text on one line */
	TR2_POINT_ERROR,     /* value: message; key: its format */
	TR2_POINT_PRINTF,    /* value */
	TR2_POINT_PARAM,     /* category: scope; key; value */
	TR2_POINT_REPO,      /* value: worktree; repo */
	TR2_POINT_SIGNAL,    /* value: the signal's number as text */
	TR2_POINT_ALIAS,     /* key: the alias; value: argv, shell-quoted */
	TR2_POINT_OTHER      /* key: name of an unknown event; value: fields of
			      * the event as a JSON object, NULL if too long */
};

struct tr2_point {
	int64_t at_ns;
	const char *value; /* NULL: not given */
	uint32_t thread;
	uint32_t next;   /* the next point of this thread */
	uint32_t parent; /* the region around the point */
	tr2_str category, key, file;
	uint32_t line;
	uint32_t repo;
	uint8_t kind; /* enum tr2_point_kind */
};

/* The names of kinds of metrics. */
extern const char *const tr2_metric_names[];

struct tr2_metric {
	tr2_str category, name;
	tr2_str unit; /* unit of a distribution or gauge */
	uint32_t session;
	uint32_t thread; /* 0: metric of the whole session */
	uint32_t next;   /* the next metric of the same session */
	uint8_t kind;    /* enum tr2_definition_kind */
	/* Counter: the value. Gauge: the last value. Timer: the number of
	 * intervals. Distribution: the number of values. */
	uint64_t count;
	/* Distribution: in its unit. Gauge: minimum, maximum and the last value
	 * (in `count`) are of type int64_t. */
	uint64_t total_ns, min_ns, max_ns;
	uint64_t unfinished;
	/* JSON text [[upper_bound,count],…], or NULL. Bounds are in seconds, or
	 * in the distribution's unit. */
	const char *histogram;
};

#define TR2_TRACE_SPAN_UNFINISHED (1u << 0) /* the process ended first */
#define TR2_TRACE_SPAN_REMOTE (1u << 1) /* parent in another process */

/* A span of the program. It has an id: see model/trace_span.h. */
struct tr2_trace_span {
	struct tr2_context self;
	uint64_t parent; /* id of a span, a session or a child; 0: none */
	int64_t start_ns, end_ns;
	const char *failed;     /* the reason or ""; NULL: no failure */
	const char *attributes; /* a JSON object; NULL: none */
	const char *tracestate; /* as the parent sent it; NULL: none */
	tr2_str category, name;
	uint32_t thread; /* the thread that ended the span */
	uint32_t next;   /* the next such span of the session */
	uint32_t first_work, nr_works; /* range in `works` */
	uint32_t one_in; /* the number of spans for which this one stands */
	uint32_t lost;   /* number of attributes and works that had no room */
	uint8_t flags;   /* TR2_TRACE_SPAN_… */
};

/* A time in which a thread worked for a span of the program. */
struct tr2_work {
	int64_t from_ns, to_ns;
	uint32_t span;   /* the span of the work: index into trace_spans */
	tr2_str name;    /* name of the thread */
	/* Set by tr2_model_finish(); 0: unknown, or none. */
	uint32_t thread;
	uint32_t outer;  /* the work around this one in its thread */
};

/* A sample by a ring, or by the kernel for `trace2 record --profile`. */
struct tr2_model_sample {
	tr2_str event; /* the event as in the setting: app/odb/unzip/:1000 */
	uint32_t session; /* 0: the sampled process has no session */
	uint32_t cpu;
	uint32_t task; /* index into sample_tasks; 0: a sample by the kernel */
	uint32_t task_thread; /* the sampled thread of a sample by the kernel */
	uint32_t space;
	uint32_t next; /* the next sample of the same session, by time */
	int64_t at_ns; /* time in the session; without a session: wall */
	uint64_t count; /* the event's count since the last sample */
	bool is_time, is_wait; /* count is in ns; count is a wait's length */
	/* Return addresses, the innermost first: in the kernel, then in the
	 * process. In both parts, the first is the address of an instruction
	 * plus 1, as if it were a return address. */
	uint32_t first_call, nr_calls;
	uint32_t stack; /* a copy of the stack not unwound yet; 0: none */
	/* The values of the event's group, the leader's first. */
	uint32_t first_value, nr_values;
	/* Set by tr2_model_finish(); 0: unknown, or none. */
	uint32_t node, thread;
	uint32_t span; /* the innermost region around the sample */
};

/* Registers and stack of a thread in a file of the kernel's records. */
struct tr2_sample_stack {
	uint32_t file; /* index into stack_files */
	uint32_t len;  /* length of the copied stack */
	uint64_t registers_at, stack_at; /* positions in the file */
};

struct tr2_stack_file {
	int fd;             /* closed with the model */
	uint64_t registers; /* a bit for each recorded register */
};

/* An address space: a process between two execs. */
struct tr2_space {
	uint32_t session; /* the ring's session; 0: from the kernel's records */
	/* the space whose mappings this space had at start_ns; 0: none */
	uint32_t parent;
	int64_t start_ns; /* wall; 0: the start of the session */
	uint32_t kernel; /* number of the process's kernel; 0: none */
	bool has_mappings;
};

/* A kernel's function in samples. The array is sorted by kernel and addr. */
struct tr2_kernel_function {
	uint64_t addr;
	uint32_t kernel; /* number of the kernel */
	tr2_str name, module;
};

/* A function that a process generated at run time. */
struct tr2_code_function {
	uint64_t addr, len;
	int64_t from_ns; /* wall time of the generation; 0: unknown */
	uint32_t task;
	tr2_str name;
};

/* A command of a build, from the log of ninja (model/join/targets.h) or by its
 * text (model/join/recipes.h). */
struct tr2_build_command {
	uint64_t hash;
	int64_t from_ms, to_ms; /* time since the start of ninja */
	uint32_t task, version; /* ninja's task; version of the hash */
	tr2_str target; /* a file that the command made */
};

/* A thread in which samples were taken. */
struct tr2_sample_task {
	uint32_t session, tid;
	tr2_str name;
	int64_t start_ns, end_ns; /* TR2_NO_TIME: unknown */
};

/* The value of one counter of the group at the time of a sample. */
struct tr2_sample_value {
	tr2_str event;
	uint64_t value;
};

/* Executable code in a process's memory. */
struct tr2_mapping {
	uint32_t space;
	uint32_t next; /* the next mapping in the same session's ring */
	tr2_str file;
	uint64_t addr, len, pgoff;
	/* Time of the mapping event: in the session, or wall without a session;
	 * 0: mapped at the start. */
	int64_t at_ns;
	uint8_t build_id_size; /* 0: none, or unknown */
	uint8_t build_id[TR2_BUILD_ID_MAX];
};

/* The thread has no thread_exit; never set for main. */
#define TR2_THREAD_OPEN (1u << 0)
/* The thread has no thread_start; never set for main. */
#define TR2_THREAD_UNANNOUNCED (1u << 1)

struct tr2_model_thread {
	uint32_t session;
	uint32_t next; /* the next thread of the session; main is first */
	tr2_str name;
	uint8_t flags;
	int64_t start_ns, end_ns;
	uint32_t first_span, last_span;
	uint32_t first_point, last_point;
	uint32_t open; /* while loading: the open region that began last */
	int32_t tid;          /* 0: unknown; only a ring has tids */
	uint32_t task_thread; /* the kernel's thread; 0: unknown */
};

enum tr2_end {
	/* no end was recorded: the stream was cut off, or the process runs */
	TR2_END_OPEN,
	TR2_END_EXIT,   /* atexit, or a report by the kernel or the parent */
	/* a signal event, or a report by the kernel or the parent */
	TR2_END_SIGNAL,
	TR2_END_EXEC    /* the process replaced its program by exec */
};

/* The source of the end. */
enum tr2_end_by {
	TR2_BY_ITSELF, /* the process's own events; if OPEN: no source */
	TR2_BY_KERNEL,
	TR2_BY_PARENT  /* the code of the parent's child_exit: 128 + n is either
			* an exit code or signal n */
};

#define TR2_SESSION_NO_VERSION (1u << 0) /* the first event is not version */
#define TR2_SESSION_NO_START (1u << 1)
#define TR2_SESSION_BRIEF (1u << 2)      /* events without time */
/* No event has a wall time: wall_ns is from the SID, or a guess. */
#define TR2_SESSION_NO_CLOCK (1u << 3)
#define TR2_SESSION_CLOCK_STEP (1u << 4) /* somebody set the wall clock */
#define TR2_SESSION_DUPLICATE (1u << 5)  /* an earlier session has this SID */
#define TR2_SESSION_PERF (1u << 6)       /* from perf text: the SID is made
					  * up */
#define TR2_SESSION_TOO_MANY_FILES (1u << 7)
#define TR2_SESSION_FORKED (1u << 8)     /* a forked process went on under the
					  * SID of `parent` after the end of
					  * `parent`, as Git's detached
					  * maintenance does */
#define TR2_SESSION_NO_BEGINNING (1u << 10) /* the first events were overwritten
					     * in a ring, or are in an earlier
					     * file */
#define TR2_SESSION_NO_PLACE (1u << 11) /* the start is unknown: wall_ns is
					 * another session's */
#define TR2_SESSION_TENTATIVE (1u << 15) /* while loading: wall_ns is a guess */

struct tr2_model_session {
	const char *sid; /* the whole SID: PARENT/OWN */
	/* the session whose SID is `sid` without the last component */
	uint32_t parent;
	uint32_t node;   /* the session's process */
	uint32_t next_of_node; /* the same process's session after an exec */
	uint32_t nr_events;
	uint16_t depth;  /* number of slashes in the SID */
	uint16_t flags;
	uint8_t end;     /* enum tr2_end */
	uint8_t end_by;  /* enum tr2_end_by: TR2_BY_ITSELF if it has atexit */
	bool has_code;
	int32_t code;    /* exit code, or signal number */
	int32_t pid;     /* pid from the SID; -1: unknown */
	tr2_str name, hierarchy, mode, path, exe_version, source;
	struct tr2_words argv;
	int64_t wall_ns;  /* start of the process (t_abs 0) */
	int64_t now_ns;   /* while loading: time of the last event */
	/* FORKED: time of the first event; else 0. With the kernel's records:
	 * start of the program; in the first session, of the process. */
	int64_t start_ns;
	/* Time of atexit, else of the last event. With the kernel's records:
	 * time of the next exec, or the end of the process. */
	int64_t end_ns;
	uint32_t first_thread, last_thread, last_child;
	uint32_t rare; /* index for tr2_rare(); 0: none */
};

/* Members that few sessions use: a recording may have 100,000 sessions. */
struct tr2_rare {
	struct tr2_words ancestry;
	int64_t clock_ns; /* while loading: time added to the wall clock */
	uint64_t lost;    /* events that the program reported as dropped */
	/* Place in the trace that the environment named; id 0: none. */
	struct tr2_context trace;
	uint64_t trace_parent;
	uint32_t first_metric, last_metric, first_trace_span, last_trace_span;
	uint32_t first_sample, last_sample, first_mapping, last_mapping;
	uint32_t nr_errors, space; /* space: the space of the session's ring */
};

#define TR2_TASK_EXITED (1u << 0)
#define TR2_TASK_HAS_STATUS (1u << 1)
#define TR2_TASK_HAS_RUSAGE (1u << 2)
/* The task became set-uid: the kernel no longer records it for the user. */
#define TR2_TASK_PRIVILEGED (1u << 3)
#define TR2_TASK_HAS_TIMES (1u << 4)
/* KILLED: the kernel named the task as killed for lack of memory. COUNTED: the
 * kernel's count of these kills equals the number of SIGKILLed processes. */
#define TR2_TASK_OOM_KILLED (1u << 5)
#define TR2_TASK_OOM_COUNTED (1u << 6)

/* Times of a process by the kernel's records (model/states.h); TR2_NO_TIME:
 * unknown. CPU time is the sum of all threads, and may exceed the wall time.
 * ready_ns: no thread ran, but one was ready. wait_ns: all threads waited. */
struct tr2_times {
	int64_t cpu_ns, ready_ns, wait_ns;
};

/* A process in the kernel's records. */
struct tr2_model_task {
	int32_t pid, ppid;
	int32_t own_pid; /* pid in its own namespace; 0: `pid`, or unknown */
	uint32_t parent; /* parent task; 0: start not recorded */
	uint32_t node;
	uint32_t nr_threads;
	uint32_t first_segment, last_segment; /* segments by time; 0: none */
	tr2_str cwd; /* directory in which the program started; 0: unknown */
	int64_t start_ns, end_ns; /* wall times; TR2_NO_TIME: unknown */
	/* Start of a process that began before the recording, whose start_ns is
	 * the recording's start. Else 0. */
	int64_t begun_ns;
	int64_t seen_ns; /* last time seen alive, if no end is known; else 0 */
	int64_t status_ns;        /* time of report, with TR2_TASK_HAS_STATUS */
	int32_t code, signal;     /* with TR2_TASK_HAS_STATUS */
	uint8_t flags;
	uint64_t user_ns, system_ns, maxrss_bytes; /* TR2_TASK_HAS_RUSAGE */
	int64_t cpu_ns, ready_ns; /* sums over all threads, with
				   * TR2_TASK_HAS_TIMES */
	uint32_t first_thread, last_thread; /* threads by start; 0: none */
	struct tr2_times times; /* set by tr2_model_finish() */
};

/* Records were lost during the thread's life: its states may be wrong. */
#define TR2_TASK_THREAD_LOST (1u << 0)
#define TR2_TASK_THREAD_OPEN (1u << 1) /* the thread's end was not recorded */

/* A thread as the kernel knows it. */
struct tr2_task_thread {
	uint32_t task;   /* task of the thread's process: never 0 */
	uint32_t next;   /* the next thread of the process, by start */
	uint32_t thread; /* the same thread in a session; 0: unknown. If the
			  * process ran several programs, the session of the
			  * last one counts. */
	uint32_t creator; /* the thread that created this one; 0: unknown */
	int32_t tid;
	tr2_str comm; /* the last name */
	tr2_str kind; /* name of the kind of threads; 0: the first thread of the
		       * process. Set by tr2_model_finish(). */
	int64_t start_ns, end_ns; /* wall */
	int64_t cpu_ns; /* the kernel's count, else the sum of the run states
			 * and of the switches; TR2_NO_TIME: unknown */
	int64_t ending_ns; /* running time after the thread's last record */
	/* The thread's states by time, without gaps: a range in `states`. */
	uint32_t first_state, nr_states;
	uint32_t first_object, nr_objects; /* objects of the thread's waits */
	uint8_t flags; /* TR2_TASK_THREAD_... */
};

enum tr2_state_kind {
	TR2_STATE_RUN,   /* on a CPU */
	TR2_STATE_READY, /* the thread could run, but had no CPU */
	TR2_STATE_WAIT
};

enum tr2_cause {
#define TR2_CAUSE(name, text) TR2_CAUSE_##name,
#include "model/causes.def"
#undef TR2_CAUSE
	TR2_CAUSE_NR
};

/* `other` was derived, not recorded. */
#define TR2_STATE_INFERRED (1u << 0)
/* The kernel woke the thread: a timer, an interrupt. */
#define TR2_STATE_BY_KERNEL (1u << 1)
/* A thread outside the recording woke the thread, or had its CPU. */
#define TR2_STATE_BY_OUTSIDE (1u << 2)
/* Like TR2_STATE_INFERRED, but `other` may be another thread, or a timer. */
#define TR2_STATE_DOUBTFUL (1u << 3)
/* READY: the thread's control group had used up its limit. */
#define TR2_STATE_THROTTLED (1u << 4)

/* The state of a thread from start_ns until its next state, or its end. */
struct tr2_state {
	int64_t start_ns; /* wall */
	/* WAIT: the task thread that ended the wait. READY: the task thread
	 * that had the CPU. 0: unknown, or outside the recording. */
	uint32_t other;
	/* Name of a thread outside the recording, or "throttled"; 0: unknown */
	tr2_str comm;
	uint8_t kind;  /* enum tr2_state_kind */
	uint8_t cause; /* WAIT: enum tr2_cause */
	uint8_t flags; /* TR2_STATE_... */
};

/* The object for which a thread waited, as the observer saw it from from_ns to
 * to_ns: model/objects.h. */
struct tr2_observed_object {
	int64_t from_ns, to_ns; /* wall */
	/* A wait that began before this time may be for another object. */
	int64_t known_ns;
	tr2_str call;   /* the system call */
	tr2_str what;   /* the kind of object: file, pipe, tcp, ... */
	tr2_str name;   /* path or address of the object; 0: none */
	tr2_str host;   /* host name of the address; 0: none */
	tr2_str others; /* other objects of the same wait, in words */
	uint32_t number; /* number of objects with this name */
	uint32_t peer;  /* task at the other end, or with the lock */
	uint32_t task;
	int32_t tid;
	/* Set by tr2_model_finish(): the thread (0: unknown), and the whole
	 * object in words, such as "pipe to sort", "tcp 10.1.2.3:443 x 8,
	 * timer", "lock .git/index.lock, held by git gc". */
	uint32_t task_thread;
	tr2_str text;
};

/* The memory of a process from at_ns on; 0: not measured. */
struct tr2_observed_memory_point {
	int64_t at_ns; /* wall */
	uint64_t rss_bytes, pss_bytes;
	uint64_t tree_bytes; /* if task is 0: memory of all processes */
	uint32_t task;
};

/*
 * The time of one program of a process, from the fork (the parent's program) or
 * an exec to the next exec. The last segment ends with the process.
 */
struct tr2_segment {
	int64_t start_ns; /* wall */
	uint32_t next;    /* the next segment of the same task */
	tr2_str comm;     /* last name in the segment; 0: unknown */
	struct tr2_words argv; /* argv, if the recorder could read it */
	bool exec;        /* the segment begins with an exec */
};

/* The source by which the parent of a node is known. */
enum tr2_join {
	TR2_JOIN_ROOT,    /* the node has no parent in this recording */
	TR2_JOIN_TASK,    /* by the kernel's record */
	/* the SID names the parent, whose child span has the node's pid */
	TR2_JOIN_PID,
	/* the SID names the parent, which has no child span for the node */
	TR2_JOIN_SID,
	TR2_JOIN_WINDOW,  /* likely: the SID names the parent, whose child span
			   * fits by time or argv, and has no pid or another
			   * process's, such as a shell's */
	TR2_JOIN_SPAN,    /* the node is only known from a child span */
	/* the session ids that both sides of a Git transport exchanged */
	TR2_JOIN_TRANSPORT
};

/*
 * One process. Its own events are in sessions, its parent's events about it in
 * a child span, and the kernel's records of it in a task.
 */
struct tr2_node {
	uint32_t parent, first, next; /* first child, next sibling, by start */
	uint32_t session; /* the first session; 0: no events */
	uint32_t child;   /* the child span of the process; 0: none */
	uint32_t task;
	int32_t pid;      /* -1: unknown */
	uint16_t depth;   /* 0 for roots */
	uint8_t join;     /* enum tr2_join */
	uint8_t end;      /* enum tr2_end */
	uint8_t end_by;   /* enum tr2_end_by */
	bool has_code;
	bool at_least;    /* the end is unknown: end_ns is now, or the time at
			   * which the process was last seen */
	bool reaped_late; /* the parent emitted other events between the
			   * process's end and its child_exit */
	int32_t code;     /* exit code, or signal number */
	int64_t start_ns, end_ns; /* wall: fork and exit by the kernel, else by
				   * its own events, else by the parent's */
	int64_t self_ns;  /* time in which no child of the process ran */
	int64_t spawn_ns; /* cost of starting and reaping the process:
			   * model/join/spawn.c; TR2_NO_TIME: unknown */
};

/* One of the loaded paths, in their order. */
struct tr2_model_input {
	const char *path;
	const char *meta_json; /* text of meta.json; NULL: no recording */
	int64_t wall_ns;       /* start of the recording; 0: no recording */
	/* A recorded command's place in a trace; else id 0. */
	struct tr2_context trace;
	uint64_t trace_parent;
	/* The first session and task that were read from the path. */
	uint32_t first_session, first_task;
	/* CPU time of a thread between two samples; 0: no samples. */
	int64_t period_ns;
	bool samples_without_kernel;
};

/* Kinds of problems in the form or content of an input. */
enum tr2_problem_kind {
	TR2_PROBLEM_BAD_LINE,     /* a line that is no event: skipped */
	TR2_PROBLEM_CUT_LINE,     /* a cut line: its process was killed */
	TR2_PROBLEM_LONG_LINE,    /* a line that is too long: skipped */
	TR2_PROBLEM_UTF8,         /* invalid UTF-8, repaired with U+FFFD */
	TR2_PROBLEM_UNKNOWN,      /* an event that is not in the table */
	TR2_PROBLEM_FIELD,        /* a missing field, or one of a wrong type */
	TR2_PROBLEM_TIME,         /* a time that cannot be read */
	TR2_PROBLEM_FAILED_TIME,  /* the program could not read the clock */
	TR2_PROBLEM_OVERLAP,      /* regions of a thread are not nested */
	TR2_PROBLEM_UNPAIRED,     /* a leave or exit without its start */
	TR2_PROBLEM_DUPLICATE,    /* a SID that begins twice */
	TR2_PROBLEM_CLOCK,        /* the wall clock was set */
	TR2_PROBLEM_FILE,         /* a file that cannot be read */
	TR2_PROBLEM_NEWER,        /* a file of a newer version */
	TR2_PROBLEM_OVERWRITTEN,  /* a ring has lost its oldest records */
	TR2_PROBLEM_UNSURE,       /* perf text whose process is uncertain */
	/* Only `trace2 check` shows the problems below. */
	TR2_PROBLEM_MISSING,      /* a mandatory field is missing */
	TR2_PROBLEM_ORDER,        /* order of version, exit, metrics, atexit */
	TR2_PROBLEM_NO_START,     /* start is not the second event */
	TR2_PROBLEM_AFTER_END,    /* an event after its session's atexit */
	TR2_PROBLEM_NESTING,      /* nesting does not match enter and leave */
	TR2_PROBLEM_THREAD,       /* a thread without thread_start */
	TR2_PROBLEM_NO_END,       /* a session without atexit */
	TR2_PROBLEM_CHILD,        /* a child_start without its end */
	TR2_PROBLEM_LOST,         /* events or records were lost */
	/* the directory was full for some programs */
	TR2_PROBLEM_FULL,
	TR2_PROBLEM_NR
};

/* The problems of one kind in one file: the first one, and their number. */
struct tr2_problem {
	enum tr2_problem_kind kind;
	tr2_str source;
	uint64_t line;   /* 0: none */
	uint64_t count;
	const char *text;
};

/* The line of one event, kept if the loader was asked for lines. */
struct tr2_line {
	int64_t at_ns; /* wall */
	const char *text; /* as in the input, ended by NUL instead of newline */
	uint32_t len;
	uint32_t session, thread;
	uint32_t span; /* the span that the event begins or ends */
	uint32_t order; /* position in the input, which orders equal times */
	uint16_t nesting; /* 1 + number of regions around the event */
	int8_t kind; /* enum tr2_event_kind; -1: unknown */
};

struct tr2_model {
	struct tr2_model_session *sessions;
	struct tr2_rare *rares;
	struct tr2_model_thread *threads;
	struct tr2_span *spans;
	struct tr2_child *children;
	struct tr2_point *points;
	struct tr2_metric *metrics;
	struct tr2_trace_span *trace_spans;
	struct tr2_work *works;
	uint32_t *thread_works; /* sorted; index 0 is used */
	struct tr2_model_task *tasks;
	struct tr2_segment *segments;
	struct tr2_task_thread *task_threads;
	struct tr2_state *states;
	struct tr2_node *nodes;
	struct tr2_line *lines;
	struct tr2_problem *problems;
	struct tr2_model_sample *samples;
	uint64_t *calls;
	struct tr2_sample_value *values;
	struct tr2_sample_task *sample_tasks;
	struct tr2_mapping *mappings;
	struct tr2_space *spaces;
	struct tr2_sample_stack *stacks;
	struct tr2_stack_file *stack_files;
	struct tr2_kernel_function *kernel_functions;
	struct tr2_code_function *code_functions; /* sorted by task */
	struct tr2_build_command *commands; /* in order of adding */
	tr2_str *targets; /* targets by node; NULL: not computed yet */
	struct tr2_observed_object *objects; /* sorted by task, thread, time */
	struct tr2_observed_memory_point *memory; /* sorted by at_ns */
	struct tr2_model_input *inputs;
	/* 1 + the last index of each array: for (i = 1; i < nr_x; i++). */
	uint32_t nr_sessions, nr_threads, nr_spans, nr_children, nr_points;
	uint32_t nr_metrics, nr_tasks, nr_segments, nr_nodes, nr_problems;
	uint32_t nr_lines, nr_samples, nr_calls, nr_values, nr_mappings;
	uint32_t nr_sample_tasks, nr_task_threads, nr_states, nr_inputs;
	uint32_t nr_trace_spans, nr_works, nr_rares;
	uint32_t nr_spaces, nr_stacks, nr_stack_files, nr_kernel_functions;
	uint32_t nr_code_functions, nr_commands, nr_objects, nr_memory;
	bool redact; /* hide paths and addresses of objects */
	bool without_cpu, with_waits; /* which samples to load */
	bool has_states; /* see model/states.h */
	uint32_t first_root; /* roots are chained by node->next */
	int64_t spawning_ns; /* the part of the roots' time in which a parent
			      * waited for a process to start or to be reaped */

	uint64_t nr_events, nr_bytes, nr_files;
	uint64_t lost; /* events lost in all sessions, and by the recording */
	/* Number of events by kind (enum tr2_event_kind), for --events. */
	uint64_t events_by_kind[64];

	/* The members below are from meta.json; 0 and NULL without it. */
	const char *meta_json; /* the text of meta.json, on one line */
	struct tr2_words command;
	int64_t meta_wall_ns, meta_mono_ns; /* one moment in both clocks */
	uint32_t nr_cpus; /* CPUs of the machine; 0: unknown */
	/* Limit of the control group, in thousandths of a CPU; 0: none.
	 * throttled_ns: time without a CPU by the limit, on all CPUs. */
	uint64_t cpu_limit_millicpu;
	int64_t throttled_ns;
	/* Threads of the recorder, and its CPU time; 0: unknown. */
	int32_t recorder_tid, looks_tid;
	int64_t recorder_cpu_ns;
	struct tr2_context meta_trace;
	uint64_t meta_trace_parent;
	bool has_meta, no_task_records;
	/* Why data was not recorded; 0: it was recorded, or not requested. */
	tr2_str no_states, no_causes, no_wakers, no_samples;
	tr2_str remedy; /* how to permit the refused data; 0: unknown */

	struct tr2_model_private *priv;
};

struct tr2_model *tr2_model_new(void);
void tr2_model_free(struct tr2_model *m);

/* Return an interned string, "" for 0; valid until tr2_model_free(). */
const char *tr2_s(const struct tr2_model *m, tr2_str id);

/* Intern s[0..len). Return 0 if the text is empty. */
tr2_str tr2_intern(struct tr2_model *m, const char *s, size_t len);
/* Return the number of an interned text, 0 if it is not interned. */
tr2_str tr2_interned_n(const struct tr2_model *m, const char *s, size_t len);

/* Return a copy of the text that lives as long as the model. */
char *tr2_model_copy(struct tr2_model *m, const char *s, size_t len);

/* Begin an input, to which all later elements belong. End the input after its
 * meta.json, if any, was read. */
void tr2_model_input_begin(struct tr2_model *m, const char *path);
void tr2_model_input_end(struct tr2_model *m);
/* Return the input of a session, or of a process; 0: unknown. */
uint32_t tr2_input_of_session(const struct tr2_model *m, uint32_t session);
uint32_t tr2_input_of_node(const struct tr2_model *m, uint32_t node);

/* Join sessions to the processes that started them, and build the tree. Call
 * this once, when everything is loaded, as tr2_load() does. */
void tr2_model_finish(struct tr2_model *m);

/* Return a session's rarely used members, 0 if they are not set. */
static inline const struct tr2_rare *tr2_rare(const struct tr2_model *m,
					      uint32_t session)
{
	return &m->rares[m->sessions[session].rare];
}

#define tr2_for_each_session(m, i) for ((i) = 1; (i) < (m)->nr_sessions; (i)++)
#define tr2_for_each_in(list, first, i) \
	for ((i) = (first); (i); (i) = (list)[i].next)
#define tr2_for_each_root(m, i) tr2_for_each_in((m)->nodes, (m)->first_root, i)
#define tr2_for_each_child_node(m, node, i) \
	tr2_for_each_in((m)->nodes, (m)->nodes[node].first, i)
#define tr2_for_each_thread(m, session, i) \
	tr2_for_each_in((m)->threads, (m)->sessions[session].first_thread, i)
#define tr2_for_each_span(m, thread, i) \
	tr2_for_each_in((m)->spans, (m)->threads[thread].first_span, i)
#define tr2_for_each_point(m, thread, i) \
	tr2_for_each_in((m)->points, (m)->threads[thread].first_point, i)
#define tr2_for_each_metric(m, session, i) \
	tr2_for_each_in((m)->metrics, tr2_rare(m, session)->first_metric, i)
#define tr2_for_each_trace_span(m, session, i) \
	tr2_for_each_in((m)->trace_spans, \
			tr2_rare(m, session)->first_trace_span, i)
#define tr2_for_each_segment(m, task, i) \
	tr2_for_each_in((m)->segments, (m)->tasks[task].first_segment, i)
#define tr2_for_each_sample(m, session, i) \
	tr2_for_each_in((m)->samples, tr2_rare(m, session)->first_sample, i)

/* Return the times of a process. Without a task, they are unknown. */
static inline const struct tr2_times *tr2_times(const struct tr2_model *m,
						const struct tr2_node *n)
{
	return &m->tasks[n->task].times;
}

/* Did the process end with a code other than 0, or by a signal? */
static inline bool tr2_node_failed(const struct tr2_node *n)
{
	return n->end == TR2_END_SIGNAL || (n->has_code && n->code);
}

/* Return the node after `node` in the order of the printed tree (parent, then
 * its children); 0 at the end. Start with m->first_root. */
uint32_t tr2_node_after(const struct tr2_model *m, uint32_t node);
/* Return the next node in order below a root, or 0. Start with the root. */
uint32_t tr2_node_below(const struct tr2_model *m, uint32_t root,
			uint32_t node);

/* Return the session of the last program of a process, given its first
 * session. */
uint32_t tr2_last_session(const struct tr2_model *m, uint32_t session);
/* Return the session of the last program of a process; 0: none, since only the
 * kernel or the parent knows that program. */
uint32_t tr2_node_session(const struct tr2_model *m, uint32_t node);

/* Return the name of a process for tables: the last name of its hierarchy, its
 * program's name, or its comm. Never empty; valid until the model is freed. */
const char *tr2_node_name(const struct tr2_model *m, uint32_t node);
/* Return the argv of a process: from its own events, else from the kernel, else
 * from its parent; nr is 0 if unknown. */
const struct tr2_words *tr2_node_words(const struct tr2_model *m,
				       uint32_t node);
/* Write the command line of a process, shell-quoted, to `out` (which is reset).
 * "": unknown. */
struct tr2_buf;
void tr2_node_command(const struct tr2_model *m, uint32_t node,
		      struct tr2_buf *out);

/* Return how long a process was in this segment of its task. */
int64_t tr2_segment_ns(const struct tr2_model *m, const struct tr2_node *n,
		       uint32_t segment);
/* Is the segment shown beside the last program of the process? */
bool tr2_segment_is_notable(const struct tr2_model *m, const struct tr2_node *n,
			    uint32_t segment);
/* Return the notable segment of a process at this time; 0: the last one. */
uint32_t tr2_segment_at(const struct tr2_model *m, uint32_t node,
			int64_t at_ns);

/* Return the end of a span. If a child died long before its parent reaped it,
 * return the child's own end: the time after it belongs to the parent. */
int64_t tr2_span_busy_to(const struct tr2_model *m, uint32_t span);
