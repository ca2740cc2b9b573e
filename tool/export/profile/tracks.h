/* SPDX-License-Identifier: MIT */
/*
 * tracks - turn a recording into slices on tracks, for programs that draw time.
 * tracks.c walks over the sessions, and tracks_states.c over the kernel's
 * threads. Each format has a struct tr2_track_writer, which writes the slices.
 *
 * Two numbers, pid and tid, identify a track. The track with equal numbers
 * shows the process and its main thread. Slices of one track always nest, since
 * viewers rely on it.
 */
#pragma once

#include "export/export.h"

/* The start of an arrow that ends at the start of a slice. */
struct tr2_flow {
	const char *name;
	uint32_t id;        /* 0: none */
	int64_t at_ns;      /* wall time of the arrow's start */
	uint32_t pid, tid;
};

struct tr2_state;
struct tr2_slice {
	int64_t start_ns, end_ns; /* wall times */
	uint32_t pid, tid;
	struct tr2_flow from;
	const struct tr2_state *state; /* NULL: the slice is not a state */
};

struct tr2_track {
	uint32_t pid, tid;
	const char *name; /* redacted */
	uint32_t rank;    /* rank among the tracks of its process */
};

struct tr2_track_counter {
	uint32_t pid;
	uint32_t track;   /* number of the counter's own track */
	const char *name; /* redacted */
	bool is_bytes, is_signed;
};

/*
 * The functions of a writer. Strings are redacted, and valid only during the
 * call. close() completes the slice that the last open_…() began. Calls between
 * open_…() and close() add arguments to the slice.
 */
struct tr2_track_writer {
	/* Writes a process, before its tracks. pid: the process's number;
	 * parent_pid: the number of the nearest process above (0: none). */
	void (*process)(struct tr2_export *x, uint32_t node, uint32_t pid,
			uint32_t parent_pid);
	void (*track)(struct tr2_export *x, const struct tr2_track *t);
	void (*open)(struct tr2_export *x, const struct tr2_slice *at,
		     const char *category, const char *name);
	/* Begins a point in time, at->start_ns. of_process: draw it for the
	 * whole process, instead of only its track. */
	void (*open_instant)(struct tr2_export *x,
			     const struct tr2_slice *at,
			     const char *category, const char *name,
			     bool of_process);
	/* Begins a span of the program, which may cross other slices of its
	 * process. */
	void (*open_span)(struct tr2_export *x,
			  const struct tr2_slice *at, uint64_t id,
			  const char *name);
	void (*text)(struct tr2_export *x, const char *key, const char *text);
	void (*integer)(struct tr2_export *x, const char *key, int64_t value);
	void (*yes)(struct tr2_export *x, const char *key);
	/* Adds words, which are not redacted. */
	void (*words)(struct tr2_export *x, const char *key,
		      const struct tr2_words *words);
	void (*json)(struct tr2_export *x, const char *key, const char *json);
	void (*close)(struct tr2_export *x);
	/* NULL: the format's counters need no track. */
	void (*counter_track)(struct tr2_export *x,
			      const struct tr2_track_counter *c);
	void (*counter)(struct tr2_export *x,
			const struct tr2_track_counter *c, int64_t wall_ns,
			int64_t value);
};

struct tr2_tracks {
	const struct tr2_track_writer *w;
	void *own;            /* the writer's own data */
	int64_t origin_ns;
	uint32_t *pids;       /* by node: number of the process; 0: not shown */
	uint32_t *child_tids; /* by child: tid of its row; 0: none */
	uint32_t next_id;
	uint32_t tid;         /* tid of the current thread */
	uint32_t *tids;       /* by thread: tid of its track; 0: not shown */
	uint32_t *state_tids; /* by task thread: tid of the track with its
			       * states */
	uint32_t nr_wakes;
	int64_t *ends;        /* ends of the slices around the current slice */
	uint32_t nr_ends, alloc_ends;
	int64_t last_ns;      /* start of the last slice */
	/* The thread's rows for children. Each row is free from free_ns on. */
	struct row {
		int64_t free_ns;
		uint32_t tid;
	} *rows;
	uint32_t nr_rows, alloc_rows;
	/* The last written counter of memory: of one process, or of all
	 * processes. */
	struct tr2_track_counter memory;
};

/* The operations of a format that writes slices on tracks. The format's begin()
 * calls tr2_tracks_begin() first; its end() calls tr2_tracks_end() last. */
void tr2_tracks_begin(struct tr2_export *x, const struct tr2_track_writer *w);
void tr2_tracks_end(struct tr2_export *x);
#define TR2_TRACKS_OPERATIONS                                             \
	.node = tr2_tracks_node, .thread = tr2_tracks_thread,             \
	.span = tr2_tracks_span, .point = tr2_tracks_point,               \
	.trace_span = tr2_tracks_trace_span, .metric = tr2_tracks_metric, \
	.row = tr2_tracks_row, .node_end = tr2_tracks_states
void tr2_tracks_node(struct tr2_export *x, uint32_t node);
void tr2_tracks_thread(struct tr2_export *x, uint32_t thread);
void tr2_tracks_span(struct tr2_export *x, uint32_t span);
void tr2_tracks_point(struct tr2_export *x, uint32_t point);
void tr2_tracks_trace_span(struct tr2_export *x, uint32_t trace_span);
void tr2_tracks_metric(struct tr2_export *x, uint32_t metric);
void tr2_tracks_row(struct tr2_export *x, enum tr2_table_id table,
		      uint32_t i);
void tr2_tracks_states(struct tr2_export *x, uint32_t node);

/* Add an argument; add nothing for NULL, "" or no words. */
void tr2_tracks_text(struct tr2_export *x, const char *key, const char *s);
/* Choose tids for the states of threads. */
void tr2_tracks_number_states(struct tr2_export *x);
