/* SPDX-License-Identifier: MIT */
#include "arena/arena.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arena/file.h"
#include "base/blocks.h"
#include "base/check.h"
#include "base/sanitize.h"

__thread struct tr2_slot *tr2_my_slot
	__attribute__((tls_model("initial-exec")));

struct tr2_arena_rings tr2_arena_rings;

/* Slots of a file, of which all else here is zero where there is none. */
static struct {
	size_t stride; /* from one to the next */
	unsigned int nr_used; /* those below are memory */
	struct tr2_slot *at[TR2_MAX_SLOTS]; /* NULL: not memory yet */
	uint8_t in_use[TR2_MAX_SLOTS];
	struct tr2_slot *totals; /* slot 0, or a private one */
} arena;

/* Those in no file. The first two are the totals and a thread's. */
static struct tr2_blocks private_slots = {
	sizeof(struct tr2_slot), 2, 0, 0, NULL
};

static struct tr2_slot *file_pages(unsigned int i)
{
	struct tr2_slot *slot = tr2_file_pages(
		TR2_SLOTS_OFFSET + i * (uint64_t)arena.stride, arena.stride);

	if (!slot)
		tr2_arena_lost(TR2_LOST_NO_SPACE, 1);
	return slot;
}

static void set_versions(struct tr2_slot *slot)
{
	slot->control.version = TR2_LAYOUT_VERSION;
	slot->control.compat_version = TR2_LAYOUT_COMPAT_VERSION;
}

static void set_ring(struct tr2_control *control)
{
	control->mode = tr2_arena_rings.consume ? TR2_RING_CONSUME :
						  TR2_RING_OVERWRITE;
	control->data_offset = tr2_arena_rings.data_offset;
	control->data_size = tr2_arena_rings.data_size;
	control->data_head = control->data_tail = control->reserved =
		control->wake_head = TR2_RING_START;
	control->wakeup_events = tr2_file_header->wakeup_events;
	control->wakeup_watermark = tr2_file_header->wakeup_watermark;
}

static void add(struct tr2_slot *slot)
{
	arena.at[arena.nr_used++] = slot;
	set_ring(&slot->control);
	/* Release: whoever counts the slot finds it ready. */
	__atomic_store_n(&tr2_file_header->nr_slots, arena.nr_used,
			 __ATOMIC_RELEASE);
}

/* Slots become memory in their order, so that the file has no gaps. */
static struct tr2_slot *take(unsigned int i)
{
	struct tr2_slot *slot = arena.at[i];

	if (!slot)
		slot = file_pages(i);
	if (!slot)
		return NULL;
	set_versions(slot);
	if (!arena.at[i]) {
		TR2_CHECK(i == arena.nr_used);
		add(slot);
	}
	arena.in_use[i] = 1;
	return slot;
}

struct tr2_slot *tr2_arena_scratch(void)
{
	struct tr2_slot *slot = tr2_blocks_get(&private_slots);

	if (slot)
		set_versions(slot);
	return slot;
}

static struct tr2_slot *claim_in_file(void)
{
	unsigned int i = 1;

	while (i < TR2_MAX_SLOTS && arena.in_use[i])
		i++;
	/* Not where there was no memory for the one before. */
	return i < TR2_MAX_SLOTS && i <= arena.nr_used ? take(i) : NULL;
}

struct tr2_slot *tr2_arena_claim(void)
{
	struct tr2_slot *slot = NULL;

	tr2_arena_totals();
	if (tr2_file_header)
		slot = claim_in_file();
	return slot ? slot : tr2_arena_scratch();
}

static unsigned int index_of(const struct tr2_slot *slot)
{
	unsigned int i;

	for (i = 0; i < arena.nr_used && arena.at[i] != slot;)
		i++;
	return i;
}

void tr2_arena_free(struct tr2_slot *slot)
{
	unsigned int i;

	if (!slot)
		return;
	i = index_of(slot);
	if (i == arena.nr_used) {
		tr2_blocks_put(&private_slots, slot);
		return;
	}
	TR2_CHECK(arena.in_use[i]);
	arena.in_use[i] = 0;
}

struct tr2_slot *tr2_arena_totals(void)
{
	if (!arena.totals && tr2_file_header)
		arena.totals = take(0);
	if (!arena.totals)
		arena.totals = tr2_arena_scratch();
	return arena.totals;
}

struct tr2_slot *tr2_arena_slot(unsigned int i)
{
	return i < arena.nr_used ? arena.at[i] : NULL;
}

bool tr2_arena_is_used(void)
{
	return arena.totals != NULL;
}

struct tr2_arena_header *tr2_arena_header(void)
{
	return tr2_file_header;
}

void tr2_arena_lost(enum tr2_lost_cause cause, uint64_t nr)
{
	if (tr2_file_header)
		__atomic_fetch_add(&tr2_file_header->lost[cause], nr,
				   __ATOMIC_RELAXED);
}

void tr2_arena_fold_begin(void)
{
	if (!tr2_file_header)
		return;
	__atomic_store_n(&tr2_file_header->fold_lock,
			 tr2_file_header->fold_lock + 1, __ATOMIC_RELAXED);
	/* Pairs with the fence between a watcher's cells and its second look. */
	tr2_fence(__ATOMIC_RELEASE);
}

void tr2_arena_fold_end(void)
{
	if (tr2_file_header)
		__atomic_store_n(&tr2_file_header->fold_lock,
				 tr2_file_header->fold_lock + 1,
				 __ATOMIC_RELEASE);
}

static void write_header(struct tr2_arena_header *h, enum tr2_ring_mode mode)
{
	h->version = TR2_LAYOUT_VERSION;
	h->compat_version = TR2_LAYOUT_COMPAT_VERSION;
	h->byte_order = TR2_ARENA_BYTE_ORDER;
	h->header_size = sizeof(*h);
	h->page_size = (uint32_t)sysconf(_SC_PAGESIZE);
	h->pid = (uint32_t)getpid();
	h->ppid = (uint32_t)getppid();
	h->mode = mode;
	h->clock_mult = 1;
	h->wake_fd = -1;
	h->strings_offset = TR2_STRINGS_OFFSET;
	h->strings_size = TR2_STRINGS_SIZE;
	h->strings_used = 1;
	h->definitions_offset = TR2_DEFINITIONS_OFFSET;
	h->definition_size = sizeof(struct tr2_definition);
	h->max_definitions = TR2_MAX_DEFINITIONS;
	h->max_slots = TR2_MAX_SLOTS;
	h->slots_offset = TR2_SLOTS_OFFSET;
	h->slot_size = arena.stride;
	h->timer_size = sizeof(struct tr2_timer_cell);
	h->counters_offset = offsetof(struct tr2_slot, counter);
	h->timers_offset = offsetof(struct tr2_slot, timer);
	h->histograms_offset = offsetof(struct tr2_slot, histogram);
	h->max_counters = TR2_MAX_COUNTERS;
	h->max_timers = TR2_MAX_TIMERS;
	h->max_histograms = TR2_MAX_HISTOGRAMS;
	h->histogram_size = sizeof(((struct tr2_slot *)NULL)->histogram[0]);
	h->histogram_buckets = TR2_HISTOGRAM_BUCKETS;
	h->data_offset = tr2_arena_rings.data_offset;
	h->data_size = tr2_arena_rings.data_size;
}

static void unmap_slots(void)
{
	unsigned int i;

	for (i = 0; i < arena.nr_used; i++)
		munmap(arena.at[i], arena.stride);
}

static void unmap_file(void)
{
	int saved_errno = errno;

	tr2_file_forget();
	unmap_slots();
	munmap(tr2_file_header, TR2_SLOTS_OFFSET);
	tr2_file_header = NULL;
	memset(&arena, 0, sizeof(arena));
	memset(&tr2_arena_rings, 0, sizeof(tr2_arena_rings));
	errno = saved_errno;
}

bool tr2_arena_map(int fd, uint64_t data_size, enum tr2_ring_mode mode)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	TR2_CHECK(data_size >= TR2_RING_MIN_SIZE &&
		  !(data_size & (data_size - 1)));
	errno = EBUSY;
	if (arena.totals || tr2_file_header || !tr2_file_use(fd))
		return false;
	tr2_file_header = tr2_file_pages(0, TR2_SLOTS_OFFSET);
	if (!tr2_file_header) {
		tr2_file_forget();
		return false;
	}
	arena.stride = (sizeof(struct tr2_slot) + data_size + page - 1) &
		       -page;
	tr2_arena_rings.data_offset = sizeof(struct tr2_slot);
	tr2_arena_rings.data_size = data_size;
	tr2_arena_rings.consume = mode == TR2_RING_CONSUME;
	tr2_define_reset();
	write_header(tr2_file_header, mode);
	/* Without one for the first thread it makes no sense. */
	arena.totals = take(0);
	if (!arena.totals || !take(1)) {
		unmap_file();
		return false;
	}
	arena.in_use[1] = 0;
	return true;
}

void tr2_arena_publish(void)
{
	struct tr2_arena_header *h = tr2_file_header;
	uint64_t magic;

	if (!h)
		return;
	memcpy(&magic, TR2_ARENA_MAGIC, sizeof(magic));
	__atomic_store_n(&h->state, TR2_ARENA_RUNNING, __ATOMIC_RELEASE);
	/* Release: whoever sees it finds the rest. */
	__atomic_store_n((uint64_t *)(void *)h->magic, magic, __ATOMIC_RELEASE);
}

/* Zeros, where the parent's file was. */
static void cover(void *p, size_t size_bytes)
{
	(void)mmap(p, size_bytes, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
		   0);
}

/*
 * A signal handler may have forked in the midst of a write to a ring or a cell,
 * which goes on in this process, too: where the parent's pages were, there is
 * memory that nobody reads.
 */
static void forget_file(void)
{
	unsigned int i;

	cover(tr2_file_header, TR2_SLOTS_OFFSET);
	for (i = 0; i < arena.nr_used; i++)
		cover(arena.at[i], arena.stride);
	tr2_file_forget();
	tr2_file_header = NULL;
	memset(&tr2_arena_rings, 0, sizeof(tr2_arena_rings));
}

void tr2_arena_forget(void)
{
	tr2_my_slot = NULL;
	if (tr2_file_header)
		forget_file();
	memset(&arena, 0, sizeof(arena));
	tr2_blocks_after_fork(&private_slots, NULL, 0);
}
