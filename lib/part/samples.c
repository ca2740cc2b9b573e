/* SPDX-License-Identifier: MIT */
/*
 * The part of samples: each time that a thread has counted another period,
 * write a SAMPLE with the call stack into its ring. This file samples the
 * program's own counters.
 */
#include "part/samples.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/unwind.h"
#include "part/part.h"
#include "part/share.h"
#include "pmu/pmu.h"
#include "ring/ring.h"
#include "ring/task.h"

#define TEXT_BYTES (4 * TR2_PERFEVENT_BYTES)

/*
 * If the period of task-clock or cpu-clock is shorter than this, a program in a
 * virtual machine spends more CPU time on samples than on its work. Under
 * valgrind it spends all time on samples. The kernel's own limit, 10000, is far
 * too low for that.
 */
#define MIN_PERIOD_NS 50000
#define TEXT_OF_(number) #number
#define TEXT_OF(number) TEXT_OF_(number)

struct tr2_sample *tr2_samples;
unsigned int tr2_nr_samples;
static const char *why_no_calls;

static void keep_no_calls(void)
{
	char memory[TEXT_BYTES];
	struct tr2_buf b;

	tr2_buf_init_fixed(&b, memory, sizeof(memory));
	tr2_buf_addlit(&b, "samples have no calls: ");
	tr2_buf_addstr(&b, why_no_calls);
	tr2_pending_errors_add(tr2_buf_str(&b));
}

static void keep_error(const struct tr2_perfevent *event, const char *why)
{
	char text[TEXT_BYTES];

	tr2_perfevent_fail(0, text, sizeof(text), event, why);
	tr2_pending_errors_add(text);
}

/* Return the first sample of this sample's group; without a group, the sample
 * itself. */
static const struct tr2_sample *first_of(const struct tr2_sample *sample)
{
	const struct tr2_sample *first = tr2_samples;

	while (sample->event.group && first < sample &&
	       first->event.group != sample->event.group)
		first++;
	return sample->event.group ? first : sample;
}

/* Return whether an earlier sample has the same text: readers identify samples
 * by the text, and would add both up. */
static bool is_there(const struct tr2_sample *sample)
{
	const struct tr2_sample *before;

	for (before = tr2_samples; before < sample; before++)
		if (before->attr.sample_period &&
		    !strcmp(before->event.text, sample->event.text))
			return true;
	return false;
}

/* Return NULL, or the reason why the event cannot be sampled. */
static const char *find_fault(struct tr2_sample *sample)
{
	const struct tr2_sample *first = first_of(sample);
	bool of_kernel = tr2_perfevent_is_kernel(sample->event.pmu);
	bool has_period = sample->attr.sample_period != 0;

	sample->by_kernel = first == sample ? of_kernel : first->by_kernel;
	if (first == sample && !has_period)
		return "a sampled event needs a period, as in "
		       "app/CATEGORY/NAME/:1000";
	if (of_kernel && has_period && !strcmp(sample->event.unit, "ns") &&
	    sample->attr.sample_period < MIN_PERIOD_NS)
		return "a sample of time can be taken each " TEXT_OF(
			MIN_PERIOD_NS) " ns, not more often: the program would "
		       "get nowhere";
	if (first != sample && of_kernel && has_period)
		return "of the kernel's events the first of a group alone is "
		       "sampled";
	if (has_period && is_there(sample))
		return "it is in the list already";
	if (sample->by_kernel && !of_kernel)
		return "a group that an event of the kernel leads has none of "
		       "others";
	return NULL;
}

static bool is_good(struct tr2_sample *sample, enum tr2_perfevent_result result,
		    char *error, size_t size_bytes)
{
	const char *why;

	if (result == TR2_PERFEVENT_BAD ||
	    tr2_perf_attr_of(&sample->event, &sample->attr, error,
			     size_bytes)) {
		tr2_pending_errors_add(error);
		return false;
	}
	why = find_fault(sample);
	if (why)
		keep_error(&sample->event, why);
	return !why;
}

/* Return whether the program itself takes any of the samples. */
static bool has_own(void)
{
	unsigned int i;

	for (i = 0; i < tr2_nr_samples; i++)
		if (!tr2_samples[i].by_kernel)
			return true;
	return false;
}

static void samples_load(const char *list)
{
	struct tr2_perfevents events;
	enum tr2_perfevent_result result;
	struct tr2_sample *sample, one;

	if (tr2_samples)
		return;
	tr2_samples = calloc(TR2_MAX_SAMPLES, sizeof(*tr2_samples));
	if (!tr2_samples)
		return;
	tr2_perfevents_init(&events, list);
	while ((result = tr2_perfevents_next(&events, &one.event))) {
		if (tr2_nr_samples == TR2_MAX_SAMPLES) {
			tr2_pending_errors_add("more than 64 events to "
					       "sample: the others are not");
			break;
		}
		sample = &tr2_samples[tr2_nr_samples];
		sample->event = one.event;
		if (!is_good(sample, result, events.error,
			     sizeof(events.error)))
			continue;
		/* The kernel does not map inherited events: each thread has
		 * events of its own. */
		sample->attr.inherit = !sample->by_kernel;
		sample->attr.read_format =
			TRACE2_PERF_FORMAT_GROUP | TRACE2_PERF_FORMAT_ID;
		tr2_nr_samples++;
	}
	if (has_own())
		why_no_calls = tr2_unwind_prepare();
}

/* Write the values of the group. Write 0 for a value that cannot be read. */
static uint64_t *put_values(uint64_t *at, struct trace2_perf *ev)
{
	int nr = tr2_perf_read(ev, at, TR2_SAMPLE_MAX_VALUES);

	if (nr <= 0)
		*at = 0;
	return at + (nr > 0 ? nr : 1);
}

uint64_t *tr2_sample_put_calls(const uint64_t *record, uint64_t *at,
			       const uint64_t *ip, size_t nr)
{
	size_t most = tr2_arena_rings.data_size / 4 / sizeof(*at);
	size_t used = (size_t)(at - record) + 2;

	if (nr > (most > used ? most - used : 0))
		nr = most > used ? most - used : 0;
	if (!nr) {
		*at++ = 0;
		return at;
	}
	memmove(at + 2, ip, nr * sizeof(*at));
	*at++ = nr + 1;
	*at++ = TR2_SAMPLE_CONTEXT_USER;
	return at + nr;
}

/* If an address of the sample lies in code that is not recorded yet, record new
 * code first. */
static void tell_code(const struct tr2_slot *slot,
		      const struct tr2_callchain *chain, uint64_t now_ns)
{
	const struct tr2_arena_header *header = tr2_arena_header();
	const struct tr2_task task = { header->pid, header->ppid,
				       slot->control.tid, 0 };

	tr2_task_mmaps_of(&task, chain->ip, chain->nr, now_ns);
}

static void put_sample(struct trace2_perf *ev, const struct tr2_slot *slot,
		       uint64_t periods, const struct tr2_callchain *chain)
{
	union {
		struct tr2_record_sample sample;
		uint64_t word[sizeof(struct tr2_record_sample) / 8 +
			      TR2_SAMPLE_MAX_VALUES + 2 + TR2_CALLCHAIN_MAX];
	} record;
	uint64_t *at = record.word + sizeof(record.sample) / 8;
	uint64_t now_ns = tr2_clock_now_ns();
	int cpu = sched_getcpu();

	if (!tr2_arena_header() || slot != tr2_my_slot)
		return;
	tell_code(slot, chain, now_ns);
	at = put_values(at, ev);
	at = tr2_sample_put_calls(record.word, at, chain->ip, chain->nr);
	record.sample = (struct tr2_record_sample){
		.head = { TR2_RECORD_SAMPLE, TR2_MISC_USER,
			  (uint16_t)((at - record.word) * 8) },
		.ip = chain->nr ? chain->ip[0] : 0,
		.pid = tr2_arena_header()->pid,
		.tid = slot->control.tid,
		.time = now_ns,
		.id = ev->id,
		.cpu = cpu < 0 ? 0 : (uint32_t)cpu,
		.period = periods * ev->attr.sample_period,
	};
	tr2_ring_put(tr2_my_slot, &record);
}

/* Return the leader: the first open event of the group. */
static struct trace2_perf *leader_of(const struct tr2_sample *sample)
{
	const struct tr2_sample *other;

	for (other = tr2_samples; sample->event.group && other < sample;
	     other++)
		if (other->perf && other->event.group == sample->event.group)
			return other->perf;
	return NULL;
}

void tr2_sample_publish(const struct tr2_sample *sample)
{
	const struct tr2_definition row = {
		.scope = TR2_SCOPE_THREAD,
		.unit = tr2_arena_intern(sample->event.unit),
		.index = (uint32_t)sample->id,
		.flags = (uint32_t)(sample->id >> 32),
	};

	tr2_arena_define(TR2_DEFINITION_EVENT, &row, "perf",
			 sample->event.text);
}

/* Open the event of a sample. The caller holds the lock. */
static int open_sample(struct tr2_sample *sample,
		       const struct tr2_thread *thread)
{
	int error;

	if (sample->perf) /* an event of the parent, in a forked child */
		tr2_perf_close(sample->perf);
	sample->perf = NULL;
	error = tr2_perf_open(&sample->attr, (pid_t)thread->tid, -1,
			      leader_of(sample), &sample->perf);
	sample->id = error ? 0 : sample->perf->id;
	if (!error)
		sample->perf->on_overflow = put_sample;
	return error;
}

void tr2_sample_add_error(const struct tr2_sample *sample, int error,
			  unsigned int nr_threads)
{
	char text[TEXT_BYTES];

	if (error == -ENOBUFS)
		tr2_perfevent_fail(0, text, sizeof(text), &sample->event,
				   "the kernel has no memory for its samples "
				   "(perf_event_mlock_kb, RLIMIT_MEMLOCK)");
	else if (error == -ECANCELED)
		tr2_perfevent_fail(0, text, sizeof(text), &sample->event,
				   "forked children could not be noticed: a "
				   "sandbox refuses madvise(MADV_WIPEONFORK)");
	else
		tr2_share_explain(&sample->event, error, text, sizeof(text));
	if (nr_threads)
		tr2_pending_errors_add_threads(text, nr_threads);
	else
		tr2_pending_errors_add(text);
}

/* Record all code, for the addresses in samples. The caller holds the lock. */
static void tell_all_code(void)
{
	const struct tr2_arena_header *header = tr2_arena_header();
	struct tr2_task task;

	if (!header || !tr2_samples)
		return;
	task = (struct tr2_task){ header->pid, header->ppid, header->pid, 0 };
	tr2_task_mmaps(&task, tr2_clock_now_ns());
}

static void samples_open(struct tr2_thread *main_thread, void **own)
{
	unsigned int i;
	int error;

	(void)own;
	if (tr2_nr_samples && !tr2_arena_header()) {
		tr2_pending_errors_add("samples need the ring target, which "
				       "is off: set GIT_TRACE2_RING");
		return;
	}
	if (has_own() && why_no_calls)
		keep_no_calls();
	tr2_lock();
	tell_all_code();
	for (i = 0; i < tr2_nr_samples; i++) {
		if (tr2_samples[i].by_kernel)
			continue;
		error = open_sample(&tr2_samples[i], main_thread);
		if (error)
			tr2_sample_add_error(&tr2_samples[i], error, 0);
		else
			tr2_sample_publish(&tr2_samples[i]);
	}
	tr2_unlock();
}

static void samples_close(void)
{
	unsigned int i;

	if (!tr2_nr_samples)
		return;
	tr2_lock();
	for (i = 0; i < tr2_nr_samples; i++)
		if (tr2_samples[i].perf)
			tr2_samples[i].perf->on_overflow = NULL;
	tell_all_code();
	tr2_unlock();
}

/* Release the list. Other functions close its events. */
static void samples_release(void)
{
	free(tr2_samples);
	tr2_samples = NULL;
	tr2_nr_samples = 0;
}

const struct tr2_part tr2_part_samples = {
	.load = samples_load,
	.open = samples_open,
	.close = samples_close,
	.release = samples_release,
};
