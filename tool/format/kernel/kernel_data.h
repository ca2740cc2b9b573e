/* SPDX-License-Identifier: MIT */
/*
 * kernel_data - read a file of the kernel's records in the format of perf
 * (perf.data), by `trace2 record` or by perf itself: its events, and its
 * records in the order of time.
 *
 * The file is not trusted. It may be cut anywhere, and a recorder may still be
 * appending to it: it is read in pieces, never mapped, and every offset and
 * size in it is checked. All numbers are in this machine's byte order.
 */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/map.h"

/* The place of a field in a tracepoint's raw data, as the formats in the file
 * say. */
struct tr2_kernel_field {
	uint32_t at, size;
};

struct tr2_kernel_formats {
	uint64_t switch_id, waking_id; /* 0: unknown */
	/* fields of sched_switch */
	struct tr2_kernel_field prev_pid, prev_comm, prev_state;
	struct tr2_kernel_field next_pid, next_comm;
	struct tr2_kernel_field pid, flags, depth; /* fields of sched_waking */
};

/* Bits in prev_state. PREEMPTED, or no bit: the thread could have continued.
 * DEAD: the thread never runs again. */
#define TR2_PREV_STATE_PREEMPTED 0x100
#define TR2_PREV_STATE_DEAD 0x30

void tr2_kernel_formats_read(struct tr2_kernel_formats *formats,
			     const char *text, size_t len);

enum tr2_data_is {
	TR2_DATA_OTHER,
	TR2_DATA_TASK_CLOCK,   /* the first event, which counts CPU time */
	TR2_DATA_SWITCHES,     /* the software event context-switches: a sample
				* before each switch */
	TR2_DATA_SCHED_SWITCH, /* the tracepoint: a sample before each switch */
	TR2_DATA_SCHED_WAKING,
	TR2_DATA_PROFILE /* samples of the CPU time */
};

/* An event that was opened on each CPU. */
struct tr2_data_source {
	enum tr2_data_is is;
	uint32_t type;
	bool without_kernel;
	bool of_machine; /* opened for all processes of the machine */
	uint64_t config, sample_type, sample_period, read_format, registers;
};

/* The records of one CPU, in the order in which the kernel wrote them. */
struct tr2_data_ring {
	struct tr2_data_extent {
		uint64_t at, len;
	} *extents; /* pieces of the file, each with whole records */
	uint32_t nr, alloc;
	uint64_t bytes;
};

struct tr2_kernel_data {
	int fd; /* descriptor of the file, owned by the caller */
	uint64_t size;
	uint64_t data_at, data_end;
	bool growing; /* the recorder has not finished the file: data_end is its
		       * present end */
	struct tr2_data_source *sources;
	uint32_t nr_sources;
	struct tr2_map ids; /* maps an event's id + 1 to an index into
			     * `opened` */
	struct tr2_data_opened {
		uint32_t source, ring;
	} *opened;
	uint32_t nr_opened, alloc_opened;
	bool has_identifier; /* every record has the id of its event at a fixed
			      * position */
	struct tr2_data_ring *rings;
	uint32_t nr_rings;
	struct tr2_kernel_formats formats;
	const char *problem; /* the first problem; NULL: none */
};

struct tr2_kernel_record {
	uint32_t type; /* enum perf_event_type */
	uint16_t misc;
	uint32_t ring;
	const struct tr2_data_source *source;
	int32_t pid, tid;
	uint64_t time_ns;
	/* The fields of the record's type, without those that every record
	 * has. */
	const unsigned char *body;
	size_t len;
	/* For samples: return addresses and raw data, unaligned. */
	const unsigned char *calls, *raw;
	uint32_t nr_calls, raw_len;
	/* For samples: the user's registers and the copy of the stack; NULL:
	 * none. */
	const unsigned char *registers, *stack;
	uint32_t stack_len;
	uint64_t at; /* offset of the body in the file */
};

/* Read header and events. Return false if the records cannot be read:
 * f->problem has the reason. */
bool tr2_kernel_data_open(struct tr2_kernel_data *f, int fd);
void tr2_kernel_data_release(struct tr2_kernel_data *f);

/* Read exactly len bytes of the file. Return false if that is impossible. */
bool tr2_kernel_data_read(const struct tr2_kernel_data *f, uint64_t at,
			  void *out, size_t len);

/* Called for each record, which is valid during the call. Return false to end
 * the walk. */
typedef bool tr2_kernel_record_fn(void *data,
				  const struct tr2_kernel_record *r);

/* Pass every record once, in the order of the file, and note where each ring
 * has its records. */
bool tr2_kernel_data_scan(struct tr2_kernel_data *f, tr2_kernel_record_fn *fn,
			  void *data);
/* Pass every record in the order of time, after tr2_kernel_data_scan(). */
void tr2_kernel_data_merge(struct tr2_kernel_data *f, tr2_kernel_record_fn *fn,
			   void *data);

/* Find the fields of a record. Return false if the record has an unknown event
 * or no time, or is invalid. */
bool tr2_kernel_record_parse(const struct tr2_kernel_data *f,
			     const unsigned char *p, size_t size,
			     struct tr2_kernel_record *r);

struct tr2_model;
/* Read DIR/kernel.data if it exists. The recording's tasks are those from
 * first_task on. Before the call, *end_ns is the time until which the file has
 * all records, or 0 if records may be missing. The call raises *end_ns to the
 * time of the last record, if that is later. Return the number of lost records
 * that the file reports. */
uint64_t tr2_kernel_load(struct tr2_model *m, const char *dir,
			 uint32_t first_task, int64_t *end_ns);
