/* SPDX-License-Identifier: MIT */
/* A list of the children that have not ended, under the process's lock. */
#include "part/children.h"

#include "base/blocks.h"
#include "base/lock.h"
#include "base/macros.h"
#include "part/part.h"

struct child {
	uint64_t start_ns;
	int id;
	bool is_open;
};

/* A page of memory. */
static struct page {
	struct page *next;
	struct child child[255];
} *pages;

static struct tr2_blocks blocks = {
	.block_bytes = sizeof(struct page), .first = 1,
};

/* Return the open child, or with is_open false an unused place. NULL: there is
 * none. */
static struct child *find(bool is_open, int id)
{
	struct page *page;
	struct child *child;
	size_t i;

	for (page = pages; page; page = page->next)
		for (i = 0; i < ARRAY_SIZE(page->child); i++) {
			child = &page->child[i];
			if (child->is_open == is_open &&
			    (!is_open || child->id == id))
				return child;
		}
	return NULL;
}

static struct child *add_page(void)
{
	struct page *page = tr2_blocks_get(&blocks);

	if (!page)
		return NULL;
	page->next = pages;
	pages = page;
	return &page->child[0];
}

bool tr2_children_add(int id, uint64_t start_ns)
{
	struct child *child;

	tr2_lock();
	child = find(false, id);
	if (!child)
		child = add_page();
	if (child)
		*child = (struct child){ start_ns, id, true };
	tr2_unlock();
	return child;
}

bool tr2_children_take(int id, uint64_t *start_ns)
{
	struct child *child;

	tr2_lock();
	child = find(true, id);
	if (child) {
		*start_ns = child->start_ns;
		child->is_open = false;
	}
	tr2_unlock();
	return child;
}

static void forked(void)
{
	pages = NULL;
	tr2_blocks_after_fork(&blocks, NULL, 0);
}

static void release(void)
{
	pages = NULL;
	tr2_blocks_release(&blocks);
}

const struct tr2_part tr2_part_children = {
	.forked = forked,
	.release = release,
};
