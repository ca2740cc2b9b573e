/* SPDX-License-Identifier: MIT */
/*
 * trace2_control.h - a part of trace2.h, which includes it: calls for programs
 * that run for long.
 *
 * The rules of trace2.h hold for every call here; each comment names the
 * exceptions, such as a call that is not signal-safe.
 */
#ifndef TRACE2_CONTROL_H
#define TRACE2_CONTROL_H

/* Include trace2.h. */
#include "trace2.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Open the targets again, for log rotation: call it after the files were
 * renamed or removed. Each target that is a file, or a file in a directory, is
 * opened by its path, and output goes on there. Other threads may emit at the
 * same time, and no line is lost or torn. A new file begins with a `version`
 * event that has the number of the file (`part`, from 2).
 *
 * A target that failed, such as at a full disk or because the program closed
 * all descriptors, is opened again, too; so is a socket that was closed. A
 * working socket, fifo or ring is left alone. A descriptor of the program's own
 * (1 to 9) is always left alone.
 *
 * Return the number of targets that could not be opened, each reported by an
 * `error` event; targets that worked before go on in their old files. Return 0
 * also while tracing is off, in a forked child without events, and if another
 * thread is reopening: that thread then does it once more. The call opens
 * files, so it may block as long as that takes. Not signal-safe: a program that
 * rotates at SIGHUP calls it in its main loop.
 */
TRACE2_API int trace2_reopen_fl(const char *file, int line);
#define trace2_reopen() trace2_reopen_fl(__FILE__, __LINE__)

/*
 * Emit the values of the metrics so far, for a program that never ends, or may
 * be killed. Each metric that was used becomes a `data_json` event of the
 * category `trace2`, with a key such as timer_so_far. Values are sums of all
 * threads since the start, in ns for timers. The events at the end of the
 * process are the same with or without this call. Of the kernel's samples, the
 * call takes only samples of the calling thread from their buffer.
 *
 * Nothing else needs a flush: each event is one write, and was passed to the
 * kernel when its call returned. The call makes nothing durable: the library
 * never waits for a disk. It does nothing while another thread flushes. Not
 * signal-safe.
 */
TRACE2_API void trace2_flush_fl(const char *file, int line);
#define trace2_flush()                                     \
	(trace2_is_enabled() ?                             \
		 trace2_flush_fl(__FILE__, __LINE__) : \
		 (void)0)

/*
 * A sink is a function of the program that gets each event, for a log of the
 * program's own or its tests: member `sink` of struct trace2_options (with
 * TRACE2_MORE_OPTIONS). With a sink, tracing is on even without a target; with
 * a sink beside a ring, each event takes longer.
 *
 * - The library calls the sink within the call that emits, in that thread. Any
 *   thread may call it, and several at the same time. While the sink runs, its
 *   thread's calls of the library do nothing, so the sink may use code that is
 *   traced itself.
 * - The library holds no lock then, and the thread is not cancelled. If the
 *   program emits events in signal handlers, the sink is called there; it does
 *   not get the `signal` event. A forked child has the parent's sink. While a
 *   session begins in the child, or `trace2 set` begins one, the sink gets the
 *   first events. Calls of other threads wait until then, at most 50 ms; after
 *   that they are lost.
 * - The sink must return: no longjmp(), no exception, no end of the thread. The
 *   library restores errno after it. An exit() in the sink ends the session
 *   without its last events.
 * - All pointers are valid until the sink returns. Strings are redacted as the
 *   settings say, and otherwise the program's bytes.
 */
enum trace2_field_type {
	TRACE2_FIELD_STRING,
	TRACE2_FIELD_JSON, /* text */
	TRACE2_FIELD_INT,
	TRACE2_FIELD_UINT,
	TRACE2_FIELD_BOOL, /* as INT */
	TRACE2_FIELD_NS, /* an INT: a number of nanoseconds */
	TRACE2_FIELD_WORDS /* an array that ends with NULL, of at most 62 words:
			    * further words are left out */
};

struct trace2_event_field {
	const char *name; /* name as in trace2-format(5) */
	enum trace2_field_type type;
	union {
		const char *string;
		const char *const *words;
		int64_t number;
		uint64_t unsigned_number;
	} value;
};

/* An event, as a sink gets it. Later versions of the library may add members at
 * the end. */
struct trace2_event {
	const char *name; /* "region_enter", as in trace2-format(5) */
	const char *sid, *thread; /* the id of the session, and the name of the
				   * thread */
	const char *file; /* file of the call; NULL: unknown */
	int line;
	int repo_id; /* 0: the event is about no repository */
	unsigned int nesting; /* 1 + the number of open regions of the thread */
	uint64_t wall_us; /* since 1970 */
	uint64_t t_abs_ns; /* time since the start of the process */
	uint64_t t_rel_ns; /* the duration of the event (t_rel), or 0 */
	/* The event's other fields; fields without a value are left out. */
	const struct trace2_event_field *fields;
	unsigned int nr_fields;
};

/* Return the field with this name; NULL: the event has no such field, or event
 * is NULL. */
TRACE2_API const struct trace2_event_field *
trace2_event_get(const struct trace2_event *event, const char *name);

#ifdef __cplusplus
}
#endif

#endif /* TRACE2_CONTROL_H */
