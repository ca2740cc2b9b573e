/* SPDX-License-Identifier: MIT */
/* Memory in blocks: number of mappings, freeing, and forked children. */
#include "base/blocks.h"
#include "base/sanitize.h"
#include "tap.h"

#define NR 5000
#define BYTES 8000 /* not a multiple of the page size */

static struct tr2_blocks blocks = { .block_bytes = BYTES, .first = 2 };
static char *block[NR];

static unsigned int count_mappings(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	unsigned int nr = 0;
	int c;

	while (file && (c = getc(file)) != EOF)
		nr += c == '\n';
	if (file)
		fclose(file);
	return nr;
}

/* Map a page between blocks, so that the kernel cannot merge them. */
static void *get(void)
{
	(void)mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return tr2_blocks_get(&blocks);
}

static bool is_zero(const char *p)
{
	return !p[0] && !memcmp(p, p + 1, BYTES - 1);
}

static void fill(unsigned int from, unsigned int to)
{
	for (; from < to; from++) {
		block[from] = get();
		memset(block[from], 'x', BYTES);
	}
}

static void give_back(unsigned int from, unsigned int to)
{
	for (; from < to; from++)
		tr2_blocks_put(&blocks, block[from]);
}

static unsigned int count_resident(void)
{
	unsigned char pages[2];
	unsigned int i, nr = 0;

	for (i = 0; i < NR; i++)
		if (!mincore(block[i], BYTES, pages))
			nr += (pages[0] & 1) + (pages[1] & 1);
	return nr;
}

static void test_reuse(void)
{
	unsigned int i, dirty = 0;

	give_back(0, NR / 2);
	ok(count_resident() <= NR + 16, "what is given back takes no memory");
	for (i = 0; i < NR / 2; i++) {
		block[i] = tr2_blocks_get(&blocks);
		dirty += !is_zero(block[i]);
		memset(block[i], 'x', BYTES);
	}
	is_u64(dirty, 0, "a block that is used again is zero");
}

/* In the child all blocks except two are free; their total is unchanged. */
static int in_child(void)
{
	const void *const kept[] = { block[17], block[NR - 1] };
	unsigned int all = blocks.nr, i, wrong = 0;
	char *p;

	/* Look as if the parent had been interrupted during a change. */
	blocks.nr_used = 12345;
	tr2_blocks_after_fork(&blocks, kept, 2);
	wrong += blocks.nr != all || blocks.nr_used != 2;
	for (i = 2; i < all; i++) {
		p = tr2_blocks_get(&blocks);
		wrong += !is_zero(p) || p == kept[0] || p == kept[1];
	}
	wrong += blocks.nr != all;
	wrong += is_zero(kept[0]) || is_zero(kept[1]);
	return wrong > 100 ? 100 : (int)wrong;
}

static void test_fork(void)
{
	pid_t pid;
	int status;

	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(in_child());
	waitpid(pid, &status, 0);
	is_u64((uint64_t)status, 0,
	       "a forked child has all but those it keeps");
}

int main(void)
{
	unsigned int before = count_mappings(), i, same = 0;

	fill(0, NR);
	for (i = 1; i < NR; i++)
		same += block[i] == block[i - 1];
	is_u64(same, 0, "each is another one");
	/* ThreadSanitizer adds a mapping for each mapping between two
	 * blocks. */
	ok(TR2_TSAN || count_mappings() - before < 2 * 80,
	   "many blocks, few mappings");
	ok(blocks.nr < NR + NR / 8 + 3, "and little unused memory");
	test_reuse();
	test_fork();
	give_back(0, NR);
	is_u64(blocks.nr_used, 0, "none is used");
	ok(blocks.chunks && blocks.nr <= NR / 8 + 1,
	   "one chunk stays for the next thread");
	return done_testing();
}
