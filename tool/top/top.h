/* SPDX-License-Identifier: MIT */
/*
 * top - shared by the parts of `trace2 top`: the processes that it watches, and
 * their rings and streams.
 */
#pragma once

#include "common/options.h"
#include "common/lines.h"
#include "common/map.h"
#include "common/procfs.h"
#include "common/words.h"
#include "format/ring/ring_cells.h"
#include "model/model.h"

/* The values of a ring's metrics at one time. */
struct tr2_top_sample {
	uint64_t at_ns; /* CLOCK_MONOTONIC */
	struct tr2_ring_value *values;
	uint32_t nr;
};

struct tr2_top_ring {
	struct tr2_ring_file file;
	struct tr2_top_sample now, before;
	bool alive;
	int64_t ran_ns; /* how long the process has run, up to now or up to its
			 * last record */
	char name[TR2_PROCFS_NAME_SIZE]; /* name of the program, if the process
					  * has ended */
};

/* A stream of events that is being written. */
struct tr2_top_stream {
	struct tr2_grown grown;
	struct tr2_model *m; /* a model of the last events of the stream */
	struct tr2_event_reader *reader;
	uint64_t nr_bytes; /* number of bytes of the stream in m */
};

enum tr2_top_state {
	TR2_TOP_RUN, /* the process is on a CPU, or ready for a CPU */
	TR2_TOP_WAIT,
	TR2_TOP_STOPPED,
	TR2_TOP_ZOMBIE, /* the process has ended, but its parent has not waited
			 * for it */
	TR2_TOP_ENDED   /* the process has ended since the last reading */
};

/* Sums over the threads of a process since its start. */
struct tr2_top_times {
	int64_t at_ns; /* time of the reading, CLOCK_BOOTTIME */
	int64_t cpu_ns;
	int64_t ready_ns;  /* time for which threads were ready without a CPU */
	int64_t waited_ns; /* CPU time of children for which the process has
			    * waited */
};

struct tr2_top_process {
	int32_t pid, ppid;
	int64_t start_ns; /* CLOCK_BOOTTIME; start and pid identify the
			   * process */
	uint32_t parent, first, last, next; /* children by start; 0: none */
	uint32_t nr_threads;
	uint32_t nr_readings; /* number of readings since the process's name
			       * changed */
	uint8_t state; /* enum tr2_top_state */
	bool is_recorder; /* the process is a recorder: it is not shown, but
			   * waits for orphans */
	bool has_before;
	enum tr2_cause cause; /* the cause for which the thread waits */
	char comm[TR2_PROCFS_NAME_SIZE];
	/* the kernel's function in which this thread waits; "": unknown */
	char function[TR2_PROCFS_NAME_SIZE];
	struct tr2_top_times now, before;
	int64_t owed_ns; /* during a reading: CPU time of ended children */
	char *file; /* path of the ring or the stream; NULL: none */
	struct tr2_top_ring *ring;
	struct tr2_top_stream *stream;
};

/* A directory in which processes write streams or rings. */
struct tr2_top_dir {
	char *path;
	bool adopts; /* true: watch all processes that write in the directory */
};

struct tr2_top {
	/* The watched processes, with all their descendants: `root`,
	 * `recorder` and `roots`, as far as they are set, and the processes
	 * that write in a directory of `dirs` with `adopts`. */
	int32_t root; /* the process that the user named by its pid or ring */
	int32_t recorder;
	const char *path; /* path of the recording */
	/* the processes to which `record -p` attached, and the processes that
	 * they have started since */
	int32_t *roots;
	uint32_t nr_roots, alloc_roots;
	struct tr2_top_dir dirs[2];
	uint32_t nr_dirs;
	/* The state of a recording that is watched: */
	struct tr2_grown tasks; /* fd -1: none */
	uint64_t nr_exits;      /* in tasks */
	int64_t began_ns;       /* CLOCK_BOOTTIME */
	char *end;              /* how the recording ended; NULL: it has not
				 * ended */

	/* process[0] is unused; the others are sorted by start. */
	struct tr2_top_process *process;
	uint32_t nr, alloc;
	struct tr2_map by_pid;
	uint32_t nr_live; /* number of running processes, without zombies */
	uint64_t nr_ended;
	uint32_t nr_readings;
	/* Times of this reading and of the previous one, by CLOCK_BOOTTIME. */
	int64_t at_ns, before_ns;
	/* CPU time of all processes, including ended ones. lost_ns: the CPU
	 * time of ended processes for which no watched process has waited. */
	int64_t cpu_ns, before_cpu_ns, lost_ns;
};

/* top_find.c: choose the processes to watch, and scan them. Return false after
 * an error message. */
bool tr2_top_open_process(struct tr2_top *top, const char *pid_or_file);
bool tr2_top_open_path(struct tr2_top *top, const char *path);
void tr2_top_close(struct tr2_top *top);

/* top_recording.c: open a recording in progress, and note its end. */
bool tr2_top_open_recording(struct tr2_top *top, const char *path);
void tr2_top_read_recording(struct tr2_top *top);

/* top_scan.c: read the processes. */
void tr2_top_scan(struct tr2_top *top);
struct tr2_top_process *tr2_top_find(const struct tr2_top *top, int32_t pid);
void tr2_top_free_process(struct tr2_top_process *p);
/* Add the ended process of a ring. After this no other process is read. */
struct tr2_top_process *tr2_top_add_ended(struct tr2_top *top, int32_t pid);
int64_t tr2_top_wall_ns(const struct tr2_top_process *p);
/* Return the share of time in which the process had a CPU, or was ready for
 * one: since the previous reading or, at the first reading, since the process's
 * start. */
double tr2_top_cpu(const struct tr2_top_process *p);
double tr2_top_ready(const struct tr2_top_process *p);

/* top_cause.c: find out for what a thread waits (tid 0: the main thread), and
 * in which function of the kernel; "": the kernel refuses to say. */
enum tr2_cause tr2_top_cause(int32_t pid, int32_t tid,
			     char function[TR2_PROCFS_NAME_SIZE]);

/* top_files.c: find the rings and streams of processes. tr2_top_files_find()
 * lists files of the directories whose names contain pids. */
struct tr2_top_file {
	int32_t pid;
	int64_t start_ns; /* CLOCK_BOOTTIME; the process began before this
			   * time */
	char *path;
	bool adopts;
};
struct tr2_top_files {
	struct tr2_top_file *file;
	uint32_t nr, alloc;
};
void tr2_top_files_find(const struct tr2_top *top, struct tr2_top_files *files);
void tr2_top_files_release(struct tr2_top_files *files);
/* Open the newest file of each process. */
void tr2_top_files_attach(struct tr2_top *top,
			  const struct tr2_top_files *files);
/* Find the rings of processes in their mappings. */
void tr2_top_files_mapped(struct tr2_top *top);
/* Read the lines that programs appended to the streams. */
void tr2_top_streams_read(struct tr2_top *top);

/* top_ring.c */
/* Open the file of a ring. Return NULL if the file is no ring; say: also print
 * an error. */
struct tr2_top_ring *tr2_top_ring_open(const char *path, bool say);
void tr2_top_ring_close(struct tr2_top_ring *ring);
/* Read the ring's metrics. If the process does not finish adding an ended
 * thread to the sums, keep the values of the last reading. */
void tr2_top_ring_read(struct tr2_top_ring *ring);
/* Read the ring's records into a model, which has the regions of each
 * thread. */
struct tr2_model *tr2_top_ring_model(const struct tr2_top_ring *ring);

/* top_rows.c: a row of a screen: one process, or several of one kind. */
struct tr2_top_row {
	uint32_t first; /* the first process of the row; 0: the row is for all
			 * processes that have no room */
	uint32_t nr;    /* processes */
	int depth;
	uint32_t parent, first_child, last_child, next; /* rows */
	uint32_t last_process, nr_run, nr_threads;
	bool is_shown, is_mixed; /* is_mixed: the processes of the row are in
				  * several states */
	double cpu, ready; /* shares of the time since the last reading */
	int64_t cpu_ns, wall_ns;
};
struct tr2_top_rows {
	struct tr2_top_row *row; /* the rows; row[0] is above all other rows */
	uint32_t nr, alloc;
	uint32_t *next_in_row; /* for each process: the next process in the same
				* row */
};
/* Make the rows. max: the number of rows that fit; 0: all rows. */
void tr2_top_rows_make(struct tr2_top_rows *rows, const struct tr2_top *top,
		       uint32_t max);
/* Return the row that is printed after `row`; 0: the end. */
uint32_t tr2_top_rows_after(const struct tr2_top_rows *rows, uint32_t row);
void tr2_top_rows_release(struct tr2_top_rows *rows);

/* top_view.c: print everything. Return false, after an error message, if there
 * is no column `sort`, which may be NULL. */
bool tr2_top_print(struct tr2_top *top, enum tr2_format format,
		   const char *sort);

/* top_metrics.c: initialise the tables of metrics, one for each kind, and of
 * threads with their open regions, and add the rows. */
enum {
#define TR2_METRIC_KIND(KIND, ...) TR2_TOP_##KIND,
#include "arena/kinds.def"
	TR2_TOP_METRICS
};
struct tr2_table;
struct tr2_output;
void tr2_top_add_metrics(const struct tr2_top *top, struct tr2_output *out,
			 struct tr2_table *metrics);
/* Add the rows of threads. max: stop after this many rows; 0: all rows. */
void tr2_top_add_threads(const struct tr2_top *top, struct tr2_output *out,
			 struct tr2_table *threads, uint32_t max);
