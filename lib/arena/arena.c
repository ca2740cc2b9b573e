/* SPDX-License-Identifier: MIT */
/* Claim, map and free slots, in private memory or in a file. */
#include "arena/arena.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arena/file.h"
#include "base/blocks.h"
#include "base/check.h"
#include "base/macros.h"
#include "base/sanitize.h"

__thread struct trace2_mine_ trace2_mine_ TR2_TLS_USED;
_Static_assert(TRACE2_INLINE_COUNTERS_ == TR2_MAX_COUNTERS &&
		       TRACE2_INLINE_TIMERS_ == TR2_MAX_TIMERS,
	       "for the inline part");
#define SAME(member)                                                    \
	_Static_assert(offsetof(struct trace2_timer_cell_, member) ==   \
			       offsetof(struct tr2_timer_cell, member), \
		       "")
SAME(lock);
SAME(nest);
SAME(start);
SAME(total_ns);
SAME(min_ns);
SAME(max_ns);
SAME(count);
_Static_assert(sizeof(struct trace2_timer_cell_) ==
		       sizeof(struct tr2_timer_cell),
	       "");

struct tr2_arena_rings tr2_arena_rings;

/* The slots of the file; all members are zero without a file. */
static struct {
	size_t stride;		 /* distance of two slots */
	unsigned int nr_used;	 /* slots below this number have memory */
	struct tr2_slot *totals; /* slot 0 of the file, or a private slot */
	/*
	 * The first cells_backed bytes of each slot have space on the disk, and
	 * so do the first histograms_backed bytes of its histograms.
	 */
	size_t cells_backed, histograms_backed;
	bool gauges_backed;
	/*
	 * The parent had a file: this process has no slots until it has a file
	 * of its own, or finds out that it cannot have one.
	 */
	bool awaits_file;
} arena;

struct file_slots {
	struct tr2_slot *at[TR2_MAX_SLOTS]; /* NULL: no memory yet */
	uint8_t in_use[TR2_MAX_SLOTS];
};
TR2_LARGE struct file_slots tr2_arena_slots;

static struct tr2_arena_owner *owners;

struct tr2_gauge_cell *tr2_gauges;
TR2_LARGE struct tr2_gauge_cell tr2_arena_private_gauges[TR2_MAX_GAUGES];

/* Initial space of a ring. The space doubles whenever it is used up. */
#define FIRST_RING_BYTES 4096u

/* Private slots; the first two are for the totals and for the first thread. */
static struct tr2_blocks private_slots = {
	.block_bytes = sizeof(struct tr2_slot), .first = 2,
};

static uint64_t offset_of(unsigned int i)
{
	return TR2_SLOTS_OFFSET + i * (uint64_t)arena.stride;
}

/* Return `bytes` bytes of a ring rounded up to whole pages, or the size of the
 * ring if it is smaller. */
static uint64_t ring_end(uint64_t bytes)
{
	uint64_t offset = tr2_arena_rings.data_offset;
	uint64_t end = tr2_file_round_up(offset + bytes) - offset;

	return end < tr2_arena_rings.data_size ? end
					       : tr2_arena_rings.data_size;
}

/* Return where histograms begin: at a whole page, which on some machines also
 * holds timers. */
static size_t histograms_begin(void)
{
	size_t begin = offsetof(struct tr2_slot, histogram);

	if (tr2_file_round_up(begin) != begin)
		begin = tr2_file_round_up(begin) - tr2_file_round_up(1);
	return begin < arena.cells_backed ? arena.cells_backed : begin;
}

/* The parts of a slot that get space when the slot is made. */
#define SLOT_PIECES 3
static void set_pieces(struct tr2_file_piece *pieces, unsigned int i)
{
	const size_t begin = histograms_begin(), end = arena.histograms_backed;
	const uint64_t offset = offset_of(i);

	pieces[0] = (struct tr2_file_piece){ offset, arena.cells_backed };
	pieces[1] = (struct tr2_file_piece){ offset + begin,
					     end > begin ? end - begin : 0 };
	pieces[2] =
		(struct tr2_file_piece){ offset + tr2_arena_rings.data_offset,
					 ring_end(FIRST_RING_BYTES) };
}

static struct tr2_slot *file_pages(unsigned int i)
{
	const struct tr2_file_piece slot = { offset_of(i), arena.stride };
	struct tr2_file_piece pieces[SLOT_PIECES];
	struct tr2_slot *pages;

	set_pieces(pieces, i);
	pages = tr2_file_map(&slot, pieces, SLOT_PIECES);
	if (!pages)
		tr2_arena_lost(TR2_LOST_NO_SPACE, 1);
	return pages;
}

static void set_versions(struct tr2_slot *slot)
{
	slot->control.version = TR2_LAYOUT_VERSION;
	slot->control.compat_version = TR2_LAYOUT_COMPAT_VERSION;
}

static void set_ring(struct tr2_control *control)
{
	control->mode =
		tr2_arena_rings.consume ? TR2_RING_CONSUME : TR2_RING_OVERWRITE;
	control->data_offset = tr2_arena_rings.data_offset;
	control->data_size = tr2_arena_rings.data_size;
	control->backed = ring_end(FIRST_RING_BYTES);
	control->data_head = control->data_tail = control->reserved =
		control->wake_head = control->room_until =
			TR2_RING_START(tr2_arena_rings.data_size);
	control->wakeup_events = tr2_file_header->wakeup_events;
	control->wakeup_watermark = tr2_file_header->wakeup_watermark;
}

static void add_slot(struct tr2_slot *slot)
{
	/* Release: owners of rings read the slot's address without the lock. */
	__atomic_store_n(&tr2_arena_slots.at[arena.nr_used], slot,
			 __ATOMIC_RELEASE);
	__atomic_store_n(&arena.nr_used, arena.nr_used + 1, __ATOMIC_RELEASE);
	set_ring(&slot->control);
	/* Release: a reader that counts the slot finds it ready. */
	__atomic_store_n(&tr2_file_header->nr_slots, arena.nr_used,
			 __ATOMIC_RELEASE);
}

/* Slots get memory in order, so that the file has no gaps. */
static struct tr2_slot *take_slot(unsigned int i)
{
	struct tr2_slot *slot = tr2_arena_slots.at[i];

	if (!slot)
		slot = file_pages(i);
	if (!slot)
		return NULL;
	set_versions(slot);
	if (!tr2_arena_slots.at[i]) {
		TR2_CHECK(i == arena.nr_used);
		add_slot(slot);
	}
	tr2_arena_slots.in_use[i] = 1;
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

	while (i < TR2_MAX_SLOTS && tr2_arena_slots.in_use[i])
		i++;
	/* Leave no slot without memory before slot i. */
	return i < TR2_MAX_SLOTS && i <= arena.nr_used ? take_slot(i) : NULL;
}

struct tr2_slot *tr2_arena_claim(void)
{
	struct tr2_slot *slot = NULL;

	if (arena.awaits_file)
		return NULL;
	tr2_arena_totals();
	if (tr2_file_header)
		slot = claim_in_file();
	return slot ? slot : tr2_arena_scratch();
}

#define NO_INDEX TR2_MAX_SLOTS

static unsigned int index_of(const struct tr2_slot *slot)
{
	unsigned int nr = __atomic_load_n(&arena.nr_used, __ATOMIC_ACQUIRE), i;

	for (i = 0; i < nr; i++)
		if (__atomic_load_n(&tr2_arena_slots.at[i], __ATOMIC_RELAXED) ==
		    slot)
			return i;
	return NO_INDEX;
}

void tr2_arena_free(struct tr2_slot *slot)
{
	unsigned int i;

	if (!slot)
		return;
	i = index_of(slot);
	if (i == NO_INDEX) {
		tr2_blocks_put(&private_slots, slot);
		return;
	}
	TR2_CHECK(tr2_arena_slots.in_use[i]);
	tr2_arena_slots.in_use[i] = 0;
}

void tr2_arena_add_owner(struct tr2_arena_owner *owner)
{
	TR2_LIST_ADD(owners, owner);
}

void tr2_arena_remove_owner(struct tr2_arena_owner *owner)
{
	TR2_LIST_REMOVE(owners, owner);
}

void tr2_arena_each(void (*visit)(const struct tr2_slot *slot, void *cookie),
		    void *cookie)
{
	const struct tr2_arena_owner *owner;

	for (owner = owners; owner; owner = owner->next)
		visit(owner->slot, cookie);
}

/*
 * Populate pages without the descriptor, which the host may have closed: the
 * kernel allocates space for mapped pages, too, and reports a failure.
 */
static bool populate(void *p, size_t size_bytes)
{
#ifdef MADV_POPULATE_WRITE
	return !madvise(p, size_bytes, MADV_POPULATE_WRITE);
#else
	(void)p;
	(void)size_bytes;
	return false;
#endif
}

uint64_t tr2_arena_back_ring(struct tr2_slot *slot, uint64_t from,
			     uint64_t bytes)
{
	uint64_t at = tr2_arena_rings.data_offset + from, end = ring_end(bytes);
	unsigned int i = index_of(slot);
	struct tr2_file_piece piece;

	if (i == NO_INDEX || from >= end)
		return from;
	piece.offset = offset_of(i) + at;
	piece.size_bytes = end - from;
	if (tr2_file_back(&piece, 1) ||
	    populate((char *)slot + at, piece.size_bytes))
		return end;
	return from;
}

/* Get space for cells in all slots. Existing contents stay. */
static bool back_cells(size_t from, size_t to)
{
	struct tr2_file_piece piece = { .size_bytes = to - from };
	unsigned int i;

	for (i = 0; to > from && i < arena.nr_used; i++) {
		piece.offset = offset_of(i) + from;
		if (!tr2_file_back(&piece, 1) &&
		    !populate((char *)tr2_arena_slots.at[i] + from, to - from))
			return false;
	}
	return true;
}

static bool back_counters_and_timers(const struct tr2_arena_cells *nr)
{
	size_t end = tr2_file_round_up(
		nr->timers ? offsetof(struct tr2_slot, timer[nr->timers])
			   : offsetof(struct tr2_slot, counter[nr->counters]));

	if (arena.histograms_backed && end > histograms_begin())
		end = histograms_begin();
	if (!back_cells(arena.cells_backed, end))
		return false;
	if (end > arena.cells_backed)
		arena.cells_backed = end;
	return true;
}

static bool back_histograms(unsigned int nr)
{
	size_t begin = histograms_begin(), end;

	end = tr2_file_round_up(offsetof(struct tr2_slot, histogram[nr]));
	if (begin < arena.histograms_backed)
		begin = arena.histograms_backed;
	if (!back_cells(begin, end))
		return false;
	if (end > arena.histograms_backed)
		arena.histograms_backed = end;
	return true;
}

static const struct tr2_file_piece gauges_piece = {
	TR2_GAUGES_OFFSET, TR2_SLOTS_OFFSET - TR2_GAUGES_OFFSET
};

/* Get space for all gauges at once: two pages. Before there is a file, only set
 * gauges_backed: map_first() then gets the space. */
static bool back_gauges(void)
{
	if (!arena.gauges_backed && tr2_file_header &&
	    !tr2_file_back(&gauges_piece, 1) &&
	    !populate((char *)tr2_file_header + gauges_piece.offset,
		      gauges_piece.size_bytes))
		return false;
	arena.gauges_backed = true;
	return true;
}

bool tr2_arena_back_cells(const struct tr2_arena_cells *nr)
{
	return back_counters_and_timers(nr) &&
	       (!nr->histograms || back_histograms(nr->histograms)) &&
	       (!nr->gauges || back_gauges());
}

struct tr2_gauge_cell *tr2_arena_gauges(void)
{
	struct tr2_gauge_cell *gauges = tr2_arena_private_gauges;

	if (tr2_file_header)
		gauges = (void *)((char *)tr2_file_header + TR2_GAUGES_OFFSET);
	__atomic_store_n(&tr2_gauges, gauges, __ATOMIC_RELAXED);
	return gauges;
}

struct tr2_slot *tr2_arena_totals(void)
{
	struct tr2_slot *totals = arena.totals;

	if (totals || arena.awaits_file)
		return totals;
	if (tr2_file_header)
		totals = take_slot(0);
	if (!totals)
		totals = tr2_arena_scratch();
	/* Store atomically: another thread may look at `totals` without the
	 * lock. */
	__atomic_store_n(&arena.totals, totals, __ATOMIC_RELAXED);
	return totals;
}

struct tr2_slot *tr2_arena_slot(unsigned int i)
{
	return i < arena.nr_used ? tr2_arena_slots.at[i] : NULL;
}

static bool any_gauge_is_set(void)
{
	const struct tr2_gauge_cell *gauges =
		__atomic_load_n(&tr2_gauges, __ATOMIC_RELAXED);
	unsigned int i = 0;

	while (gauges && i < TR2_MAX_GAUGES &&
	       !(__atomic_load_n(&gauges[i].high, __ATOMIC_RELAXED) |
		 __atomic_load_n(&gauges[i].low, __ATOMIC_RELAXED)))
		i++;
	return gauges && i < TR2_MAX_GAUGES;
}

bool tr2_arena_is_used(void)
{
	return __atomic_load_n(&arena.totals, __ATOMIC_RELAXED) != NULL ||
	       any_gauge_is_set();
}

struct tr2_arena_header *tr2_arena_header(void)
{
	return tr2_file_header;
}

void tr2_arena_fold_begin(void)
{
	if (!tr2_file_header)
		return;
	__atomic_store_n(&tr2_file_header->fold_lock,
			 tr2_file_header->fold_lock + 1, __ATOMIC_RELAXED);
	/* Pairs with a watcher's fence, which lies between its reads of cells
	 * and its second read of fold_lock. */
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
	h->mode = mode;
	h->clock_mult = 1;
	h->wake_fd = -1;
	h->strings_offset = TR2_STRINGS_OFFSET;
	h->strings_size = TR2_STRINGS_SIZE;
	h->strings_used = 1;
	h->definitions_offset = TR2_DEFINITIONS_OFFSET;
	h->gauges_offset = TR2_GAUGES_OFFSET;
	h->max_gauges = TR2_MAX_GAUGES;
	h->gauge_size = sizeof(struct tr2_gauge_cell);
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

static void forget_rings(void)
{
	tr2_gauges = NULL;
	tr2_file_forget();
	tr2_file_header = NULL;
	memset(&tr2_arena_rings, 0, sizeof(tr2_arena_rings));
	if (arena.nr_used)
		memset(&tr2_arena_slots, 0, sizeof(tr2_arena_slots));
	memset(&arena, 0, sizeof(arena));
}

/* The slots of the process and of its first thread, mapped with the header. */
#define FIRST_SLOTS 2

static void *map_first(void)
{
	const struct tr2_file_piece part = { 0, offset_of(FIRST_SLOTS) };
	const size_t first_bytes = tr2_file_round_up(TR2_DEFINE_FIRST_BYTES);
	const bool has_cells =
		arena.cells_backed > offsetof(struct tr2_slot, counter) ||
		arena.gauges_backed;
	struct tr2_file_piece pieces[2 + FIRST_SLOTS * SLOT_PIECES] = {
		{ 0, tr2_file_round_up(TR2_STRINGS_OFFSET + first_bytes) },
		{ TR2_DEFINITIONS_OFFSET, has_cells ? first_bytes : 0 },
	};
	unsigned int i;

	tr2_define_reset(has_cells);
	for (i = 0; i < FIRST_SLOTS; i++)
		set_pieces(&pieces[2 + i * SLOT_PIECES], i);
	/* Slot 0 lies after the gauges. */
	if (arena.gauges_backed) {
		pieces[2].offset -= gauges_piece.size_bytes;
		pieces[2].size_bytes += gauges_piece.size_bytes;
	}
	return tr2_file_map(&part, pieces, ARRAY_SIZE(pieces));
}

static void add_first_slots(void)
{
	struct tr2_slot *slot;
	unsigned int i;

	for (i = 0; i < FIRST_SLOTS; i++) {
		slot = (void *)((char *)tr2_file_header + offset_of(i));
		set_versions(slot);
		add_slot(slot);
	}
	arena.totals = tr2_arena_slots.at[0];
	tr2_arena_slots.in_use[0] = 1;
}

bool tr2_arena_map(int fd, uint64_t data_size, enum tr2_ring_mode mode)
{
	TR2_CHECK(data_size >= TR2_RING_MIN_SIZE &&
		  !(data_size & (data_size - 1)));
	errno = EBUSY;
	if (arena.totals || tr2_file_header || !tr2_file_use(fd))
		return false;
	tr2_arena_back_cells(&(struct tr2_arena_cells){ .counters = 0 });
	tr2_arena_rings.data_offset =
		tr2_file_round_up(sizeof(struct tr2_slot));
	arena.stride =
		tr2_file_round_up(tr2_arena_rings.data_offset + data_size);
	tr2_arena_rings.data_size = data_size;
	tr2_arena_rings.consume = mode == TR2_RING_CONSUME;
	arena.awaits_file = false;
	tr2_file_header = map_first();
	if (!tr2_file_header) {
		forget_rings();
		return false;
	}
	write_header(tr2_file_header, mode);
	add_first_slots();
	return true;
}

void tr2_arena_release(void)
{
	unsigned int i;

	for (i = 0; i < arena.nr_used; i++)
		munmap(tr2_arena_slots.at[i], arena.stride);
	if (tr2_file_header)
		munmap(tr2_file_header, TR2_SLOTS_OFFSET);
	forget_rings();
	tr2_blocks_release(&private_slots);
}

void tr2_arena_publish(void)
{
	struct tr2_arena_header *h = tr2_file_header;
	uint64_t magic;

	if (!h)
		return;
	memcpy(&magic, TR2_ARENA_MAGIC, sizeof(magic));
	__atomic_store_n(&h->state, TR2_ARENA_RUNNING, __ATOMIC_RELEASE);
	/* Release: a reader that sees the magic finds the rest. */
	__atomic_store_n((uint64_t *)(void *)h->magic, magic, __ATOMIC_RELEASE);
}

/*
 * Memory in place of parts of a parent's file. If a signal handler interrupted
 * a write to a ring or a cell, and forked, the child continues the write. The
 * write ends when the handler returns, perhaps in a child of this child. So
 * keep this memory for a few generations. Keeping it for all generations would
 * leave less memory to each generation.
 */
#define KEPT_GENERATIONS 4
#define MAX_COVERS 2 /* parts to cover: the first mapping, and the thread's
		      * slot */
static struct {
	struct { void *p; size_t size_bytes; } cover[MAX_COVERS];
	unsigned int nr;
} kept[KEPT_GENERATIONS];

static void unmap_oldest(void)
{
	unsigned int i;

	for (i = 0; i < kept[KEPT_GENERATIONS - 1].nr; i++)
		munmap(kept[KEPT_GENERATIONS - 1].cover[i].p,
		       kept[KEPT_GENERATIONS - 1].cover[i].size_bytes);
	memmove(&kept[1], &kept[0], sizeof(kept) - sizeof(*kept));
	kept[0].nr = 0;
}

/* Map shared memory: it does not count against RLIMIT_DATA. It does not count
 * against RLIMIT_AS either, because it replaces the file's mapping. */
static bool map_zeros(void *p, size_t size_bytes)
{
	return mmap(p, size_bytes, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
		    0) != MAP_FAILED;
}

static void cover_pages(void *p, size_t size_bytes)
{
	/* If no mapping is free, unmap the file's mapping first. */
	if (!map_zeros(p, size_bytes) && errno == ENOMEM &&
	    !munmap(p, size_bytes))
		(void)map_zeros(p, size_bytes);
	if (kept[0].nr == MAX_COVERS)
		/* cover_pages() gets more parts than MAX_COVERS only if the
		 * thread is not known. Keep the memory of the further parts
		 * for good: this happens once in a process's life. */
		return;
	kept[0].cover[kept[0].nr].p = p;
	kept[0].cover[kept[0].nr++].size_bytes = size_bytes;
}

/* Unmap the parent's file, and put memory in place of the parts that an
 * interrupted write may use. Unmap only whole mappings: splitting one fails if
 * the process has all its mappings in use. */
static void leave_file(const struct tr2_slot *mine)
{
	struct tr2_slot *slot;
	unsigned int i;

	unmap_oldest();
	cover_pages(tr2_file_header, offset_of(FIRST_SLOTS));
	for (i = FIRST_SLOTS; i < arena.nr_used; i++) {
		slot = tr2_arena_slots.at[i];
		if (!mine || slot == mine)
			cover_pages(slot, arena.stride);
		else
			munmap(slot, arena.stride);
	}
}

void tr2_arena_await_no_file(void)
{
	arena.awaits_file = false;
}

void tr2_arena_forget(const struct tr2_slot *mine)
{
	const struct tr2_arena_rings rings = tr2_arena_rings;
	const bool had_file = tr2_file_header || arena.awaits_file;

	tr2_arena_set_mine(NULL);
	owners = NULL;
	if (tr2_file_header)
		leave_file(mine);
	if (tr2_gauges == tr2_arena_private_gauges)
		memset(tr2_gauges, 0, sizeof(tr2_arena_private_gauges));
	forget_rings();
	/* Restore the values of the rings, which an interrupted write uses. */
	tr2_arena_rings = rings;
	arena.awaits_file = had_file;
	tr2_blocks_after_fork(&private_slots, NULL, 0);
}
