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
 * Returns the number of targets that could not be opened, each told by an
 * `error` event; those that worked go on in their old files. 0 also while tracing
 * is off, in a forked child without events, and if another thread is just doing
 * the same: then that one does it again. Opens files, so it may block for as long
 * as that takes. Not signal-safe: a program that rotates at SIGHUP calls it in
 * its main loop.
 */
TRACE2_API int trace2_reopen_fl(const char *file, int line);
#define trace2_reopen() trace2_reopen_fl(__FILE__, __LINE__)

/*
 * Tells the timers, distributions, counters and gauges so far: of a program that
 * never ends, or may be killed. Each one that was used becomes a `data_json`
 * event of the category `trace2`, with the key timer_so_far, distribution_so_far,
 * counter_so_far or gauge_so_far; values are sums since the start of all threads,
 * of timers in ns. The events at the end of the process are the same as without
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

#ifdef __cplusplus
}
#endif

#endif /* TRACE2_CONTROL_H */
