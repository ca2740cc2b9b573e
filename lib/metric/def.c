/* SPDX-License-Identifier: MIT */
/*
 * Definitions. Constructors register them, also in programs that never switch
 * tracing on. So the tables are static, and only very many definitions need an
 * allocation.
 *
 * There is no lock. A definition is complete, and never changes, before one
 * instruction appends it to its table. If a thread stops anywhere in here,
 * jumps away, ends, or does not exist in a forked child, no other thread waits
 * for it. Only an arena's file, if there is one, has a lock: the process's.
 */
#include "base/lock.h"
#include "base/macros.h"
#include "metric/marks.h"
#include "metric/metric.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define POOL_BYTES 16384u

/* The definitions of a kind. A new one is appended at the first NULL of
 * `def`. */
struct table {
	struct tr2_metric_def **def;
	/* The hashes of the names, for the search; 0: not written yet. */
	atomic_uint *hash;
	unsigned int max;
	atomic_uint nr; /* a lower bound of the number of definitions */
	unsigned int nr_published; /* guarded by the process's lock */
};

TR2_LARGE struct tr2_metric_def *tr2_metric_timers[TR2_MAX_TIMERS];
TR2_LARGE struct tr2_metric_def *tr2_metric_counters[TR2_MAX_COUNTERS];
TR2_LARGE struct tr2_metric_def *tr2_metric_gauges[TR2_MAX_GAUGES];
TR2_LARGE atomic_uint tr2_metric_timer_hashes[TR2_MAX_TIMERS];
TR2_LARGE atomic_uint tr2_metric_counter_hashes[TR2_MAX_COUNTERS];
TR2_LARGE atomic_uint tr2_metric_gauge_hashes[TR2_MAX_GAUGES];
static struct table tables[TR2_METRIC_KINDS] = {
	[TR2_METRIC_TIMER] = { tr2_metric_timers, tr2_metric_timer_hashes,
			       TR2_MAX_TIMERS, 0, 0 },
	[TR2_METRIC_COUNTER] = { tr2_metric_counters,
				 tr2_metric_counter_hashes, TR2_MAX_COUNTERS,
				 0, 0 },
	[TR2_METRIC_GAUGE] = { tr2_metric_gauges, tr2_metric_gauge_hashes,
			       TR2_MAX_GAUGES, 0, 0 },
};
static atomic_uint nr_refused[TR2_REFUSALS], nr_without_histogram;

/* A pool of memory that is never freed. */
struct pool {
	struct pool *before;
	atomic_size_t used; /* bytes in use; may exceed the size of the pool */
	char bytes[POOL_BYTES - sizeof(void *) - sizeof(atomic_size_t)];
};
TR2_LARGE struct pool tr2_metric_first_pool;
static struct pool *pool = &tr2_metric_first_pool;

/* Put an empty pool before the one that is full. */
static bool add_pool(struct pool *full)
{
	struct pool *fresh = mmap(NULL, sizeof(*fresh), PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (fresh == MAP_FAILED)
		return false;
	fresh->before = full;
	/* Release: pairs with take_space(). */
	if (!__atomic_compare_exchange_n(&pool, &full, fresh, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		munmap(fresh, sizeof(*fresh)); /* another thread has added a
						* pool first */
	return true;
}

/* Return memory that is never freed; NULL: no memory. */
static void *take_space(size_t size)
{
	const size_t align = sizeof(void *);
	struct pool *from;
	size_t at;

	size = (size + align - 1) & ~(align - 1);
	if (size > sizeof(from->bytes))
		return NULL;
	for (;;) {
		from = __atomic_load_n(&pool, __ATOMIC_ACQUIRE);
		at = atomic_fetch_add_explicit(&from->used, size,
					       memory_order_relaxed);
		if (at <= sizeof(from->bytes) - size)
			return from->bytes + at;
		if (!add_pool(from))
			return NULL;
	}
}

/* FNV-1a (Fowler, Noll, Vo), over the string and its NUL. */
static uint32_t hash_string(uint32_t hash, const char *s)
{
	do {
		hash = (hash ^ (unsigned char)*s) * 16777619u;
	} while (*s++);
	return hash;
}

static uint32_t hash_of(const char *category, const char *name)
{
	uint32_t hash = hash_string(hash_string(2166136261u, category), name);

	return hash ? hash : 1;
}

/* Copy a string into the memory of a definition. */
static const char *copy_to(char **at, const char *s)
{
	size_t size = strlen(s) + 1;
	char *copy = memcpy(*at, s, size);

	*at += size;
	return copy;
}

/* Return a definition; NULL: no memory. */
static struct tr2_metric_def *make_def(const struct tr2_metric_given *given)
{
	size_t bytes = strlen(given->category) + strlen(given->name) + 2 +
		       (given->unit ? strlen(given->unit) + 1 : 0);
	struct tr2_metric_def *def = take_space(sizeof(*def) + bytes);
	char *strings;

	if (!def)
		return NULL;
	strings = (char *)(def + 1);
	def->category = copy_to(&strings, given->category);
	def->name = copy_to(&strings, given->name);
	def->unit = given->unit ? copy_to(&strings, given->unit) : NULL;
	def->kind = given->kind;
	def->flags = given->flags;
	return def;
}

static struct tr2_metric_def *def_at(const struct table *table,
				     unsigned int index)
{
	/* Acquire: pairs with append_def(). */
	return __atomic_load_n(&table->def[index], __ATOMIC_ACQUIRE);
}

static bool is_same(const struct tr2_metric_def *def,
		    const struct tr2_metric_given *given)
{
	return !strcmp(def->category, given->category) &&
	       !strcmp(def->name, given->name) && def->kind == given->kind;
}

/* Search from `at` on. Return the index of the definition, or the first unused
 * index, which another thread may take at any time. Return the table's maximum
 * if there is no such index. */
static unsigned int search_def(struct table *table, unsigned int at,
			       uint32_t hash,
			       const struct tr2_metric_given *given,
			       bool *found)
{
	const struct tr2_metric_def *def;
	uint32_t other;

	*found = false;
	for (; at < table->max; at++) {
		other = atomic_load_explicit(&table->hash[at],
					     memory_order_relaxed);
		if (other && other != hash)
			continue;
		def = def_at(table, at);
		if (!def)
			break;
		*found = is_same(def, given);
		if (*found)
			break;
		if (!other) /* the thread that appends has not stored the hash
			     * yet */
			atomic_store_explicit(&table->hash[at],
					      hash_of(def->category, def->name),
					      memory_order_relaxed);
	}
	return at;
}

static bool is_published; /* Guarded by the process's lock. */

/* The number of cells that have space in the arena's file. */
static struct {
	tr2_metric_more more; /* the function that gets space for more cells;
			       * NULL: there is no file */
	struct tr2_arena_cells nr;
} backed;
/* Get space for a page of counters, or a page of timers, at a time. */
#define MORE_COUNTERS 512u
#define MORE_TIMERS 64u

static unsigned int round_up(unsigned int nr, unsigned int step,
			     unsigned int max)
{
	nr = (nr + step - 1) / step * step;
	return nr < max ? nr : max;
}

static unsigned int count_histograms(const struct table *table, unsigned int nr)
{
	unsigned int i, histograms = 0;

	for (i = 0; i < nr; i++)
		histograms += def_at(table, i)->histogram != 0;
	return histograms;
}

/* Return the number of cells that need space for these numbers of
 * definitions. */
static struct tr2_arena_cells cells_of(const unsigned int *nr,
				       unsigned int histograms)
{
	const struct tr2_arena_cells cells = {
		.counters = round_up(nr[TR2_METRIC_COUNTER], MORE_COUNTERS,
				     TR2_MAX_COUNTERS),
		.timers = round_up(nr[TR2_METRIC_TIMER], MORE_TIMERS,
				   TR2_MAX_TIMERS),
		.histograms = histograms,
		.gauges = nr[TR2_METRIC_GAUGE] ? TR2_MAX_GAUGES : 0,
	};

	return cells;
}

void tr2_metric_back(tr2_metric_more more)
{
	unsigned int nr[TR2_METRIC_KINDS], kind;

	/* Store `more` first: a thread that appends from now on asks for
	 * space. */
	__atomic_store_n(&backed.more, more, __ATOMIC_SEQ_CST);
	for (kind = 0; kind < TR2_METRIC_KINDS; kind++)
		nr[kind] = tr2_metric_nr(kind);
	backed.nr = cells_of(nr, count_histograms(&tables[TR2_METRIC_TIMER],
						  nr[TR2_METRIC_TIMER]));
	if (more)
		tr2_arena_back_cells(&backed.nr);
}

static void keep_larger(unsigned int *nr, unsigned int other)
{
	if (*nr < other)
		*nr = other;
}

/* Get space for more cells. The caller holds the lock. */
static bool back_more(const struct tr2_arena_cells *nr)
{
	if (!backed.more ||
	    (nr->counters <= backed.nr.counters &&
	     nr->timers <= backed.nr.timers &&
	     nr->gauges <= backed.nr.gauges &&
	     nr->histograms <= backed.nr.histograms))
		return true;
	if (!backed.more(nr))
		return false;
	keep_larger(&backed.nr.counters, nr->counters);
	keep_larger(&backed.nr.timers, nr->timers);
	keep_larger(&backed.nr.histograms, nr->histograms);
	keep_larger(&backed.nr.gauges, nr->gauges);
	return true;
}

/*
 * Get space in the arena's file for the cell of this index. Call it before the
 * definition is appended. Call it again before the program gets the index: the
 * file may have been opened in between.
 */
static bool find_space(enum tr2_metric_kind kind, unsigned int index,
		       unsigned int histogram)
{
	unsigned int nr[TR2_METRIC_KINDS] = { 0 };
	struct tr2_arena_cells cells;
	bool ok;

	if (!__atomic_load_n(&backed.more, __ATOMIC_SEQ_CST))
		return true;
	if (tr2_lock_is_mine()) /* the calling thread interrupted itself: this
				 * is the handler of a fault */
		return false;
	nr[kind] = index + 1;
	cells = cells_of(nr, histogram);
	tr2_lock();
	ok = back_more(&cells);
	tr2_unlock();
	return ok;
}

static void publish_def(const struct table *table, unsigned int index)
{
	const struct tr2_metric_def *def = def_at(table, index);
	const struct tr2_definition numbers = {
		.scope = TR2_SCOPE_THREAD,
		.flags = def->flags,
		.index = index,
		.histogram = def->histogram,
		.unit = def->unit ? tr2_arena_intern(def->unit) : 0,
	};

	tr2_arena_define(def->kind, &numbers, def->category, def->name);
}

void tr2_metric_publish(void)
{
	unsigned int kind, nr;
	struct table *table;

	__atomic_store_n(&is_published, true, __ATOMIC_SEQ_CST);
	for (kind = 0; kind < TR2_METRIC_KINDS; kind++) {
		table = &tables[kind];
		nr = tr2_metric_nr(kind);
		for (; table->nr_published < nr; table->nr_published++)
			publish_def(table, table->nr_published);
	}
}

/*
 * Publish a new definition. If the calling thread has the lock already, in the
 * handler of a fault, leave the work to the next definition.
 */
static void publish_new(void)
{
	if (!__atomic_load_n(&is_published, __ATOMIC_SEQ_CST) ||
	    tr2_lock_is_mine())
		return;
	tr2_lock();
	if (is_published)
		tr2_metric_publish();
	tr2_unlock();
}

/* Set the number of the definition's histogram. The number is valid only if the
 * definition is appended at this index. false: the definition is a
 * distribution, which needs a histogram, and all histograms are in use. */
static bool assign_histogram(const struct table *table, unsigned int index,
			     struct tr2_metric_def *def)
{
	unsigned int nr;

	def->histogram = 0;
	if (!(def->flags & TRACE2_HISTOGRAM) ||
	    table != &tables[TR2_METRIC_TIMER])
		return true;
	nr = count_histograms(table, index);
	if (nr < TR2_MAX_HISTOGRAMS)
		def->histogram = nr + 1;
	return def->histogram || !def->unit;
}

/* Append a definition at the index. false: another thread took the index
 * first. */
static bool append_def(struct table *table, unsigned int index,
		       struct tr2_metric_def *def)
{
	struct tr2_metric_def *none = NULL;

	/* Release: a thread that finds the definition finds it complete.
	 * Sequentially consistent: see tr2_metric_back(). */
	if (!__atomic_compare_exchange_n(&table->def[index], &none, def, false,
					 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return false;
	if (def->flags & TRACE2_HISTOGRAM && !def->histogram &&
	    table == &tables[TR2_METRIC_TIMER])
		atomic_fetch_add_explicit(&nr_without_histogram, 1,
					  memory_order_relaxed);
	return true;
}

/* Append the definition, or find the existing one. Return the index; the
 * table's maximum: no room. */
static unsigned int find_or_append(enum tr2_metric_kind kind,
				   const struct tr2_metric_given *given)
{
	struct table *table = &tables[kind];
	uint32_t hash = hash_of(given->category, given->name);
	struct tr2_metric_def *def = NULL;
	unsigned int at = 0;
	bool found;

	for (;;) {
		at = search_def(table, at, hash, given, &found);
		if (found || at == table->max)
			return at;
		if (!def)
			def = make_def(given);
		if (!def || !assign_histogram(table, at, def) ||
		    !find_space(kind, at, def->histogram))
			return table->max;
		if (append_def(table, at, def))
			break;
	}
	atomic_store_explicit(&table->hash[at], hash, memory_order_relaxed);
	publish_new();
	return at;
}

/* Define a metric, and return the index; TRACE2_UNREGISTERED_: no room. */
static unsigned int define_metric(enum tr2_metric_kind kind,
				  const struct tr2_metric_given *given)
{
	unsigned int index = find_or_append(kind, given);
	struct tr2_metric_def *def;

	if (index == tables[kind].max)
		return TRACE2_UNREGISTERED_;
	def = def_at(&tables[kind], index);
	if (def->flags != given->flags ||
	    (def->unit && given->unit && strcmp(def->unit, given->unit) != 0))
		def->is_ambiguous = true;
	return find_space(kind, index, def->histogram) ? index :
							 TRACE2_UNREGISTERED_;
}

/* Return the index with its marks. */
static unsigned int marked(const struct tr2_metric_def *def, unsigned int index)
{
	return index | (def->is_sampled ? TR2_METRIC_SAMPLED : 0) |
	       (def->histogram ? TR2_METRIC_HISTOGRAM : 0);
}

/* Store the index with its marks at a place in the set of marks.h. The mark may
 * change at the same time: see tr2_metric_sample(). */
static void assign_index(enum tr2_metric_kind kind, unsigned int index,
			 unsigned int *place)
{
	const struct tr2_metric_def *def = def_at(&tables[kind], index);
	unsigned int given;

	do {
		given = marked(def, index);
		__atomic_store_n(place, given, __ATOMIC_SEQ_CST);
	} while (given != marked(def, index));
}

void tr2_metric_refuse(enum tr2_metric_refusal why)
{
	atomic_fetch_add_explicit(&nr_refused[why], 1, memory_order_relaxed);
}

static void register_metric(enum tr2_metric_kind kind,
			    struct tr2_metric_given given, unsigned int *place)
{
	unsigned int index = TRACE2_UNREGISTERED_;
	int saved_errno = errno;

	if (!given.category)
		given.category = "";
	if (!given.name)
		given.name = "";
	__atomic_store_n(place, index, __ATOMIC_RELAXED);
	if (tr2_marks_keep(kind, place))
		index = define_metric(kind, &given);
	if (index == TRACE2_UNREGISTERED_)
		tr2_metric_refuse(TR2_REFUSED_ROOM);
	else
		assign_index(kind, index, place);
	errno = saved_errno;
}

unsigned int tr2_metric_open(enum tr2_metric_kind kind,
			     const struct tr2_metric_given *given,
			     tr2_metric_place *place_of)
{
	unsigned int index = define_metric(kind, given), *place;

	if (index != TRACE2_UNREGISTERED_) {
		place = place_of(kind, index);
		if (tr2_marks_keep(kind, place))
			assign_index(kind, index, place);
		else
			index = TRACE2_UNREGISTERED_;
	}
	if (index == TRACE2_UNREGISTERED_)
		tr2_metric_refuse(TR2_REFUSED_ROOM);
	return index;
}

#define UNIT_0(m) NULL
#define UNIT_1(m) ((m)->unit ? (m)->unit : "")
#define TR2_METRIC_KIND(KIND, kind, number, CELL, has_unit, always)            \
	void trace2_register_##kind##_(struct trace2_##kind *kind)             \
	{                                                                      \
		if (kind)                                                      \
			register_metric(TR2_METRIC_##CELL,                     \
					(struct tr2_metric_given){             \
						TR2_DEFINITION_##KIND,         \
						kind->category, kind->name,    \
						UNIT_##has_unit(kind),         \
						kind->flags | (always) },      \
					&kind->index);                         \
	}                                                                      \
	void trace2_unregister_##kind##_(struct trace2_##kind *kind)           \
	{                                                                      \
		if (kind)                                                      \
			tr2_marks_forget(&kind->index);                        \
	}
#include "arena/kinds.def"

void tr2_metric_sample(enum tr2_metric_kind kind, unsigned int index, bool on)
{
	struct tr2_metric_def *def = def_at(&tables[kind], index);
	unsigned int before = marked(def, index);

	def->is_sampled = on;
	tr2_marks_change(kind, before, marked(def, index));
}

unsigned int tr2_metric_nr(enum tr2_metric_kind kind)
{
	struct table *table = &tables[kind];
	unsigned int known, nr;

	known = nr = atomic_load_explicit(&table->nr, memory_order_relaxed);
	while (nr < table->max && def_at(table, nr))
		nr++;
	if (nr != known)
		atomic_store_explicit(&table->nr, nr, memory_order_relaxed);
	return nr;
}

const struct tr2_metric_def *tr2_metric_def(enum tr2_metric_kind kind,
					    unsigned int index)
{
	return def_at(&tables[kind], index);
}

unsigned int tr2_metric_find(enum tr2_metric_kind kind, const char *category,
			     const char *name)
{
	const struct tr2_metric_given given = {
		kind == TR2_METRIC_TIMER ? TR2_DEFINITION_TIMER :
					   TR2_DEFINITION_COUNTER,
		category, name, NULL, 0
	};
	struct table *table = &tables[kind];
	bool found;
	unsigned int at = search_def(table, 0, hash_of(category, name), &given,
				     &found);

	return found ? at : TRACE2_UNREGISTERED_;
}

unsigned int tr2_metric_nr_refused(enum tr2_metric_refusal why)
{
	return atomic_load_explicit(&nr_refused[why], memory_order_relaxed);
}

unsigned int tr2_metric_nr_without_histogram(void)
{
	return atomic_load_explicit(&nr_without_histogram,
				    memory_order_relaxed);
}

void tr2_metric_release(void)
{
	struct pool *from = pool;
	unsigned int kind;

	tr2_marks_release();
	if (from == &tr2_metric_first_pool)
		return;
	/* Drop the definitions: from now on no name can be found. */
	for (kind = 0; kind < TR2_METRIC_KINDS; kind++) {
		memset(tables[kind].def, 0,
		       tables[kind].max * sizeof(*tables[kind].def));
		memset(tables[kind].hash, 0,
		       tables[kind].max * sizeof(*tables[kind].hash));
		tables[kind].nr = 0;
	}
	while (from != &tr2_metric_first_pool) {
		pool = from->before;
		munmap(from, sizeof(*from));
		from = pool;
	}
}

void tr2_metric_after_fork(void)
{
	unsigned int kind;

	is_published = false;
	for (kind = 0; kind < TR2_METRIC_KINDS; kind++)
		tables[kind].nr_published = 0;
	backed.more = NULL;
	tr2_marks_after_fork();
}
