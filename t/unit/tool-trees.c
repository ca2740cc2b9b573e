/* SPDX-License-Identifier: MIT */
/*
 * tool-trees - the trees of processes that write datagrams: which of them have
 * ended, when the processes do not say so; and which are dropped when there are
 * too many.
 */
#include "common/memory.h"
#include "record/forward/trees.h"
#include "tap.h"

#define S 1000000000ll
#define NO_PID 0x7fffffff /* more than a kernel has */
#define MANY (getenv("GIT_TEST_LONG") ? 40000 : 8000)

static struct tr2_trees trees;

__attribute__((format(printf, 2, 3))) static void
add_datagram(int64_t now_ns, const char *format, ...)
{
	struct tr2_tree_chunk *c = tr2_calloc(1, sizeof(*c) + 400);
	va_list ap;

	va_start(ap, format);
	c->len = (size_t)vsnprintf(c->text, 400, format, ap);
	va_end(ap);
	c->nr_lines = 1;
	tr2_trees_add(&trees, c, now_ns);
}

static void begin(int64_t now_ns, int nr, pid_t pid)
{
	add_datagram(now_ns, "{\"event\":\"version\",\"sid\":\"%06d-P%08x\"}\n",
		     nr, (unsigned int)pid);
}

/* Return the number of trees that have ended, and take them. */
static int nr_ended(void)
{
	struct tr2_tree *tree;
	int nr = 0;

	for (; (tree = tr2_trees_take(&trees)); nr++)
		tr2_tree_free(tree);
	return nr;
}

static void test_ends(void)
{
	int i;

	begin(0, 1, getpid());
	for (i = 0; i < MANY; i++)
		begin(0, 2 + i, NO_PID);
	begin(20 * S, 2, NO_PID);
	IS(trees.counts.open, MANY + 1, "there are so many trees");
	tr2_trees_look(&trees, 30 * S);
	IS(nr_ended(), 0, "none has been silent for more than 30 seconds");
	tr2_trees_look(&trees, 31 * S);
	IS(nr_ended(), MANY - 1,
	   "silent, and the process is gone: all have ended");
	tr2_trees_look(&trees, 51 * S);
	IS(nr_ended(), 1, "one that wrote once more is silent later");
	IS(trees.counts.open, 1, "that of a running process goes on");
	add_datagram(52 * S, "{\"event\":\"atexit\",\"sid\":\"%06d-P%08x\"}\n",
		     1, (unsigned int)getpid());
	IS(nr_ended(), 1, "until it says that it has ended");
	for (i = 0; i < MANY; i++)
		begin(60 * S, i, getpid());
	tr2_trees_end(&trees, 61 * S);
	IS(nr_ended(), MANY, "in the end all have ended");
	tr2_trees_release(&trees);
}

static void begin_long(int nr)
{
	add_datagram(0, "{\"event\":\"version\",\"sid\":\"%0240d-P%08x\"}\n",
		     nr, (unsigned int)getpid());
}

/*
 * Begin trees until there is no memory for their lines, then until there is
 * none for their names.
 */
static void test_memory(void)
{
	uint64_t dropped;
	int nr = 0;

	do
		begin_long(nr++);
	while (trees.counts.open);
	begin_long(nr++);
	begin_long(nr++);
	dropped = trees.counts.memory_full;
	IS(dropped, nr, "each tree is dropped once");
	ok(trees.bytes <= TR2_TREES_BYTES, "together they have no more memory");
	begin_long(nr - 1);
	IS(trees.counts.memory_full, dropped, "it is known which were dropped");
	begin_long(0);
	IS(trees.counts.memory_full, dropped + 1, "the first is forgotten");
	tr2_trees_end(&trees, 0);
	IS(nr_ended(), 0, "at the end none of them is there");
	IS(trees.bytes, 0, "and no memory is taken");
	tr2_trees_release(&trees);
}

int main(void)
{
	test_ends();
	test_memory();
	return done_testing();
}
