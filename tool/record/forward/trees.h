/* SPDX-License-Identifier: MIT */
/*
 * trees - collect the lines of each tree of processes until the tree has ended:
 * no client is connected any more that wrote for it. Processes that write
 * datagrams have ended with `atexit`, or when they were silent for long and
 * their pid is gone.
 *
 * A tree is what has the same first component in its SIDs. Trees share so many
 * bytes; one may have so many. If that is not enough, the tree that was silent
 * for longest is dropped and counted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TR2_TREES_BYTES (32u << 20)
#define TR2_TREE_BYTES (16u << 20)

/* Whole lines of one client. */
struct tr2_tree_chunk {
	struct tr2_tree_chunk *next;
	uint64_t client; /* 0: a datagram */
	uint64_t nr_lines; /* 0: the client has closed its connection */
	size_t len;
	char text[];
};

struct tr2_tree_list {
	struct tr2_tree *first, *last;
};

struct tr2_tree {
	struct tr2_tree *next, *prev, *next_in_bucket;
	struct tr2_tree_list *list; /* that it is in */
	struct tr2_tree_chunk *first, *last;
	size_t bytes; /* of these */
	uint32_t nr_open; /* clients */
	int64_t at_ns; /* of its last line, or of its end */
	size_t nr_root;
	char root[]; /* the first component of its SIDs */
};

struct tr2_trees_counts {
	uint64_t open;  /* trees that have not ended, and are not dropped */
	/* Trees that were dropped: for their size, and for that of all. */
	uint64_t too_large, memory_full;
	uint64_t lost_lines; /* without a SID */
};

#define TR2_TREES_BUCKETS 4096u

struct tr2_tree_member;

struct tr2_trees {
	struct tr2_tree *tree[TR2_TREES_BUCKETS];
	struct tr2_tree_member *member[TR2_TREES_BUCKETS];
	/* By at_ns. Later lines of dropped ones are dropped, too. */
	struct tr2_tree_list open, ended, dropped;
	size_t bytes, ended_bytes;
	struct tr2_trees_counts counts;
};

/* Add lines, or the end of a client. The chunk is given away. */
void tr2_trees_add(struct tr2_trees *t, struct tr2_tree_chunk *chunk,
		   int64_t now_ns);
/* Find the ends of processes that wrote datagrams; call it every few seconds. */
void tr2_trees_look(struct tr2_trees *t, int64_t now_ns);
/* All trees have ended. */
void tr2_trees_end(struct tr2_trees *t, int64_t now_ns);
/* Take the tree that ended first; its memory is freed by
 * tr2_tree_free(). NULL: none. */
struct tr2_tree *tr2_trees_take(struct tr2_trees *t);
void tr2_tree_free(struct tr2_tree *tree);
void tr2_trees_release(struct tr2_trees *t);
