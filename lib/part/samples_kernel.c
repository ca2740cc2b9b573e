/* SPDX-License-Identifier: MIT */
/*
 * The part of samples of the kernel's events. The kernel writes a thread's
 * samples into memory of that thread. The library moves them into the ring
 * whenever the thread emits an event, and at its end. It uses no thread and no
 * signal. If the memory is full between two events, samples are lost, and
 * counted.
 */
#include <unistd.h>

#include "base/lock.h"
#include "base/macros.h"
#include "part/samples.h"
#include "part/share.h"
#include "pmu/pmu.h"
#include "pmu/pool.h"
#include "ring/ring.h"
#include "ring/task.h"

/* Memory for each thread and event; the kernel may permit less. */
#define MAP_BYTES (512u * 1024u)

/* All fields of the kernel's samples except PERIOD, which tr2_kernel_record()
 * handles. */
#define READ_FORMAT (TRACE2_PERF_FORMAT_GROUP | TRACE2_PERF_FORMAT_ID)
_Static_assert(READ_FORMAT == TR2_SAMPLE_READ_FORMAT, "as in the ring");
_Static_assert(TR2_SAMPLE_TYPE ==
		       (TRACE2_PERF_SAMPLE_IP | TRACE2_PERF_SAMPLE_TID |
			TRACE2_PERF_SAMPLE_TIME | TRACE2_PERF_SAMPLE_READ |
			TRACE2_PERF_SAMPLE_CALLCHAIN | TRACE2_PERF_SAMPLE_ID |
			TRACE2_PERF_SAMPLE_CPU | TRACE2_PERF_SAMPLE_PERIOD),
	       "as in the ring");

/* The events of one thread. */
struct task {
	struct task *next, *prev;
	struct trace2_perf *perf[TR2_MAX_SAMPLES]; /* the thread's event for
						    * each sample; NULL: not
						    * open */
	unsigned int nr_taken; /* descriptors taken from the share */
};

union record {
	struct tr2_record_sample sample;
	uint64_t word[TR2_RECORD_MAX / 8];
};

static struct tr2_pool pool = { sizeof(struct task), NULL };
static struct task *all;

/* The number of threads for which there were no descriptors. */
static unsigned int nr_unsampled;

/*
 * Return the id of the sample for the id of a thread's event. Records in the
 * ring contain the sample's id.
 */
static uint64_t id_of(const struct task *task, uint64_t id)
{
	unsigned int i;

	for (i = 0; i < tr2_nr_samples; i++)
		if (task->perf[i] && task->perf[i]->id == id)
			return tr2_samples[i].id;
	return id;
}

/*
 * Find the program's calls: they begin after TR2_SAMPLE_CONTEXT_USER. The first
 * call is the address of the sampled instruction itself. The ring contains only
 * return addresses, so add 1 to this address.
 */
static uint64_t *find_calls(uint64_t *at, uint64_t *end, size_t *nr)
{
	*nr = 0;
	while (at < end && *at != TR2_SAMPLE_CONTEXT_USER)
		at++;
	if (at == end)
		return end;
	at++;
	*nr = (size_t)(end - at);
	if (*nr)
		++*at;
	return at;
}

/*
 * If the sample lies in code that is not recorded yet, record new code first.
 * Check only the address of the code itself: frames that are found by pointers
 * may be wrong.
 */
static void tell_code(const union record *record, const uint64_t *ip, size_t nr)
{
	const struct tr2_record_sample *sample = &record->sample;
	const struct tr2_task task = { sample->pid,
				       tr2_arena_header()->ppid, sample->tid,
				       0 };

	if (nr)
		tr2_task_mmaps_of(&task, ip, 1, sample->time);
}

/* Move a sample into the ring. Check all sizes in the kernel's record. */
static void put_sample(const struct task *task, struct tr2_slot *slot,
		       union record *record)
{
	uint64_t *end = record->word + record->sample.head.size / 8;
	uint64_t *at = record->word + sizeof(record->sample) / 8, *ip, nr;
	size_t nr_calls;

	nr = at < end ? *at++ : 0;
	if (!tr2_arena_header() || at > end || nr > (uint64_t)(end - at) / 2)
		return;
	for (; nr; nr--, at += 2)
		at[1] = id_of(task, at[1]);
	/* Skip the number of calls: it is written again when calls are left
	 * out. */
	ip = find_calls(at < end ? at + 1 : end, end, &nr_calls);
	tell_code(record, ip, nr_calls);
	record->sample.id = id_of(task, record->sample.id);
	record->sample.ip = nr_calls ? *ip : 0;
	end = tr2_sample_put_calls(record->word, at, ip, nr_calls);
	record->sample.head.misc = TR2_MISC_USER;
	record->sample.head.size = (uint16_t)((end - record->word) * 8);
	tr2_ring_put(slot, record);
}

TR2_LARGE union record tr2_samples_kernel_record; /* a buffer for one record,
						   * used under the lock */

static void read_samples(const struct task *task, struct tr2_slot *slot,
			 struct trace2_perf *ev)
{
	union record *const record = &tr2_samples_kernel_record;
	int n;

	while ((n = tr2_perf_next_record(ev, record, sizeof(*record))) > 0) {
		if (record->sample.head.type == TR2_RECORD_LOST)
			tr2_ring_lost_many(slot, TR2_LOST_NO_ROOM,
					   record->word[2]);
		else if (record->sample.head.type == TR2_RECORD_SAMPLE &&
			 n >= (int)sizeof(record->sample))
			put_sample(task, slot, record);
	}
}

static void read_all(const struct task *task, struct tr2_slot *slot)
{
	unsigned int i;

	for (i = 0; i < tr2_nr_samples; i++)
		if (task->perf[i] && task->perf[i]->buffer.base)
			read_samples(task, slot, task->perf[i]);
}

static bool is_any(const struct task *task)
{
	unsigned int i;

	for (i = 0; i < tr2_nr_samples; i++)
		if (task->perf[i] && task->perf[i]->buffer.base &&
		    !tr2_buffer_is_empty(&task->perf[i]->buffer))
			return true;
	return false;
}

static void kernel_before_call(struct tr2_thread *thread, void *own)
{
	if (!own || !thread->owner.slot || !is_any(own))
		return;
	tr2_lock();
	read_all(own, thread->owner.slot);
	tr2_unlock();
}

static int map_buffer(struct trace2_perf *ev)
{
	size_t pages = MAP_BYTES / (size_t)sysconf(_SC_PAGESIZE);
	int error;

	do {
		error = tr2_perf_map(ev, pages ? pages : 1);
		pages /= 2;
	} while ((error == -EPERM || error == -ENOMEM) && pages);
	/* Return ENOBUFS if the kernel permits the event but not the memory. */
	return error == -EPERM ? -ENOBUFS : error;
}

static struct trace2_perf *leader_of(const struct task *task, unsigned int nr)
{
	unsigned int i, group = tr2_samples[nr].event.group;

	for (i = 0; group && i < nr; i++)
		if (task->perf[i] && tr2_samples[i].event.group == group)
			return task->perf[i];
	return NULL;
}

/* Close an event. Another thread may fork at the same time, and its child must
 * not close the event again. */
static void close_one(struct task *task, unsigned int nr)
{
	struct trace2_perf *perf = task->perf[nr];

	__atomic_store_n(&task->perf[nr], NULL, __ATOMIC_SEQ_CST);
	tr2_perf_close(perf);
}

static int open_one(struct task *task, unsigned int nr, uint32_t tid)
{
	struct trace2_perf *leader = leader_of(task, nr), **perf;
	struct trace2_perf_attr attr = tr2_samples[nr].attr;
	int error;

	if (!leader) {
		attr.sample_type = TR2_SAMPLE_TYPE;
		attr.read_format = READ_FORMAT;
		attr.exclude_callchain_kernel = 1;
		attr.disabled = 1;
	}
	perf = &task->perf[nr];
	error = tr2_perf_open(&attr, (pid_t)tid, -1, leader, perf);
	if (!error && !leader)
		error = map_buffer(*perf);
	if (error && *perf)
		close_one(task, nr);
	return error;
}

static struct task *task_of(struct tr2_thread *thread, void **own)
{
	struct task *task = *own;

	if (task)
		return task;
	task = tr2_pool_get(&pool);
	if (!task)
		return NULL;
	TR2_LIST_ADD(all, task);
	*own = task;
	thread->calls_parts = true;
	return task;
}

/* Open an event of the main thread. Each of these events takes its own
 * descriptor from the share. */
static int open_first(struct task *task, unsigned int nr, uint32_t tid)
{
	int error;

	if (!task)
		return -ENOMEM;
	/* In a forked child the event may be open: main may have emitted events
	 * before. */
	if (task->perf[nr])
		return 0;
	if (!tr2_share_take(1))
		return TR2_SHARE_ERROR;
	error = open_one(task, nr, tid);
	if (error)
		tr2_share_give(1);
	else
		task->nr_taken++;
	return error;
}

/* Start the events after all are open: a sample has the values of the whole
 * group. */
static int start_events(const struct task *task, unsigned int nr)
{
	struct trace2_perf *perf = task ? task->perf[nr] : NULL;

	return perf && perf->buffer.base ? tr2_perf_enable(perf) : 0;
}

static bool is_any_of_kernel(void)
{
	unsigned int i;

	for (i = 0; i < tr2_nr_samples; i++)
		if (tr2_samples[i].by_kernel)
			return true;
	return false;
}

/* Open the events of the main thread. The caller holds the lock. */
static void open_main(struct tr2_thread *main_thread, void **own, int *errors)
{
	struct task *task = task_of(main_thread, own);
	unsigned int i;

	for (i = 0; i < tr2_nr_samples; i++) {
		errors[i] = 0;
		if (!tr2_samples[i].by_kernel)
			continue;
		tr2_samples[i].id = 0;
		errors[i] = open_first(task, i, main_thread->tid);
		if (!errors[i])
			tr2_samples[i].id = task->perf[i]->id;
	}
	for (i = 0; i < tr2_nr_samples; i++) {
		if (!errors[i])
			errors[i] = start_events(task, i);
		if (!errors[i] && tr2_samples[i].by_kernel)
			tr2_sample_publish(&tr2_samples[i]);
	}
}

static void kernel_open(struct tr2_thread *main_thread, void **own)
{
	int errors[TR2_MAX_SAMPLES];
	unsigned int i;

	if (!is_any_of_kernel() || !tr2_arena_header())
		return;
	tr2_lock();
	open_main(main_thread, own, errors);
	tr2_unlock();
	for (i = 0; i < tr2_nr_samples; i++)
		if (errors[i])
			tr2_sample_add_error(&tr2_samples[i], errors[i], 0);
}

static void count_failure(unsigned int nr, int error)
{
	tr2_samples[nr].thread_error = error;
	tr2_samples[nr].nr_failed++;
}

static bool is_wanted(unsigned int nr)
{
	return tr2_samples[nr].by_kernel && tr2_samples[nr].id;
}

static void open_all(struct tr2_thread *thread, void **own,
		     unsigned int nr_wanted)
{
	struct task *task = task_of(thread, own);
	unsigned int i;
	int error;

	if (!task)
		tr2_share_give(nr_wanted);
	else
		task->nr_taken = nr_wanted;
	for (i = 0; i < tr2_nr_samples; i++) {
		if (!is_wanted(i))
			continue;
		error = task ? open_one(task, i, thread->tid) : -ENOMEM;
		if (error)
			count_failure(i, error);
	}
	for (i = 0; i < tr2_nr_samples; i++) {
		error = start_events(task, i);
		if (error)
			count_failure(i, error);
	}
}

/* Open the events of a thread: all that the kernel permits, or none if
 * descriptors are short. */
static void kernel_thread_begin(struct tr2_thread *thread, void **own)
{
	unsigned int nr = 0, i;

	for (i = 0; i < tr2_nr_samples; i++)
		nr += is_wanted(i);
	if (nr && tr2_share_take(nr))
		open_all(thread, own, nr);
	else if (nr)
		nr_unsampled++;
}

static void kernel_emit_errors(struct tr2_call *call)
{
	const struct tr2_sample *sample;
	unsigned int i;

	(void)call;
	for (i = 0; i < tr2_nr_samples; i++) {
		sample = &tr2_samples[i];
		if (sample->nr_failed)
			tr2_sample_add_error(sample, sample->thread_error,
					     sample->nr_failed);
	}
	tr2_share_add_error(nr_unsampled, "samples");
}

static void release_task(struct task *task)
{
	unsigned int i;

	/* Close the members of groups first: closing a leader ends its
	 * members. */
	for (i = TR2_MAX_SAMPLES; i--;)
		if (task->perf[i])
			close_one(task, i);
	TR2_LIST_REMOVE(all, task);
	tr2_share_give(task->nr_taken);
	tr2_pool_put(&pool, task);
}

static void stop_sampling(struct task *task, struct tr2_slot *slot)
{
	unsigned int i;

	for (i = 0; i < tr2_nr_samples; i++)
		if (task->perf[i] && task->perf[i]->buffer.base)
			tr2_perf_disable(task->perf[i]);
	read_all(task, slot);
}

static void kernel_thread_end(struct tr2_thread *thread, void **own)
{
	struct tr2_slot *slot = thread->owner.slot;
	struct task *task = *own;

	*own = NULL;
	if (!task)
		return;
	stop_sampling(task, slot ? slot : tr2_arena_totals());
	release_task(task);
}

/* At the end, move the samples of all threads into the ring of slot 0, which
 * threads write only under the lock. So no write of another thread is
 * disturbed. */
static void kernel_close(void)
{
	struct task *task;

	if (!tr2_nr_samples)
		return;
	tr2_lock();
	for (task = all; task; task = task->next)
		stop_sampling(task, tr2_arena_totals());
	tr2_unlock();
}

static void kernel_release(void)
{
	while (all)
		release_task(all);
}

static void kernel_forked(void)
{
	nr_unsampled = 0;
	kernel_release();
}

const struct tr2_part tr2_part_samples_kernel = {
	.open = kernel_open,
	.thread_begin = kernel_thread_begin,
	.before_call = kernel_before_call,
	.emit_errors = kernel_emit_errors,
	.thread_end = kernel_thread_end,
	.close = kernel_close,
	.forked = kernel_forked,
	.release = kernel_release,
};
