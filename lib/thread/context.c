/* SPDX-License-Identifier: MIT */
/* Make and free contexts, and give back memory that long lines needed. */
#include "thread/context.h"

#include "base/blocks.h"
#include "thread/stream.h"

#define PAGE_BYTES 4096u
/* The largest size of the heads. An id grows to at most three times its size,
 * if all its bytes are invalid. The thread's name, which is in the heads twice,
 * grows to at most six times its size. The rest is the text around both. */
#define HEAD_ROOM(sid_bytes) \
	(3 * (sid_bytes) + 12 * TR2_THREAD_NAME_MAX + 128 + TR2_PUT_BLOCK)

/* The most freed contexts that keep their pages for the next threads. */
#define MAX_WARM 8
/* KEPT_BYTES: a larger buffer shrinks at once. KEPT_CALLS: smaller buffers
 * shrink when this many calls in a row have needed none of them. */
#define KEPT_BYTES (128u * 1024u)
#define KEPT_CALLS 32

/* The memory of a thread. Pages after the first one get memory when they are
 * used. */
struct memory {
	union {
		struct tr2_thread thread;
		char page[PAGE_BYTES];
	};
	char line[TR2_CONTEXT_BUF_BYTES];
	char message[TR2_CONTEXT_BUF_BYTES];
	char redacted[TR2_CONTEXT_BUF_BYTES];
	char kept_json[TR2_KEPT_BYTES];
	char kept_perf[TR2_KEPT_BYTES];
	struct tr2_region regions[TR2_FIRST_REGIONS];
};

/* The heads lie after the struct tr2_thread, in the same page. */
#define HEAD_BYTES (PAGE_BYTES - sizeof(struct tr2_thread))
_Static_assert(HEAD_BYTES >= HEAD_ROOM(512), "the usual ids have room");

static struct tr2_blocks blocks = {
	.block_bytes = sizeof(struct memory), .first = 4,
};
static struct tr2_thread *warm;
static unsigned int nr_warm;

bool tr2_context_make_head_room(struct tr2_thread *thread)
{
	tr2_buf_reset(&thread->head);
	return tr2_buf_room(&thread->head, HEAD_ROOM(tr2_stream.sid_room));
}

static void init_memory(struct memory *memory)
{
	struct tr2_thread *thread = &memory->thread;

	tr2_buf_init_home(&thread->head,
			  memory->page + sizeof(struct tr2_thread), HEAD_BYTES);
	tr2_buf_init_home(&thread->render.line, memory->line,
			  sizeof(memory->line));
	tr2_buf_init_home(&thread->render.redacted, memory->redacted,
			  sizeof(memory->redacted));
	tr2_buf_init_home(&thread->message, memory->message,
			  sizeof(memory->message));
	thread->kept_json.p = memory->kept_json;
	thread->kept_perf.p = memory->kept_perf;
	tr2_regions_init(&thread->regions, memory->regions);
}

struct tr2_thread *tr2_context_get(void)
{
	struct tr2_thread *thread = warm;
	struct memory *memory;

	if (thread) {
		warm = thread->next;
		nr_warm--;
	} else {
		memory = tr2_blocks_get(&blocks);
		if (!memory)
			return NULL;
		init_memory(memory);
		thread = &memory->thread;
	}
	if (tr2_context_make_head_room(thread))
		return thread;
	tr2_context_put(thread);
	return NULL;
}

static void release_buffers(struct tr2_thread *thread)
{
	tr2_buf_release(&thread->render.line);
	tr2_buf_release(&thread->render.redacted);
	tr2_buf_release(&thread->message);
}

void tr2_context_put(struct tr2_thread *thread)
{
	release_buffers(thread);
	tr2_buf_release(&thread->head);
	tr2_kept_forget(&thread->kept_json);
	tr2_kept_forget(&thread->kept_perf);
	tr2_regions_release(&thread->regions);
	if (nr_warm == MAX_WARM) {
		tr2_blocks_put(&blocks, thread);
		return;
	}
	thread->next = warm;
	warm = thread;
	nr_warm++;
}

void tr2_context_release(void)
{
	warm = NULL;
	nr_warm = 0;
	tr2_blocks_release(&blocks);
}

void tr2_context_after_fork(const struct tr2_thread *self,
			    const struct tr2_thread *main_thread)
{
	const struct tr2_thread *aside = self ? self->aside : NULL;
	const void *kept[2 + TR2_MAX_ASIDE] = { self, main_thread };
	size_t nr;

	for (nr = 2; aside && nr < 2 + TR2_MAX_ASIDE; aside = aside->aside)
		kept[nr++] = aside;
	warm = NULL;
	nr_warm = 0;
	tr2_blocks_after_fork(&blocks, kept, nr);
}

void tr2_context_keep_all(void)
{
	warm = NULL;
	nr_warm = 0;
	tr2_blocks_forget(&blocks);
}

/* Return whether the call needed more than the buffer's home. */
static bool was_needed(struct tr2_buf *b)
{
	bool needed = b->len >= b->home_bytes;

	/* Empty the buffer: otherwise a later call that does not use the buffer
	 * would count as one that needed it. */
	b->len = 0;
	if (b->alloc > KEPT_BYTES)
		tr2_buf_release(b);
	return needed;
}

void tr2_context_shrink_slow(struct tr2_thread *thread)
{
	bool needed = was_needed(&thread->render.line);

	needed |= was_needed(&thread->render.redacted);
	needed |= was_needed(&thread->message);
	if (needed)
		thread->calls_without = 0;
	else if (++thread->calls_without >= KEPT_CALLS)
		release_buffers(thread);
}
