/* SPDX-License-Identifier: MIT */
/*
 * Every interleaving of a writer, the signal handlers that interrupt it, and a
 * reader. The writer's source is compiled here with its test points. At each of
 * them:
 *  - a handler may run, which writes a record and has test points, too;
 *  - a handler may jump out of the code that it interrupted;
 *  - a handler may fork, and the child goes on without the parent's memory;
 *  - the reader may take all records.
 * All sequences of such choices are run, up to a number of choices other than
 * "go on"; very many have one choice more only with GIT_TEST_LONG. After each
 * step a reader must see whole records only, each once and in order. At the end
 * each record is read, overwritten or counted as lost.
 */
#define TR2_TESTPOINTS 1
#include "../../lib/ring/ring.c"

#include <setjmp.h>

#include "tap.h"

#define DATA_SIZE 256u /* such small rings wrap every few records */
#define START (UINT64_C(0x100000000) - 512) /* of positions */
#define MAX_RECORDS 64
#define MAX_CHOICES 4096

static struct {
	struct tr2_slot slot;
	char data[DATA_SIZE];
} memory;

static struct tr2_control *const ring = &memory.slot.control;

/* The choices at a test point. */
enum choice {
	GO_ON,
	HANDLER,
	BIG_HANDLER,
	JUMP,
	READ,
	FORK, /* in a handler; the child returns from it */
	BARE_FORK, /* the same without code of the library */
	NR_CHOICES
};

struct scenario {
	const char *name;
	bool consume;
	unsigned int records, size; /* for the writer */
	/* nesting of handlers; number of events in all, and with
	 * GIT_TEST_LONG */
	unsigned int max_depth, few_events, more_events;
	bool may[NR_CHOICES];
};

static const struct scenario *scenario;
static unsigned int max_events;

/* The choices of this run, and the number of options at each place. */
static unsigned char chosen[MAX_CHOICES], options[MAX_CHOICES];
static unsigned int nr_chosen, at_choice;

static struct {
	unsigned int depth, events;
	uint64_t next; /* number of the next record */
	bool complete[MAX_RECORDS]; /* completely written */
	bool given_up[MAX_RECORDS]; /* a handler jumped out of it */
	bool refused[MAX_RECORDS]; /* no room, and counted */
	bool seen[MAX_RECORDS];
	uint64_t told; /* sum of the LOST records that the reader took */
	uint64_t read_to; /* consume mode: the reader's tail */
	bool is_child; /* nobody reads a child's records */
	/* The parent's control page, which a bare child must not change. */
	struct tr2_control parents;
	jmp_buf out[8]; /* by depth */
} run;

static unsigned int nr_wrong;
static const char *wrong;

static void fail(const char *what)
{
	if (!run.is_child && !nr_wrong++)
		wrong = what;
}

struct test_record {
	struct tr2_record head;
	uint64_t number;
	uint64_t fill[];
};

static const struct test_record *record_at(uint64_t at)
{
	return (const void *)(memory.data + (at & (DATA_SIZE - 1)));
}

static void look_at(const struct test_record *record, bool take)
{
	unsigned int i, words = (record->head.size - 16u) / 8;

	if (record->head.type == TR2_RECORD_FILLER)
		return;
	if (record->head.type == TR2_RECORD_LOST) {
		if (record->head.size != 24)
			fail("a LOST record's size");
		if (take)
			run.told += ((const struct tr2_record_lost *)
					     (const void *)record)->lost;
		return;
	}
	if (record->head.type != TR2_RECORD_SAMPLE ||
	    record->number >= run.next) {
		fail("a record that was not written");
		return;
	}
	if (!run.complete[record->number])
		fail("a record that is not complete");
	for (i = 0; i < words; i++)
		if (record->fill[i] != record->number * 1000 + i)
			fail("a torn record");
	if (!take)
		return;
	if (run.seen[record->number])
		fail("a record twice");
	run.seen[record->number] = true;
}

/* Check that all visible records are complete; `take` marks them as read. */
static void look(bool take)
{
	uint64_t head = ring->data_head, at = ring->data_tail;
	const struct test_record *record;

	if (at > head || head - at > DATA_SIZE) {
		fail("head and tail");
		return;
	}
	for (; at < head; at += record->head.size) {
		record = record_at(at);
		if (record->head.size < 8 || record->head.size % 8 ||
		    record->head.size > head - at ||
		    (at & (DATA_SIZE - 1)) + record->head.size > DATA_SIZE) {
			fail("a record's size");
			return;
		}
		look_at(record, take);
	}
	if (take && scenario->consume)
		ring->data_tail = head;
}

/* Check that `written` and `overwritten` count all records before the head and
 * the tail. A handler that jumps away may keep one from being counted. */
static void count_records(void)
{
	uint64_t at = ring->data_tail, nr = ring->overwritten;

	for (; at < ring->data_head; at += record_at(at)->head.size)
		nr += record_at(at)->head.type != TR2_RECORD_FILLER;
	if (nr < ring->written ||
	    (nr > ring->written && !scenario->may[JUMP]))
		fail("a wrong number of records");
}

static unsigned int choose(unsigned int nr)
{
	if (at_choice == MAX_CHOICES) {
		fail("too many choices");
		return 0;
	}
	if (at_choice == nr_chosen)
		chosen[nr_chosen++] = 0;
	options[at_choice] = (unsigned char)nr;
	return chosen[at_choice++];
}

/* Advance to the next sequence of choices; return false after the last. */
static bool next_run(void)
{
	nr_chosen = at_choice;
	while (nr_chosen &&
	       chosen[nr_chosen - 1] + 1u == options[nr_chosen - 1])
		nr_chosen--;
	if (nr_chosen)
		chosen[nr_chosen - 1]++;
	return nr_chosen > 0;
}

static void write_one(unsigned int size);

/* Use marks in frames like those on a stack: a deeper frame is lower. */
static struct {
	struct tr2_call_mark in;
	char rest[0x1000];
} frames[8];

static struct tr2_call_mark *frame(void)
{
	return &frames[7 - run.depth].in;
}

/* Overwrite the frames that were left. */
static void overwrite_frames(void)
{
	unsigned int i;

	for (i = 0; i < 7 - run.depth; i++)
		memset(&frames[i].in, 0xee, sizeof(frames[i].in));
}

/* Run as a signal handler. A handler that interrupts this one may jump to it.
 * */
static void handler(unsigned int size)
{
	const volatile unsigned int depth = run.depth;

	run.depth = depth + 1;
	if (!setjmp(run.out[depth + 1]))
		write_one(size);
	run.depth = depth;
}

/* Do as session/fork.c does. */
static void become_child(void)
{
	run.is_child = true;
	tr2_arena_forget(&memory.slot);
	memset(&memory, 0, sizeof(memory));
}

static void check_parents(void)
{
	run.is_child = false;
	if (ring->data_head != run.parents.data_head ||
	    ring->data_tail != run.parents.data_tail ||
	    ring->reserved != run.parents.reserved ||
	    ring->written != run.parents.written)
		fail("a child moved its parent's positions");
	tr2_fork_guard_set(false);
}

static void notice_fork(void)
{
	check_parents();
	become_child();
}

/*
 * Let the parent end its write, make others, and leave the memory to the child.
 */
static void let_parent_go_on(void)
{
	const unsigned int events = run.events;
	unsigned int i;

	run.is_child = true;
	run.events = UINT32_MAX;
	run.depth++;
	ring->nest_and_inside = 0;
	ring->pending = ring->placed = 0;
	ring->reserved = ring->data_head;
	for (i = 0; i < 12; i++)
		tr2_ring_put(&memory.slot, &(struct tr2_record_lost){
			.head = { TR2_RECORD_LOST, 0,
				  sizeof(struct tr2_record_lost) } });
	run.depth--;
	run.events = events;
	run.parents = *ring;
	/* The kernel does the same. */
	memset((void *)(uintptr_t)tr2_fork_guard, 0, sizeof(*tr2_fork_guard));
}

static bool may(enum choice what)
{
	/* Slow with ThreadSanitizer, which finds nothing here. */
	if (!scenario->may[what] ||
	    run.events + TR2_TSAN >= max_events)
		return false;
	if (what == HANDLER || what == BIG_HANDLER)
		return run.depth < scenario->max_depth;
	if (what == READ || what == FORK || what == BARE_FORK)
		return !run.is_child;
	/* Only a handler jumps, not the writer. */
	return what != JUMP || run.depth > 0;
}

void tr2_testpoint(enum tr2_testpoint at)
{
	enum choice possible[NR_CHOICES] = { GO_ON };
	unsigned int nr = 0, i;

	look(false);
	for (i = 0; i < NR_CHOICES; i++)
		if (i == GO_ON || may(i))
			possible[nr++] = i;
	i = possible[nr > 1 ? choose(nr) : 0];
	run.events += i != GO_ON;
	switch (i) {
	case HANDLER:
		handler(24);
		break;
	case BIG_HANDLER:
		handler(DATA_SIZE / 4);
		break;
	case JUMP:
		run.depth--;
		overwrite_frames();
		longjmp(run.out[run.depth], 1);
	case READ:
		look(true);
		break;
	case FORK:
		become_child();
		break;
	case BARE_FORK:
		let_parent_go_on();
		break;
	default:
		break;
	}
}

static void fill(struct test_record *record, uint64_t number, unsigned int size)
{
	unsigned int i;

	record->head = (struct tr2_record){ TR2_RECORD_SAMPLE, 0,
					    (uint16_t)size };
	record->number = number;
	for (i = 0; i < (size - 16) / 8; i++) {
		record->fill[i] = number * 1000 + i;
		if (!i)
			TR2_TESTPOINT(copied); /* half of it is copied */
	}
}

static void write_one(unsigned int size)
{
	uint64_t number = run.next++;
	struct tr2_ring_write w;

	if (number >= MAX_RECORDS) {
		fail("too many records");
		return;
	}
	run.given_up[number] = true; /* until the record is complete */
	if (!tr2_ring_begin(&w, &memory.slot, size, frame())) {
		run.refused[number] = true;
		run.given_up[number] = false;
		return;
	}
	fill((struct test_record *)(void *)w.p, number, size);
	run.complete[number] = true;
	tr2_ring_end(&w);
	run.given_up[number] = false;
}

static void start(void)
{
	memset(memory.data, 0xee, sizeof(memory.data));
	memset(&memory.slot.control, 0, sizeof(memory.slot.control));
	memset(&run, 0, sizeof(run));
	tr2_arena_rings.data_offset = offsetof(__typeof__(memory), data);
	tr2_arena_rings.data_size = DATA_SIZE;
	tr2_arena_rings.consume = scenario->consume;
	ring->data_size = ring->backed = DATA_SIZE;
	ring->data_head = ring->data_tail = ring->reserved = ring->wake_head =
		ring->room_until = START;
	at_choice = 0;
}

/* Check that each written record was read, or counted. */
static void account(void)
{
	uint64_t lost = 0, missing = 0, given_up = 0, i;

	for (i = 0; i < TR2_LOST_NO_SLOT; i++)
		lost += ring->lost[i];
	for (i = 0; i < run.next; i++) {
		missing += !run.seen[i];
		given_up += run.given_up[i];
		if (run.refused[i] && run.seen[i])
			fail("a record that was refused, and seen");
	}
	/*
	 * A record that a jump abandoned may have been complete and visible, or
	 * not begun. If it was in between, it is counted, with those inside it.
	 */
	if (missing > lost + ring->overwritten + given_up)
		fail("a loss that was not counted");
	if (!given_up && missing != lost + ring->overwritten)
		fail("a loss that was counted and did not happen");
	if (run.told > lost)
		fail("more losses reported than there were");
}

static void run_once(void)
{
	volatile unsigned int i;

	start();
	for (i = 0; i < scenario->records; i++) {
		/* A jump out of a handler ends here. */
		if (!setjmp(run.out[0])) {
			tr2_fork_guard_look(); /* as each call does */
			write_one(scenario->size);
			if (!ring->nest && ring->reserved > ring->data_head)
				fail("a record that stays invisible");
		}
		run.depth = 0;
	}
	run.events = UINT32_MAX; /* no more choices */
	tr2_fork_guard_look();
	if (run.is_child)
		return;
	write_one(scenario->size); /* finds the abandoned record */
	tr2_ring_finish(&memory.slot);
	look(true);
	if (!nr_wrong && !scenario->consume)
		count_records();
	if (ring->nest || ring->reserved > ring->data_head || ring->pending)
		fail("a write that does not end");
	account();
}

static uint64_t explore(const struct scenario *s)
{
	uint64_t nr = 0;

	scenario = s;
	max_events = getenv("GIT_TEST_LONG") ? s->more_events : s->few_events;
	nr_wrong = 0;
	nr_chosen = 0;
	do {
		run_once();
		nr++;
	} while (!nr_wrong && next_run());
	return nr;
}

static const struct scenario scenarios[] = {
	{ "handlers, flight recorder", false, 2, 40, 3, 3, 3,
	  { [HANDLER] = true } },
	{ "large handlers, flight recorder", false, 2, 40, 2, 3, 3,
	  { [BIG_HANDLER] = true, [HANDLER] = true } },
	{ "many records, flight recorder", false, 14, 40, 1, 2, 2,
	  { [HANDLER] = true } },
	{ "handlers and a reader", true, 6, 40, 2, 2, 3,
	  { [HANDLER] = true, [READ] = true } },
	{ "a full ring and a reader", true, 14, 40, 1, 2, 2,
	  { [HANDLER] = true, [READ] = true } },
	{ "handlers that jump, flight recorder", false, 3, 40, 2, 3, 4,
	  { [HANDLER] = true, [JUMP] = true } },
	{ "handlers that jump, and a reader", true, 7, 40, 1, 2, 3,
	  { [HANDLER] = true, [JUMP] = true, [READ] = true } },
	{ "handlers that fork, flight recorder", false, 14, 40, 1, 2, 3,
	  { [HANDLER] = true, [FORK] = true, [BARE_FORK] = true } },
	{ "handlers that fork, and a reader", true, 14, 40, 1, 2, 3,
	  { [HANDLER] = true, [READ] = true, [FORK] = true,
	    [BARE_FORK] = true } },
};

int main(void)
{
	const struct scenario *s;
	char what[160];
	uint64_t nr;

	if (TR2_TSAN) {
		puts("1..0 # SKIP TSan keeps each setjmp, and sees one thread");
		return 0;
	}
	tr2_fork_guard_make(notice_fork);
	for (s = scenarios;
	     s < scenarios + sizeof(scenarios) / sizeof(*scenarios); s++) {
		nr = explore(s);
		snprintf(what, sizeof(what), "%s: %" PRIu64 " interleavings",
			 s->name, nr);
		if (!ok(!nr_wrong, what))
			printf("# %s\n", wrong);
	}
	return done_testing();
}
