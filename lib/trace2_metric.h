/* SPDX-License-Identifier: MIT */
/*
 * trace2_metric.h - metrics: timers, distributions, counters and gauges. A part
 * of trace2.h, which states the rules for every call; include that file.
 */
#ifndef TRACE2_METRIC_H
#define TRACE2_METRIC_H

#include "trace2.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Flags of a definition. Define metrics at file or namespace scope, in any
 * module; a metric is registered when its module is loaded. Two definitions
 * with the same category and name are one metric, which has the flags of the
 * first.
 */

#define TRACE2_PER_THREAD (1u << 0) /* also emit th_timer or th_counter for each
				     * thread */
#define TRACE2_HISTOGRAM (1u << 1) /* timers: emit percentiles of intervals */

#define TRACE2_UNREGISTERED_ (~0u)

/* The typedef takes the semicolon that follows the macro. It refers to the
 * structure: declaring the structure alone would make a new type in the
 * surrounding C++ namespace. */
#define TRACE2_METRIC_(storage, kind, ident, ...)                            \
	storage struct trace2_##kind ident = { __VA_ARGS__,                  \
					       TRACE2_UNREGISTERED_ };       \
	static __attribute__((constructor)) void trace2_define_##ident(void) \
	{                                                                    \
		trace2_register_##kind##_(&(ident));                         \
	}                                                                    \
	static __attribute__((destructor)) void trace2_forget_##ident(void)  \
	{                                                                    \
		trace2_unregister_##kind##_(&(ident));                       \
	}                                                                    \
	typedef struct trace2_##kind trace2_type_of_##ident

/*
 * TRACE2_TIMER(ident, category, name, flags) and the like define a metric for
 * one file. For several files, use ..._SHARED in one of them, and ..._DECLARE
 * in their header.
 *
 * For arrays, such as those of a program that numbers its metrics:
 *
 *	static struct trace2_timer timers[] = {
 *		[INDEX_READ] = TRACE2_TIMER_INIT("index", "read", 0),
 *		[INDEX_WRITE] = TRACE2_TIMER_INIT("index", "write", 0),
 *	};
 *	TRACE2_TIMERS(timers);
 *
 *	trace2_timer_start(timers[INDEX_READ]);
 *
 * Elements without a name are not registered, and count nothing. The index must
 * have no side effects: calls may evaluate it twice.
 */
#define TRACE2_METRICS_EACH_(array, do_each)                              \
	unsigned int i;                                                   \
	for (i = 0; i < sizeof(array) / sizeof(*(array)); i++)            \
		if ((array)[i].name)                                      \
			do_each(&(array)[i]);                             \
		else                                                      \
			(array)[i].index = TRACE2_UNREGISTERED_
#define TRACE2_METRICS_(kind, array)                                      \
	static __attribute__((constructor)) void trace2_define_##array(   \
		void)                                                     \
	{                                                                 \
		TRACE2_METRICS_EACH_(array, trace2_register_##kind##_);   \
	}                                                                 \
	static __attribute__((destructor)) void trace2_forget_##array(    \
		void)                                                     \
	{                                                                 \
		TRACE2_METRICS_EACH_(array, trace2_unregister_##kind##_); \
	}                                                                 \
	typedef struct trace2_##kind trace2_type_of_##array

/*
 * Define a metric at run time, or find the one that is defined already. path:
 * "CATEGORY/NAME". Its name becomes NAME{KEY="VALUE",...}, with the labels
 * sorted by key; " and \ in values have a \ before them. Use the result like a
 * metric that the macros above define: trace2_counter_add(*requests, 1).
 *
 * The result is never NULL, and valid until the process ends. A metric that
 * does not fit (see above; more than 8 labels; a name of more than 255 bytes)
 * does not count. An error event at exit says how many opens failed: so do not
 * use a label whose number of different values has no limit. The call searches
 * with tracing off, too: do not use it in hot paths. Signal-safe; into a ring,
 * it takes a lock.
 */
struct trace2_label {
	const char *key, *value;
};
enum trace2_metric_kind {
	TRACE2_METRIC_TIMER,
	TRACE2_METRIC_COUNTER,
	TRACE2_METRIC_DISTRIBUTION,
	TRACE2_METRIC_GAUGE
};
/* Open a metric. unit: for distributions and gauges. flags: for timers and
 * counters. */
TRACE2_API void *trace2_metric_open(enum trace2_metric_kind kind,
				    const char *path, const char *unit,
				    unsigned int flags,
				    const struct trace2_label *labels,
				    unsigned int nr_labels);
#ifdef __cplusplus
#define TRACE2_CAST_(type, p) static_cast<type>(p)
#else
#define TRACE2_CAST_(type, p) ((type)(p))
#endif
#define TRACE2_OPEN_(kind, KIND, path, unit, flags, labels, nr)                \
	TRACE2_CAST_(struct trace2_##kind *,                                  \
		     trace2_metric_open(TRACE2_METRIC_##KIND, (path), (unit), \
					(flags), (labels), (nr)))

/*
 * Read a metric: the sum over all threads of this process so far, at one moment
 * for each thread. Return 1. Return 0, with a value of zeros, if tracing is
 * off, if the metric does not count, or if the gauge was never set. Return 0,
 * too, if the call interrupts the library itself: from a signal handler, or
 * from a function that the program has in place of one of libc's. Takes a lock
 * for some 10 ns a thread.
 */
struct trace2_metric_value {
	uint64_t count; /* the value of a counter; for other metrics, the number
			 * of intervals or values */
	uint64_t sum; /* the sum of all intervals (in ns) or values; at most
		       * INT64_MAX */
	int64_t min, max; /* the least and the greatest interval or value; 0 if
			   * count is 0 */
	int64_t last; /* a gauge's */
	uint64_t unfinished; /* number of intervals that run now, or lack an
			      * end */
	uint64_t reserved[2]; /* 0 */
};
static inline int trace2_no_value_(struct trace2_metric_value *value)
{
	if (value)
		__builtin_memset(value, 0, sizeof(*value));
	return 0;
}
#define TRACE2_READ_(function, ident, value)                     \
	(trace2_is_enabled() ? function(&(ident), (value)) : \
			       trace2_no_value_(value))

/*
 * The cells in which the inline part of counters and timers counts for the
 * calling thread (trace2_mine_). If a pointer there is NULL, the inline part
 * calls the library. A library whose cells have another form would leave the
 * pointers NULL.
 */
struct trace2_timer_cell_ {
	uint32_t lock, nest;
	uint64_t start, total_ns, min_ns, max_ns, count;
	uint64_t reserved[2];
};
/* This struct lies in a page that the kernel clears in forked children. While
 * it is clear, nothing is counted inline: the cells may be the parent's until
 * the library has noticed the fork. */
struct trace2_guard_ {
	uint32_t flags; /* set by the library */
	uint32_t counters, timers; /* TRACE2_INLINE_COUNTERS_,
				    * TRACE2_INLINE_TIMERS_; 0: count nothing
				    * inline */
};
struct trace2_mine_ {
	uint64_t *counters; /* an array of TRACE2_INLINE_COUNTERS_ cells; or
			     * NULL */
	struct trace2_timer_cell_ *timers; /* an array of TRACE2_INLINE_TIMERS_
					    * cells; NULL: timers call the
					    * library */
	uint64_t until; /* a timer may start inline up to these ticks */
	uint64_t rate; /* ns per tick, times 2^32 */
	const struct trace2_guard_ *guard; /* not NULL if one of the pointers is
					    * not NULL */
};
__extension__ extern TRACE2_API __thread struct trace2_mine_ trace2_mine_;

#define TRACE2_GUARDED_(member) \
	__atomic_load_n(&trace2_mine_.guard->member, __ATOMIC_RELAXED)
#define TRACE2_INLINE_COUNTERS_ 1024u
#define TRACE2_INLINE_TIMERS_ 512u
#define TRACE2_INLINE_TICKS_ 2097152u /* ticks of a timer's longest inline
				       * interval, some 0.5 to 2 ms */

/* Count nothing inline under ThreadSanitizer, which does not see inline
 * assembly. */
#if defined(__SANITIZE_THREAD__)
#define TRACE2_TSAN_ 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TRACE2_TSAN_ 1
#endif
#endif

#if defined(__x86_64__) && defined(__LP64__) && !defined(TRACE2_TSAN_)
#define TRACE2_INLINE_METRICS_ 1
#endif

/* Timers. */
struct trace2_timer {
	const char *category, *name;
	unsigned int flags;
	unsigned int index; /* set by the library */
};
TRACE2_API void trace2_register_timer_(struct trace2_timer *timer);
TRACE2_API void trace2_unregister_timer_(struct trace2_timer *timer);
#define TRACE2_TIMER(ident, category, name, flags) \
	TRACE2_METRIC_(static, timer, ident, category, name, flags)
#define TRACE2_TIMER_SHARED(ident, category, name, flags) \
	TRACE2_METRIC_(, timer, ident, category, name, flags)
#define TRACE2_TIMER_DECLARE(ident) extern struct trace2_timer ident
#define TRACE2_TIMER_INIT(category, name, flags) \
	{ category, name, flags, TRACE2_UNREGISTERED_ }
#define TRACE2_TIMERS(array) TRACE2_METRICS_(timer, array)
#define trace2_timer_open(path, flags, labels, nr) \
	TRACE2_OPEN_(timer, TIMER, path, TRACE2_NULL_, flags, labels, nr)
TRACE2_API int trace2_timer_read_on_(const struct trace2_timer *timer,
				     struct trace2_metric_value *value);
#define trace2_timer_read(ident, value) \
	TRACE2_READ_(trace2_timer_read_on_, ident, value)

/*
 * Start and stop an interval of the calling thread. Inside a running interval,
 * further starts and stops only nest. A stop without a start is dropped and
 * reported. Signal-safe; no lock, no system call, no allocation after a
 * thread's first call.
 */
TRACE2_API void trace2_timer_start_on_(struct trace2_timer *timer);
TRACE2_API void trace2_timer_stop_on_(struct trace2_timer *timer,
				      const char *file, int line);

#ifdef TRACE2_INLINE_METRICS_
/* Return the cell of the timer in this thread; 0: the caller must call the
 * library. */
TRACE2_INLINE_ struct trace2_timer_cell_ *
trace2_timer_here_(const struct trace2_timer *timer)
{
	struct trace2_timer_cell_ *cell = trace2_mine_.timers;
	unsigned int index = TRACE2_UNREGISTERED_;

	if (timer) /* the compiler decides this branch */
		index = __atomic_load_n(&timer->index, __ATOMIC_RELAXED);
	if (__builtin_expect(!cell, 0) ||
	    __builtin_expect(index >= TRACE2_GUARDED_(timers), 0))
		return 0;
	return cell + index;
}

/* Hide from the compiler how a value was computed, so that instructions get a
 * short operand. */
#define TRACE2_HIDE_(value) __asm__ volatile("" : "+r"(value))

TRACE2_INLINE_ int trace2_timer_start_here_(struct trace2_timer *timer)
{
	struct trace2_timer_cell_ *cell = trace2_timer_here_(timer);
	uint64_t now;

	if (__builtin_expect(!cell, 0))
		return 0;
	TRACE2_HIDE_(cell);
	if (__builtin_expect(cell->nest != 0, 0))
		return 0;
	now = __builtin_ia32_rdtsc();
	if (__builtin_expect(now > trace2_mine_.until, 0))
		return 0;
	__asm__ volatile("movq %2, %1\n\taddl $1, %0"
			 : "+m"(cell->nest), "=m"(cell->start)
			 : "r"(now) : "cc");
	return 1;
}

/* Stop a timer inline. One store changes lock and nest; until another store
 * changes both again, signal handlers leave the cell alone, and readers
 * wait. */
TRACE2_INLINE_ int trace2_timer_stop_here_(struct trace2_timer *timer)
{
	struct trace2_timer_cell_ *cell = trace2_timer_here_(timer);
	uint64_t ns, rate;
	uint32_t lock;

	if (__builtin_expect(!cell, 0))
		return 0;
	TRACE2_HIDE_(cell);
	if (__builtin_expect(cell->nest != 1, 0))
		return 0;
	rate = trace2_mine_.rate;
	TRACE2_HIDE_(rate); /* load the rate before the read of the counter */
	ns = __builtin_ia32_rdtsc() - cell->start;
	if (__builtin_expect(ns >= TRACE2_INLINE_TICKS_, 0))
		return 0;
	ns = ns * rate >> 32;
	lock = cell->lock;
	__asm__ volatile("movq %1, %0" : "+m"(*cell) : "r"(~(uint64_t)0));
	__asm__ volatile("addq %2, %0\n\taddq $1, %1"
			 : "+m"(cell->total_ns), "+m"(cell->count)
			 : "r"(ns) : "cc");
	if (__builtin_expect(ns < cell->min_ns, 0))
		__atomic_store_n(&cell->min_ns, ns, __ATOMIC_RELAXED);
	if (__builtin_expect(ns > cell->max_ns, 0)) {
		if (cell->count == 1)
			__atomic_store_n(&cell->min_ns, ns, __ATOMIC_RELAXED);
		__atomic_store_n(&cell->max_ns, ns, __ATOMIC_RELAXED);
	}
	__asm__ volatile("movq %1, %0"
			 : "+m"(*cell) : "r"((uint64_t)(lock + 2)));
	return 1;
}
#else
#define trace2_timer_start_here_(timer) 0
#define trace2_timer_stop_here_(timer) 0
#endif

#define trace2_timer_start(ident)                                      \
	(trace2_is_enabled() && !trace2_timer_start_here_(&(ident)) ? \
		 trace2_timer_start_on_(&(ident)) :                    \
		 (void)0)
#define trace2_timer_stop(ident)                                       \
	(trace2_is_enabled() && !trace2_timer_stop_here_(&(ident)) ?   \
		 trace2_timer_stop_on_(&(ident), __FILE__, __LINE__) : \
		 (void)0)

/*
 * Add an interval that was measured elsewhere, in ns, to the calling thread's
 * intervals of the timer, also while one of them is running. ns: from 0 to 2^63
 * - 1; a negative interval, from clocks that disagree, is dropped and reported.
 * Signal-safe; no lock, no system call, no allocation after a thread's first
 * call.
 */
TRACE2_API void trace2_timer_add_on_(struct trace2_timer *timer, uint64_t ns,
				     const char *file, int line);
#define trace2_timer_add(ident, ns)                                         \
	(TRACE2_CHECK_UNSIGNED_(ns), trace2_is_enabled() ?                  \
		 trace2_timer_add_on_(&(ident), (ns), __FILE__, __LINE__) : \
		 trace2_off_(0, (ns)))

/* Distributions. */
struct trace2_distribution {
	const char *category, *name;
	const char *unit; /* a unit such as "bytes"; NULL: a plain number */
	unsigned int flags; /* 0 */
	unsigned int index; /* set by the library */
};
TRACE2_API void
trace2_register_distribution_(struct trace2_distribution *distribution);
TRACE2_API void
trace2_unregister_distribution_(struct trace2_distribution *distribution);
#define TRACE2_DISTRIBUTION(ident, category, name, unit) \
	TRACE2_METRIC_(static, distribution, ident, category, name, unit, 0)
#define TRACE2_DISTRIBUTION_SHARED(ident, category, name, unit) \
	TRACE2_METRIC_(, distribution, ident, category, name, unit, 0)
#define TRACE2_DISTRIBUTION_DECLARE(ident) \
	extern struct trace2_distribution ident
#define TRACE2_DISTRIBUTION_INIT(category, name, unit) \
	{ category, name, unit, 0, TRACE2_UNREGISTERED_ }
#define TRACE2_DISTRIBUTIONS(array) TRACE2_METRICS_(distribution, array)
#define trace2_distribution_open(path, unit, labels, nr) \
	TRACE2_OPEN_(distribution, DISTRIBUTION, path, unit, 0, labels, nr)
TRACE2_API int
trace2_distribution_read_on_(const struct trace2_distribution *distribution,
			     struct trace2_metric_value *value);
#define trace2_distribution_read(ident, value) \
	TRACE2_READ_(trace2_distribution_read_on_, ident, value)

/*
 * Add a value to the distribution: from 0 to 2^63 - 1, in its unit. A negative
 * value is dropped and reported. The sum of all values stops at INT64_MAX.
 * Minimum and maximum are exact, percentiles as exact as the buckets, which are
 * at most 6.25 % wide. Signal-safe; no lock, no system call, no allocation
 * after a thread's first call.
 */
TRACE2_API void
trace2_distribution_add_on_(struct trace2_distribution *distribution,
			    uint64_t value, const char *file, int line);
#define trace2_distribution_add(ident, value)                              \
	(TRACE2_CHECK_UNSIGNED_(value), trace2_is_enabled() ?              \
		 trace2_distribution_add_on_(&(ident), (value), __FILE__,  \
					     __LINE__) :                   \
		 trace2_off_(0, (value)))

/* Counters. */
struct trace2_counter {
	const char *category, *name;
	unsigned int flags;
	unsigned int index; /* set by the library */
};
TRACE2_API void trace2_register_counter_(struct trace2_counter *counter);
TRACE2_API void trace2_unregister_counter_(struct trace2_counter *counter);
#define TRACE2_COUNTER(ident, category, name, flags) \
	TRACE2_METRIC_(static, counter, ident, category, name, flags)
#define TRACE2_COUNTER_SHARED(ident, category, name, flags) \
	TRACE2_METRIC_(, counter, ident, category, name, flags)
#define TRACE2_COUNTER_DECLARE(ident) extern struct trace2_counter ident
#define TRACE2_COUNTER_INIT(category, name, flags) \
	{ category, name, flags, TRACE2_UNREGISTERED_ }
#define TRACE2_COUNTERS(array) TRACE2_METRICS_(counter, array)
#define trace2_counter_open(path, flags, labels, nr) \
	TRACE2_OPEN_(counter, COUNTER, path, TRACE2_NULL_, flags, labels, nr)
TRACE2_API int trace2_counter_read_on_(const struct trace2_counter *counter,
				       struct trace2_metric_value *value);
#define trace2_counter_read(ident, value) \
	TRACE2_READ_(trace2_counter_read_on_, ident, value)

/*
 * Add a value to the counter, modulo 2^64, in the calling thread. Signal-safe;
 * no lock, no system call, no allocation after a thread's first call.
 */
TRACE2_API void trace2_counter_add_on_(struct trace2_counter *counter,
				       uint64_t value);

#ifdef TRACE2_INLINE_METRICS_
/*
 * Add by one instruction, so that a signal handler that counts cannot interrupt
 * between load and store. No other thread writes the cell: a lock prefix is not
 * needed. The address of the cell is in one register: for such an operand, some
 * processors forward a store to the next load without delay, and for an indexed
 * operand they do not.
 */
TRACE2_INLINE_ void
trace2_counter_add_here_(struct trace2_counter *counter, uint64_t value)
{
	uint64_t *cell = trace2_mine_.counters;
	unsigned int index = TRACE2_UNREGISTERED_;

	if (counter) /* the compiler decides this branch */
		index = __atomic_load_n(&counter->index, __ATOMIC_RELAXED);
	if (__builtin_expect(!cell, 0) ||
	    __builtin_expect(index >= TRACE2_GUARDED_(counters), 0)) {
		trace2_counter_add_on_(counter, value);
		return;
	}
	cell += index;
	TRACE2_HIDE_(cell);
	__asm__ volatile("addq %1, %0" : "+m"(*cell) : "er"(value) : "cc");
}
#else
#define trace2_counter_add_here_ trace2_counter_add_on_
#endif

#define trace2_counter_add(ident, value)                                    \
	(TRACE2_CHECK_UNSIGNED_(value), trace2_is_enabled() ?               \
		 trace2_counter_add_here_(&(ident), (value)) :              \
		 trace2_off_(0, (value)))

/* Gauges. */
struct trace2_gauge {
	const char *category, *name;
	const char *unit; /* a unit such as "connections"; NULL: a plain
			   * number */
	unsigned int flags; /* 0 */
	unsigned int index; /* set by the library */
};
TRACE2_API void trace2_register_gauge_(struct trace2_gauge *gauge);
TRACE2_API void trace2_unregister_gauge_(struct trace2_gauge *gauge);
#define TRACE2_GAUGE(ident, category, name, unit) \
	TRACE2_METRIC_(static, gauge, ident, category, name, unit, 0)
#define TRACE2_GAUGE_SHARED(ident, category, name, unit) \
	TRACE2_METRIC_(, gauge, ident, category, name, unit, 0)
#define TRACE2_GAUGE_DECLARE(ident) extern struct trace2_gauge ident
#define TRACE2_GAUGE_INIT(category, name, unit) \
	{ category, name, unit, 0, TRACE2_UNREGISTERED_ }
#define TRACE2_GAUGES(array) TRACE2_METRICS_(gauge, array)
#define trace2_gauge_open(path, unit, labels, nr) \
	TRACE2_OPEN_(gauge, GAUGE, path, unit, 0, labels, nr)
TRACE2_API int trace2_gauge_read_on_(const struct trace2_gauge *gauge,
				     struct trace2_metric_value *value);
#define trace2_gauge_read(ident, value) \
	TRACE2_READ_(trace2_gauge_read_on_, ident, value)

/*
 * Set the process's gauge, or change it: the number of connections, of bytes in
 * a cache. All threads share the gauge; it starts at 0, also in a forked child,
 * and wraps at 2^63. While tracing is off it does not change, so set it where
 * an absolute value is known. The last, least and greatest value that the gauge
 * had are recorded. Signal-safe; no lock, no system call, no allocation.
 */
TRACE2_API void trace2_gauge_set_on_(struct trace2_gauge *gauge, int64_t value);
TRACE2_API void trace2_gauge_add_on_(struct trace2_gauge *gauge, int64_t value);
TRACE2_API void trace2_gauge_sub_on_(struct trace2_gauge *gauge, int64_t value);
#define TRACE2_GAUGE_CALL_(function, ident, value)              \
	(trace2_is_enabled() ? function(&(ident), (value)) : \
			       trace2_off_(0, (value)))
#define trace2_gauge_set(ident, value) \
	TRACE2_GAUGE_CALL_(trace2_gauge_set_on_, ident, value)
#define trace2_gauge_add(ident, value) \
	TRACE2_GAUGE_CALL_(trace2_gauge_add_on_, ident, value)
#define trace2_gauge_sub(ident, value) \
	TRACE2_GAUGE_CALL_(trace2_gauge_sub_on_, ident, value)

/* The library's own metrics, for tests: test/test1, and test/test2, which also
 * counts per thread. */
extern TRACE2_API struct trace2_timer trace2_timer_test1, trace2_timer_test2;
extern TRACE2_API struct trace2_counter trace2_counter_test1,
	trace2_counter_test2;
#define TRACE2_TIMER_ID_TEST1 trace2_timer_test1
#define TRACE2_TIMER_ID_TEST2 trace2_timer_test2
#define TRACE2_COUNTER_ID_TEST1 trace2_counter_test1
#define TRACE2_COUNTER_ID_TEST2 trace2_counter_test2

#ifdef __cplusplus
}
#endif

#endif /* TRACE2_METRIC_H */
