/* SPDX-License-Identifier: MIT */
/* Write frequent events straight into the ring. */
#include "session/fastpath.h"

#include <errno.h>

#include "base/barrier.h"
#include "base/clock.h"
#include "base/macros.h"
#include "metric/metric.h"
#include "ring/ring.h"
#include "ring/site.h"
#include "thread/emit.h"
#include "thread/fork_guard.h"
#include "thread/lock.h"
#include "thread/stream.h"

int tr2_fastpath_on;

/* Everything in one function, so that values stay in registers. */
#define INLINE TR2_INLINE

struct text {
	const char *s; /* NULL: absent */
	size_t len;
};

struct fastpath {
	struct tr2_thread *thread;
	struct tr2_ring_write w;
	enum tr2_event_kind kind;
	struct text file;
	int line, repo_id;
	bool at_site; /* with a row in place of file and line; no repository */
	uint32_t row;
	unsigned int nesting;
	uint64_t now_ns;
};

/* Longer fields must be cut, which the slow path does. */
#define MAX_BYTES (TR2_RECORD_MAX - 120)

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

/*
 * For each row of the table: struct fast_NAME with its fields in their order, and
 * functions on all of them. In a record, a field is a text, a number, or missing,
 * since the head has it. A field that is not set is written as absent. A record
 * of a site lacks some fields.
 */
#define LACKS(at_site, flags) \
	((at_site) && (flags) & (TR2_F_SITE | TR2_F_OPT))
#define AS_STR TEXT
#define AS_JSON TEXT
#define AS_ARGV TEXT
#define AS_HISTOGRAM TEXT
#define AS_INT NUMBER
#define AS_UINT NUMBER
#define AS_BOOL NUMBER
#define AS_SECONDS NUMBER
#define AS_T_REL NUMBER
#define AS_T_ABS NOTHING
#define AS_NESTING NOTHING
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

#define MEMBER_TEXT(name) struct text name;
#define MEMBER_NUMBER(name) uint64_t name;
#define MEMBER_NOTHING(name)
#define TR2_FIELD(type, name, flags) PASTE(MEMBER_, AS_##type)(name)
#define TR2_EVENT(name, flags, fields, normal, category, perf) \
	struct fast_##name {                                   \
		fields                                         \
	};
#include "event/events.def"
#undef TR2_EVENT
#undef TR2_FIELD

/* Bytes of the record behind its file. */
#define BYTES_TEXT(name) bytes += room(&v->name);
#define BYTES_NUMBER(name) bytes += sizeof(v->name);
#define BYTES_NOTHING(name)
#define TR2_FIELD(type, name, flags) \
	if (!LACKS(at_site, flags)) {           \
		PASTE(BYTES_, AS_##type)(name) \
	}
#define TR2_EVENT(name, flags, fields, normal, category, perf)         \
	INLINE size_t bytes_of_##name(const struct fast_##name *v,      \
				  bool at_site)                  \
	{                                                              \
		size_t bytes = 0;                                      \
								      \
		(void)v;                                               \
		(void)at_site;                                         \
		fields                                                 \
		return bytes;                                          \
	}
#include "event/events.def"
#undef TR2_EVENT
#undef TR2_FIELD

/* Not 0 if a text may hold a secret. */
#define MARKS_TEXT(name) found |= marks_in(&v->name);
#define MARKS_NUMBER(name)
#define MARKS_NOTHING(name)
#define TR2_FIELD(type, name, flags) \
	if (!LACKS(at_site, flags)) {           \
		PASTE(MARKS_, AS_##type)(name) \
	}
#define TR2_EVENT(name, flags, fields, normal, category, perf)        \
	INLINE uint64_t marks_of_##name(const struct fast_##name *v,  \
				    bool at_site)              \
	{                                                             \
		words_2 found = { 0, 0 };                             \
								      \
		(void)v;                                              \
		(void)at_site;                                        \
		fields                                                \
		return found[0] | found[1];                           \
	}
#include "event/events.def"
#undef TR2_EVENT
#undef TR2_FIELD

#define PUT_TEXT(name) p = put_text(p, &v->name);
#define PUT_NUMBER(name) p = put_u64(p, v->name);
#define PUT_NOTHING(name)
#define TR2_FIELD(type, name, flags) \
	if (!LACKS(at_site, flags)) {           \
		PASTE(PUT_, AS_##type)(name) \
	}
#define TR2_EVENT(name, flags, fields, normal, category, perf)               \
	INLINE void put_##name(char *p, const struct fast_##name *v,        \
			   bool at_site)                                \
	{                                                                    \
		(void)p;                                                     \
		(void)v;                                                     \
		(void)at_site;                                               \
		fields                                                       \
	}
#include "event/events.def"
#undef TR2_EVENT
#undef TR2_FIELD

INLINE bool is_ready(struct fastpath *q)
{
	struct tr2_thread *thread = tr2_self;

	if (!thread || !tr2_my_slot || !thread->announced ||
	    !*tr2_fork_guard ||
	    atomic_load_explicit(&thread->busy, memory_order_relaxed))
		return false;
	q->thread = thread;
	return true;
}

/* false: the thread's state requires the slow path. */
INLINE bool prepare(struct fastpath *q, const char *file, int line, int repo_id)
{
	if (!is_ready(q))
		return false;
	q->at_site = false;
	q->line = line;
	q->repo_id = repo_id;
	q->file = measure(tr2_stream.target[TR2_TARGET_ring].brief ? NULL :
								      file);
	return true;
}

/* Write the row of a site into the file, before its first event. */
__attribute__((noinline, cold)) static uint32_t
add_row(const struct tr2_site *site)
{
	int saved_errno = errno;
	uint32_t row = TR2_RING_NO_ROW;

	if (tr2_lock_is_mine())
		return row;
	tr2_lock();
	if (tr2_metric_try_lock()) {
		row = tr2_ring_add_site(site);
		tr2_metric_unlock();
	}
	tr2_unlock();
	errno = saved_errno;
	return row;
}

/* The same for a record of the site; false: other records may still do. */
INLINE bool prepare_at(struct fastpath *q, const struct tr2_site *site,
		       const struct trace2_repo *repo)
{
	if (!is_ready(q) || !site || repo ||
	    tr2_stream.target[TR2_TARGET_ring].brief ||
	    (site->may_have_secret && tr2_stream.redact))
		return false;
	q->at_site = true;
	/* Acquire: pairs with the release in tr2_ring_add_site(). */
	q->row = __atomic_load_n(&tr2_ring_site_rows[site->number],
				 __ATOMIC_ACQUIRE);
	if (unlikely(!q->row))
		q->row = add_row(site);
	return likely(q->row != TR2_RING_NO_ROW);
}

/* false: the fields require the slow path. */
#define MAY_WRITE(q, name, v)                                        \
	(!(tr2_stream.redact && marks_of_##name(v, false)) &&        \
	 bytes_of_##name(v, false) + room(&(q)->file) <= MAX_BYTES)
#define MAY_WRITE_AT(name, v)                                 \
	(!(tr2_stream.redact && marks_of_##name(v, true)) &&  \
	 bytes_of_##name(v, true) <= MAX_BYTES)

/* Write a filler in place of an event that came after the end. */
__attribute__((noinline)) static void put_filler(struct tr2_ring_write w,
						 size_t size)
{
	const struct tr2_record filler = { TR2_RECORD_FILLER, 0,
					   (uint16_t)size };

	memcpy(w.p, &filler, sizeof(filler));
	tr2_ring_end(&w);
}

INLINE char *put_site_head(char *p, const struct fastpath *q, size_t n)
{
	uint64_t misc = q->nesting << TR2_MISC_NESTING_SHIFT;

	p = put_u64(p, (TR2_RECORD_SITE_EVENT + (uint64_t)q->kind) |
			       misc << 32 | n << 48);
	p = put_u64(p, q->now_ns);
	return put_u64(p, q->thread->tid | (uint64_t)q->row << 32);
}

/*
 * Reserve the record, read the clock and write the part before the fields, which
 * take so many bytes. Return the place of the fields; NULL: no room, or tracing
 * has ended.
 */
INLINE char *begin(struct fastpath *q, struct tr2_inside *in, size_t bytes)
{
	size_t n = q->at_site ? sizeof(struct tr2_record_site_event) + bytes :
			    sizeof(struct tr2_record_event) + room(&q->file) +
				    bytes;
	char *p;

	n = (n + TR2_RECORD_ALIGN - 1) & -(size_t)TR2_RECORD_ALIGN;
	if (!tr2_ring_begin(&q->w, tr2_my_slot, (uint32_t)n, in)) {
		tr2_dest_drop(tr2_stream_dest(TR2_TARGET_ring));
		return NULL;
	}
	/* Pairs with the barrier at the end of the session, which waits for such
	 * writes after it has switched tracing off. */
	if (unlikely(!trace2_is_enabled())) {
		put_filler(q->w, n);
		return NULL;
	}
	q->now_ns = tr2_clock_now_ns();
	p = q->w.p;
	/* The last word first: bytes behind the fields stay zero. */
	put_u64(p + n - 8, 0);
	if (q->at_site) /* struct tr2_record_site_event, in words */
		return put_site_head(p, q, n);
	/* struct tr2_record_event, in words. */
	p = put_u64(p, (TR2_RECORD_EVENT + (uint64_t)q->kind) | n << 48);
	p = put_u64(p, q->now_ns);
	p = put_u64(p, q->thread->tid |
			       (q->file.s ? (uint64_t)(uint32_t)q->line << 32 :
					    0));
	p = put_u64(p, (uint32_t)q->repo_id | (uint64_t)q->nesting << 32);
	return put_text(p, &q->file);
}

bool tr2_fastpath_region_enter(const char *file, int line, const char *category,
			       const char *label, int repo_id)
{
	const struct fast_region_enter v = { .category = measure(category),
					     .label = measure(label) };
	const struct tr2_region_names names = { category, label,
						v.category.len, v.label.len };
	struct tr2_regions *regions;
	struct tr2_inside in;
	struct fastpath q;
	char *p;

	q.kind = TR2_EV_region_enter;
	if (!prepare(&q, file, line, repo_id) ||
	    !MAY_WRITE(&q, region_enter, &v))
		return false;
	regions = &q.thread->regions;
	if (regions->nr_open >= regions->fastpath_alloc ||
	    !tr2_region_have_room(&names))
		return false;
	q.nesting = (unsigned int)regions->nr_open + 1;
	p = begin(&q, &in, bytes_of_region_enter(&v, false));
	if (p) {
		put_region_enter(p, &v, false);
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
	struct fast_region_leave v = { .t_rel = 0 };
	const struct tr2_region *region;
	const struct tr2_site *site;
	struct tr2_inside in;
	struct fastpath q;
	char *p;

	q.kind = TR2_EV_region_leave;
	if (!prepare(&q, file, line, repo_id))
		return false;
	region = tr2_region_top(&q.thread->regions);
	if (!region || !region->fastpath_ok ||
	    !tr2_region_is(region, category, label))
		return false;
	site = region->site;
	v.category = (struct text){ tr2_region_category(region),
				    site ? site->category_len :
					   region->category_len };
	v.label = (struct text){ tr2_region_label(region),
				 site ? site->name_len : region->label_len };
	if (bytes_of_region_leave(&v, false) + room(&q.file) > MAX_BYTES)
		return false;
	q.nesting = (unsigned int)q.thread->regions.nr_open;
	p = begin(&q, &in, bytes_of_region_leave(&v, false));
	if (!p) {
		tr2_region_pop(&q.thread->regions);
		return true;
	}
	v.t_rel = q.now_ns - region->start_ns;
	put_region_leave(p, &v, false);
	/* From here on, a signal handler's regions take its place. */
	tr2_region_pop(&q.thread->regions);
	tr2_ring_end(&q.w);
	return true;
}

bool tr2_fastpath_data(const char *file, int line, const char *category,
		       int repo_id, const char *key, const char *value)
{
	struct fast_data v = { .category = measure(category),
			       .key = measure(key),
			       .value = measure(value) };
	struct tr2_inside in;
	struct fastpath q;
	uint64_t start_ns;
	char *p;

	q.kind = TR2_EV_data;
	if (!prepare(&q, file, line, repo_id) || !MAY_WRITE(&q, data, &v))
		return false;
	q.nesting = (unsigned int)q.thread->regions.nr_open + 1;
	start_ns = tr2_region_start(q.thread);
	p = begin(&q, &in, bytes_of_data(&v, false));
	if (p) {
		v.t_rel = q.now_ns - start_ns;
		put_data(p, &v, false);
		tr2_ring_end(&q.w);
	}
	return true;
}

bool tr2_fastpath_region_enter_at(const struct tr2_site *site,
				  const char *category, const char *label,
				  const struct trace2_repo *repo)
{
	const struct fast_region_enter v = { .category.s = category };
	struct tr2_regions *regions;
	struct tr2_inside in;
	struct fastpath q;
	char *p;

	q.kind = TR2_EV_region_enter;
	if (!prepare_at(&q, site, repo))
		return false;
	regions = &q.thread->regions;
	if (regions->nr_open >= regions->fastpath_alloc ||
	    regions->nr_open >= TR2_MISC_NESTING_MAX)
		return false;
	q.nesting = (unsigned int)regions->nr_open + 1;
	p = begin(&q, &in, bytes_of_region_enter(&v, true));
	if (p) {
		put_region_enter(p, &v, true);
		tr2_ring_end(&q.w);
	} else {
		q.now_ns = tr2_clock_now_ns();
	}
	tr2_region_fill_at(tr2_region_count(regions), site, category, label,
			   q.now_ns, 0, true);
	return true;
}

bool tr2_fastpath_region_leave_at(const struct tr2_site *site,
				  const struct trace2_repo *repo)
{
	struct fast_region_leave v = { .t_rel = 0 };
	const struct tr2_region *region;
	struct tr2_inside in;
	struct fastpath q;
	char *p;

	q.kind = TR2_EV_region_leave;
	if (!prepare_at(&q, site, repo))
		return false;
	region = tr2_region_top(&q.thread->regions);
	if (!region || !region->fastpath_ok || !region->site ||
	    region->site->names != site->names ||
	    q.thread->regions.nr_open > TR2_MISC_NESTING_MAX)
		return false;
	q.nesting = (unsigned int)q.thread->regions.nr_open;
	p = begin(&q, &in, bytes_of_region_leave(&v, true));
	if (!p) {
		tr2_region_pop(&q.thread->regions);
		return true;
	}
	v.t_rel = q.now_ns - region->start_ns;
	put_region_leave(p, &v, true);
	/* From here on, a signal handler's regions take its place. */
	tr2_region_pop(&q.thread->regions);
	tr2_ring_end(&q.w);
	return true;
}

bool tr2_fastpath_data_at(const struct tr2_site *site,
			  const struct trace2_repo *repo, const char *value)
{
	struct fast_data v = { .value = measure(value) };
	struct tr2_inside in;
	struct fastpath q;
	uint64_t start_ns;
	char *p;

	q.kind = TR2_EV_data;
	if (!prepare_at(&q, site, repo) || !MAY_WRITE_AT(data, &v) ||
	    q.thread->regions.nr_open >= TR2_MISC_NESTING_MAX)
		return false;
	q.nesting = (unsigned int)q.thread->regions.nr_open + 1;
	start_ns = tr2_region_start(q.thread);
	p = begin(&q, &in, bytes_of_data(&v, true));
	if (p) {
		v.t_rel = q.now_ns - start_ns;
		put_data(p, &v, true);
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
	tr2_barrier_start(true);
	__atomic_store_n(&tr2_fastpath_on, 1, __ATOMIC_RELAXED);
}

void tr2_fastpath_disable(void)
{
	__atomic_store_n(&tr2_fastpath_on, 0, __ATOMIC_RELAXED);
}
