/* SPDX-License-Identifier: MIT */
/*
 * Definitions. Constructors register them, also in programs that never switch
 * tracing on: static tables, no allocation unless there are very many.
 */
#include "base/macros.h"
#include "metric/metric.h"
#include "metric/marks.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#define POOL_BYTES 16384u
#define HASH_SIZE 2048u /* a power of two above both capacities */

struct table {
	struct tr2_metric_def *def;
	unsigned int max;
	atomic_uint nr; /* released after the row is complete */
};

TR2_LARGE struct tr2_metric_def tr2_metric_timers[TR2_MAX_TIMERS];
TR2_LARGE struct tr2_metric_def tr2_metric_counters[TR2_MAX_COUNTERS];
TR2_LARGE struct tr2_metric_def tr2_metric_gauges[TR2_MAX_GAUGES];
static struct table tables[TR2_METRIC_KINDS] = {
	[TR2_METRIC_TIMER] = { tr2_metric_timers, TR2_MAX_TIMERS, 0 },
	[TR2_METRIC_COUNTER] = { tr2_metric_counters, TR2_MAX_COUNTERS, 0 },
	[TR2_METRIC_GAUGE] = { tr2_metric_gauges, TR2_MAX_GAUGES, 0 },
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* Set before the thread takes the lock, until it has released it. */
static __thread bool may_hold __attribute__((tls_model("initial-exec")));
/* index + 1, by hash of kind, category and name. */
TR2_LARGE uint16_t tr2_metric_by_name[TR2_METRIC_KINDS][HASH_SIZE];
static unsigned int nr_histograms;
static atomic_uint nr_refused, nr_without_histogram;

/* Each pool except the first begins with a pointer to the previous one. */
TR2_LARGE char tr2_metric_first_pool[POOL_BYTES];
static char *pool = tr2_metric_first_pool;
static size_t pool_used;

static void lock(void)
{
	may_hold = true;
	pthread_mutex_lock(&mutex);
}

static void unlock(void)
{
	pthread_mutex_unlock(&mutex);
	may_hold = false;
}

/* Return a copy that is never freed; NULL: no memory. */
static const char *intern(const char *s)
{
	size_t size = strlen(s) + 1;
	char *copy;

	if (size > POOL_BYTES - sizeof(pool))
		return NULL;
	if (size > POOL_BYTES - pool_used) {
		void *p = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			return NULL;
		memcpy(p, &pool, sizeof(pool));
		pool = p;
		pool_used = sizeof(pool);
	}
	copy = pool + pool_used;
	pool_used += size;
	return memcpy(copy, s, size);
}

/* FNV-1a (Fowler, Noll, Vo), over the string and its NUL. */
static uint32_t hash_string(uint32_t hash, const char *s)
{
	do {
		hash = (hash ^ (unsigned char)*s) * 16777619u;
	} while (*s++);
	return hash;
}

/* Return its entry in tr2_metric_by_name, or the place for a new one. */
static uint16_t *find_name(enum tr2_metric_kind kind, const char *category,
			   const char *name, bool has_unit)
{
	uint32_t at = hash_string(hash_string(2166136261u, category), name);
	const struct tr2_metric_def *def;
	uint16_t *entry;

	for (;; at++) {
		entry = &tr2_metric_by_name[kind][at % HASH_SIZE];
		if (!*entry)
			return entry;
		def = &tables[kind].def[*entry - 1];
		if (!strcmp(def->category, category) &&
		    !strcmp(def->name, name) && !def->unit == !has_unit)
			return entry;
	}
}

static bool is_published; /* under lock */

/* The number of cells with space in the arena's file, if there is one. */
static struct {
	tr2_metric_more more; /* NULL: no file */
	struct tr2_arena_cells nr;
} backed;
/* A page of them. */
#define MORE_COUNTERS 512u
#define MORE_TIMERS 64u

static unsigned int round_up(unsigned int nr, unsigned int step,
			     unsigned int max)
{
	nr = (nr + step - 1) / step * step;
	return nr < max ? nr : max;
}

/* The cells to have space for, if there will be one more of this kind;
 * TR2_METRIC_KINDS: no more. */
static struct tr2_arena_cells cells_with(enum tr2_metric_kind kind,
					 bool histogram)
{
	const struct tr2_arena_cells nr = {
		.counters = round_up(tr2_metric_nr(TR2_METRIC_COUNTER) +
					     (kind == TR2_METRIC_COUNTER),
				     MORE_COUNTERS, TR2_MAX_COUNTERS),
		.timers = round_up(tr2_metric_nr(TR2_METRIC_TIMER) +
					   (kind == TR2_METRIC_TIMER),
				   MORE_TIMERS, TR2_MAX_TIMERS),
		.histograms = round_up(nr_histograms + histogram, 1,
				       TR2_MAX_HISTOGRAMS),
		.gauges = round_up(tr2_metric_nr(TR2_METRIC_GAUGE) +
					   (kind == TR2_METRIC_GAUGE),
				   TR2_MAX_GAUGES, TR2_MAX_GAUGES),
	};

	return nr;
}

void tr2_metric_back(tr2_metric_more more)
{
	lock();
	backed.more = more;
	backed.nr = cells_with(TR2_METRIC_KINDS, false);
	if (more)
		tr2_arena_back_cells(&backed.nr);
	unlock();
}

static void keep_larger(unsigned int *nr, unsigned int other)
{
	if (*nr < other)
		*nr = other;
}

bool tr2_metric_try_lock(void)
{
	bool held = may_hold;

	may_hold = true;
	if (!held && !pthread_mutex_trylock(&mutex))
		return true;
	may_hold = held;
	return false;
}

void tr2_metric_unlock(void)
{
	unlock();
}

/*
 * Get space for more cells. It releases the lock meanwhile, since the process's
 * lock comes first. false: no space.
 */
static bool back_more(const struct tr2_arena_cells *nr)
{
	tr2_metric_more more = backed.more;
	bool ok;

	unlock();
	ok = more(nr);
	lock();
	if (!ok)
		return false;
	keep_larger(&backed.nr.counters, nr->counters);
	keep_larger(&backed.nr.timers, nr->timers);
	keep_larger(&backed.nr.histograms, nr->histograms);
	keep_larger(&backed.nr.gauges, nr->gauges);
	return true;
}

/* Other threads may define metrics meanwhile. */
static bool find_space(enum tr2_metric_kind kind, unsigned int flags)
{
	bool histogram = kind == TR2_METRIC_TIMER &&
			 (flags & TRACE2_HISTOGRAM);
	struct tr2_arena_cells nr;

	while (backed.more) {
		nr = cells_with(kind, histogram);
		if (nr.counters <= backed.nr.counters &&
		    nr.timers <= backed.nr.timers &&
		    nr.gauges <= backed.nr.gauges &&
		    nr.histograms <= backed.nr.histograms)
			return true;
		if (!back_more(&nr))
			return false;
	}
	return true;
}

static enum tr2_definition_kind
definition_kind(const struct table *table, const struct tr2_metric_def *def)
{
	if (table->def == tr2_metric_gauges)
		return TR2_DEFINITION_GAUGE;
	if (table->def == tr2_metric_counters)
		return TR2_DEFINITION_COUNTER;
	return def->unit ? TR2_DEFINITION_DISTRIBUTION : TR2_DEFINITION_TIMER;
}

static void publish(struct table *table, unsigned int index)
{
	const struct tr2_metric_def *def = &table->def[index];
	const struct tr2_definition numbers = {
		.scope = TR2_SCOPE_THREAD,
		.flags = def->flags,
		.index = index,
		.histogram = def->histogram,
		.unit = def->unit ? tr2_arena_intern(def->unit) : 0,
	};

	tr2_arena_define(definition_kind(table, def), &numbers, def->category,
			 def->name);
}

void tr2_metric_publish(void)
{
	unsigned int kind, i, nr;

	lock();
	is_published = true;
	for (kind = 0; kind < TR2_METRIC_KINDS; kind++) {
		nr = tr2_metric_nr(kind);
		for (i = 0; i < nr; i++)
			publish(&tables[kind], i);
	}
	unlock();
}

void tr2_metric_publish_row(enum tr2_definition_kind kind,
			    const struct tr2_definition *numbers,
			    const char *category, const char *name)
{
	lock();
	tr2_arena_define(kind, numbers, category, name);
	unlock();
}

static void add_histogram(struct tr2_metric_def *def)
{
	if (nr_histograms < TR2_MAX_HISTOGRAMS)
		def->histogram = ++nr_histograms;
	else
		atomic_fetch_add_explicit(&nr_without_histogram, 1,
					  memory_order_relaxed);
}

/* Strings that are copied for a definition that is refused stay in the pool. */
static bool add_def(struct table *table, unsigned int nr,
		    const struct tr2_metric_given *given)
{
	struct tr2_metric_def *def = &table->def[nr];
	unsigned int flags = given->flags;

	/* A distribution is nothing without its histogram. */
	if (nr >= table->max ||
	    (given->unit && flags & TRACE2_HISTOGRAM &&
	     nr_histograms == TR2_MAX_HISTOGRAMS))
		return false;
	def->category = intern(given->category);
	def->name = intern(given->name);
	def->unit = given->unit ? intern(given->unit) : NULL;
	if (!def->category || !def->name || !def->unit != !given->unit)
		return false;
	def->flags = flags;
	if ((flags & TRACE2_HISTOGRAM) && table->def == tr2_metric_timers)
		add_histogram(def);
	atomic_store_explicit(&table->nr, nr + 1, memory_order_release);
	if (is_published)
		publish(table, nr);
	return true;
}

/* Return the index with its marks. */
static unsigned int marked(const struct tr2_metric_def *def, unsigned int index)
{
	return index | (def->is_sampled ? TR2_METRIC_SAMPLED : 0) |
	       (def->histogram ? TR2_METRIC_HISTOGRAM : 0);
}

/* Return the marked index; TRACE2_UNREGISTERED_: no room. */
static unsigned int define(enum tr2_metric_kind kind,
			   const struct tr2_metric_given *given)
{
	struct table *table = &tables[kind];
	uint16_t *entry = find_name(kind, given->category, given->name,
				    given->unit);
	struct tr2_metric_def *def;
	unsigned int nr;

	if (*entry) {
		def = &table->def[*entry - 1];
		if (def->flags != given->flags ||
		    (def->unit && given->unit &&
		     strcmp(def->unit, given->unit) != 0))
			def->is_ambiguous = true;
		return marked(def, *entry - 1u);
	}
	nr = atomic_load_explicit(&table->nr, memory_order_relaxed);
	if (!add_def(table, nr, given))
		return TRACE2_UNREGISTERED_;
	*entry = (uint16_t)(nr + 1);
	return marked(&table->def[nr], nr);
}

void tr2_metric_refuse(void)
{
	atomic_fetch_add_explicit(&nr_refused, 1, memory_order_relaxed);
}

static void register_metric(enum tr2_metric_kind kind, const char *category,
			    const char *name, const char *unit,
			    unsigned int flags, unsigned int *index)
{
	const struct tr2_metric_given given = { category ? category : "",
				     name ? name : "", unit, flags };

	int saved_errno = errno;

	lock();
	*index = TRACE2_UNREGISTERED_;
	if (find_space(kind, flags) && tr2_marks_keep(kind, index))
		*index = define(kind, &given);
	if (*index == TRACE2_UNREGISTERED_)
		tr2_metric_refuse();
	unlock();
	errno = saved_errno;
}

unsigned int tr2_metric_open(enum tr2_metric_kind kind,
			     const struct tr2_metric_given *given,
			     tr2_metric_place *place_of)
{
	unsigned int index = TRACE2_UNREGISTERED_, marked_index, *place;

	if (may_hold) { /* in a signal handler */
		tr2_metric_refuse();
		return index;
	}
	lock();
	marked_index = find_space(kind, given->flags) ? define(kind, given) :
							index;
	if (marked_index != TRACE2_UNREGISTERED_) {
		index = marked_index & ~TR2_METRIC_MARKS;
		place = place_of(kind, index);
		__atomic_store_n(place, marked_index, __ATOMIC_RELAXED);
		if (!tr2_marks_keep(kind, place)) {
			*place = TRACE2_UNREGISTERED_;
			index = TRACE2_UNREGISTERED_;
		}
	}
	if (index == TRACE2_UNREGISTERED_)
		tr2_metric_refuse();
	unlock();
	return index;
}

/* Remove the place before the module's memory is unmapped. At the end of a
 * process, whose thread may have been interrupted here by a handler that exits,
 * that is no longer needed. */
static void forget_place(const unsigned int *index)
{
	if (may_hold)
		return;
	lock();
	tr2_marks_forget(index);
	unlock();
}

void trace2_register_timer_(struct trace2_timer *timer)
{
	if (timer)
		register_metric(TR2_METRIC_TIMER, timer->category, timer->name,
				NULL, timer->flags, &timer->index);
}

void trace2_register_distribution_(struct trace2_distribution *distribution)
{
	struct trace2_distribution *d = distribution;

	if (d)
		register_metric(TR2_METRIC_TIMER, d->category, d->name,
				d->unit ? d->unit : "",
				d->flags | TRACE2_HISTOGRAM, &d->index);
}

void trace2_register_counter_(struct trace2_counter *counter)
{
	if (counter)
		register_metric(TR2_METRIC_COUNTER, counter->category,
				counter->name, NULL, counter->flags,
				&counter->index);
}

void trace2_register_gauge_(struct trace2_gauge *gauge)
{
	if (gauge)
		register_metric(TR2_METRIC_GAUGE, gauge->category, gauge->name,
				gauge->unit ? gauge->unit : "", gauge->flags,
				&gauge->index);
}

void trace2_unregister_timer_(struct trace2_timer *timer)
{
	if (timer)
		forget_place(&timer->index);
}

void trace2_unregister_counter_(struct trace2_counter *counter)
{
	if (counter)
		forget_place(&counter->index);
}

void trace2_unregister_gauge_(struct trace2_gauge *gauge)
{
	if (gauge)
		forget_place(&gauge->index);
}

void trace2_unregister_distribution_(struct trace2_distribution *distribution)
{
	if (distribution)
		forget_place(&distribution->index);
}

void tr2_metric_sample(enum tr2_metric_kind kind, unsigned int index, bool on)
{
	struct tr2_metric_def *def = &tables[kind].def[index];
	unsigned int before;

	lock();
	before = marked(def, index);
	def->is_sampled = on;
	tr2_marks_change(kind, before, marked(def, index));
	unlock();
}

unsigned int tr2_metric_nr(enum tr2_metric_kind kind)
{
	/* Acquire: pairs with the release in add_def(). */
	return atomic_load_explicit(&tables[kind].nr, memory_order_acquire);
}

const struct tr2_metric_def *tr2_metric_def(enum tr2_metric_kind kind,
					    unsigned int index)
{
	return &tables[kind].def[index];
}

unsigned int tr2_metric_find(enum tr2_metric_kind kind, const char *category,
			     const char *name)
{
	unsigned int entry;

	lock();
	entry = *find_name(kind, category, name, false);
	unlock();
	return entry ? entry - 1 : TRACE2_UNREGISTERED_;
}

unsigned int tr2_metric_nr_refused(void)
{
	return atomic_load_explicit(&nr_refused, memory_order_relaxed);
}

unsigned int tr2_metric_nr_without_histogram(void)
{
	return atomic_load_explicit(&nr_without_histogram,
				    memory_order_relaxed);
}

static void release_names(void)
{
	char *before;

	for (; pool != tr2_metric_first_pool; pool = before) {
		memcpy(&before, pool, sizeof(before));
		munmap(pool, POOL_BYTES);
	}
}

void tr2_metric_release(void)
{
	if (may_hold)
		return;
	lock();
	tr2_marks_release();
	if (pool != tr2_metric_first_pool) {
		/* No name can be found from now on. */
		memset(tr2_metric_by_name, 0, sizeof(tr2_metric_by_name));
		tables[TR2_METRIC_TIMER].nr = tables[TR2_METRIC_COUNTER].nr =
			tables[TR2_METRIC_GAUGE].nr = 0;
		release_names();
	}
	unlock();
}

void tr2_metric_after_fork(void)
{
	static const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;

	mutex = unlocked;
	may_hold = false;
	is_published = false;
	backed.more = NULL;
}
