/* SPDX-License-Identifier: MIT */
/*
 * trees - collect the lines of each tree of processes until the tree has ended.
 *
 * A tree has ended when all clients that wrote its lines have disconnected. A
 * process that writes datagrams has ended with `atexit`, or when it was silent
 * for long and its pid is gone.
 *
 * Sessions whose SIDs have the same first component are one tree. The memory of
 * one tree is limited: a larger tree is dropped and counted. The memory of all
 * trees together is limited, too: the tree that was silent for longest is
 * dropped and counted.
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
	uint64_t nr_lines; /* number of lines; 0: the client has closed its
			    * connection */
	size_t len;
	char text[];
};

struct tr2_tree_list {
	struct tr2_tree *first, *last;
};

struct tr2_tree {
	struct tr2_tree *next, *prev, *next_in_bucket;
	struct tr2_tree_list *list; /* the list that contains the tree */
	struct tr2_tree_chunk *first, *last;
	size_t bytes; /* size of the chunks */
	uint32_t nr_open; /* number of clients that have not ended */
	int64_t at_ns; /* time of the tree's last line, or of the tree's end */
	size_t nr_root;
	char root[]; /* the first component of the SIDs in the tree's lines */
};

struct tr2_trees_counts {
	uint64_t open;  /* trees that have not ended and were not dropped */
	/* Dropped trees, by cause: one tree was too large, or all trees
	 * together were. */
	uint64_t too_large, memory_full;
	uint64_t lost_lines; /* lines without a SID */
};

#define TR2_TREES_BUCKETS 4096u

struct tr2_tree_member;

struct tr2_trees {
	struct tr2_tree *tree[TR2_TREES_BUCKETS];
	struct tr2_tree_member *member[TR2_TREES_BUCKETS];
	/* Each list is sorted by at_ns. `dropped`: later lines of these trees
	 * are dropped, too. */
	struct tr2_tree_list open, ended, dropped;
	size_t bytes, ended_bytes;
	struct tr2_trees_counts counts;
};

/* Add lines, or the end of a client. The chunk then belongs to `t`. */
void tr2_trees_add(struct tr2_trees *t, struct tr2_tree_chunk *chunk,
		   int64_t now_ns);
/* Find out which processes that wrote datagrams have ended. Call it every few
 * seconds. */
void tr2_trees_look(struct tr2_trees *t, int64_t now_ns);
/* End all trees. */
void tr2_trees_end(struct tr2_trees *t, int64_t now_ns);
/* Take the tree that ended first; NULL: there is none. Free the tree with
 * tr2_tree_free(). */
struct tr2_tree *tr2_trees_take(struct tr2_trees *t);
void tr2_tree_free(struct tr2_tree *tree);
void tr2_trees_release(struct tr2_trees *t);
