/* SPDX-License-Identifier: MIT */
/* Lists of the children that have not ended, under the process's lock. */
#include <string.h>

#include "base/blocks.h"
#include "base/lock.h"
#include "base/macros.h"
#include "part/part.h"

struct child {
	struct child *next;
	uint64_t start_ns;
	int id;
};

/* A page of children, as a block of blocks.h. */
struct page {
	struct child child[170];
};

static struct tr2_blocks blocks = {
	.block_bytes = sizeof(struct page), .first = 1,
};

/* Running children, by their ids: a program may have many. */
TR2_LARGE struct child *tr2_children_open[1024];
static struct child *unused;

static struct child **list_of(int id)
{
	return &tr2_children_open[(unsigned int)id %
				  ARRAY_SIZE(tr2_children_open)];
}

/* Return the link to the child, or to the end of its list. */
static struct child **find_child(int id)
{
	struct child **at = list_of(id);

	while (*at && (*at)->id != id)
		at = &(*at)->next;
	return at;
}

static void push_child(struct child **list, struct child *child)
{
	child->next = *list;
	*list = child;
}

static struct child *pop(struct child **list)
{
	struct child *child = *list;

	if (child)
		*list = child->next;
	return child;
}

static void add_page(void)
{
	struct page *page = tr2_blocks_get(&blocks);
	size_t i;

	for (i = 0; page && i < ARRAY_SIZE(page->child); i++)
		push_child(&unused, &page->child[i]);
}

bool tr2_children_add(int id, uint64_t start_ns)
{
	struct child *child;

	tr2_lock();
	if (!unused)
		add_page();
	child = pop(&unused);
	if (child) {
		child->id = id;
		child->start_ns = start_ns;
		push_child(list_of(id), child);
	}
	tr2_unlock();
	return child;
}

bool tr2_children_take(int id, uint64_t *start_ns)
{
	struct child *child;

	tr2_lock();
	child = pop(find_child(id));
	if (child) {
		*start_ns = child->start_ns;
		push_child(&unused, child);
	}
	tr2_unlock();
	return child;
}

static void forget_children(void)
{
	if (blocks.nr) /* without blocks, the table was never touched */
		memset(tr2_children_open, 0, sizeof(tr2_children_open));
	unused = NULL;
}

static void children_after_fork(void)
{
	forget_children();
	tr2_blocks_after_fork(&blocks, NULL, 0);
}

static void release_children(void)
{
	forget_children();
	tr2_blocks_release(&blocks);
}

const struct tr2_part tr2_part_children = {
	.forked = children_after_fork,
	.release = release_children,
};
