/* SPDX-License-Identifier: MIT */
/* Sampling by the kernel, through the library's events. */
#include <linux/perf_event.h>

#include "base/sanitize.h"
#include "perf.h"

#define FAULTS 2u
#define DUMMY 9u

TRACE2_COUNTER(apples, "unit", "apples", 0);

/* User mode only, which every user may count with most machines' settings. */
static struct trace2_perf_attr software(uint64_t config, uint64_t period)
{
	return (struct trace2_perf_attr){ .type = TRACE2_PERF_TYPE_SOFTWARE,
					  .config = config,
					  .sample_period = period,
					  .exclude_kernel = 1,
					  .exclude_hv = 1 };
}

/* Cause one page fault per page. */
static void touch(size_t pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), i;
	volatile char *p = mmap(NULL, pages * page, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return;
	madvise((void *)p, pages * page, MADV_NOHUGEPAGE);
	for (i = 0; i < pages; i++)
		p[i * page] = 1;
	munmap((void *)p, pages * page);
}

static unsigned int count_samples(struct trace2_perf *ev)
{
	unsigned int nr = 0;

	while (next(ev) > 0)
		nr += record.head.type == TRACE2_PERF_RECORD_SAMPLE;
	return nr;
}

static int polled(struct trace2_perf *ev)
{
	struct pollfd p = { trace2_perf_poll_fd(ev), POLLIN, 0 };

	return poll(&p, 1, 0) < 0 ? -1 : p.revents;
}

static void test_hostile(void)
{
	struct trace2_perf_attr attr = software(FAULTS, 1);
	struct trace2_perf *ev = open_mapped(&attr, 0);

	IS(trace2_perf_poll_fd(ev), -EINVAL, "not to be polled, not mapped");
	IS(next(ev), -EINVAL, "nor has it records");
	IS(trace2_perf_map(ev, 3), -EINVAL, "3 pages");
	IS(trace2_perf_map(ev, SIZE_MAX), -EINVAL, "all pages");
	IS(trace2_perf_map(ev, 2), 0, "2 pages");
	IS(trace2_perf_map(ev, 2), -EBUSY, "once only");
	IS(trace2_perf_set_period(ev, 0), -EINVAL, "a period of 0");
	IS(trace2_perf_refresh(ev, 0), -EINVAL, "0 overflows");
	touch(1);
	IS(trace2_perf_next_record(ev, &record, 4), -ENOSPC,
	   "too little memory");
	ok(next(ev) > 0, "it is still there");
	trace2_perf_close(ev);
	attr.inherit = 1;
	ev = open_mapped(&attr, 0);
	IS(trace2_perf_map(ev, 1), -EINVAL,
	   "what inherits on all CPUs has no records");
	IS(trace2_perf_refresh(ev, 1), -EINVAL, "nor a number of overflows");
	trace2_perf_close(ev);
	attr = software(FAULTS, 0);
	ev = open_mapped(&attr, 1);
	IS(trace2_perf_set_period(ev, 5), -EINVAL, "what counts has no period");
	IS(next(ev), 0, "but may be mapped");
	trace2_perf_close(ev);
}

/* Check all fields, with a reading of each format. */
static void test_layout(uint64_t format, unsigned int numbers)
{
	struct trace2_perf_attr attr = software(FAULTS, 5);
	uint64_t before = host_now_ns();
	struct trace2_perf *ev, *other;
	int size;

	attr.sample_type = TRACE2_PERF_SAMPLE_IP | TRACE2_PERF_SAMPLE_TID |
			   TRACE2_PERF_SAMPLE_TIME | TRACE2_PERF_SAMPLE_ADDR |
			   TRACE2_PERF_SAMPLE_ID | TRACE2_PERF_SAMPLE_CPU |
			   TRACE2_PERF_SAMPLE_PERIOD | TRACE2_PERF_SAMPLE_READ |
			   TRACE2_PERF_SAMPLE_CALLCHAIN;
	attr.read_format = format;
	attr.disabled = 1;
	ev = open_mapped(&attr, 8);
	attr = software(DUMMY, 0);
	trace2_perf_open(&attr, 0, -1, ev, &other);
	trace2_perf_enable(ev);
	touch(5);
	size = next(ev);
	IS(record.head.type, TRACE2_PERF_RECORD_SAMPLE, "a sample");
	ok(record.word[1] > 4096, "ip");
	IS(record.half[4], getpid(), "pid");
	IS(record.half[5], syscall(SYS_gettid), "tid");
	ok(record.word[3] > before && record.word[3] < host_now_ns(),
	   "time, of CLOCK_MONOTONIC");
	ok(record.word[4] > 4096, "address");
	IS(record.word[5], trace2_perf_id(ev), "id");
	ok(record.half[12] < 4096, "CPU");
	IS(record.word[7], 5, "period");
	IS(size, (8 + numbers + 1 + record.word[8 + numbers]) * 8,
	   "as many numbers as were asked for, and the calls behind them");
	ok(record.word[9 + numbers] == (uint64_t)PERF_CONTEXT_USER &&
		   record.word[10 + numbers] == record.word[1],
	   "which begin where it was");
	if (format & TRACE2_PERF_FORMAT_GROUP) {
		IS(record.word[8], 2, "both of the group");
		IS(record.word[11], 5, "what was counted then");
		IS(record.word[12], trace2_perf_id(ev), "by whom");
		IS(record.word[13], 0, "nothing");
		IS(record.word[14], trace2_perf_id(other), "by the other");
	} else {
		IS(record.word[8], 5, "what was counted then");
	}
	touch(100);
	trace2_perf_reset(ev);
	count_samples(ev);
	touch(10);
	next(ev);
	ok(record.word[format & TRACE2_PERF_FORMAT_GROUP ? 11 : 8] < 100,
	   "after a reset, from there on");
	trace2_perf_close(other);
	trace2_perf_close(ev);
}

static void test_mixed(void)
{
	struct trace2_perf_attr attr = { .type = TRACE2_PERF_TYPE_APP,
					 .config =
						 TRACE2_PERF_COUNTER(apples) };
	struct trace2_perf *leader = open_mapped(&attr, 0), *ev;

	attr = software(FAULTS, 1);
	attr.sample_type = TRACE2_PERF_SAMPLE_READ;
	attr.read_format = TRACE2_PERF_FORMAT_GROUP;
	trace2_perf_open(&attr, 0, -1, leader, &ev);
	IS(trace2_perf_map(ev, 1), 0, "in a group that is led by one of ours");
	touch(1);
	IS(next(ev), 24, "a sample has the kernel's values alone");
	IS(record.word[1], 1, "of one event");
	trace2_perf_close(ev);
	trace2_perf_close(leader);
}

static void test_wakeup_and_refresh(void)
{
	struct trace2_perf_attr attr = software(FAULTS, 1);
	struct trace2_perf *ev;
	uint64_t value;

	attr.wakeup_events = 4;
	attr.disabled = 1;
	ev = open_mapped(&attr, 1);
	IS(polled(ev), 0, "nothing yet");
	IS(trace2_perf_refresh(ev, 10), 0, "10 overflows");
	touch(3);
	/* The test itself may cause a fault. */
	touch(4);
	ok(polled(ev) & POLLIN, "there is something after 4");
	touch(20);
	IS(count_samples(ev), 10, "10 overflows, and no more");
	trace2_perf_read(ev, &value, 1);
	IS(value, 10, "and counts no more");
	IS(trace2_perf_refresh(ev, 2), 0, "2 more");
	touch(5);
	IS(count_samples(ev), 2, "until they are over");
	trace2_perf_close(ev);
}

static void test_period(void)
{
	struct trace2_perf_attr attr = software(FAULTS, 1000000);
	struct trace2_perf *ev = open_mapped(&attr, 8);

	touch(50);
	IS(count_samples(ev), 0, "a long period");
	IS(trace2_perf_set_period(ev, 10), 0, "a short one");
	touch(150);
	ok(count_samples(ev) >= 10, "is one");
	trace2_perf_close(ev);
	attr = software(FAULTS, 0);
	attr.freq = 1;
	attr.sample_freq = 100;
	ev = open_mapped(&attr, 8);
	touch(100);
	ok(count_samples(ev) > 0, "a frequency");
	trace2_perf_close(ev);
}

static uint64_t nr_lost, nr_samples, nr_throttled;

static void tally(struct trace2_perf *ev)
{
	while (next(ev) > 0) {
		if (record.head.type == TRACE2_PERF_RECORD_LOST)
			nr_lost += record.word[2];
		nr_samples += record.head.type == TRACE2_PERF_RECORD_SAMPLE;
		nr_throttled +=
			record.head.type == TRACE2_PERF_RECORD_THROTTLE;
	}
}

/* Few pages: the kernel limits the number of samples. */
static void test_lost(void)
{
	struct trace2_perf_attr attr = software(FAULTS, 1);
	struct trace2_perf *ev;
	uint64_t values[3];

	attr.sample_type = TRACE2_PERF_SAMPLE_TID | TRACE2_PERF_SAMPLE_TIME |
			   TRACE2_PERF_SAMPLE_ID | TRACE2_PERF_SAMPLE_READ;
	attr.read_format = TRACE2_PERF_FORMAT_ID |
			   TRACE2_PERF_FORMAT_TOTAL_TIME_ENABLED;
	ev = open_mapped(&attr, 1);
	touch(90);
	tally(ev);
	touch(2);
	trace2_perf_disable(ev);
	tally(ev);
	trace2_perf_read(ev, values, 3);
	ok(nr_lost > 0, "a map that is too small");
	/*
	 * TSan's own faults may fill the buffer once more, without a record of
	 * the loss.
	 */
	ok(nr_samples + nr_lost == values[0] || nr_throttled || TR2_TSAN,
	   "counts samples that it had no room for");
	trace2_perf_close(ev);
}

static void *idle(void *unused)
{
	return unused;
}

static void test_tasks(void)
{
	struct trace2_perf_attr attr = software(DUMMY, 0);
	unsigned int forks = 0, maps = 0;
	struct trace2_perf *ev;
	void *p;

	attr.task = attr.mmap = 1;
	attr.wakeup_events = 1;
	ev = open_mapped(&attr, 8);
	host_in_thread(idle, NULL);
	p = mmap(NULL, 4096, PROT_READ | PROT_EXEC,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	while (next(ev) > 0) {
		forks += record.head.type == TRACE2_PERF_RECORD_FORK;
		maps += record.head.type == TRACE2_PERF_RECORD_MMAP &&
			record.word[2] == (uintptr_t)p;
	}
	ok(forks >= 1, "a thread that begins");
	IS(maps, 1, "what is mapped to be run");
	munmap(p, 4096);
	trace2_perf_close(ev);
}

static void *touch_5(void *unused)
{
	touch(5);
	return unused;
}

/* Read a thread's count at its end; per CPU, as the kernel requires. */
static void test_inherit_stat(void)
{
	struct trace2_perf_attr attr = software(FAULTS, 0);
	uint64_t of_thread = 0, sum = 0, value;
	struct trace2_perf *ev[64];
	int nr = (int)sysconf(_SC_NPROCESSORS_ONLN), i;

	attr.inherit = attr.inherit_stat = 1;
	nr = nr < 64 ? nr : 64;
	for (i = 0; i < nr; i++) {
		IS(trace2_perf_open(&attr, 0, i, NULL, &ev[i]), 0, "by CPU");
		IS(trace2_perf_map(ev[i], 1), 0, "with records");
	}
	host_in_thread(touch_5, NULL);
	for (i = 0; i < nr; i++)
		while (next(ev[i]) > 0)
			if (record.head.type == TRACE2_PERF_RECORD_READ)
				of_thread += record.word[2];
	for (i = 0; i < nr; i++) {
		trace2_perf_read(ev[i], &value, 1);
		sum += value;
		trace2_perf_close(ev[i]);
	}
	/* Some kernels have not released the thread when it is joined, and some
	 * do not write such a record at all. */
	ok(!of_thread || (of_thread >= 5 && of_thread <= sum),
	   "a thread's own count");
}

/* Notification is by a descriptor: signals are left to the program. */
static void test_signals(void)
{
	struct trace2_perf_attr attr = software(FAULTS, 1);
	struct sigaction before[65], after;
	unsigned int changed = 0;
	struct trace2_perf *ev;
	int signal, fd;

	memset(before, 0, sizeof(before));
	for (signal = 1; signal <= 64; signal++)
		sigaction(signal, NULL, &before[signal]);
	attr.wakeup_events = 1;
	ev = open_mapped(&attr, 1);
	fd = trace2_perf_poll_fd(ev);
	trace2_perf_refresh(ev, 3);
	touch(10);
	count_samples(ev);
	IS(fcntl(fd, F_GETFL) & O_ASYNC, 0, "the descriptor raises no signal");
	IS(fcntl(fd, F_GETOWN), 0, "and has no owner for signals");
	trace2_perf_close(ev);
	for (signal = 1; signal <= 64; signal++) {
		memset(&after, 0, sizeof(after));
		if (sigaction(signal, NULL, &after))
			continue;
		changed += after.sa_handler != before[signal].sa_handler ||
			   after.sa_flags != before[signal].sa_flags;
	}
	IS(changed, 0, "no signal is handled otherwise than before");
}

/* The kernel's mapping does not exist in a child: memory there is the
 * child's. */
static void test_fork(void)
{
	struct trace2_perf_attr attr = software(FAULTS, 1);
	struct trace2_perf *ev = open_mapped(&attr, 1);
	int status = 0;
	pid_t pid;

	touch(1);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (next(ev) != -ESRCH || trace2_perf_poll_fd(ev) != -ESRCH)
			_exit(1);
		trace2_perf_close(ev);
		ev = open_mapped(&attr, 1);
		touch(1);
		_exit(next(ev) > 0 ? 0 : 2);
	}
	waitpid(pid, &status, 0);
	IS(status, 0, "a child has only its own events");
	ok(next(ev) > 0, "the parent goes on");
	trace2_perf_close(ev);
}

/* Kernels give both samples the id of one event. */
static void test_ids(void)
{
	struct trace2_perf_attr attr = software(FAULTS, 1);
	struct trace2_perf *ev[2];
	unsigned int i, nr[2] = { 0 }, wrong = 0;

	attr.sample_type = TRACE2_PERF_SAMPLE_TID | TRACE2_PERF_SAMPLE_ID;
	for (i = 0; i < 2; i++)
		ev[i] = open_mapped(&attr, 8);
	touch(20);
	trace2_perf_disable_all();
	for (i = 0; i < 2; i++)
		for (; next(ev[i]) > 0; nr[i]++)
			wrong += record.head.type ==
					 TRACE2_PERF_RECORD_SAMPLE &&
				 record.word[2] != trace2_perf_id(ev[i]);
	ok(nr[0] >= 20 && nr[1] >= 20, "two events of the same faults");
	IS(wrong, 0, "each sample has the id of its own event");
	trace2_perf_close(ev[0]);
	trace2_perf_close(ev[1]);
}

static void *nothing(void *cookie)
{
	return cookie;
}

static void *start_threads(void *done)
{
	int i;

	for (i = 0; i < 3000; i++) {
		host_in_thread(nothing, NULL);
	}
	__atomic_store_n((bool *)done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* The kernel cannot read a group that a new thread has not inherited
 * completely, which happens in one of a hundred readings. */
static void test_starting_threads(void)
{
	struct trace2_perf_attr attr = software(FAULTS, 0);
	struct trace2_perf *leader, *member;
	int result, wrong = 0;
	pthread_t thread;
	bool done = false;
	uint64_t v[3];

	attr.inherit = 1;
	attr.read_format = TRACE2_PERF_FORMAT_GROUP;
	trace2_perf_open(&attr, 0, -1, NULL, &leader);
	trace2_perf_open(&attr, 0, -1, leader, &member);
	pthread_create(&thread, NULL, start_threads, &done);
	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
		result = trace2_perf_read(leader, v, 3);
		if (result != 3 && result != -EAGAIN)
			wrong = result;
	}
	pthread_join(thread, NULL);
	IS(wrong, 0, "a group is read while threads start that inherit it");
	IS(trace2_perf_read(leader, v, 3), 3, "and when they are over");
	trace2_perf_close(member);
	trace2_perf_close(leader);
}

int main(void)
{
	struct trace2_perf_attr attr = software(FAULTS, 1);
	struct trace2_perf *ev;
	int error;

	setenv("GIT_TRACE2", "/dev/null", 0);
	trace2_initialize();
	error = trace2_perf_open(&attr, 0, -1, NULL, &ev);
	if (error) {
		printf("1..0 # SKIP the kernel lets nobody sample: %s\n",
		       strerror(-error));
		return 0;
	}
	trace2_perf_close(ev);
	test_hostile();
	test_layout(0, 1);
	test_layout(TRACE2_PERF_FORMAT_TOTAL_TIME_ENABLED |
		    TRACE2_PERF_FORMAT_ID, 3);
	test_layout(TRACE2_PERF_FORMAT_GROUP | TRACE2_PERF_FORMAT_ID |
		    TRACE2_PERF_FORMAT_TOTAL_TIME_ENABLED |
		    TRACE2_PERF_FORMAT_TOTAL_TIME_RUNNING, 7);
	test_mixed();
	test_wakeup_and_refresh();
	test_period();
	test_lost();
	test_tasks();
	test_inherit_stat();
	test_ids();
	test_starting_threads();
	test_signals();
	test_fork();
	return done_testing();
}
