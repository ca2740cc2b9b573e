/* SPDX-License-Identifier: MIT */
/*
 * chrome - declarations that the files of this format share: chrome.c walks the
 * sessions, chrome_states.c the kernel's threads, and chrome_events.c writes
 * single events.
 */
#pragma once

#include "export/export.h"

struct tr2_chrome {
	int64_t origin_ns;
	uint32_t *pids;       /* by node; 0: not shown */
	uint32_t *child_tids; /* by child: the tid of its row; 0: none */
	uint32_t next_id;
	uint32_t tid;         /* of the current thread */
	uint32_t *tids;       /* by thread; 0: not shown */
	uint32_t *state_tids; /* by task thread: the tid of its states */
	uint32_t nr_wakes;
	int64_t *ends;        /* ends of the slices around the current one */
	uint32_t nr_ends, alloc_ends;
	int64_t last_ns;      /* start of the last slice */
	/* Rows of the thread for children, with the time from which each is
	 * free. */
	struct row {
		int64_t free_ns;
		uint32_t tid;
	} *rows;
	uint32_t nr_rows, alloc_rows;
	bool any;             /* an event has been written */
};

struct tr2_chrome_slice {
	int64_t start_ns, end_ns; /* wall */
	uint32_t pid, tid;
};

/* Open an event; the caller closes it. */
struct tr2_buf *tr2_chrome_open_event(struct tr2_export *x, char phase,
				      uint32_t pid, uint32_t tid);
void tr2_chrome_add_time(struct tr2_export *x, int64_t wall_ns);
/* name: already redacted. */
void tr2_chrome_add_name(struct tr2_export *x, const char *name);
/* Each member is added with a comma before it; the first comma is removed. */
size_t tr2_chrome_open_args(struct tr2_buf *b);
void tr2_chrome_close_args(struct tr2_buf *b, size_t start);
/* Open a slice; the caller adds args and the end. */
struct tr2_buf *tr2_chrome_open_slice(struct tr2_export *x,
				      const struct tr2_chrome_slice *s,
				      const char *category, const char *name);

/* Write whole events. */
void tr2_chrome_metadata(struct tr2_export *x, const char *name, uint32_t pid,
			 uint32_t tid, const char *key, const char *text);
void tr2_chrome_sort_index(struct tr2_export *x, const char *name, uint32_t pid,
			   uint32_t tid, uint32_t index);
/* One end of an arrow: phase s or f. */
void tr2_chrome_flow(struct tr2_export *x, char phase, const char *name,
		     uint32_t id, const struct tr2_chrome_slice *at);

/* Choose tids for the states of threads; write those of a process. */
void tr2_chrome_number_states(struct tr2_export *x);
void tr2_chrome_states(struct tr2_export *x, uint32_t node);
