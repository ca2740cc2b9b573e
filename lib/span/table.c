/* SPDX-License-Identifier: MIT */
/* Make, hold and free open spans. */
#include "span/table.h"

#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "base/barrier.h"
#include "base/clock.h"
#include "base/macros.h"
#include "base/raw.h"
#include "base/sanitize.h"
#include "base/sha1.h"

#define FREE 0u
#define MAKING 1u
#define HELD TR2_SPAN_HELD

/* The number of times that a call looks at a span that another thread is
 * changing: some 10 us. */
#define MAX_LOOKS 300

/* While the table is full, only every 64th call searches it. */
#define FULL_CALLS 64

struct tr2_session_trace tr2_session_trace;

struct tr2_span_table *tr2_span_table;
static bool no_memory;
/* 1 + the number of calls since a search found no free entry; 0: the next call
 * searches. */
static uint32_t full;
uint32_t tr2_span_nr_forks;
static uint64_t misuses[TR2_SPAN_MISUSES];

__thread uint32_t tr2_tls_span_hint TR2_TLS_USED;
static uint32_t nr_hints;

static uint64_t seed[3];
static uint32_t is_seeded;

void tr2_span_count(enum tr2_span_misuse misuse)
{
	__atomic_fetch_add(&misuses[misuse], 1, __ATOMIC_RELAXED);
}

uint64_t tr2_span_take_count(enum tr2_span_misuse misuse)
{
	return __atomic_exchange_n(&misuses[misuse], 0, __ATOMIC_RELAXED);
}

/*
 * Make the seed from the random bytes that the kernel gave the program at its
 * start. The only system call is one that every sandbox with the library
 * permits. Ids reveal nothing about the random bytes. If several threads make
 * the seed at once, any of the results will do.
 */
static __attribute__((noinline)) void make_seed(void)
{
	struct {
		uint64_t random[2], tid, time_ns, nr;
	} from = { .tid = tr2_raw_gettid(),
		   .time_ns = tr2_clock_now_ns() };
	uintptr_t at_random = getauxval(AT_RANDOM);
	uint8_t digest[20];
	uint64_t word;

	if (at_random)
		memcpy(from.random, (const void *)at_random,
		       sizeof(from.random));
	for (; from.nr < ARRAY_SIZE(seed); from.nr++) {
		tr2_sha1(&from, sizeof(from), digest);
		memcpy(&word, digest, sizeof(word));
		__atomic_store_n(&seed[from.nr], word, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&is_seeded, 1, __ATOMIC_RELEASE);
}

static inline uint64_t seed_at(unsigned int i)
{
	return __atomic_load_n(&seed[i], __ATOMIC_RELAXED);
}

static inline void need_seed(void)
{
	if (unlikely(!__atomic_load_n(&is_seeded, __ATOMIC_ACQUIRE)))
		make_seed();
}

uint64_t tr2_span_random(void)
{
	static uint64_t nr;
	uint64_t id;

	need_seed();
	id = tr2_mix64(__atomic_add_fetch(&nr, 1, __ATOMIC_RELAXED) +
		     seed_at(1)) ^ seed_at(2);
	return id ? id : 1;
}

/* Map memory without reserving it: pages exist once they are used. NULL: no
 * memory. */
static void *map_bytes(size_t bytes)
{
	int saved_errno = errno;
	void *made = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	errno = saved_errno;
	return made == MAP_FAILED ? NULL : made;
}

static __attribute__((noinline)) struct tr2_span_table *map_table(void)
{
	struct tr2_span_table *found = NULL, *made;

	if (__atomic_load_n(&no_memory, __ATOMIC_RELAXED))
		return NULL;
	made = map_bytes(sizeof(*made));
	if (!made) {
		__atomic_store_n(&no_memory, true, __ATOMIC_RELAXED);
		return NULL;
	}
	/* Release: pairs with the acquire of tr2_span_the_table(). */
	if (__atomic_compare_exchange_n(&tr2_span_table, &found, made, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return made;
	munmap(made, sizeof(*made));
	return found;
}

#define PIECE_BYTES (TR2_SPANS_PIECE * sizeof(struct tr2_open_span))

/* Map a piece of the table. false: no memory. */
static __attribute__((noinline)) bool map_piece(struct tr2_open_span **piece)
{
	struct tr2_open_span *found = NULL, *made = map_bytes(PIECE_BYTES);

	if (!made)
		return false;
	/* Release: pairs with the acquire of tr2_span_at(). */
	if (!__atomic_compare_exchange_n(piece, &found, made, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		munmap(made, PIECE_BYTES);
	return true;
}

/* Let threads begin in different places, so that they seldom meet. */
static __attribute__((noinline)) void make_hint(void)
{
	tr2_span_hint = __atomic_fetch_add(&nr_hints, 1, __ATOMIC_RELAXED) *
				(TR2_SPANS_MAX / 64 + 1) + 1;
}

/* In a forked child whose table is full, claim the entry of a span of the
 * parent's. */
static __attribute__((noinline)) uint32_t
claim_of_parent(struct tr2_span_table *t)
{
	uint64_t state;
	uint32_t at;

	for (at = 0; at < TR2_SPANS_MAX; at++) {
		/* Acquire: the `process` that is read next belongs to this
		 * state. */
		state = __atomic_load_n(&t->state[at], __ATOMIC_ACQUIRE);
		if (state > MAKING &&
		    __atomic_load_n(&tr2_span_at(t, at)->process,
				    __ATOMIC_RELAXED) != tr2_span_nr_forks &&
		    tr2_span_swap(&t->state[at], state, MAKING))
			return at;
	}
	return TR2_SPANS_MAX;
}

static inline struct tr2_open_span *piece_of(const struct tr2_span_table *t,
					     uint32_t at)
{
	return __atomic_load_n(&t->piece[at / TR2_SPANS_PIECE],
			       __ATOMIC_RELAXED);
}

/* Return whether the entry has memory; map its piece if needed. After a piece
 * could not be mapped, the search maps no more pieces. */
static inline bool has_piece(struct tr2_span_table *t, uint32_t at,
			     bool *has_memory)
{
	if (likely(piece_of(t, at) != NULL))
		return true;
	*has_memory = *has_memory && map_piece(&t->piece[at / TR2_SPANS_PIECE]);
	return *has_memory;
}

/* Claim a free entry, and return its number; TR2_SPANS_MAX: no free entry. */
static inline uint32_t claim(struct tr2_span_table *t)
{
	uint32_t TR2_TLS_SEGMENT *hint = TR2_TLS_AT(tr2_tls_span_hint);
	bool has_memory = true;
	uint32_t i, at;

	if (unlikely(!*hint))
		make_hint();
	if (unlikely(__atomic_load_n(&full, __ATOMIC_RELAXED)) &&
	    __atomic_add_fetch(&full, 1, __ATOMIC_RELAXED) % FULL_CALLS)
		return TR2_SPANS_MAX;
	for (i = 0; i < TR2_SPANS_MAX; i++) {
		at = (*hint + i) % TR2_SPANS_MAX;
		if (__atomic_load_n(&t->state[at], __ATOMIC_RELAXED) == FREE &&
		    has_piece(t, at, &has_memory) &&
		    tr2_span_swap(&t->state[at], FREE, MAKING)) {
			*hint = at + TR2_SPANS_MAX;
			return at;
		}
	}
	at = claim_of_parent(t);
	if (at == TR2_SPANS_MAX)
		__atomic_store_n(&full, 1, __ATOMIC_RELAXED);
	return at;
}

bool tr2_span_make(struct tr2_span_hold *hold)
{
	struct tr2_span_table *t = tr2_span_the_table();
	struct tr2_open_span *span;
	uint64_t id;

	need_seed();
	if (unlikely(!t))
		t = map_table();
	hold->place = t ? claim(t) : TR2_SPANS_MAX;
	if (unlikely(hold->place == TR2_SPANS_MAX)) {
		tr2_span_count(TR2_SPAN_NO_ROOM);
		return false;
	}
	span = tr2_span_at(t, hold->place);
	id = tr2_mix64((++span->uses * (uint64_t)TR2_SPANS_MAX + hold->place) ^
		     seed_at(0)) & ~(uint64_t)HELD;
	hold->id = id ? id : 2;
	hold->span = span;
	__atomic_store_n(&span->process,
			 __atomic_load_n(&tr2_span_nr_forks, __ATOMIC_RELAXED),
			 __ATOMIC_RELAXED);
	span->lost = span->used = 0;
	return true;
}

/* Store a member with release: a call that still reads the last span of the
 * entry, and sees this value, then also sees that the state has changed. */
static inline void set_32(uint32_t *p, uint32_t value)
{
	__atomic_store_n(p, value, __ATOMIC_RELEASE);
}

static inline void set_64(uint64_t *p, uint64_t value)
{
	__atomic_store_n(p, value, __ATOMIC_RELEASE);
}

void tr2_span_set_trace(const struct tr2_span_hold *hold,
			const struct tr2_context *parent)
{
	struct tr2_open_span *span = hold->span;

	set_64(&span->trace[0], parent->id ? parent->trace[0] :
					     tr2_mix64(hold->id ^ seed_at(1)));
	set_64(&span->trace[1], parent->id ? parent->trace[1] :
					     tr2_mix64(hold->id + seed_at(2)));
	span->parent = parent->id;
}

void tr2_span_set_flags(const struct tr2_span_hold *hold, uint32_t flags,
			uint32_t one_in)
{
	set_32(&hold->span->flags, flags);
	set_32(&hold->span->one_in, one_in);
}

static uint64_t *state_of(const struct tr2_span_hold *hold)
{
	return &tr2_span_the_table()->state[hold->place];
}

void tr2_span_free(const struct tr2_span_hold *hold)
{
	__atomic_store_n(state_of(hold), FREE, __ATOMIC_RELEASE);
	tr2_span_hint = hold->place + TR2_SPANS_MAX;
	if (unlikely(__atomic_load_n(&full, __ATOMIC_RELAXED)))
		__atomic_store_n(&full, 0, __ATOMIC_RELAXED);
}

static inline void pause_a_little(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#endif
}

enum waited { WAITED_HELD, WAITED_GONE, WAITED_BUSY };

/* Wait while another thread is changing the span. */
static __attribute__((noinline)) enum waited
wait_for(uint64_t *state, const struct tr2_span_hold *hold)
{
	uint64_t held = hold->id | HELD, found;
	int i;

	for (i = 1; i <= MAX_LOOKS; i++) {
		if (tr2_span_swap(state, hold->id, held))
			return WAITED_HELD;
		found = __atomic_load_n(state, __ATOMIC_RELAXED);
		if (found != hold->id && found != held)
			return WAITED_GONE;
		if (__atomic_load_n(&hold->span->holder, __ATOMIC_RELAXED) ==
		    tr2_span_self())
			break;
		pause_a_little();
	}
	return WAITED_BUSY;
}

static bool is_of_this_process(const struct tr2_span_hold *hold)
{
	if (tr2_span_note_holder(hold))
		return true;
	tr2_span_release(hold);
	return false;
}

static enum waited find_span(struct tr2_span_hold *hold, trace2_span_t span)
{
	struct tr2_span_table *t = tr2_span_the_table();
	enum waited found;

	hold->place = tr2_span_place(t, span);
	if (hold->place == TR2_SPANS_MAX)
		return WAITED_GONE;
	hold->id = span.id;
	hold->span = tr2_span_at(t, hold->place);
	found = wait_for(&t->state[hold->place], hold);
	return found != WAITED_HELD || is_of_this_process(hold) ? found :
								  WAITED_GONE;
}

struct tr2_span_hold tr2_span_hold_slow(trace2_span_t span)
{
	struct tr2_span_hold hold;
	enum waited found = find_span(&hold, span);

	if (found == WAITED_HELD)
		return hold;
	tr2_span_count(found == WAITED_BUSY ? TR2_SPAN_BUSY : TR2_SPAN_UNKNOWN);
	hold.span = NULL;
	return hold;
}

/* Ask the holder to end the span. true: the holder has just released the span,
 * so this call must end it. */
static __attribute__((noinline)) bool ask(const struct tr2_span_hold *hold,
					  bool failed)
{
	__atomic_store_n(&hold->span->asked, hold->id | failed,
			 __ATOMIC_SEQ_CST);
	tr2_barrier();
	return tr2_span_swap(state_of(hold), hold->id, hold->id | HELD) &&
	       is_of_this_process(hold);
}

struct tr2_span_hold tr2_span_hold_to_end_slow(trace2_span_t span, bool failed)
{
	struct tr2_span_hold hold;
	enum waited found = find_span(&hold, span);

	if (found == WAITED_GONE)
		tr2_span_count(TR2_SPAN_UNKNOWN);
	if (found == WAITED_GONE ||
	    (found == WAITED_BUSY && !ask(&hold, failed)))
		hold.span = NULL;
	return hold;
}

bool tr2_span_look_up(trace2_span_t span, struct tr2_context *context,
		      uint32_t *flags, uint32_t *one_in)
{
	const struct tr2_span_table *t = tr2_span_the_table();
	uint32_t at = tr2_span_place(t, span);
	const struct tr2_open_span *s;
	uint64_t found;

	if (unlikely(at == TR2_SPANS_MAX) || unlikely(!piece_of(t, at)))
		return false;
	s = tr2_span_at(t, at);
	/* Acquire: pairs with the releases of tr2_span_make(), so that the
	 * state that is read afterwards is not older than these members. */
	context->trace[0] = __atomic_load_n(&s->trace[0], __ATOMIC_ACQUIRE);
	context->trace[1] = __atomic_load_n(&s->trace[1], __ATOMIC_ACQUIRE);
	context->id = span.id;
	*flags = __atomic_load_n(&s->flags, __ATOMIC_ACQUIRE);
	*one_in = __atomic_load_n(&s->one_in, __ATOMIC_ACQUIRE);
	found = __atomic_load_n(&t->state[at], __ATOMIC_RELAXED);
	return (found & ~(uint64_t)HELD) == span.id;
}

bool tr2_span_hold_next(struct tr2_span_hold *hold, uint32_t *place)
{
	struct tr2_span_table *t = tr2_span_the_table();
	uint64_t state;

	for (; t && *place < TR2_SPANS_MAX; ++*place) {
		state = __atomic_load_n(&t->state[*place], __ATOMIC_RELAXED);
		if (state <= MAKING)
			continue;
		if (state & HELD ||
		    !tr2_span_swap(&t->state[*place], state, state | HELD)) {
			tr2_span_count(TR2_SPAN_BUSY);
			continue;
		}
		hold->place = *place;
		hold->id = state;
		hold->span = tr2_span_at(t, *place);
		if (hold->span->process == tr2_span_nr_forks) {
			++*place;
			return true;
		}
		tr2_span_release(hold);
	}
	return false;
}

void tr2_spans_forked(void)
{
	size_t i;

	tr2_span_nr_forks++;
	is_seeded = 0;
	for (i = 0; i < TR2_SPAN_MISUSES; i++)
		misuses[i] = 0;
}

void tr2_spans_unmap(void)
{
	struct tr2_span_table *t = tr2_span_table;
	size_t i;

	for (i = 0; t && i < ARRAY_SIZE(t->piece); i++)
		if (t->piece[i])
			munmap(t->piece[i], PIECE_BYTES);
	if (t)
		munmap(t, sizeof(*t));
	tr2_span_table = NULL;
}
