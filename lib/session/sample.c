/* SPDX-License-Identifier: MIT */
#include "session/sample.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/unwind.h"
#include "pmu/parse.h"
#include "pmu/pmu.h"
#include "ring/ring.h"
#include "ring/task.h"
#include "session/counters.h"

#define MAX_SAMPLES 64
#define TEXT_BYTES (4 * TR2_PERFEVENT_BYTES)

static struct sample {
	struct tr2_perfevent event;
	struct trace2_perf_attr attr;
	struct trace2_perf *perf; /* NULL: not open */
} * samples;
static unsigned int nr_samples;
static bool can_unwind;

/* "event 'TEXT': WHY" */
static void keep_error(const struct tr2_perfevent *event, const char *why)
{
	char memory[TEXT_BYTES];
	struct tr2_buf b;

	tr2_buf_init_fixed(&b, memory, sizeof(memory));
	tr2_buf_addlit(&b, "event '");
	tr2_text_add(&b, event->text, strlen(event->text));
	tr2_buf_addlit(&b, "': ");
	tr2_buf_addstr(&b, why);
	tr2_counters_keep_error(tr2_buf_str(&b));
}

static bool is_good(struct sample *sample, enum tr2_perfevent_result result,
		    char *error, size_t size_bytes)
{
	if (result == TR2_PERFEVENT_BAD ||
	    tr2_perf_attr_of(&sample->event, &sample->attr, error,
			     size_bytes)) {
		tr2_counters_keep_error(error);
		return false;
	}
	if (sample->attr.sample_period &&
	    sample->attr.type != TRACE2_PERF_TYPE_APP) {
		keep_error(&sample->event, "only timers and counters of the "
					   "program are sampled");
		return false;
	}
	if (sample->attr.sample_period || !sample->event.is_leader)
		return true;
	keep_error(&sample->event, "what is sampled has a period behind it, "
				   "as in app/CATEGORY/NAME/:1000");
	return false;
}

void tr2_samples_load(const char *list)
{
	struct tr2_perfevents events;
	enum tr2_perfevent_result result;
	struct sample *sample, one;

	if (!list || samples)
		return;
	samples = calloc(MAX_SAMPLES, sizeof(*samples));
	if (!samples)
		return;
	tr2_perfevents_init(&events, list);
	while ((result = tr2_perfevents_next(&events, &one.event))) {
		if (nr_samples == MAX_SAMPLES) {
			tr2_counters_keep_error("more than 64 events to "
						"sample: the others are not");
			break;
		}
		sample = &samples[nr_samples];
		sample->event = one.event;
		if (!is_good(sample, result, events.error,
			     sizeof(events.error)))
			continue;
		sample->attr.inherit = 1;
		sample->attr.read_format =
			TRACE2_PERF_FORMAT_GROUP | TRACE2_PERF_FORMAT_ID;
		nr_samples++;
	}
	if (nr_samples)
		can_unwind = tr2_unwind_prepare();
}

static bool is_sample(const struct trace2_perf *ev)
{
	unsigned int i;

	for (i = 0; i < nr_samples; i++)
		if (samples[i].perf == ev)
			return true;
	return false;
}

/* Values of the group; what cannot be read is an empty one. */
static uint64_t *put_values(uint64_t *at, struct trace2_perf *ev)
{
	int nr = tr2_perf_read(ev, at, TR2_SAMPLE_MAX_VALUES);

	if (nr <= 0)
		*at = 0;
	return at + (nr > 0 ? nr : 1);
}

/* As many calls as the ring takes. */
static uint64_t *put_chain(const uint64_t *record, uint64_t *at,
			   const struct tr2_callchain *chain)
{
	size_t most = tr2_arena_rings.data_size / 4 / sizeof(*at);
	size_t used = (size_t)(at - record) + 2, nr = chain->nr;

	if (nr > (most > used ? most - used : 0))
		nr = most > used ? most - used : 0;
	if (!nr) {
		*at++ = 0;
		return at;
	}
	*at++ = nr + 1;
	*at++ = TR2_SAMPLE_CONTEXT_USER;
	memcpy(at, chain->ip, nr * sizeof(*at));
	return at + nr;
}

/* Code that was loaded or made since is told before its first sample. */
static void tell_code(const struct tr2_slot *slot,
		      const struct tr2_callchain *chain, uint64_t now_ns)
{
	const struct tr2_arena_header *header = tr2_arena_header();
	const struct tr2_task task = { header->pid, header->ppid,
				       slot->control.tid, 0 };

	tr2_task_mmaps_of(&task, chain->ip, chain->nr, now_ns);
}

static void put(struct trace2_perf *ev, const struct tr2_slot *slot,
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

	if (!tr2_arena_header() || slot != tr2_my_slot || !is_sample(ev))
		return;
	tell_code(slot, chain, now_ns);
	at = put_values(at, ev);
	at = put_chain(record.word, at, chain);
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

/* The first of its group that is open leads it. */
static struct trace2_perf *leader_of(const struct sample *sample)
{
	const struct sample *other;

	for (other = samples; sample->event.group && other < sample; other++)
		if (other->perf && other->event.group == sample->event.group)
			return other->perf;
	return NULL;
}

/* Under the lock. */
static int open_sample(struct sample *sample, const struct tr2_thread *thread)
{
	struct tr2_definition row = {
		.scope = TR2_SCOPE_THREAD,
		.unit = tr2_arena_intern(sample->event.unit),
	};
	int error;

	if (sample->perf) /* the parent's */
		tr2_perf_close(sample->perf);
	sample->perf = NULL;
	error = tr2_perf_open(&sample->attr, (pid_t)thread->tid, -1,
			      leader_of(sample), &sample->perf);
	if (error)
		return error;
	row.index = (uint32_t)sample->perf->id;
	row.flags = (uint32_t)(sample->perf->id >> 32);
	tr2_metric_publish_row(TR2_DEFINITION_EVENT, &row, "perf",
			       sample->event.text);
	return 0;
}

void tr2_samples_open(struct tr2_thread *main_thread)
{
	char text[TEXT_BYTES];
	unsigned int i;
	int error;

	if (nr_samples && !tr2_arena_header()) {
		tr2_counters_keep_error("samples need the ring target, which "
					"is off");
		return;
	}
	if (nr_samples && !can_unwind)
		tr2_counters_keep_error("samples have no calls: there is no "
					"libgcc_s.so.1");
	for (i = 0; i < nr_samples; i++) {
		tr2_lock();
		tr2_perf_on_overflow = put;
		error = open_sample(&samples[i], main_thread);
		tr2_unlock();
		if (!error)
			continue;
		tr2_perfevent_explain(&samples[i].event, -error, text,
				      sizeof(text));
		tr2_counters_keep_error(text);
	}
}

void tr2_samples_stop(void)
{
	tr2_perf_on_overflow = NULL;
}
