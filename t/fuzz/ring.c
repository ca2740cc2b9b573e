/* SPDX-License-Identifier: MIT */
/*
 * The file of a ring: a small valid one, with patches from the input, and
 * records that the input contains.
 *
 *	u8	number of patches; each: u16 offset, u8 length, that many bytes
 *	rest	the records of slot 1's ring; of slot 0's after bytes 0xff 0xff
 */
#include "format/ring/ring.h"
#include "format/ring/ring_cells.h"
#include "fuzz.h"

#define STRINGS 512
#define DEFINITIONS 768
#define SLOTS 1024
#define COUNTERS 1024 /* per slot */
#define TIMERS 1088
#define DATA 2048
#define START (UINT64_C(0x100000000) - 512) /* of positions */
#define RING 4096
#define SLOT (DATA + RING)
#define NR_SLOTS 3
#define FILE_SIZE (SLOTS + NR_SLOTS * SLOT)

static const char strings[] = "\0sid-1/sid-2\0app\0work\0items";
enum { SID = 1, APP = 13, WORK = 17, ITEMS = 22 };

static void make_header(struct tr2_arena_header *h)
{
	*h = (struct tr2_arena_header){
		.version = TR2_LAYOUT_VERSION,
		.compat_version = TR2_LAYOUT_COMPAT_VERSION,
		.byte_order = TR2_ARENA_BYTE_ORDER,
		.header_size = sizeof(*h), .page_size = 4096,
		.state = TR2_ARENA_RUNNING, .pid = 4000000, .ppid = 1,
		.start_ns = 1000, .start_wall_ns = 1700000000000000000u,
		.clock_mult = 1, .sid = SID, .wake_fd = -1,
		.strings_offset = STRINGS, .strings_size = 256,
		.strings_used = sizeof(strings),
		.definitions_offset = DEFINITIONS,
		.definition_size = sizeof(struct tr2_definition),
		.max_definitions = 8, .nr_definitions = 2,
		.max_slots = NR_SLOTS,
		.slots_offset = SLOTS, .slot_size = SLOT, .nr_slots = NR_SLOTS,
		.timer_size = sizeof(struct tr2_timer_cell),
		.counters_offset = COUNTERS, .timers_offset = TIMERS,
		.histograms_offset = DATA, .max_counters = 4, .max_timers = 4,
		.data_offset = DATA, .data_size = RING,
	};
	memcpy(h->magic, TR2_ARENA_MAGIC, sizeof(h->magic));
}

static void make_definitions(unsigned char *file)
{
	const struct tr2_definition rows[2] = {
		{ .kind = TR2_DEFINITION_TIMER, .category = APP, .name = WORK },
		{ .kind = TR2_DEFINITION_COUNTER, .category = APP,
		  .name = ITEMS },
	};

	memcpy(file + DEFINITIONS, rows, sizeof(rows));
}

static void make_slot(unsigned char *file, unsigned int slot)
{
	struct tr2_control control = {
		.version = TR2_LAYOUT_VERSION, .state = TR2_SLOT_LIVE,
		.tid = 4000000 + slot, .name = "th01:fuzz",
		.data_offset = DATA, .data_size = RING,
		.data_head = START, .data_tail = START,
	};

	memcpy(file + SLOTS + slot * SLOT, &control, sizeof(control));
}

/* Write bytes to the ring from its first position on; they wrap. */
static void fill_ring(unsigned char *file, unsigned int slot,
		      const unsigned char *p, size_t n)
{
	unsigned char *at = file + SLOTS + slot * SLOT;
	uint64_t head;
	size_t i;

	if (n > RING)
		n = RING;
	for (i = 0; i < n; i++)
		at[DATA + (START + i) % RING] = p[i];
	head = START + n / 8 * 8;
	memcpy(at + offsetof(struct tr2_control, data_head), &head,
	       sizeof(head));
}

static void patch(unsigned char *file, struct fuzz_input *in)
{
	unsigned int nr = fuzz_byte(in), at, n;

	while (nr-- && in->n) {
		at = fuzz_byte(in);
		at |= (unsigned int)fuzz_byte(in) << 8;
		for (n = fuzz_byte(in); n && in->n; n--, at++)
			file[at % FILE_SIZE] = fuzz_byte(in);
	}
}

static const unsigned char *find_border(const struct fuzz_input *in)
{
	size_t i;

	for (i = 0; i + 1 < in->n; i++)
		if (in->p[i] == 0xff && in->p[i + 1] == 0xff)
			return in->p + i;
	return in->p + in->n;
}

static void look_at_cells(int fd)
{
	struct tr2_ring_value values[TR2_MAX_DEFINITIONS];
	struct tr2_ring_file f = { .fd = -1 };

	if (tr2_ring_file_is(fd) &&
	    tr2_ring_file_open(&f, fd) == TR2_RING_IS_GOOD) {
		fuzz_check(f.nr_definitions <= f.header.max_definitions,
			   "%u definitions", f.nr_definitions);
		if (f.nr_definitions <= TR2_MAX_DEFINITIONS)
			tr2_ring_cells_sum(&f, 0, values);
	}
	tr2_ring_file_release(&f);
}

void fuzz_ring(struct fuzz_input *in)
{
	static unsigned char file[FILE_SIZE];
	struct tr2_model *m = tr2_model_new();
	struct tr2_ring_reader *reader =
		tr2_ring_reader_new(m, fuzz_write_event, NULL);
	const unsigned char *border;
	const char *why;
	int fd;

	memset(file, 0, sizeof(file));
	make_header((struct tr2_arena_header *)(void *)file);
	memcpy(file + STRINGS, strings, sizeof(strings));
	make_definitions(file);
	make_slot(file, 0);
	make_slot(file, 1);
	make_slot(file, 2);
	/* Patches of the header precede the records that they affect. */
	patch(file, in);
	border = find_border(in);
	fill_ring(file, 1, in->p, (size_t)(border - in->p));
	if (border + 2 < in->p + in->n)
		fill_ring(file, 0, border + 2,
			  (size_t)(in->p + in->n - border - 2));
	fd = open(fuzz_file(file, sizeof(file)), O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		abort();
	tr2_ring_reader_load(reader, fd, -1, tr2_intern(m, "fuzz", 4), &why);
	look_at_cells(fd);
	close(fd);
	tr2_ring_reader_free(reader);
	tr2_model_finish(m);
	tr2_model_free(m);
}
