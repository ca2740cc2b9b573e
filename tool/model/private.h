/* SPDX-License-Identifier: MIT */
/*
 * private - state and functions that the model's own files share: the arena of
 * strings, and the maps of sessions, threads and children.
 */
#pragma once

#include <string.h>

#include "common/map.h"
#include "common/memory.h"
#include "model/model.h"

struct tr2_string {
	const char *p;
	uint32_t len, hash;
};

/* A recently interned short string, padded with zeros. */
#define TR2_RECENT_BYTES 32
#define TR2_RECENT_BITS 8

struct tr2_recent {
	char text[TR2_RECENT_BYTES];
	uint32_t len; /* 0: unused */
	tr2_str id;
};

/* A recent copy of a text that often repeats: an argv, a value. */
#define TR2_COPIES_BITS 9
#define TR2_COPY_MAX_BYTES 1024

struct tr2_copy {
	const char *text; /* NULL: unused */
	size_t len;
};

/* The latest session of each SID: a hash table with open addressing. A slot has
 * the SID's hash, so that few texts are compared. */
struct tr2_sids {
	struct tr2_sid_slot {
		uint32_t hash, session; /* 0: unused */
	} *slots;
	uint32_t nr, mask;
	bool again; /* some SID has had more than one session */
};

/* In model/build/build_session.c: return the thread of this name; 0: none. */
uint32_t tr2_find_thread(const struct tr2_model *m, uint32_t session,
			 tr2_str name);

/* Intern a text like tr2_intern(), but faster if it is short and was used
 * recently. 32 bytes from s on must be readable, whatever the length. */
tr2_str tr2_intern_padded(struct tr2_model *m, const char *s, size_t len);

/* Return a copy of the text that lives as long as the model. Several callers
 * may share a copy: it must not be changed. */
const char *tr2_model_keep(struct tr2_model *m, const char *s, size_t len);

/* Return the latest session of a SID; 0: none. */
uint32_t tr2_sid_find(const struct tr2_model *m, const char *sid, size_t len);
/* Make this session the latest session of its SID. */
void tr2_sid_set(struct tr2_model *m, uint32_t session);

/* A thread that already ran when the recording began, and its state at that
 * time. */
struct tr2_found_thread {
	int32_t pid, tid;
	int64_t wall_ns;
	uint8_t kind, cause; /* enum tr2_state_kind, enum tr2_cause */
};

/* A time in which threads were throttled: it began at from_ns or later, and
 * ended between since_ns and to_ns. */
struct tr2_throttling {
	int64_t from_ns, since_ns, to_ns; /* wall */
	int64_t ns; /* length of the throttling, summed over all CPUs */
};

struct tr2_model_private {
	/* Arena: a chain of blocks, freed with the model. */
	struct tr2_block *blocks;
	char *next;
	size_t left, arena_bytes;
	/* Interned strings: by number, and a hash table of numbers. */
	struct tr2_string *strings;
	uint32_t nr_strings, alloc_strings;
	uint32_t *buckets;
	uint32_t bucket_mask;
	struct tr2_recent recent[1u << TR2_RECENT_BITS];
	struct tr2_copy copies[1u << TR2_COPIES_BITS];
	struct tr2_sids sids;
	/* Maps: (session, name) to thread and (session, id) to child, for
	 * sessions that have many; (session, id) to exec; pid to its latest
	 * task; (source, kind) to problem. */
	struct tr2_map threads, children, execs, tasks, problems;
	/* Maps a thread to the innermost region that has no leave, and ended
	 * with the region around it. */
	struct tr2_map closed;
	struct tr2_found_thread *found; /* threads that were found; index 0 is
					 * used */
	uint32_t nr_found, alloc_found;
	struct tr2_throttling *throttlings; /* throttlings of this input; index
					     * 0 is used */
	uint32_t nr_throttlings, alloc_throttlings;
	/* Session, thread and span of the last event. */
	uint32_t last_session, last_thread, last_span;
	/* Numbers of allocated elements, in the order of struct tr2_model. */
	uint32_t alloc_sessions, alloc_threads, alloc_spans, alloc_children;
	uint32_t alloc_points, alloc_metrics, alloc_tasks, alloc_nodes;
	uint32_t alloc_segments, alloc_rares;
	uint32_t alloc_lines, alloc_problems;
	uint32_t alloc_samples, alloc_calls, alloc_values, alloc_mappings;
	uint32_t alloc_sample_tasks, alloc_task_threads;
	uint32_t alloc_trace_spans, alloc_works;
	uint32_t alloc_spaces, alloc_stacks, alloc_stack_files;
	uint32_t alloc_kernel_functions;
	uint32_t alloc_code_functions, alloc_commands, alloc_objects;
	uint32_t alloc_memory;
};

/* Add a zeroed element to m->KIND and return its index. */
#define tr2_add(m, kind)                                                     \
	((m)->nr_##kind < (m)->priv->alloc_##kind                            \
		 ? (void)0                                                   \
		 : (void)((m)->kind = tr2_grow_array((m)->kind,              \
				(m)->nr_##kind, &(m)->priv->alloc_##kind,    \
				sizeof(*(m)->kind))),                        \
	 memset(&(m)->kind[(m)->nr_##kind], 0, sizeof(*(m)->kind)),          \
	 (m)->nr_##kind++)

/* Return the rarely used members of a session, to be set. */
struct tr2_rare *tr2_rare_add(struct tr2_model *m, uint32_t session);

/* In model/join/join.c, model/join/tree.c: the steps of tr2_model_finish(). */
void tr2_model_join(struct tr2_model *m);

/* In model/join/process_end.c: end open spans at the last event of their
 * session, and determine when and how each process ran and ended, from all
 * sources. */
void tr2_model_end_sessions(struct tr2_model *m);
void tr2_model_ends(struct tr2_model *m);

/* In model/join/join_threads.c: join threads with the kernel's threads, and sum
 * the states of processes. */
void tr2_model_threads(struct tr2_model *m);

/* In model/objects.c: find the threads of observed waits, and sort each
 * thread's waits. */
void tr2_model_objects(struct tr2_model *m);

/* In model/build/trace_span.c: find the threads of works, and sort each
 * thread's works. */
void tr2_model_works(struct tr2_model *m);

/* In model/join/join_samples.c: find the process, thread and region of each
 * sample. */
void tr2_model_samples(struct tr2_model *m);

/* In model/join/spawn.c: compute the cost of starting processes from their
 * times. */
void tr2_model_spawn(struct tr2_model *m);
