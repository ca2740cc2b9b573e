/* SPDX-License-Identifier: MIT */
/*
 * trace2_perf.h - opened counters, in the terms of perf.
 *
 * Open, group, switch and read counters. These are timers and counters of the
 * program itself (trace2.h), events of the kernel, and counters that belong to
 * no thread (energy of packages, resources of the process). Attributes have the
 * names and meanings of perf_event_open(2).
 *
 * Every call here keeps these rules, unless its comment says otherwise:
 *
 * - It returns 0, or a negative errno. It leaves errno itself unchanged. NULL
 *   for an event is -EINVAL.
 * - Any thread may call it, but not with an event that another thread is
 *   closing. It is no cancellation point. It is not signal-safe: it takes a
 *   lock, and in a handler that interrupted the library it returns -EDEADLK.
 * - Descriptors are close-on-exec. A forked child inherits no events: calls on
 *   its parent's return -ESRCH, and trace2_perf_close() frees them.
 * - It works without trace2_initialize(); timers and counters of the program
 *   count only while tracing is on.
 */
#ifndef TRACE2_PERF_H
#define TRACE2_PERF_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace2.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Types of events. Types of the kernel have the kernel's numbers; sysfs lists
 * the types of devices. */
#define TRACE2_PERF_TYPE_HARDWARE 0u
#define TRACE2_PERF_TYPE_SOFTWARE 1u
#define TRACE2_PERF_TYPE_TRACEPOINT 2u
#define TRACE2_PERF_TYPE_HW_CACHE 3u
#define TRACE2_PERF_TYPE_RAW 4u
#define TRACE2_PERF_TYPE_APP 0x54320070u /* timers and counters of the program
					  * itself */
#define TRACE2_PERF_TYPE_POWER 0x54320071u /* energy of packages */
#define TRACE2_PERF_TYPE_PROCESS 0x54320072u /* resources of this process */

/* `config` for TRACE2_PERF_TYPE_APP: a counter or a timer. A timer's value is
 * the time of its intervals in ns, including a running interval. */
#define TRACE2_PERF_COUNTER(ident) ((uint64_t)(ident).index)
#define TRACE2_PERF_TIMER(ident) \
	((uint64_t)(ident).index | UINT64_C(0x100000000))

/* `config` for TRACE2_PERF_TYPE_POWER. Values are in microjoules. */
enum trace2_perf_power {
	TRACE2_PERF_ENERGY_PKG,
	TRACE2_PERF_ENERGY_CORES,
	TRACE2_PERF_ENERGY_GPU,
	TRACE2_PERF_ENERGY_RAM,
	TRACE2_PERF_ENERGY_PSYS
};

/* `config` for TRACE2_PERF_TYPE_PROCESS. An event marked (now) has the value at
 * the time of the reading; the others count from the time when they are
 * enabled. */
enum trace2_perf_process {
	TRACE2_PERF_MAXRSS, /* bytes (now) */
	TRACE2_PERF_IO_READ, /* bytes that system calls read */
	TRACE2_PERF_IO_WRITE, /* bytes that system calls wrote */
	TRACE2_PERF_CTX_SWITCHES,
	TRACE2_PERF_OPEN_FDS, /* (now) */
	TRACE2_PERF_THREADS /* (now) */
};

/* read_format: the numbers that trace2_perf_read() adds to values. */
#define TRACE2_PERF_FORMAT_TOTAL_TIME_ENABLED (1u << 0)
#define TRACE2_PERF_FORMAT_TOTAL_TIME_RUNNING (1u << 1)
#define TRACE2_PERF_FORMAT_ID (1u << 2)
#define TRACE2_PERF_FORMAT_GROUP (1u << 3)
#define TRACE2_PERF_FORMAT_LOST (1u << 4)

/* sample_type: the fields of a sample; see trace2_perf_next_record(). The
 * numbers are those of perf_event_open(2). */
#define TRACE2_PERF_SAMPLE_IP (1u << 0)
#define TRACE2_PERF_SAMPLE_TID (1u << 1)
#define TRACE2_PERF_SAMPLE_TIME (1u << 2)
#define TRACE2_PERF_SAMPLE_ADDR (1u << 3) /* only for events of the kernel */
#define TRACE2_PERF_SAMPLE_ID (1u << 6)
#define TRACE2_PERF_SAMPLE_CPU (1u << 7)
#define TRACE2_PERF_SAMPLE_PERIOD (1u << 8)
#define TRACE2_PERF_SAMPLE_READ (1u << 4)
#define TRACE2_PERF_SAMPLE_CALLCHAIN (1u << 5)

/*
 * The size never changes, since trace2_perf_parse() fills arrays of this
 * structure: new members replace reserved ones, which must be 0.
 */
struct trace2_perf_attr {
	/*
	 * One of TRACE2_PERF_TYPE_. With type 0, a config of 2^56 and above is
	 * perf's compact old form: bit 63: a raw event; bits 62-56: the type
	 * (the last two hex digits of the numbers above); bits 55-0: the event.
	 */
	uint32_t type;
	/*
	 * The descriptor of trace2_perf_poll_fd() becomes readable after this
	 * many samples, or with `watermark` after this many bytes. 0: it
	 * becomes readable when half of the memory of trace2_perf_map() is
	 * full, or without that memory after each sample.
	 */
	__extension__ union {
		uint32_t wakeup_events;
		uint32_t wakeup_watermark;
	};
	uint64_t config, config1, config2;
	/*
	 * 0: the event only counts. N: the event overflows each time that a
	 * thread has counted N more, in units of the counter (ns for a timer
	 * and a clock); with `freq`, N times a second. This works for timers
	 * and counters of the program, and for events of the kernel. Each
	 * overflow of an event of the kernel costs the thread some us: a clock
	 * with a shorter period leaves the thread no time to run.
	 * GIT_TRACE2_SAMPLE refuses less than 50,000 ns.
	 */
	__extension__ union {
		uint64_t sample_period;
		uint64_t sample_freq;
	};
	uint64_t sample_type; /* TRACE2_PERF_SAMPLE_* */
	uint64_t read_format; /* TRACE2_PERF_FORMAT_* */
	unsigned int disabled : 1; /* starts off */
	/*
	 * Also count threads that start later. Events of the kernel also count
	 * in forked children.
	 */
	unsigned int inherit : 1;
	/* For a leader: the group must be on its PMU whenever it is enabled. If
	 * that is impossible, the leader is in error, and reading it gives end
	 * of file. */
	unsigned int pinned : 1;
	/* For a leader: the group shares its PMU with no other group. */
	unsigned int exclusive : 1;
	/* Modes in which not to count. -EINVAL if the PMU cannot exclude a
	 * mode. */
	unsigned int exclude_user : 1;
	unsigned int exclude_kernel : 1;
	unsigned int exclude_hv : 1;
	unsigned int exclude_idle : 1;
	unsigned int exclude_host : 1;
	unsigned int exclude_guest : 1;
	unsigned int enable_on_exec : 1; /* only for events of the kernel */
	unsigned int precise_ip : 2; /* only for events of the kernel */
	unsigned int freq : 1; /* only for events of the kernel */
	/* With inherit: when a thread ends, write a READ record with the
	 * thread's own count. */
	unsigned int inherit_stat : 1;
	/* Write records: mmap: of new executable mappings (only for events of
	 * the kernel); comm: of names of threads; task: of threads that begin
	 * and end. mmap and comm each imply task. */
	unsigned int mmap : 1;
	unsigned int comm : 1;
	unsigned int task : 1;
	unsigned int watermark : 1;
	/* Leave the kernel's or the program's calls out of samples. */
	unsigned int exclude_callchain_kernel : 1;
	unsigned int exclude_callchain_user : 1;
	unsigned int reserved_bits : 11; /* 0 */
	uint32_t reserved[9]; /* 0 */
};

struct trace2_perf;

/*
 * Open an event of the thread pid (0: the calling one) on any CPU (cpu -1). The
 * kernel's events accept all pids and CPUs that perf_event_open(2) accepts:
 * another process, or pid -1 and a CPU. Energy is counted for all packages or,
 * with a CPU, for the CPU's package.
 *
 * group: NULL, or the leader of the group that the event joins. All events of a
 * group have the same thread and cpu; only leaders are pinned or exclusive. A
 * group may mix events of all PMUs, which then count over the same stretch of
 * time; events of a package or the process count everything that runs there. In
 * a mixed group the kernel's events are pinned, so that none of them counts
 * only a part of the stretch. Therefore a hardware event cannot join a leader
 * of the kernel that is not pinned.
 *
 * *out is the event, which trace2_perf_close() closes; NULL on error. Errors:
 * -EINVAL if attr is invalid, -ENOENT if there is no such event, -EOPNOTSUPP if
 * this machine does not have it, -EACCES or -EPERM if it is not permitted,
 * -ESRCH if there is no such thread, -EBUSY if the group does not fit on its
 * PMU, -EMFILE, -ENOMEM.
 */
TRACE2_API int trace2_perf_open(const struct trace2_perf_attr *attr, pid_t pid,
				int cpu, struct trace2_perf *group,
				struct trace2_perf **out);

/*
 * Read the event into values[nr_values], in the layout of read(2) on a perf
 * event:
 *
 *	value [time_enabled] [time_running] [id] [lost]
 *
 * With FORMAT_GROUP, read all events of the leader's group, over the same
 * stretch:
 *
 *	nr [time_enabled] [time_running] { value [id] [lost] } nr times
 *
 * Times are in ns; an event whose time_running is less than its time_enabled
 * shared its PMU with others. Return the number of values, or 0 at end of file
 * (the event is in error). Errors: -ENOSPC if nr_values is too small; -EAGAIN
 * if a thread inherited only a part of a group of the kernel's events: it
 * started before all of them were open, or is starting right now.
 */
TRACE2_API int trace2_perf_read(struct trace2_perf *event, uint64_t *values,
				size_t nr_values);

/*
 * Switch an event on and off; with a leader, its whole group. Switching a
 * member off does not affect the others. Return 0, or -EIO for an event in
 * error; enabling it again clears the error.
 */
TRACE2_API int trace2_perf_enable(struct trace2_perf *event);
TRACE2_API int trace2_perf_disable(struct trace2_perf *event);

/* Switch on, or off, every group that this process opened. Return 0. */
TRACE2_API int trace2_perf_enable_all(void);
TRACE2_API int trace2_perf_disable_all(void);

/* Set the value of the event to 0; with a leader, all values of the group.
 * Times go on, and values marked (now) stay. */
TRACE2_API int trace2_perf_reset(struct trace2_perf *event);

/*
 * Enable a sampling event (with a leader, its group) for `overflows` more
 * overflows. Then the event is off again, and its descriptor reports POLLHUP.
 * -EINVAL: overflows is less than 1, or the event does not sample, or inherits.
 */
TRACE2_API int trace2_perf_refresh(struct trace2_perf *event, int overflows);

/* Start a new period in each thread: the next overflow comes when the thread
 * has counted `period` more. With `freq`, period is the number of overflows a
 * second. -EINVAL: period is 0, or the event does not sample. */
TRACE2_API int trace2_perf_set_period(struct trace2_perf *event,
				      uint64_t period);

/*
 * Return a descriptor for poll(2) and the like, the same each time, which the
 * event keeps and closes. POLLIN: there is something to read (see
 * wakeup_events), until the event is read; for a mapped event, until its last
 * record is read. POLLHUP: the overflows of trace2_perf_refresh() are used up.
 * An event of the kernel must be mapped, and reports POLLIN once for each
 * wakeup. -EINVAL: the event does not sample; -EMFILE.
 */
TRACE2_API int trace2_perf_poll_fd(struct trace2_perf *event);

/* The head of a record, in perf's layout. The data of its type follow. */
struct trace2_perf_record {
	uint32_t type; /* TRACE2_PERF_RECORD_* */
	uint16_t misc;
	uint16_t size; /* size of the whole record in bytes */
};

#define TRACE2_PERF_RECORD_MMAP 1u
#define TRACE2_PERF_RECORD_LOST 2u /* data: u64 id; u64 lost: the number of
				    * records that found no room */
#define TRACE2_PERF_RECORD_COMM 3u /* data: u32 pid, tid; char comm[] */
/* data of EXIT and FORK: u32 pid, ppid, tid, ptid; u64 time */
#define TRACE2_PERF_RECORD_EXIT 4u
#define TRACE2_PERF_RECORD_THROTTLE 5u
#define TRACE2_PERF_RECORD_UNTHROTTLE 6u
#define TRACE2_PERF_RECORD_FORK 7u
#define TRACE2_PERF_RECORD_READ 8u /* data: u32 pid, tid; a reading */
#define TRACE2_PERF_RECORD_SAMPLE 9u

/* The largest size of a record, in bytes. */
#define TRACE2_PERF_RECORD_MAX 65535u

/*
 * Keep records of the event from now until it is closed, as many as `pages`
 * pages of memory can hold; records that do not fit count as lost. -EINVAL:
 * pages is not a power of two, or more than 2^18; the event has no records; or
 * an event of the kernel counts on all CPUs and is inherited. -EBUSY: the event
 * is already mapped. -EPERM: more than the kernel allows this user. -ECANCELED:
 * a sandbox refuses madvise(), which the kernel's events need to notice forked
 * children. -ENOMEM.
 */
TRACE2_API int trace2_perf_map(struct trace2_perf *event, size_t pages);

/*
 * Move the oldest record of a mapped event to `record`, in perf's layout: a
 * struct trace2_perf_record, then the data of its type. A SAMPLE has the fields
 * of sample_type, in this order:
 *
 *	[u64 ip] [u32 pid, tid] [u64 time] [u64 addr] [u64 id]
 *	[u32 cpu, 0] [u64 period] [a reading] [u64 nr, ip[nr]]
 *
 * period: the amount counted since the last sample. A reading has the layout of
 * trace2_perf_read(). Times are those of CLOCK_MONOTONIC in ns. The calls begin
 * with the innermost; values above -4096 name the kind of code that follows.
 * Return the record's size in bytes, or 0 if no record is left. Errors: -ENOSPC
 * if the record is larger than size_bytes (it stays in the buffer), -EINVAL if
 * the event is not mapped.
 */
TRACE2_API int trace2_perf_next_record(struct trace2_perf *event, void *record,
				       size_t size_bytes);

/* Return the event's id, unique on this machine (the kernel's events) or in
 * this process (others); 0 for NULL. */
TRACE2_API uint64_t trace2_perf_id(const struct trace2_perf *event);

/* Close the event. Closing a leader ends its group: from then on calls with the
 * group's other events return -ESRCH, and these events must still be closed.
 * For NULL, return 0. */
TRACE2_API int trace2_perf_close(struct trace2_perf *event);

/* One event of a parsed list. */
struct trace2_perf_named {
	struct trace2_perf_attr attr;
	/* Events of one group have the same number, from 1; the first is its
	 * leader. 0: no group. */
	unsigned int group;
	char name[256]; /* as given */
};

/*
 * Parse a list in perf's syntax, "page-faults:u,{app/odb/unzip/,r1a8}", into
 * events[nr_events]; see trace2-perf(3). Return the number of events in the
 * list, which may be more than nr_events, or a negative errno for the first bad
 * event. Errors: -EINVAL if it is malformed, -ENOENT if the machine, or the
 * program so far, does not have it, -EACCES if looking it up is not permitted.
 * On an error, `error` (if not NULL) gets the reason, in one line of at most
 * error_bytes - 1 bytes.
 */
TRACE2_API int trace2_perf_parse(const char *list,
				 struct trace2_perf_named *events,
				 size_t nr_events, char *error,
				 size_t error_bytes);

#ifdef __cplusplus
}
#endif

#endif /* TRACE2_PERF_H */
