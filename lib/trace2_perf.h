/* SPDX-License-Identifier: MIT */
/*
 * trace2_perf.h - opened counters, for those who know perf.
 *
 * A counter is opened, grouped, switched on and off, and read, whether it is a
 * timer or counter of the program itself (trace2.h), the kernel's, or one that
 * belongs to no thread: what the packages used, what the process used.
 * Attributes have the names and meanings that perf_event_open(2) gives them.
 *
 * What holds for every call here, unless its comment says otherwise:
 *
 * - It returns 0, or a negative errno. It keeps errno itself. NULL for an
 *   event is -EINVAL.
 * - It may be called from any thread, but no event while another thread closes
 *   it. It is no cancellation point. It is not signal-safe: it takes a lock,
 *   and within a handler that interrupted the library it returns -EDEADLK.
 * - Descriptors are close-on-exec. A forked child has none of its parent's
 *   events: calls on them return -ESRCH there, and trace2_perf_close() frees
 *   them.
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

/* Types. Those of the kernel have its numbers, devices as sysfs has them. */
#define TRACE2_PERF_TYPE_HARDWARE 0u
#define TRACE2_PERF_TYPE_SOFTWARE 1u
#define TRACE2_PERF_TYPE_TRACEPOINT 2u
#define TRACE2_PERF_TYPE_HW_CACHE 3u
#define TRACE2_PERF_TYPE_RAW 4u
#define TRACE2_PERF_TYPE_APP 0x54320070u /* the program's own */
#define TRACE2_PERF_TYPE_POWER 0x54320071u /* energy of packages */
#define TRACE2_PERF_TYPE_PROCESS 0x54320072u /* this process */

/* config of TRACE2_PERF_TYPE_APP: a counter, or a timer, whose value is then
 * the time of its intervals in ns, a running one included. */
#define TRACE2_PERF_COUNTER(ident) ((uint64_t)(ident).index)
#define TRACE2_PERF_TIMER(ident) \
	((uint64_t)(ident).index | UINT64_C(0x100000000))

/* config of TRACE2_PERF_TYPE_POWER, in microjoules … */
enum trace2_perf_power {
	TRACE2_PERF_ENERGY_PKG,
	TRACE2_PERF_ENERGY_CORES,
	TRACE2_PERF_ENERGY_GPU,
	TRACE2_PERF_ENERGY_RAM,
	TRACE2_PERF_ENERGY_PSYS
};

/* … and of TRACE2_PERF_TYPE_PROCESS. Those marked (now) are what is at the
 * moment of the reading; the others count from when they are enabled. */
enum trace2_perf_process {
	TRACE2_PERF_MAXRSS, /* bytes (now) */
	TRACE2_PERF_IO_READ, /* bytes that system calls read */
	TRACE2_PERF_IO_WRITE, /* bytes that system calls wrote */
	TRACE2_PERF_CTX_SWITCHES,
	TRACE2_PERF_OPEN_FDS, /* (now) */
	TRACE2_PERF_THREADS /* (now) */
};

/* read_format: what trace2_perf_read() gives beside values. */
#define TRACE2_PERF_FORMAT_TOTAL_TIME_ENABLED (1u << 0)
#define TRACE2_PERF_FORMAT_TOTAL_TIME_RUNNING (1u << 1)
#define TRACE2_PERF_FORMAT_ID (1u << 2)
#define TRACE2_PERF_FORMAT_GROUP (1u << 3)
#define TRACE2_PERF_FORMAT_LOST (1u << 4)

/* sample_type: what a sample has, in the order in which it has it: see
 * trace2_perf_next_record(). The numbers are perf's. */
#define TRACE2_PERF_SAMPLE_IP (1u << 0)
#define TRACE2_PERF_SAMPLE_TID (1u << 1)
#define TRACE2_PERF_SAMPLE_TIME (1u << 2)
#define TRACE2_PERF_SAMPLE_ADDR (1u << 3) /* the kernel's events only */
#define TRACE2_PERF_SAMPLE_ID (1u << 6)
#define TRACE2_PERF_SAMPLE_CPU (1u << 7)
#define TRACE2_PERF_SAMPLE_PERIOD (1u << 8)
#define TRACE2_PERF_SAMPLE_READ (1u << 4)
#define TRACE2_PERF_SAMPLE_CALLCHAIN (1u << 5)

/*
 * As large as it ever will be, since trace2_perf_parse() fills arrays of it:
 * what comes later takes the place of what is reserved, and has to be 0.
 */
struct trace2_perf_attr {
	/*
	 * With type 0, a config of 2^56 and above is perf's compact old form:
	 * bit 63 raw, bits 62-56 the type (the last two hex digits of those
	 * above), bits 55-0 the event.
	 */
	uint32_t type;
	/*
	 * When trace2_perf_poll_fd() says that there is something to read:
	 * with so many samples, or with `watermark` so many bytes. 0: with
	 * half of what trace2_perf_map() gave, without a map each time.
	 */
	__extension__ union {
		uint32_t wakeup_events;
		uint32_t wakeup_watermark;
	};
	uint64_t config, config1, config2;
	/*
	 * 0: the event counts. N: it overflows each time that a thread has
	 * counted N more, with `freq` so often in a second. Timers and
	 * counters of the program, and the kernel's events.
	 */
	__extension__ union {
		uint64_t sample_period;
		uint64_t sample_freq;
	};
	uint64_t sample_type; /* TRACE2_PERF_SAMPLE_* */
	uint64_t read_format; /* TRACE2_PERF_FORMAT_* */
	unsigned int disabled : 1; /* starts off */
	/*
	 * Threads that start later count too, and the kernel's events count
	 * in forked children.
	 */
	unsigned int inherit : 1;
	/* A leader that must be on its PMU whenever it is enabled: where that
	 * cannot be, it is in error, and reading it gives end of file. */
	unsigned int pinned : 1;
	/* A leader whose group shares its PMU with no other. */
	unsigned int exclusive : 1;
	/* What does not count. -EINVAL where the PMU cannot tell it apart. */
	unsigned int exclude_user : 1;
	unsigned int exclude_kernel : 1;
	unsigned int exclude_hv : 1;
	unsigned int exclude_idle : 1;
	unsigned int exclude_host : 1;
	unsigned int exclude_guest : 1;
	unsigned int enable_on_exec : 1; /* the kernel's events only */
	unsigned int precise_ip : 2; /* the kernel's events only */
	unsigned int freq : 1; /* the kernel's events only */
	/* With inherit: a READ record with what a thread itself counted, when
	 * it ends. */
	unsigned int inherit_stat : 1;
	/* Records of new executable mappings (the kernel's events only), of
	 * names of threads, and of threads that begin and end. The first two
	 * bring those of the last with them. */
	unsigned int mmap : 1;
	unsigned int comm : 1;
	unsigned int task : 1;
	unsigned int watermark : 1;
	/* Calls in the kernel, in the program, that a sample leaves out. */
	unsigned int exclude_callchain_kernel : 1;
	unsigned int exclude_callchain_user : 1;
	unsigned int reserved_bits : 11; /* 0 */
	uint32_t reserved[9]; /* 0 */
};

struct trace2_perf;

/*
 * Opens an event of the thread pid (0: the calling one) on any CPU (cpu -1).
 * The kernel's events take what perf_event_open(2) takes: another process, or
 * pid -1 and a CPU. Energy is that of all packages, or of the one of a CPU.
 *
 * group: NULL, or the leader of the group that the event joins. All events of
 * a group are of the same thread and cpu; pinned and exclusive are for leaders.
 * Events of every PMU may be in one group, and count over the same stretch of
 * time; what belongs to a package or the process counts there for all that
 * runs on it. In such a mixed group those of the kernel are pinned, so that
 * none of them counts a part of the stretch alone: a hardware event cannot
 * join a leader of the kernel that is not.
 *
 * *out is the event, to be closed by trace2_perf_close(); NULL on error:
 * -EINVAL what attr asks for makes no sense, -ENOENT there is no such event,
 * -EOPNOTSUPP this machine does not have it, -EACCES and -EPERM it is not
 * permitted, -ESRCH no such thread, -EBUSY the group does not fit on its PMU,
 * -EMFILE, -ENOMEM.
 */
TRACE2_API int trace2_perf_open(const struct trace2_perf_attr *attr, pid_t pid,
				int cpu, struct trace2_perf *group,
				struct trace2_perf **out);

/*
 * Reads the event into values[nr_values], laid out as read(2) on an event of
 * perf lays it out:
 *
 *	value [time_enabled] [time_running] [id] [lost]
 *
 * and with FORMAT_GROUP, for all events of the leader's group, of one stretch:
 *
 *	nr [time_enabled] [time_running] { value [id] [lost] } nr times
 *
 * Times are in ns; an event whose time_running is less than its time_enabled
 * shared its PMU with others. Returns how many numbers there are, 0 at end of
 * file (the event is in error), -ENOSPC when nr_values is too small, -EAGAIN
 * when a thread of a group of the kernel's inherited only a part of it, since
 * it began before all of them were open, or begins right now.
 */
TRACE2_API int trace2_perf_read(struct trace2_perf *event, uint64_t *values,
				size_t nr_values);

/*
 * Switch one event, or with a leader the whole group, on and off. A member
 * that is off leaves the others as they are. 0, or -EIO for an event in error;
 * enabling it again is how it gets out of it.
 */
TRACE2_API int trace2_perf_enable(struct trace2_perf *event);
TRACE2_API int trace2_perf_disable(struct trace2_perf *event);

/* Every group that this process opened. 0. */
TRACE2_API int trace2_perf_enable_all(void);
TRACE2_API int trace2_perf_disable_all(void);

/* The value is 0 again, with a leader those of the group; times go on. What
 * is told as it is now stays. */
TRACE2_API int trace2_perf_reset(struct trace2_perf *event);

/*
 * Enables a sampling event, with a leader its group, for `overflows` more
 * overflows, after which it is off again and its descriptor says POLLHUP.
 * -EINVAL: 0 or less of them, an event that does not sample or inherits.
 */
TRACE2_API int trace2_perf_refresh(struct trace2_perf *event, int overflows);

/* The next overflow of each thread comes `period` from now; with `freq` it is
 * how many there are in a second. -EINVAL: 0, or an event that does not
 * sample. */
TRACE2_API int trace2_perf_set_period(struct trace2_perf *event,
				      uint64_t period);

/*
 * A descriptor for poll(2) and the like, the same each time, which the event
 * keeps and closes: POLLIN when there is something (see wakeup_events), until
 * the event is read, of a mapped one until the last record was; POLLHUP when
 * it has used up what trace2_perf_refresh() gave it. One of the kernel's has
 * to be mapped, and says POLLIN once for each time. -EINVAL for an event that
 * does not sample; -EMFILE.
 */
TRACE2_API int trace2_perf_poll_fd(struct trace2_perf *event);

/* Of a record, before what its type has. They are perf's. */
struct trace2_perf_record {
	uint32_t type; /* TRACE2_PERF_RECORD_* */
	uint16_t misc;
	uint16_t size; /* of the whole record, in bytes */
};

#define TRACE2_PERF_RECORD_MMAP 1u
#define TRACE2_PERF_RECORD_LOST 2u /* u64 id; u64 lost: for want of room */
#define TRACE2_PERF_RECORD_COMM 3u /* u32 pid, tid; char comm[] */
/* EXIT, FORK: u32 pid, ppid, tid, ptid; u64 time */
#define TRACE2_PERF_RECORD_EXIT 4u
#define TRACE2_PERF_RECORD_THROTTLE 5u
#define TRACE2_PERF_RECORD_UNTHROTTLE 6u
#define TRACE2_PERF_RECORD_FORK 7u
#define TRACE2_PERF_RECORD_READ 8u /* u32 pid, tid; a reading */
#define TRACE2_PERF_RECORD_SAMPLE 9u

/* No record is larger, in bytes. */
#define TRACE2_PERF_RECORD_MAX 65535u

/*
 * Keeps records of the event from now on, as many as there is room for in
 * `pages` pages of memory, until it is closed; those that find none count as
 * lost. -EINVAL: pages is no power of two, or more than 2^18; an event that
 * has no records, or inherits on all CPUs (the kernel's); -EBUSY it is mapped
 * already, -EPERM more than the kernel lets this user have, -ENOMEM.
 */
TRACE2_API int trace2_perf_map(struct trace2_perf *event, size_t pages);

/*
 * Moves the oldest record of a mapped event to `record`, as perf has it: a
 * struct trace2_perf_record, behind it what its type has. A SAMPLE has what
 * sample_type asks for, in this order:
 *
 *	[u64 ip] [u32 pid, tid] [u64 time] [u64 addr] [u64 id]
 *	[u32 cpu, 0] [u64 period] [a reading] [u64 nr, ip[nr]]
 *
 * period: how much was counted since the last sample. A reading is what
 * trace2_perf_read() lays out. Times are those of CLOCK_MONOTONIC in ns. The
 * calls are the innermost first; ones above -4096 say what kind of code
 * follows. Returns its size, 0: there is none, -ENOSPC: it is larger than
 * size_bytes, and stays; -EINVAL for an event that is not mapped.
 */
TRACE2_API int trace2_perf_next_record(struct trace2_perf *event, void *record,
				       size_t size_bytes);

/* An id that no other event of this machine (kernel) or process (others) has;
 * 0 for NULL. */
TRACE2_API uint64_t trace2_perf_id(const struct trace2_perf *event);

/* Ends the event; with a leader, all of its group, whose other events return
 * -ESRCH from then on and still are to be closed. NULL is 0. */
TRACE2_API int trace2_perf_close(struct trace2_perf *event);

/* One event of a list. */
struct trace2_perf_named {
	struct trace2_perf_attr attr;
	/* The same number, from 1: one group, the first is its leader. 0: alone. */
	unsigned int group;
	char name[256]; /* as it was given */
};

/*
 * Reads a list in perf's syntax, "page-faults:u,{app/odb/unzip/,r1a8}",
 * into events[nr_events]; trace2-perf(3) has it in full. Returns how many
 * events the list has, perhaps more than nr_events. A negative errno, for the
 * first event that cannot be had: -EINVAL it is no event, -ENOENT the machine,
 * or the program so far, has no such one, -EACCES nobody may look; then error
 * (if not NULL) says why, in one line of at most error_bytes - 1 bytes.
 */
TRACE2_API int trace2_perf_parse(const char *list,
				 struct trace2_perf_named *events,
				 size_t nr_events, char *error,
				 size_t error_bytes);

#ifdef __cplusplus
}
#endif

#endif /* TRACE2_PERF_H */
