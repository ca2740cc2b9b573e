/* SPDX-License-Identifier: MIT */
/* Records of opened counters: their layout, losses and waiting for them. */
#include <linux/perf_event.h>

#include "base/unwind.h"
#include "perf.h"

#define SAME(ours, perf) _Static_assert((ours) == (perf), "perf's number")
SAME(TRACE2_PERF_SAMPLE_IP, PERF_SAMPLE_IP);
SAME(TRACE2_PERF_SAMPLE_TID, PERF_SAMPLE_TID);
SAME(TRACE2_PERF_SAMPLE_TIME, PERF_SAMPLE_TIME);
SAME(TRACE2_PERF_SAMPLE_ADDR, PERF_SAMPLE_ADDR);
SAME(TRACE2_PERF_SAMPLE_ID, PERF_SAMPLE_ID);
SAME(TRACE2_PERF_SAMPLE_CPU, PERF_SAMPLE_CPU);
SAME(TRACE2_PERF_SAMPLE_PERIOD, PERF_SAMPLE_PERIOD);
SAME(TRACE2_PERF_SAMPLE_READ, PERF_SAMPLE_READ);
SAME(TRACE2_PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_CALLCHAIN);
SAME(TRACE2_PERF_RECORD_MMAP, PERF_RECORD_MMAP);
SAME(TRACE2_PERF_RECORD_LOST, PERF_RECORD_LOST);
SAME(TRACE2_PERF_RECORD_COMM, PERF_RECORD_COMM);
SAME(TRACE2_PERF_RECORD_EXIT, PERF_RECORD_EXIT);
SAME(TRACE2_PERF_RECORD_THROTTLE, PERF_RECORD_THROTTLE);
SAME(TRACE2_PERF_RECORD_UNTHROTTLE, PERF_RECORD_UNTHROTTLE);
SAME(TRACE2_PERF_RECORD_FORK, PERF_RECORD_FORK);
SAME(TRACE2_PERF_RECORD_READ, PERF_RECORD_READ);
SAME(TRACE2_PERF_RECORD_SAMPLE, PERF_RECORD_SAMPLE);
SAME(sizeof(struct trace2_perf_record), sizeof(struct perf_event_header));

TRACE2_COUNTER(apples, "unit", "apples", 0);
TRACE2_COUNTER(pears, "unit", "pears", 0);
TRACE2_TIMER(timed, "unit", "timed", 0);

static struct trace2_perf_attr app(const struct trace2_counter *counter)
{
	return (struct trace2_perf_attr){ .type = TRACE2_PERF_TYPE_APP,
					  .config = TRACE2_PERF_COUNTER(*counter) };
}

/* With musl there is no library to unwind stacks. */
static bool has_calls(void)
{
	return !tr2_unwind_prepare();
}

static void count(struct trace2_counter *counter, unsigned int times)
{
	while (times--)
		trace2_counter_add_on_(counter, 1);
}

static int try_to_open(const struct trace2_perf_attr *attr)
{
	struct trace2_perf *ev;
	int result = trace2_perf_open(attr, 0, -1, NULL, &ev);

	trace2_perf_close(ev);
	return result;
}

static void test_refused(void)
{
	struct trace2_perf_attr attr = app(&apples);

	attr.sample_period = 1;
	attr.sample_type = 1u << 2 | 1u << 20;
	IS(try_to_open(&attr), -EINVAL, "an unknown part of a sample");
	attr.sample_type = UINT64_MAX;
	IS(try_to_open(&attr), -EINVAL, "all of them");
	attr.sample_type = TRACE2_PERF_SAMPLE_ADDR;
	IS(try_to_open(&attr), -EINVAL, "a count has no address");
	attr.sample_type = 0;
	attr.freq = 1;
	IS(try_to_open(&attr), -EINVAL, "a frequency of a counter");
	attr.freq = 0;
	attr.mmap = 1;
	IS(try_to_open(&attr), -EINVAL,
	   "mappings, which the library does not see");
	attr.mmap = 0;
	attr.exclude_callchain_user = 1;
	IS(try_to_open(&attr), -EINVAL, "none of the calls that there are");
	attr.exclude_callchain_user = 0;
	attr.inherit_stat = 1;
	IS(try_to_open(&attr), -EINVAL, "counts of threads that do not count");
	attr.inherit = 1;
	attr.read_format = TRACE2_PERF_FORMAT_GROUP;
	IS(try_to_open(&attr), -EINVAL, "what a group counted in a thread");
	attr = app(&apples);
	attr.sample_period = UINT64_MAX;
	IS(try_to_open(&attr), -EINVAL, "a period that is never over");
	attr = app(&apples);
	attr.reserved[8] = 1;
	IS(try_to_open(&attr), -EINVAL, "what comes later");
	attr.reserved[8] = 0;
	attr.reserved_bits = 1;
	IS(try_to_open(&attr), -EINVAL, "and its bits");
	attr = app(&apples);
	attr.type = TRACE2_PERF_TYPE_PROCESS;
	attr.config = TRACE2_PERF_THREADS;
	IS(try_to_open(&attr), 0, "threads of a process");
	attr.sample_period = 1;
	IS(try_to_open(&attr), -EINVAL, "are not sampled");
	attr.sample_period = 0;
	attr.comm = 1;
	IS(try_to_open(&attr), -EINVAL, "and have no records");
}

static void test_hostile(void)
{
	struct trace2_perf_attr attr = app(&apples);
	struct trace2_perf *ev;

	IS(trace2_perf_map(NULL, 1), -EINVAL, "NULL is mapped");
	IS(trace2_perf_next_record(NULL, &record, 8), -EINVAL,
	   "NULL has no record");
	attr.sample_period = 1;
	ev = open_mapped(&attr, 0);
	IS(next(ev), -EINVAL, "an event without a buffer has none either");
	errno = 77;
	IS(trace2_perf_map(ev, 0), -EINVAL, "no page");
	IS(trace2_perf_map(ev, 3), -EINVAL, "3 pages");
	IS(trace2_perf_map(ev, SIZE_MAX), -EINVAL, "all pages");
	IS(trace2_perf_map(ev, SIZE_MAX / 2 + 1), -EINVAL, "half of them");
	IS(trace2_perf_map(ev, (size_t)1 << 40), -EINVAL, "very many");
	IS(trace2_perf_map(ev, 1), 0, "one");
	IS(trace2_perf_map(ev, 1), -EBUSY, "one more");
	IS(next(ev), 0, "no record yet");
	trace2_counter_add(apples, 1);
	IS(trace2_perf_next_record(ev, NULL, 8), -EINVAL, "no memory for one");
	IS(trace2_perf_next_record(ev, NULL, 0), -ENOSPC, "none at all");
	IS(trace2_perf_next_record(ev, &record, 7), -ENOSPC, "too little");
	IS(next(ev), 8, "it is still there");
	ok(errno == 77, "errno is kept");
	trace2_perf_close(ev);
	attr.type = TRACE2_PERF_TYPE_PROCESS;
	attr.config = TRACE2_PERF_THREADS;
	attr.sample_period = 0;
	ev = open_mapped(&attr, 0);
	IS(trace2_perf_map(ev, 1), -EINVAL, "what has no records");
	IS(trace2_perf_set_period(ev, 1), -EINVAL, "nor a period");
	IS(trace2_perf_poll_fd(ev), -EINVAL, "nor a descriptor");
	trace2_perf_close(ev);
}

#define ALL_OF_IT                                                        \
	(TRACE2_PERF_SAMPLE_IP | TRACE2_PERF_SAMPLE_TID |                \
	 TRACE2_PERF_SAMPLE_TIME | TRACE2_PERF_SAMPLE_ID |               \
	 TRACE2_PERF_SAMPLE_CPU | TRACE2_PERF_SAMPLE_PERIOD |            \
	 TRACE2_PERF_SAMPLE_READ | TRACE2_PERF_SAMPLE_CALLCHAIN)

static __attribute__((noinline)) void add_here(unsigned int n)
{
	trace2_counter_add(apples, n);
	__asm__ volatile(""); /* the call is no tail call */
}

static void test_layout(void)
{
	struct trace2_perf_attr attr = app(&apples);
	uint64_t before = host_now_ns(), nr;
	struct trace2_perf *ev, *other;
	int size;

	attr.sample_period = 10;
	attr.sample_type = ALL_OF_IT;
	attr.read_format = TRACE2_PERF_FORMAT_GROUP | TRACE2_PERF_FORMAT_ID;
	ev = open_mapped(&attr, 1);
	attr = app(&pears);
	trace2_perf_open(&attr, 0, -1, ev, &other);
	count(&pears, 4);
	add_here(25);
	size = next(ev);
	IS(record.head.type, TRACE2_PERF_RECORD_SAMPLE, "a sample");
	IS(record.head.misc, PERF_RECORD_MISC_USER, "in the program");
	ok(size == record.head.size && size % 8 == 0, "of its size");
	ok(!has_calls() ||
		   (record.word[1] > (uintptr_t)add_here &&
		    record.word[1] < (uintptr_t)add_here + 4096),
	   "ip: behind the call that counted");
	IS(record.half[4], getpid(), "pid");
	IS(record.half[5], syscall(SYS_gettid), "tid");
	/* The library's clock may differ by a millisecond. */
	ok(record.word[3] + 1000000 > before &&
		   record.word[3] < host_now_ns() + 1000000,
	   "time, of CLOCK_MONOTONIC");
	IS(record.word[4], trace2_perf_id(ev), "id");
	ok(record.half[10] < 4096 && !record.half[11], "CPU");
	IS(record.word[6], 20, "period: the sum of both periods");
	IS(record.word[7], 2, "the group's values");
	IS(record.word[8], 25, "of the event");
	IS(record.word[9], trace2_perf_id(ev), "with its id");
	IS(record.word[10], 4, "of the other one");
	IS(record.word[11], trace2_perf_id(other), "with its");
	nr = record.word[12];
	IS(size, (13 + nr) * 8, "calls up to the end");
	ok(!has_calls() ||
		   (nr >= 3 && record.word[13] == (uint64_t)PERF_CONTEXT_USER &&
		    record.word[14] == record.word[1]),
	   "of the program, the innermost first");
	IS(next(ev), 0, "that was all");
	trace2_perf_close(other);
	trace2_perf_close(ev);
}

static void test_parts(void)
{
	static const struct {
		uint64_t type;
		int size;
	} parts[] = {
		{ 0, 8 },
		{ TRACE2_PERF_SAMPLE_IP, 16 },
		{ TRACE2_PERF_SAMPLE_TID, 16 },
		{ TRACE2_PERF_SAMPLE_TIME | TRACE2_PERF_SAMPLE_CPU, 24 },
		{ TRACE2_PERF_SAMPLE_ID | TRACE2_PERF_SAMPLE_PERIOD, 24 },
		{ TRACE2_PERF_SAMPLE_READ, 8 + 5 * 8 },
	};
	struct trace2_perf_attr attr = app(&pears);
	struct trace2_perf *ev;
	size_t i;

	attr.sample_period = 3;
	attr.read_format = TRACE2_PERF_FORMAT_TOTAL_TIME_ENABLED |
			   TRACE2_PERF_FORMAT_TOTAL_TIME_RUNNING |
			   TRACE2_PERF_FORMAT_ID | TRACE2_PERF_FORMAT_LOST;
	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		attr.sample_type = parts[i].type;
		ev = open_mapped(&attr, 1);
		count(&pears, 3);
		IS(next(ev), parts[i].size, "exactly the requested fields");
		trace2_perf_close(ev);
	}
	IS(record.word[1], 3, "the value");
	ok(record.word[2] >= record.word[3] && record.word[3],
	   "its times");
	IS(record.word[5], 0, "and the number of lost records");
}

/* Read all records; return the counted sum. */
struct seen {
	unsigned int samples, lost_records;
	uint64_t lost, period, last_value;
	bool in_order;
};

static void read_all(struct trace2_perf *ev, struct seen *seen)
{
	while (next(ev) > 0) {
		if (record.head.type == TRACE2_PERF_RECORD_LOST) {
			seen->lost_records++;
			seen->lost += record.word[2];
			continue;
		}
		seen->samples++;
		seen->period += record.word[1];
		seen->in_order &= record.word[2] == seen->last_value + 7;
		seen->last_value = record.word[2];
	}
}

static struct trace2_perf *open_counting(size_t pages)
{
	struct trace2_perf_attr attr = app(&pears);

	attr.sample_period = 7;
	attr.sample_type = TRACE2_PERF_SAMPLE_PERIOD | TRACE2_PERF_SAMPLE_READ;
	attr.read_format = TRACE2_PERF_FORMAT_LOST;
	return open_mapped(&attr, pages);
}

static void test_wrap(void)
{
	struct trace2_perf *ev = open_counting(1);
	struct seen seen = { .in_order = true };
	unsigned int i;

	/* 32 bytes each: the ring wraps some 80 times. */
	for (i = 0; i < 1000; i++) {
		count(&pears, 70);
		read_all(ev, &seen);
	}
	IS(seen.samples, 10000, "a sample for each period");
	ok(seen.in_order, "each with its value, in their order");
	IS(seen.period, 70000, "and nothing counted twice");
	IS(seen.lost_records, 0, "nor lost");
	trace2_perf_close(ev);
}

/* Records whose size does not divide the page's wrap at its end. */
static void test_wrap_inside(void)
{
	struct trace2_perf_attr attr = app(&pears);
	struct trace2_perf *ev;
	unsigned int i, bad = 0;

	attr.sample_period = 1;
	attr.sample_type = ALL_OF_IT;
	ev = open_mapped(&attr, 1);
	for (i = 1; i <= 500; i++) {
		count(&pears, 1);
		if (next(ev) <= 0 || record.word[7] != i ||
		    (has_calls() &&
		     (record.word[9] != (uint64_t)PERF_CONTEXT_USER ||
		      record.word[10] != record.word[1])))
			bad++;
	}
	IS(bad, 0, "records that go on at the beginning are whole");
	trace2_perf_close(ev);
}

static void test_lost(void)
{
	size_t room = (size_t)sysconf(_SC_PAGESIZE) / 32;
	struct trace2_perf *ev = open_counting(1);
	struct seen seen = { .in_order = true };
	uint64_t values[2];

	count(&pears, 7 * 1000);
	trace2_perf_read(ev, values, 2);
	IS(values[0], 7000, "a reader that never reads: all is counted");
	IS(values[1], 1000 - room, "what found no room is lost");
	read_all(ev, &seen);
	IS(seen.samples, room, "the oldest are there");
	ok(seen.in_order, "in their order");
	IS(seen.lost_records, 0, "that others were lost");
	count(&pears, 7);
	next(ev);
	IS(record.head.type, TRACE2_PERF_RECORD_LOST, "comes before the next");
	IS(record.head.size, 24, "as perf has it");
	IS(record.word[1], trace2_perf_id(ev), "of the event");
	IS(record.word[2], 1000 - room, "so many");
	next(ev);
	IS(record.head.type, TRACE2_PERF_RECORD_SAMPLE, "and then that one");
	IS(record.word[2], 7 * 1001, "with its value");
	IS(next(ev), 0, "and is reported once");
	trace2_perf_close(ev);
}

/* Return the result of poll(), without waiting. */
static int polled(struct trace2_perf *ev)
{
	struct pollfd p = { trace2_perf_poll_fd(ev), POLLIN, 0 };

	return poll(&p, 1, 0) < 0 ? -1 : p.revents;
}

static void test_wakeup(void)
{
	size_t room = (size_t)sysconf(_SC_PAGESIZE) / 8, i;
	struct trace2_perf_attr attr = app(&pears);
	struct trace2_perf *ev;
	uint64_t value;

	attr.sample_period = 1;
	attr.wakeup_events = 3;
	ev = open_mapped(&attr, 1);
	IS(polled(ev), 0, "nothing to read");
	count(&pears, 2);
	IS(polled(ev), 0, "nor after 2 samples");
	count(&pears, 1);
	IS(polled(ev), POLLIN, "after 3");
	next(ev);
	next(ev);
	trace2_perf_read(ev, &value, 1);
	IS(polled(ev), POLLIN, "until the last one");
	next(ev);
	IS(polled(ev), 0, "was read");
	count(&pears, 3);
	IS(polled(ev), POLLIN, "after 3 more");
	trace2_perf_close(ev);

	attr.watermark = 1;
	attr.wakeup_watermark = 80;
	ev = open_mapped(&attr, 1);
	polled(ev);
	count(&pears, 9);
	IS(polled(ev), 0, "72 bytes are below 80");
	count(&pears, 1);
	IS(polled(ev), POLLIN, "80 are not");
	trace2_perf_close(ev);

	attr.watermark = attr.wakeup_events = 0;
	ev = open_mapped(&attr, 1);
	polled(ev);
	count(&pears, (unsigned int)room / 2 - 1);
	IS(polled(ev), 0, "not half of the memory");
	count(&pears, 1);
	IS(polled(ev), POLLIN, "half of it");
	for (i = 0; next(ev) > 0;)
		i++;
	IS(i, room / 2, "all are there");
	IS(polled(ev), 0, "and were read");
	trace2_perf_close(ev);

	attr.wakeup_events = 2;
	ev = open_mapped(&attr, 0);
	polled(ev);
	count(&pears, 1);
	IS(polled(ev), 0, "without a map: 1 of 2");
	count(&pears, 1);
	IS(polled(ev), POLLIN, "2 of 2");
	trace2_perf_close(ev);
}

static void test_refresh(void)
{
	struct trace2_perf_attr attr = app(&pears);
	struct trace2_perf *ev;

	attr.sample_period = 5;
	attr.disabled = 1;
	ev = open_mapped(&attr, 1);
	polled(ev);
	IS(trace2_perf_refresh(ev, 2), 0, "2 overflows");
	count(&pears, 100);
	IS(polled(ev) & POLLHUP, POLLHUP, "the last one hangs up");
	ok(next(ev) == 8 && next(ev) == 8, "there are 2 records");
	IS(next(ev), 0, "and no more");
	trace2_perf_close(ev);
}

static void test_timer(void)
{
	struct trace2_perf_attr attr = {
		.type = TRACE2_PERF_TYPE_APP,
		.config = TRACE2_PERF_TIMER(timed),
		.sample_period = 1000,
		.sample_type = TRACE2_PERF_SAMPLE_PERIOD |
			       TRACE2_PERF_SAMPLE_READ,
	};
	struct trace2_perf *ev = open_mapped(&attr, 16);
	uint64_t period = 0, value = 0;
	unsigned int nr = 0;

	while (nr < 5) {
		trace2_timer_start(timed);
		trace2_timer_stop(timed);
		while (next(ev) > 0) {
			period += record.word[1];
			value = record.word[2];
			nr++;
		}
	}
	IS(period, value / 1000 * 1000, "a timer's are whole periods in ns");
	trace2_perf_close(ev);
}

static void test_group_closed(void)
{
	struct trace2_perf_attr attr = app(&pears);
	struct trace2_perf *leader, *member;

	attr.sample_period = 1;
	leader = open_mapped(&attr, 1);
	trace2_perf_open(&attr, 0, -1, leader, &member);
	IS(trace2_perf_map(member, 1), 0, "a member has its own records");
	count(&pears, 3);
	ok(next(member) == 8 && next(leader) == 8, "and both have them");
	trace2_perf_close(leader);
	IS(next(member), -ESRCH, "when the leader is closed it has none");
	IS(trace2_perf_map(member, 1), -ESRCH, "nor can it be mapped");
	count(&pears, 3);
	trace2_perf_close(member);
}

#define THREADS 8
#define PER_THREAD 20000

static void *count_much(void *arg)
{
	trace2_thread_start(arg);
	count(&pears, PER_THREAD);
	trace2_thread_exit();
	return NULL;
}

/* The records of each thread. */
struct thread_seen {
	uint32_t tid;
	unsigned int fork, comm, read, exit, samples, late;
	uint64_t period, value;
	char name[64];
};

static struct thread_seen *of_thread(struct thread_seen *seen, uint32_t tid)
{
	unsigned int i;

	for (i = 0; i < THREADS; i++, seen++) {
		if (!seen->tid)
			seen->tid = tid;
		if (seen->tid == tid)
			return seen;
	}
	return NULL;
}

static void take(struct thread_seen *all, uint64_t *lost)
{
	/* FORK and EXIT: pid, ppid, tid; the others: pid, tid. */
	bool task = record.head.type == TRACE2_PERF_RECORD_FORK ||
		    record.head.type == TRACE2_PERF_RECORD_EXIT;
	struct thread_seen *seen;

	if (record.head.type == TRACE2_PERF_RECORD_LOST) {
		*lost += record.word[2];
		return;
	}
	seen = of_thread(all, record.half[task ? 4 : 3]);
	if (!seen)
		return;
	seen->late += seen->exit;
	switch (record.head.type) {
	case TRACE2_PERF_RECORD_FORK:
		seen->fork++;
		break;
	case TRACE2_PERF_RECORD_EXIT:
		seen->exit++;
		break;
	case TRACE2_PERF_RECORD_COMM:
		seen->comm++;
		memcpy(seen->name, record.byte + 16, sizeof(seen->name) - 1);
		break;
	case TRACE2_PERF_RECORD_READ:
		seen->read++;
		seen->value = record.word[2];
		break;
	case TRACE2_PERF_RECORD_SAMPLE:
		seen->samples++;
		seen->period += record.word[2];
		break;
	default:
		seen->late++;
	}
}

/* With `comm` each thread has a name, too. */
static void test_threads(bool comm)
{
	struct trace2_perf_attr attr = app(&pears);
	struct thread_seen seen[THREADS] = { 0 };
	unsigned int i, right = 0, late = 0;
	uint64_t lost = 0, value[1];
	struct trace2_perf *ev;
	pthread_t thread[THREADS];

	attr.sample_period = 10;
	attr.sample_type = TRACE2_PERF_SAMPLE_TID | TRACE2_PERF_SAMPLE_PERIOD;
	attr.inherit = attr.inherit_stat = 1;
	attr.comm = comm;
	attr.task = !comm;
	ev = open_mapped(&attr, 256);
	for (i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, count_much, (void *)"worker");
	/* Read while the threads write. */
	for (i = 0; i < 1000; i++)
		if (next(ev) > 0)
			take(seen, &lost);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	trace2_perf_read(ev, value, 1);
	IS(value[0], THREADS * PER_THREAD, "all is counted");
	while (next(ev) > 0)
		take(seen, &lost);
	IS(lost, 0, "none is lost where there is room");
	for (i = 0; i < THREADS; i++) {
		right += seen[i].fork == 1 && seen[i].comm == comm &&
			 seen[i].exit == 1 && seen[i].read == 1 &&
			 seen[i].samples == PER_THREAD / 10 &&
			 seen[i].period == PER_THREAD &&
			 seen[i].value == PER_THREAD &&
			 (!comm || strstr(seen[i].name, ":worker"));
		late += seen[i].late;
	}
	IS(right, THREADS, comm ?
	   "each thread's beginning, name, samples, count, end" :
	   "the same without names");
	IS(late, 0, "nothing of a thread after its end");
	trace2_perf_close(ev);
}

/* The end of the opening thread, without inherit. */
static void *open_and_end(void *arg)
{
	struct trace2_perf_attr attr = app(&pears);

	trace2_thread_start("short");
	attr.sample_period = 4;
	attr.sample_type = TRACE2_PERF_SAMPLE_TID;
	attr.task = 1;
	*(struct trace2_perf **)arg = open_mapped(&attr, 1);
	count(&pears, 9);
	return NULL; /* without thread_exit */
}

static void test_own_end(void)
{
	struct trace2_perf *ev = NULL;

	host_in_thread(open_and_end, &ev);
	count(&pears, 100);
	next(ev);
	IS(record.head.type, TRACE2_PERF_RECORD_SAMPLE, "a sample");
	next(ev);
	IS(record.head.type, TRACE2_PERF_RECORD_SAMPLE, "another one");
	next(ev);
	IS(record.head.type, TRACE2_PERF_RECORD_EXIT, "the end of its thread");
	IS(next(ev), 0, "and nothing of others");
	trace2_perf_close(ev);
}

/* A handler interrupts counting and reading. */
#define HANDLED 500
static int nr_handled;

static void on_signal(int signal)
{
	__atomic_fetch_add(&nr_handled, 1, __ATOMIC_RELAXED);
	trace2_counter_add(pears, 1);
}

static void *interrupt(void *main_thread)
{
	while (__atomic_load_n(&nr_handled, __ATOMIC_RELAXED) < HANDLED) {
		pthread_kill(*(pthread_t *)main_thread, SIGUSR1);
		sched_yield();
	}
	return NULL;
}

static void test_handler(void)
{
	struct trace2_perf *ev = open_counting(64);
	pthread_t self = pthread_self(), thread;
	struct sigaction action = { .sa_handler = on_signal };
	struct seen seen = { .in_order = true };
	uint64_t counted = 0, values[2];

	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&thread, NULL, interrupt, &self);
	while (__atomic_load_n(&nr_handled, __ATOMIC_RELAXED) < HANDLED) {
		count(&pears, 5);
		counted += 5;
		read_all(ev, &seen);
	}
	pthread_join(thread, NULL);
	signal(SIGUSR1, SIG_IGN);
	counted += (uint64_t)nr_handled;
	/* The next count may detect a handler's overflow. */
	count(&pears, 7);
	counted += 7;
	read_all(ev, &seen);
	trace2_perf_read(ev, values, 2);
	IS(values[0], counted, "handlers that count are counted");
	IS(seen.period, counted / 7 * 7, "and sampled");
	IS(seen.lost + values[1], 0, "none is lost");
	trace2_perf_close(ev);
}

static void test_fork(void)
{
	struct trace2_perf *ev = open_counting(1);
	struct seen seen = { .in_order = true };
	int status = 0;
	pid_t pid;

	count(&pears, 7);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		count(&pears, 7);
		if (next(ev) != -ESRCH || trace2_perf_map(ev, 1) != -ESRCH ||
		    trace2_perf_close(ev))
			_exit(1);
		ev = open_counting(1);
		count(&pears, 14);
		_exit(next(ev) == 32 && next(ev) == 32 && !next(ev) ? 0 : 2);
	}
	waitpid(pid, &status, 0);
	IS(status, 0, "a child has only its own events");
	count(&pears, 7);
	read_all(ev, &seen);
	IS(seen.samples, 2, "and the parent none of the child's");
	trace2_perf_close(ev);
}

/* The host closes descriptors that it does not know, and opens another file. */
static void test_closed_descriptor(void)
{
	struct trace2_perf_attr attr = app(&pears);
	struct trace2_perf *ev;
	int fd, ends[2];
	char byte;

	attr.sample_period = attr.wakeup_events = 1;
	ev = open_mapped(&attr, 1);
	fd = trace2_perf_poll_fd(ev);
	if (pipe2(ends, O_NONBLOCK) || dup2(ends[1], fd) < 0 ||
	    dup2(ends[0], fd + 1) < 0)
		ok(false, "a pipe of the host's");
	count(&pears, 3);
	IS(read(ends[0], &byte, 1), -1, "no byte gets into the host's file");
	ok(next(ev) == 8, "the records are there");
	trace2_perf_close(ev);
	ok(fcntl(fd, F_GETFD) >= 0, "and the file is left open");
	close(fd);
	close(fd + 1);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	/* Counters count only while tracing is on. */
	setenv("GIT_TRACE2", "/dev/null", 0);
	trace2_initialize();
	test_refused();
	test_hostile();
	test_layout();
	test_parts();
	test_wrap();
	test_wrap_inside();
	test_lost();
	test_wakeup();
	test_refresh();
	test_timer();
	test_group_closed();
	test_threads(true);
	test_threads(false);
	test_own_end();
	test_handler();
	test_fork();
	test_closed_descriptor();
	return done_testing();
}
