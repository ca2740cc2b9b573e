/* SPDX-License-Identifier: MIT */
/* Write frequent events straight into the ring. */
#include "session/fastpath.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "ring/ring.h"
#include "thread/emit.h"
#include "thread/fork_guard.h"
#include "thread/stream.h"

int tr2_fastpath_on;

/* Everything in one function, so that values stay in registers. */
#define INLINE static inline __attribute__((always_inline))

/* The fields are those of the table, in its order. */
#define AT(event, field, nr)                                     \
	_Static_assert(offsetof(struct tr2_v_##event, field) ==  \
			       (nr) * sizeof(struct tr2_value),  \
		       "lib/event/events.def has it elsewhere")
AT(region_enter, category, 1);
AT(region_enter, label, 2);
AT(region_enter, msg, 3);
AT(region_leave, t_rel, 0);
AT(region_leave, category, 2);
AT(region_leave, label, 3);
AT(region_leave, msg, 4);
AT(data, t_rel, 1);
AT(data, category, 3);
AT(data, key, 4);
AT(data, value, 5);
_Static_assert(sizeof(struct tr2_v_region_enter) == 4 * 8, "more fields");
_Static_assert(sizeof(struct tr2_v_region_leave) == 5 * 8, "more fields");
_Static_assert(sizeof(struct tr2_v_data) == 6 * 8, "more fields");

struct text {
	const char *s; /* NULL: absent */
	size_t len;
};

struct fastpath {
	struct tr2_thread *thread;
	struct tr2_ring_write w;
	enum tr2_event_kind kind;
	struct text file, text[3]; /* the strings, in their order */
	int line, repo_id;
	unsigned int nesting;
	uint64_t now_ns;
};

/* Longer strings must be cut, which the slow path does. */
#define MAX_STRINGS (TR2_RECORD_MAX - 128)

INLINE uint64_t load_8(const char *s)
{
	uint64_t x;

	memcpy(&x, s, sizeof(x));
	return x;
}

/* Load all bytes of a string of less than 8, some of them twice. */
INLINE uint64_t load_short(const char *s, size_t len)
{
	uint32_t low, high;

	if (len >= 4) {
		memcpy(&low, s, 4);
		memcpy(&high, s + len - 4, 4);
		return low | (uint64_t)high << 32;
	}
	if (!len)
		return 0;
	return (unsigned char)s[0] | (uint64_t)(unsigned char)s[len / 2] << 8 |
	       (uint64_t)(unsigned char)s[len - 1] << 16;
}

typedef unsigned char bytes_16 __attribute__((vector_size(16)));
typedef uint64_t words_2 __attribute__((vector_size(16)));

/* Find characters before which redaction looks for secrets: see
 * tr2_redact(). */
INLINE words_2 find_marks(words_2 words)
{
	bytes_16 bytes = (bytes_16)words;

	return (words_2)((bytes == ':') | (bytes == '='));
}

/* Not 0 if there are some. */
INLINE words_2 marks_in(const struct text *text)
{
	const char *s = text->s;
	size_t n = text->len;
	words_2 found = { 0, 0 };

	if (n < 8)
		return find_marks((words_2){ load_short(s, n), 0 });
	for (; n > 16; s += 16, n -= 16)
		found |= find_marks((words_2){ load_8(s), load_8(s + 8) });
	if (n < 8) {
		s -= 8 - n;
		n = 8;
	}
	return found | find_marks((words_2){ load_8(s), load_8(s + n - 8) });
}

INLINE struct text measure(const char *s)
{
	struct text text = { s, s ? strlen(s) : 0 };

	return text;
}

/* The room for the text and its length. */
INLINE size_t room(const struct text *text)
{
	return sizeof(uint16_t) + text->len;
}

INLINE char *put_u16(char *p, uint16_t value)
{
	memcpy(p, &value, sizeof(value));
	return p + sizeof(value);
}

INLINE char *put_u64(char *p, uint64_t value)
{
	memcpy(p, &value, sizeof(value));
	return p + sizeof(value);
}

INLINE char *put_text(char *p, const struct text *text)
{
	if (!text->s)
		return put_u16(p, TR2_RECORD_ABSENT);
	return tr2_put_short(put_u16(p, (uint16_t)text->len), text->s,
			     text->len);
}

INLINE bool may_be_secret(const struct fastpath *q)
{
	words_2 found;

	if (!tr2_stream.redact)
		return false;
	found = marks_in(&q->text[0]) | marks_in(&q->text[1]) |
		marks_in(&q->text[2]);
	return (found[0] | found[1]) != 0;
}

/* false: the thread's state requires the slow path. */
INLINE bool prepare(struct fastpath *q, const char *file, int line, int repo_id)
{
	struct tr2_thread *thread = tr2_self;

	if (!thread || !tr2_my_slot || !thread->announced ||
	    !*tr2_fork_guard ||
	    atomic_load_explicit(&thread->busy, memory_order_relaxed))
		return false;
	q->thread = thread;
	q->line = line;
	q->repo_id = repo_id;
	q->file = measure(tr2_stream.target[TR2_TARGET_ring].brief ? NULL :
								      file);
	return true;
}

/* false: the texts require the slow path. */
INLINE bool take_texts(struct fastpath *q, const char *first, const char *second,
		       const char *third)
{
	q->text[0] = measure(first);
	q->text[1] = measure(second);
	q->text[2] = measure(third);
	return !may_be_secret(q) &&
	       room(&q->text[0]) + room(&q->text[1]) + room(&q->text[2]) +
			       room(&q->file) <= MAX_STRINGS;
}

/* Write a filler in place of an event that came after the end. */
__attribute__((noinline)) static void put_filler(struct tr2_ring_write w,
						 size_t size)
{
	const struct tr2_record filler = { TR2_RECORD_FILLER, 0,
					   (uint16_t)size };

	memcpy(w.p, &filler, sizeof(filler));
	tr2_ring_end(&w);
}

/*
 * Reserve the record, read the clock and write the part before the fields.
 * Return the place of the fields; NULL: no room, or tracing has ended.
 */
INLINE char *begin(struct fastpath *q, struct tr2_inside *in, size_t numbers,
		   size_t *size)
{
	size_t n = sizeof(struct tr2_record_event) + room(&q->file) + numbers +
		   room(&q->text[0]) + room(&q->text[1]) + room(&q->text[2]);
	char *p;

	n = (n + TR2_RECORD_ALIGN - 1) & -(size_t)TR2_RECORD_ALIGN;
	*size = n;
	if (!tr2_ring_begin(&q->w, tr2_my_slot, (uint32_t)n, in)) {
		tr2_dest_drop(tr2_stream_dest(TR2_TARGET_ring));
		return NULL;
	}
	/* Pairs with the end of the session, which waits for such writes after
	 * it has switched tracing off: see tr2_fastpath_stop(). */
	if (__builtin_expect(!trace2_is_enabled(), 0)) {
		put_filler(q->w, n);
		return NULL;
	}
	q->now_ns = tr2_clock_now_ns();
	p = q->w.p;
	/* The last word first: bytes behind the fields stay zero. */
	put_u64(p + n - 8, 0);
	/* struct tr2_record_event, in words. */
	p = put_u64(p, (TR2_RECORD_EVENT + (uint64_t)q->kind) | n << 48);
	p = put_u64(p, q->now_ns);
	p = put_u64(p, q->thread->tid |
			       (q->file.s ? (uint64_t)(uint32_t)q->line << 32 :
					    0));
	p = put_u64(p, (uint32_t)q->repo_id | (uint64_t)q->nesting << 32);
	return put_text(p, &q->file);
}

INLINE void put_texts(const struct fastpath *q, char *p)
{
	p = put_text(p, &q->text[0]);
	p = put_text(p, &q->text[1]);
	put_text(p, &q->text[2]);
}

bool tr2_fastpath_region_enter(const char *file, int line, const char *category,
			    const char *label, int repo_id)
{
	struct tr2_region_names names;
	struct tr2_regions *regions;
	struct tr2_inside in;
	struct fastpath q;
	size_t size;
	char *p;

	q.kind = TR2_EV_region_enter;
	if (!prepare(&q, file, line, repo_id) ||
	    !take_texts(&q, category, label, NULL))
		return false;
	names = (struct tr2_region_names){ category, label, q.text[0].len,
					   q.text[1].len };
	regions = &q.thread->regions;
	if (regions->nr_open >= regions->fastpath_alloc ||
	    !tr2_region_have_room(&names))
		return false;
	q.nesting = (unsigned int)regions->nr_open + 1;
	p = begin(&q, &in, 0, &size);
	if (p) {
		put_texts(&q, p);
		tr2_ring_end(&q.w);
	} else {
		q.now_ns = tr2_clock_now_ns();
	}
	tr2_region_fill(tr2_region_count(regions), &names, q.now_ns, repo_id,
			true);
	return true;
}

/* The names are those of the enter, which has no secrets. */
bool tr2_fastpath_region_leave(const char *file, int line, const char *category,
			    const char *label, int repo_id)
{
	const struct tr2_region *region;
	struct tr2_inside in;
	struct fastpath q;
	size_t size;
	char *p;

	q.kind = TR2_EV_region_leave;
	if (!prepare(&q, file, line, repo_id))
		return false;
	region = tr2_region_top(&q.thread->regions);
	if (!region || !region->fastpath_ok ||
	    !tr2_region_is(region, category, label))
		return false;
	q.text[0] = (struct text){ tr2_region_category(region),
				   region->category_len };
	q.text[1] = (struct text){ tr2_region_label(region),
				   region->label_len };
	q.text[2] = (struct text){ NULL, 0 };
	if (room(&q.file) > MAX_STRINGS - TR2_REGION_BYTES)
		return false;
	q.nesting = (unsigned int)q.thread->regions.nr_open;
	p = begin(&q, &in, sizeof(uint64_t), &size);
	if (!p) {
		tr2_region_pop(&q.thread->regions);
		return true;
	}
	put_texts(&q, put_u64(p, q.now_ns - region->start_ns));
	/* From here on, a signal handler's regions take its place. */
	tr2_region_pop(&q.thread->regions);
	tr2_ring_end(&q.w);
	return true;
}

bool tr2_fastpath_data(const char *file, int line, const char *category,
		    int repo_id, const char *key, const char *value)
{
	struct tr2_inside in;
	struct fastpath q;
	uint64_t start_ns;
	size_t size;
	char *p;

	q.kind = TR2_EV_data;
	if (!prepare(&q, file, line, repo_id) ||
	    !take_texts(&q, category, key, value))
		return false;
	q.nesting = (unsigned int)q.thread->regions.nr_open + 1;
	start_ns = tr2_region_start(q.thread);
	p = begin(&q, &in, sizeof(uint64_t), &size);
	if (p) {
		put_texts(&q, put_u64(p, q.now_ns - start_ns));
		tr2_ring_end(&q.w);
	}
	return true;
}

void tr2_fastpath_start(void)
{
	unsigned int i;

	for (i = 0; i < TR2_TARGET_NR; i++)
		if ((i == TR2_TARGET_ring) !=
		    tr2_dest_is_on(tr2_stream_dest(i)))
			return;
	/* For tr2_fastpath_stop(). */
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0);
	__atomic_store_n(&tr2_fastpath_on, 1, __ATOMIC_RELAXED);
}

/*
 * After this, each write has counted itself in visibly, or sees that tracing is
 * off: this barrier replaces one in each write. Without membarrier(), waiting
 * for a while is the best that can be done.
 */
void tr2_fastpath_stop(void)
{
	if (!tr2_fastpath_on)
		return;
	__atomic_store_n(&tr2_fastpath_on, 0, __ATOMIC_RELAXED);
	syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0);
}

void tr2_fastpath_disable(void)
{
	__atomic_store_n(&tr2_fastpath_on, 0, __ATOMIC_RELAXED);
}
