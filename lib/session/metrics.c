/* SPDX-License-Identifier: MIT */
#include "session/metrics.h"

#include <sys/mman.h>

#include "metric/metric.h"

static size_t histogram_bytes(void)
{
	return sizeof(struct tr2_histogram) +
	       TR2_HISTOGRAM_BUCKETS *
		       sizeof(((struct tr2_histogram *)0)->bucket[0]);
}

/* NULL when the timer has no histogram; release with munmap. */
static struct tr2_histogram *collect_histogram(struct tr2_slot *slot,
					       unsigned int index)
{
	const uint64_t *counts = tr2_timer_buckets(slot, index);
	struct tr2_histogram *h;
	unsigned int i;

	if (!counts)
		return NULL;
	h = mmap(NULL, histogram_bytes(), PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (h == MAP_FAILED)
		return NULL;
	for (i = 0; i < TR2_HISTOGRAM_BUCKETS; i++) {
		uint64_t count = __atomic_load_n(&counts[i], __ATOMIC_RELAXED);

		if (!count)
			continue;
		h->bucket[h->nr].upper_ns = tr2_histogram_upper(i);
		h->bucket[h->nr++].count = count;
	}
	return h;
}

static void emit_timer(struct tr2_call *call, struct tr2_slot *slot,
		       unsigned int index, bool of_thread)
{
	const struct tr2_metric_def *def =
		tr2_metric_def(TR2_METRIC_TIMER, index);
	struct tr2_histogram *histogram;
	struct tr2_timer_sum sum;

	tr2_timer_read(slot, index, call->now_ns, &sum);
	if (!sum.count && !sum.unfinished)
		return;
	histogram = collect_histogram(slot, index);
	/* Both kinds of event have the same fields. */
	_Static_assert(sizeof(struct tr2_v_timer) ==
		       sizeof(struct tr2_v_th_timer), "same fields");
	tr2_call_emit(call, of_thread ? TR2_EV_th_timer : TR2_EV_timer,
		      (const struct tr2_value *)&(struct tr2_v_timer){
			      .category.s = def->category,
			      .name.s = def->name,
			      .intervals.u = sum.count,
			      .t_total.u = sum.total_ns,
			      .t_min.u = sum.min_ns,
			      .t_max.u = sum.max_ns,
			      .unfinished.u = sum.unfinished,
			      .histogram.histogram = histogram,
		      });
	if (histogram)
		munmap(histogram, histogram_bytes());
}

static void emit_counter(struct tr2_call *call, struct tr2_slot *slot,
			 unsigned int index, bool of_thread)
{
	const struct tr2_metric_def *def =
		tr2_metric_def(TR2_METRIC_COUNTER, index);
	uint64_t count = tr2_counter_read(slot, index);

	if (!count)
		return;
	tr2_call_emit(call, of_thread ? TR2_EV_th_counter : TR2_EV_counter,
		      (const struct tr2_value *)&(struct tr2_v_counter){
			      .category.s = def->category,
			      .name.s = def->name,
			      .count.u = count,
		      });
}

void tr2_metrics_emit(struct tr2_call *call, struct tr2_slot *slot,
		      bool of_thread)
{
	unsigned int wanted = of_thread ? TRACE2_PER_THREAD : 0, nr, i;

	if (!slot)
		return;
	nr = tr2_metric_nr(TR2_METRIC_TIMER);
	for (i = 0; i < nr; i++)
		if ((tr2_metric_def(TR2_METRIC_TIMER, i)->flags & wanted) ==
		    wanted)
			emit_timer(call, slot, i, of_thread);
	nr = tr2_metric_nr(TR2_METRIC_COUNTER);
	for (i = 0; i < nr; i++)
		if ((tr2_metric_def(TR2_METRIC_COUNTER, i)->flags & wanted) ==
		    wanted)
			emit_counter(call, slot, i, of_thread);
}
