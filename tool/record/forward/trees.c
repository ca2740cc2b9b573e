/* SPDX-License-Identifier: MIT */
/* trees - implements forward/trees.h. */
#include "record/forward/trees.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "common/memory.h"
#include "format/events/event_json.h"

#define NS_PER_S 1000000000ll
#define SILENT_NS (30 * NS_PER_S)
#define MAX_ROOT 255
#define DATAGRAM ((uint64_t)1 << 63)

/* A client that wrote lines of this tree and has not ended. A process that
 * writes datagrams counts as a client. */
struct tr2_tree_member {
	struct tr2_tree_member *next;
	uint64_t key;
	struct tr2_tree *tree;
	pid_t pid; /* the pid in a datagram's SID; 0: unknown */
};

/* The SID of a line. */
struct sid {
	const char *root, *own; /* first and last component of the SID */
	size_t nr_root, nr_own;
};

static bool find_sid(struct sid *sid, const char *line, size_t len)
{
	const char *newline = memchr(line, '\n', len), *slash;
	size_t n;

	len = newline ? (size_t)(newline - line) : len;
	if (!tr2_event_json_sid(line, len, &sid->root, &n))
		return false;
	slash = memrchr(sid->root, '/', n);
	sid->own = slash ? slash + 1 : sid->root;
	sid->nr_own = n - (size_t)(sid->own - sid->root);
	slash = memchr(sid->root, '/', n);
	sid->nr_root = slash ? (size_t)(slash - sid->root) : n;
	return sid->nr_root && sid->nr_root <= MAX_ROOT;
}

static void list_remove(struct tr2_tree *tree)
{
	struct tr2_tree_list *list = tree->list;

	*(tree->prev ? &tree->prev->next : &list->first) = tree->next;
	*(tree->next ? &tree->next->prev : &list->last) = tree->prev;
	tree->list = NULL;
}

static void list_append(struct tr2_tree_list *list, struct tr2_tree *tree)
{
	tree->list = list;
	tree->next = NULL;
	tree->prev = list->last;
	*(list->last ? &list->last->next : &list->first) = tree;
	list->last = tree;
}

/* Move a tree to the end of a list, which may be its present list. */
static void move_to(struct tr2_trees *t, struct tr2_tree_list *list,
		    struct tr2_tree *tree)
{
	if (tree->list == &t->ended)
		t->ended_bytes -= tree->bytes;
	t->counts.open -= tree->list == &t->open;
	list_remove(tree);
	list_append(list, tree);
	t->counts.open += list == &t->open;
	if (list == &t->ended)
		t->ended_bytes += tree->bytes;
}

static struct tr2_tree **tree_slot(struct tr2_trees *t, const char *root,
				   size_t len)
{
	struct tr2_tree **at =
		&t->tree[tr2_hash(root, len) % TR2_TREES_BUCKETS];

	while (*at && ((*at)->nr_root != len || memcmp((*at)->root, root, len)))
		at = &(*at)->next_in_bucket;
	return at;
}

static size_t own_bytes(const struct tr2_tree *tree)
{
	return sizeof(*tree) + tree->nr_root;
}

static struct tr2_tree *find_tree(struct tr2_trees *t, const struct sid *sid)
{
	struct tr2_tree **at = tree_slot(t, sid->root, sid->nr_root),
			*tree = *at;

	if (tree)
		return tree;
	tree = tr2_calloc(1, sizeof(*tree) + sid->nr_root);
	memcpy(tree->root, sid->root, sid->nr_root);
	tree->nr_root = sid->nr_root;
	*at = tree;
	t->bytes += own_bytes(tree);
	list_append(&t->open, tree);
	t->counts.open++;
	return tree;
}

static void free_chunks(struct tr2_tree *tree)
{
	struct tr2_tree_chunk *c;

	while ((c = tree->first)) {
		tree->first = c->next;
		free(c);
	}
	tree->last = NULL;
	tree->bytes = 0;
}

/* Remove a tree from the tables; the tree keeps its lines. */
static void detach(struct tr2_trees *t, struct tr2_tree *tree)
{
	struct tr2_tree **at = tree_slot(t, tree->root, tree->nr_root);

	*at = tree->next_in_bucket;
	t->bytes -= own_bytes(tree) + tree->bytes;
	t->counts.open -= tree->list == &t->open;
	if (tree->list == &t->ended)
		t->ended_bytes -= tree->bytes;
	list_remove(tree);
}

void tr2_tree_free(struct tr2_tree *tree)
{
	free_chunks(tree);
	free(tree);
}

static struct tr2_tree_member **member_bucket(struct tr2_trees *t, uint64_t key)
{
	return &t->member[tr2_mix(key, 0) % TR2_TREES_BUCKETS];
}

/* End a tree, since all of its clients have ended. */
static void end_tree(struct tr2_trees *t, struct tr2_tree *tree, int64_t now_ns)
{
	tree->at_ns = now_ns;
	if (tree->list == &t->dropped) {
		detach(t, tree);
		tr2_tree_free(tree);
	} else {
		move_to(t, &t->ended, tree);
	}
}

/* Remove the member *at, and set *at to the next member. */
static void remove_member(struct tr2_trees *t, struct tr2_tree_member **at,
			  int64_t now_ns)
{
	struct tr2_tree_member *m = *at;
	struct tr2_tree *tree = m->tree;

	*at = m->next;
	free(m);
	t->bytes -= sizeof(*m);
	if (!--tree->nr_open)
		end_tree(t, tree, now_ns);
}

static void remove_members(struct tr2_trees *t, uint64_t key, int64_t now_ns)
{
	struct tr2_tree_member **at = member_bucket(t, key);

	while (*at)
		if ((*at)->key == key)
			remove_member(t, at, now_ns);
		else
			at = &(*at)->next;
}

/* Return the pid at the end of a SID: `-P` and eight hexadecimal digits; 0:
 * none. */
static pid_t pid_of(const struct sid *sid)
{
	const char *p = sid->own + sid->nr_own - 10;

	if (sid->nr_own < 10 || p[0] != '-' || p[1] != 'P' ||
	    strspn(p + 2, "0123456789abcdef") != 8)
		return 0;
	return (pid_t)strtoul(p + 2, NULL, 16);
}

static void add_member(struct tr2_trees *t, struct tr2_tree *tree, uint64_t key,
		       const struct sid *sid)
{
	struct tr2_tree_member **at = member_bucket(t, key), *m;

	for (m = *at; m; m = m->next)
		if (m->key == key && m->tree == tree)
			return;
	m = tr2_calloc(1, sizeof(*m));
	m->key = key;
	m->tree = tree;
	m->pid = key & DATAGRAM ? pid_of(sid) : 0;
	m->next = *at;
	*at = m;
	t->bytes += sizeof(*m);
	tree->nr_open++;
}

/* Free a tree's lines. The tree stays in the list `dropped`, so that its later
 * lines are dropped, too. */
static void drop_lines(struct tr2_trees *t, struct tr2_tree *tree,
		       uint64_t *counter)
{
	(*counter)++;
	t->bytes -= tree->bytes;
	free_chunks(tree);
	move_to(t, &t->dropped, tree);
}

static void forget_tree(struct tr2_trees *t, struct tr2_tree *tree)
{
	struct tr2_tree_member **at;
	uint32_t i;

	for (i = 0; i < TR2_TREES_BUCKETS; i++)
		for (at = &t->member[i]; *at;)
			if ((*at)->tree == tree) {
				struct tr2_tree_member *m = *at;

				*at = m->next;
				free(m);
				t->bytes -= sizeof(*m);
			} else {
				at = &(*at)->next;
			}
	detach(t, tree);
	tr2_tree_free(tree);
}

/* Drop trees until memory is below the limit. Memory of ended trees does not
 * count: the caller renders and frees them. */
static void make_room(struct tr2_trees *t)
{
	while (t->bytes - t->ended_bytes > TR2_TREES_BYTES) {
		if (t->open.first)
			drop_lines(t, t->open.first, &t->counts.memory_full);
		else if (t->dropped.first)
			forget_tree(t, t->dropped.first);
		else
			break;
	}
}

static void append_chunk(struct tr2_trees *t, struct tr2_tree *tree,
			 struct tr2_tree_chunk *c)
{
	c->next = NULL;
	*(tree->last ? &tree->last->next : &tree->first) = c;
	tree->last = c;
	tree->bytes += sizeof(*c) + c->len;
	t->bytes += sizeof(*c) + c->len;
}

/* Does the last of these lines end its session? */
static bool ends_session(const char *text, size_t len)
{
	static const char atexit_event[] = "{\"event\":\"atexit\"";
	const char *newline = len ? memrchr(text, '\n', len - 1) : NULL;
	const char *last = newline ? newline + 1 : text;
	size_t left = len - (size_t)(last - text);

	return left >= sizeof(atexit_event) &&
	       !memcmp(last, atexit_event, sizeof(atexit_event) - 1);
}

static void add_lines(struct tr2_trees *t, struct tr2_tree_chunk *c,
		      const struct sid *sid, int64_t now_ns)
{
	uint64_t key = c->client ? c->client :
				   tr2_hash(sid->own, sid->nr_own) | DATAGRAM;
	bool ends = !c->client && ends_session(c->text, c->len);
	struct tr2_tree *tree = find_tree(t, sid);

	add_member(t, tree, key, sid);
	tree->at_ns = now_ns;
	if (tree->list == &t->dropped) {
		move_to(t, &t->dropped, tree);
		free(c);
	} else {
		move_to(t, &t->open, tree);
		append_chunk(t, tree, c);
		if (tree->bytes > TR2_TREE_BYTES)
			drop_lines(t, tree, &t->counts.too_large);
	}
	if (ends)
		remove_members(t, key, now_ns);
	make_room(t);
}

void tr2_trees_add(struct tr2_trees *t, struct tr2_tree_chunk *c,
		   int64_t now_ns)
{
	struct sid sid;

	if (c->nr_lines && find_sid(&sid, c->text, c->len)) {
		add_lines(t, c, &sid, now_ns);
		return;
	}
	if (!c->nr_lines)
		remove_members(t, c->client, now_ns);
	t->counts.lost_lines += c->nr_lines;
	free(c);
}

static bool is_gone(const struct tr2_tree_member *m, int64_t now_ns)
{
	return m->pid > 0 && m->tree->at_ns < now_ns - SILENT_NS &&
	       kill(m->pid, 0) && errno == ESRCH;
}

void tr2_trees_look(struct tr2_trees *t, int64_t now_ns)
{
	struct tr2_tree_member **at;
	uint32_t i;

	for (i = 0; i < TR2_TREES_BUCKETS; i++)
		for (at = &t->member[i]; *at;)
			if (is_gone(*at, now_ns))
				remove_member(t, at, now_ns);
			else
				at = &(*at)->next;
}

void tr2_trees_end(struct tr2_trees *t, int64_t now_ns)
{
	uint32_t i;

	for (i = 0; i < TR2_TREES_BUCKETS; i++)
		while (t->member[i])
			remove_member(t, &t->member[i], now_ns);
}

struct tr2_tree *tr2_trees_take(struct tr2_trees *t)
{
	struct tr2_tree *tree = t->ended.first;

	if (tree)
		detach(t, tree);
	return tree;
}

void tr2_trees_release(struct tr2_trees *t)
{
	struct tr2_tree *tree;

	tr2_trees_end(t, 0);
	while ((tree = tr2_trees_take(t)))
		tr2_tree_free(tree);
}
