/* SPDX-License-Identifier: MIT */
/*
 * trace2_control.h - a part of trace2.h, which includes it: programs that run
 * for long.
 *
 * The rules of trace2.h hold for every call here; what differs, such as that a
 * call is not signal-safe, stands beside it.
 */
#ifndef TRACE2_CONTROL_H
#define TRACE2_CONTROL_H

/* Include trace2.h. */
#include "trace2.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * For log rotation: call it when the files were renamed or removed. Opens each
 * target that is a file, or a file in a directory, again by its path, and goes on
 * there; other threads may emit meanwhile, and no line is lost or torn. A new
 * file begins with a `version` event that has the number of the file (`part`,
 * from 2). A target that failed, such as at a full disk or because the program
 * closed all descriptors, is opened again, too, so is a socket that was closed;
 * one that works is left alone if it is a socket, a fifo or a ring, and always if
 * it is a descriptor of the program's own (1 to 9).
 *
 * Returns the number of targets that could not be opened, each reported by an
 * `error` event; those that worked go on in their old files. 0 also while tracing
 * is off, in a forked child without events, and if another thread is just doing
 * the same: then that one does it again. Opens files, so it may block for as long
 * as that takes. Not signal-safe: a program that rotates at SIGHUP calls it in
 * its main loop.
 */
TRACE2_API int trace2_reopen_fl(const char *file, int line);
#define trace2_reopen() trace2_reopen_fl(__FILE__, __LINE__)

/*
 * Tells the metrics so far: of a program that never ends, or may be killed. Each
 * one that was used becomes a `data_json` event of the category `trace2`, with a
 * key such as timer_so_far; values are sums since the start of all threads, of
 * timers in ns. The events at the end of the process are the same as without
 * it. Of the kernel's samples, the calling thread's come out of their buffer.
 *
 * There is nothing else to flush: each event is one write, and was passed to the
 * kernel when its call returned. Nothing is made durable: the library never waits
 * for a disk. Nothing while another thread flushes. Not signal-safe.
 */
TRACE2_API void trace2_flush_fl(const char *file, int line);
#define trace2_flush()                                     \
	(trace2_is_enabled() ?                             \
		 trace2_flush_fl(__FILE__, __LINE__) : \
		 (void)0)

/*
 * A sink is a function of the program that gets each event, for a log of the
 * program's own or its tests: member `sink` of struct trace2_options (with
 * TRACE2_MORE_OPTIONS). With a sink tracing is on, whatever targets there are; a
 * ring beside it takes longer for each event.
 *
 * - It is called within the call that emits, in that thread: in any of them, at
 *   the same time in several. While it runs, that thread's calls of the library
 *   do nothing, so it may use code that is traced itself.
 * - No lock of the library is held, and the thread is not cancelled. If the
 *   program emits events in signal handlers, it is called there; the `signal`
 *   event does not come to it. A forked child has the parent's sink. While a
 *   session begins in it, or `trace2 set` begins one, the sink gets the first
 *   events, and calls of other threads wait, at most 50 ms; then they are lost.
 * - It must return: no longjmp(), no exception, no end of the thread. What it
 *   does to errno is undone. An exit() in it ends the session without its last
 *   events.
 * - All pointers are valid until it returns. Strings are redacted as the
 *   settings say, and otherwise the program's bytes.
 */
enum trace2_field_type {
	TRACE2_FIELD_STRING,
	TRACE2_FIELD_JSON, /* text */
	TRACE2_FIELD_INT,
	TRACE2_FIELD_UINT,
	TRACE2_FIELD_BOOL, /* as INT */
	TRACE2_FIELD_NS, /* an INT, of nanoseconds */
	TRACE2_FIELD_WORDS /* ends with NULL; of more than 62 words the first */
};

struct trace2_event_field {
	const char *name; /* as in trace2-format(5) */
	enum trace2_field_type type;
	union {
		const char *string;
		const char *const *words;
		int64_t number;
		uint64_t unsigned_number;
	} value;
};

/* The library may add members at the end. */
struct trace2_event {
	const char *name; /* "region_enter", as in trace2-format(5) */
	const char *sid, *thread; /* the session, and the thread's name */
	const char *file; /* the caller's; NULL: unknown */
	int line;
	int repo_id; /* 0: about none */
	unsigned int nesting; /* 1 + open regions of the thread */
	uint64_t wall_us; /* since 1970 */
	uint64_t t_abs_ns; /* since the start of the process */
	uint64_t t_rel_ns; /* the duration that the event has, or 0 */
	/* The fields that the event has besides; those without a value are left
	 * out. */
	const struct trace2_event_field *fields;
	unsigned int nr_fields;
};

/* Returns the field of that name; NULL: there is none, or event is NULL. */
TRACE2_API const struct trace2_event_field *
trace2_event_get(const struct trace2_event *event, const char *name);

#ifdef __cplusplus
}
#endif

#endif /* TRACE2_CONTROL_H */
