/* SPDX-License-Identifier: MIT */
/* Opened counters: the program's own, and all kinds of groups. */
#include "pmu/kernel.h"
#include "pmu/pmu.h"
#include "../helper/host.h"
#include "tap.h"
#include "trace2_perf.h"

#define PAGES 64

TRACE2_COUNTER(apples, "unit", "apples", 0);
TRACE2_COUNTER(pears, "unit", "pears", 0);
TRACE2_TIMER(timed, "unit", "timed", 0);

static struct trace2_perf_attr app(uint64_t config)
{
	return (struct trace2_perf_attr){ .type = TRACE2_PERF_TYPE_APP,
					  .config = config };
}

static struct trace2_perf *open_app(struct trace2_counter *counter,
				    struct trace2_perf *group)
{
	struct trace2_perf_attr attr = app(TRACE2_PERF_COUNTER(*counter));
	struct trace2_perf *ev;

	trace2_perf_open(&attr, 0, -1, group, &ev);
	return ev;
}

static uint64_t value(struct trace2_perf *ev)
{
	uint64_t values[5] = { 0 };

	return trace2_perf_read(ev, values, 5) > 0 ? values[0] : UINT64_MAX;
}

static void test_null(void)
{
	struct trace2_perf_attr attr = app(0);
	struct trace2_perf *ev = NULL;
	uint64_t v;

	IS(trace2_perf_open(NULL, 0, -1, NULL, &ev), -EINVAL, "no attr");
	IS(trace2_perf_open(&attr, 0, -1, NULL, NULL), -EINVAL, "no event");
	IS(trace2_perf_read(NULL, &v, 1), -EINVAL, "NULL is read");
	IS(trace2_perf_enable(NULL), -EINVAL, "NULL is enabled");
	IS(trace2_perf_disable(NULL), -EINVAL, "NULL is disabled");
	IS(trace2_perf_reset(NULL), -EINVAL, "NULL is reset");
	IS(trace2_perf_refresh(NULL, 1), -EINVAL, "NULL is refreshed");
	IS(trace2_perf_set_period(NULL, 1), -EINVAL, "NULL has a period");
	IS(trace2_perf_poll_fd(NULL), -EINVAL, "NULL is polled");
	IS(trace2_perf_close(NULL), 0, "NULL is closed");
	IS(trace2_perf_id(NULL), 0, "NULL has no id");
	IS(trace2_perf_parse(NULL, NULL, 5, NULL, 0), 0, "NULL is parsed");
}

static void test_attr(void)
{
	struct trace2_perf_attr attr = app(9999);
	struct trace2_perf *ev = (void *)&attr;

	errno = 77;
	IS(trace2_perf_open(&attr, 0, -1, NULL, &ev), -ENOENT,
	   "a counter that is not defined");
	ok(!ev && errno == 77, "no event, and errno is kept");
	attr = app(TRACE2_PERF_COUNTER(apples));
	IS(trace2_perf_open(&attr, 0, 0, NULL, &ev), -EINVAL,
	   "a counter of a CPU");
	IS(trace2_perf_open(&attr, 1, -1, NULL, &ev), -ESRCH,
	   "a counter of another process");
	attr = (struct trace2_perf_attr){ .type = TRACE2_PERF_TYPE_PROCESS };
	IS(trace2_perf_open(&attr, 1, -1, NULL, &ev), -ESRCH,
	   "what another process has");
	IS(trace2_perf_open(&attr, 0, 0, NULL, &ev), -EINVAL,
	   "what a process has on a CPU");
	IS(trace2_perf_open(&attr, -1, -1, NULL, &ev), -EINVAL,
	   "what all processes have");
	IS(trace2_perf_open(&attr, getpid(), -1, NULL, &ev), 0,
	   "this one by its number");
	trace2_perf_close(ev);
	attr = app(TRACE2_PERF_COUNTER(apples));
	attr.exclude_kernel = 1;
	IS(trace2_perf_open(&attr, 0, -1, NULL, &ev), -EINVAL,
	   "a mode that it cannot distinguish");
	attr = app(TRACE2_PERF_COUNTER(apples));
	attr.read_format = 1 << 10;
	IS(trace2_perf_open(&attr, 0, -1, NULL, &ev), -EINVAL,
	   "an unknown format");
	attr = (struct trace2_perf_attr){
		.config = UINT64_C(0x70) << 56 | apples.index
	};
	IS(trace2_perf_open(&attr, 0, -1, NULL, &ev), 0,
	   "the compact form of one of ours");
	trace2_counter_add(apples, 3);
	IS(value(ev), 3, "counts");
	trace2_perf_close(ev);
	attr.config = UINT64_C(1) << 56 | 1; /* task-clock */
	IS(trace2_perf_open(&attr, 0, -1, NULL, &ev), 0,
	   "the compact form of one of the kernel's");
	ok(value(ev) > 0, "counts, too");
	trace2_perf_close(ev);
}

static void test_one(void)
{
	struct trace2_perf *ev = open_app(&apples, NULL);

	trace2_counter_add(apples, 2);
	IS(value(ev), 2, "what was counted since it was opened");
	trace2_perf_disable(ev);
	trace2_counter_add(apples, 5);
	IS(value(ev), 2, "off, it does not count");
	trace2_perf_enable(ev);
	trace2_counter_add(apples, 1);
	IS(value(ev), 3, "on again, it goes on");
	trace2_perf_reset(ev);
	IS(value(ev), 0, "reset");
	trace2_counter_add(apples, 4);
	IS(value(ev), 4, "and on from there");
	trace2_perf_disable_all();
	trace2_counter_add(apples, 4);
	IS(value(ev), 4, "all off");
	trace2_perf_enable_all();
	trace2_counter_add(apples, 4);
	IS(value(ev), 8, "all on");
	IS(trace2_perf_read(ev, NULL, 0), -ENOSPC, "no room for a value");
	trace2_perf_close(ev);
}

static void test_timer(void)
{
	struct trace2_perf_attr attr = app(TRACE2_PERF_TIMER(timed));
	struct trace2_perf *ev;
	uint64_t first, second;

	trace2_perf_open(&attr, 0, -1, NULL, &ev);
	trace2_timer_start(timed);
	first = value(ev);
	second = value(ev);
	ok(first && second > first, "a running interval grows");
	trace2_timer_stop(timed);
	first = value(ev);
	ok(first > second && value(ev) == first, "one that ended does not");
	trace2_perf_close(ev);
}

static void test_formats(void)
{
	struct trace2_perf_attr attr = app(TRACE2_PERF_COUNTER(apples));
	struct trace2_perf *leader, *member;
	uint64_t v[16];

	attr.read_format = 0x17;
	trace2_perf_open(&attr, 0, -1, NULL, &leader);
	trace2_counter_add(apples, 6);
	IS(trace2_perf_read(leader, v, 16), 5, "one event has five numbers");
	ok(v[0] == 6 && v[1] && v[1] == v[2] &&
		   v[3] == trace2_perf_id(leader) && !v[4],
	   "value, both times, id, lost");
	IS(trace2_perf_read(leader, v, 4), -ENOSPC, "four do not hold them");
	trace2_perf_close(leader);
	attr.read_format = 0xf;
	trace2_perf_open(&attr, 0, -1, NULL, &leader);
	member = open_app(&pears, leader);
	trace2_counter_add(apples, 1);
	trace2_counter_add(pears, 2);
	IS(trace2_perf_read(leader, v, 16), 7, "a group has them in one");
	ok(v[0] == 2 && v[1] && v[1] == v[2] && v[3] == 1 &&
		   v[4] == trace2_perf_id(leader) && v[5] == 2 &&
		   v[6] == trace2_perf_id(member) && v[4] != v[6],
	   "nr, both times, values with ids");
	trace2_perf_close(member);
	IS(trace2_perf_read(leader, v, 16), 5, "without one that was closed");
	trace2_perf_close(leader);
}

static void test_group(void)
{
	struct trace2_perf *leader = open_app(&apples, NULL);
	struct trace2_perf *member = open_app(&pears, leader), *none;
	struct trace2_perf_attr attr = app(TRACE2_PERF_COUNTER(pears));

	IS(trace2_perf_open(&attr, 0, -1, member, &none), -EINVAL,
	   "a member leads none");
	attr.pinned = 1;
	IS(trace2_perf_open(&attr, 0, -1, leader, &none), -EINVAL,
	   "a member is not pinned");
	attr = app(TRACE2_PERF_COUNTER(pears));
	attr.inherit = 1;
	IS(trace2_perf_open(&attr, 0, -1, leader, &none), -EINVAL,
	   "a member inherits as its leader does");
	trace2_perf_disable(member);
	trace2_counter_add(apples, 1);
	trace2_counter_add(pears, 1);
	IS(value(leader), 1, "a member that is off leaves the others");
	IS(value(member), 0, "and does not count");
	trace2_perf_enable(member);
	trace2_perf_disable(leader);
	trace2_counter_add(apples, 1);
	trace2_counter_add(pears, 1);
	IS(value(leader) + value(member), 1, "a leader that is off stops all");
	IS(trace2_perf_enable(leader), 0, "and starts all");
	trace2_counter_add(pears, 8);
	IS(value(member), 8, "at once");
	trace2_perf_reset(leader);
	IS(value(leader) + value(member), 0, "reset at once");
	trace2_perf_close(leader);
	IS(trace2_perf_read(member, NULL, 0), -ESRCH,
	   "a member of a closed leader is gone");
	IS(trace2_perf_enable(member), -ESRCH, "for good");
	IS(trace2_perf_close(member), 0, "and is closed");
}

static void test_exclusive(void)
{
	struct trace2_perf_attr attr = app(TRACE2_PERF_COUNTER(apples));
	struct trace2_perf *alone, *other = open_app(&pears, NULL), *pinned;
	uint64_t v[3];

	attr.exclusive = 1;
	attr.read_format = 3;
	trace2_perf_open(&attr, 0, -1, NULL, &alone);
	trace2_counter_add(apples, 1);
	trace2_perf_read(alone, v, 3);
	ok(!v[0] && v[1] && !v[2],
	   "an exclusive group waits until its PMU is free");
	attr.pinned = 1;
	trace2_perf_open(&attr, 0, -1, NULL, &pinned);
	IS(trace2_perf_read(pinned, v, 3), 0,
	   "a pinned one does not wait: end of file");
	trace2_perf_disable(other);
	trace2_counter_add(apples, 1);
	trace2_perf_read(alone, v, 3);
	ok(v[0] == 1 && v[2] && v[2] < v[1], "then it counts");
	trace2_perf_enable(other);
	trace2_counter_add(pears, 1);
	IS(value(other), 0, "and lets no other count");
	IS(trace2_perf_enable(pinned), -EIO, "the pinned one still cannot");
	trace2_perf_close(alone);
	trace2_counter_add(pears, 1);
	IS(value(other), 1, "until it is closed");
	trace2_perf_disable(other);
	IS(trace2_perf_enable(pinned), 0, "enabled again, the pinned one can");
	trace2_counter_add(apples, 9);
	IS(value(pinned), 9, "and counts");
	trace2_perf_close(pinned);
	trace2_perf_close(other);
}

static void *count_pears(void *step)
{
	pthread_barrier_t *barrier = step;

	trace2_counter_add(pears, 10);
	if (barrier) {
		pthread_barrier_wait(barrier);
		pthread_barrier_wait(barrier);
		trace2_counter_add(pears, 5);
	}
	return NULL;
}

static void touch_pages(size_t nr)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE), i;
	volatile char *pages = mmap(NULL, nr * size, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (i = 0; i < nr; i++)
		pages[i * size] = 1;
	munmap((void *)pages, nr * size);
}

/* Open events of the calling thread, and of the thread with the group's
 * leader. */
static void *open_in_thread(void *cookie)
{
	struct trace2_perf *group = cookie, *ev, *ours;
	struct trace2_perf_attr attr = app(TRACE2_PERF_COUNTER(pears)),
				kernel = { .type = TRACE2_PERF_TYPE_SOFTWARE,
					   .config = 2,
					   .exclude_kernel = 1,
					   .exclude_hv = 1 };
	pid_t leader = getpid();
	uint64_t v[4] = { 0 };

	IS(trace2_perf_open(&attr, 0, -1, group, &ev), -EINVAL,
	   "a thread's counter in the group of another thread");
	IS(trace2_perf_open(&kernel, 0, -1, group, &ev), -EINVAL,
	   "nor an event of the kernel");
	IS(trace2_perf_open(&attr, leader, -1, group, &ours), 0,
	   "one of the leader's thread may join from anywhere");
	if (trace2_perf_open(&kernel, leader, -1, group, &ev)) {
		ok(true, "# SKIP no events of the kernel");
		ok(true, "# SKIP no events of the kernel");
	} else {
		touch_pages(PAGES);
		IS(trace2_perf_read(group, v, 4), 4, "so may the kernel's");
		/* The other thread may have a few faults as it begins to
		 * wait. */
		ok(v[3] < PAGES, "and counts nothing of this thread");
	}
	trace2_perf_close(ev);
	trace2_perf_close(ours);
	return NULL;
}

static void test_group_of_thread(void)
{
	struct trace2_perf_attr attr = app(TRACE2_PERF_COUNTER(apples));
	struct trace2_perf *leader;

	attr.read_format = TRACE2_PERF_FORMAT_GROUP;
	trace2_perf_open(&attr, 0, -1, NULL, &leader);
	host_in_thread(open_in_thread, leader);
	trace2_perf_close(leader);
}

static void test_inherit(void)
{
	struct trace2_perf_attr attr = app(TRACE2_PERF_COUNTER(pears));
	struct trace2_perf *all, *own;
	pthread_barrier_t barrier;
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	own = open_app(&pears, NULL);
	attr.inherit = 1;
	trace2_perf_open(&attr, 0, -1, NULL, &all);
	trace2_counter_add(pears, 1);
	host_in_thread(count_pears, NULL);
	IS(value(own), 1, "one thread's alone");
	IS(value(all), 11, "with a thread that ended");
	IS(all->child_count, 10, "whose count was folded");
	pthread_create(&thread, NULL, count_pears, &barrier);
	pthread_barrier_wait(&barrier);
	IS(value(all), 21, "with a thread that runs");
	IS(all->child_count, 10, "whose count is not folded yet");
	trace2_perf_disable(all);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	IS(value(all), 21, "off, it does not count in threads");
	trace2_perf_enable(all);
	IS(value(all), 21, "on again, missed counts are not added");
	trace2_perf_close(all);
	trace2_perf_close(own);
}

/* An event of the kernel in a group with the library's, each as the leader. */
static void test_mixed(void)
{
	struct trace2_perf_attr faults = { .type = TRACE2_PERF_TYPE_SOFTWARE,
					   .config = 2, .exclude_kernel = 1,
					   .exclude_hv = 1 };
	struct trace2_perf_attr process = { .type = TRACE2_PERF_TYPE_PROCESS,
					    .config = TRACE2_PERF_THREADS };
	struct trace2_perf *leader = open_app(&apples, NULL), *kernel, *threads;
	struct trace2_perf *app_event;
	char *memory;
	uint64_t v[8], before;
	size_t i;

	leader->attr.read_format = TRACE2_PERF_FORMAT_GROUP;
	if (trace2_perf_open(&faults, 0, -1, leader, &kernel)) {
		ok(true, "# SKIP no events of the kernel");
		trace2_perf_close(leader);
		return;
	}
	IS(trace2_perf_open(&process, 0, -1, leader, &threads), 0,
	   "a process's counter joins a thread's");
	memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(memory, 1 << 20, MADV_NOHUGEPAGE);
	trace2_perf_reset(leader);
	for (i = 0; i < 100; i++) {
		memory[i * 4096] = 1;
		trace2_counter_add(apples, 1);
	}
	IS(trace2_perf_read(leader, v, 8), 4, "one reading");
	ok(v[0] == 3 && v[1] == 100 && v[2] >= 100 && v[3] >= 1,
	   "of all three PMUs");
	trace2_perf_disable(leader);
	before = value(kernel);
	for (i = 100; i < 200; i++)
		memory[i * 4096] = 1;
	is_u64(value(kernel), before,
	       "a leader of ours stops the kernel's event");
	trace2_perf_enable(leader);
	for (i = 200; i < 256; i++)
		memory[i * 4096] = 1;
	ok(value(kernel) >= before + 56, "and starts it");
	trace2_perf_close(leader);
	trace2_perf_close(kernel);
	trace2_perf_close(threads);

	faults.read_format = TRACE2_PERF_FORMAT_GROUP;
	trace2_perf_open(&faults, 0, -1, NULL, &leader);
	app_event = open_app(&pears, leader);
	trace2_counter_add(pears, 7);
	trace2_perf_read(leader, v, 8);
	ok(v[0] == 2 && v[2] == 7, "a leader of the kernel leads ours");
	trace2_perf_close(app_event);
	trace2_perf_close(leader);
	munmap(memory, 1 << 20);
}

static void test_clocks(void)
{
	struct trace2_perf_attr attr = { .type = TRACE2_PERF_TYPE_SOFTWARE,
					 .config = 1, .exclude_kernel = 1 };
	struct trace2_perf *ev;

	IS(trace2_perf_open(&attr, 0, -1, NULL, &ev), -EINVAL,
	   "task-clock cannot leave out the kernel");
	attr.exclude_kernel = 0;
	attr.exclude_idle = 1;
	IS(trace2_perf_open(&attr, -1, 0, NULL, &ev), -EINVAL,
	   "a processor cannot leave out the idle task");
	ev = NULL;
	ok(trace2_perf_open(&attr, 0, -1, NULL, &ev) != -EINVAL,
	   "a thread has no idle task, whether it may count or not");
	trace2_perf_close(ev);
	attr.exclude_idle = 0;
	attr.type = TRACE2_PERF_TYPE_POWER;
	attr.exclude_user = 1;
	IS(trace2_perf_open(&attr, 0, -1, NULL, &ev), -EINVAL,
	   "a package cannot leave out user mode");
}

static void test_fork(void)
{
	struct trace2_perf *ev = open_app(&apples, NULL), *kernel;
	struct trace2_perf_attr attr = { .type = TRACE2_PERF_TYPE_SOFTWARE,
					 .config = 1 };
	int status, fd;
	pid_t pid;

	trace2_perf_open(&attr, 0, -1, NULL, &kernel);
	fd = kernel ? kernel->kernel.fd : -1;
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(trace2_perf_enable(ev) != -ESRCH ||
		      trace2_perf_close(ev) || trace2_perf_close(kernel) ||
		      fcntl(fd, F_GETFD) != -1);
	waitpid(pid, &status, 0);
	IS(status, 0, "a forked child has no events and no descriptors");
	ok(fd < 0 || fcntl(fd, F_GETFD) == FD_CLOEXEC,
	   "the parent keeps its own, which an exec closes");
	trace2_counter_add(apples, 1);
	IS(value(ev), 1, "and goes on");
	trace2_perf_close(ev);
	trace2_perf_close(kernel);
}

static void test_closed_descriptor(void)
{
	struct trace2_perf_attr attr = { .type = TRACE2_PERF_TYPE_SOFTWARE,
					 .config = 1 };
	struct trace2_perf *ev;
	uint64_t v;
	int fd;

	if (trace2_perf_open(&attr, 0, -1, NULL, &ev)) {
		ok(true, "# SKIP no events of the kernel");
		return;
	}
	fd = ev->kernel.fd;
	dup2(STDERR_FILENO, fd);
	IS(trace2_perf_read(ev, &v, 1), -EBADF,
	   "a descriptor that the host took is not read");
	trace2_perf_close(ev);
	ok(fcntl(fd, F_GETFD) >= 0, "nor closed");
	close(fd);
	/* An event that is off is not accessed before it is closed. */
	attr.disabled = 1;
	trace2_perf_open(&attr, 0, -1, NULL, &ev);
	fd = ev->kernel.fd;
	dup2(STDERR_FILENO, fd);
	trace2_perf_close(ev);
	ok(fcntl(fd, F_GETFD) >= 0, "of an event that is off, either");
	close(fd);
}

static struct {
	unsigned int nr;
	uint64_t periods;
	uint32_t tid;
} seen;

static void see(struct trace2_perf *ev, const struct tr2_slot *slot,
		uint64_t periods, const struct tr2_callchain *chain)
{
	seen.nr++;
	seen.periods += periods;
	seen.tid = slot->control.tid;
}

/* Return the result of poll(), without waiting. */
static int polled(struct trace2_perf *ev)
{
	struct pollfd p = { trace2_perf_poll_fd(ev), POLLIN, 0 };

	return poll(&p, 1, 0) < 0 ? -1 : p.revents;
}

static struct trace2_perf *open_sampling(struct trace2_counter *counter,
					 uint64_t period, bool inherit)
{
	struct trace2_perf_attr attr = app(TRACE2_PERF_COUNTER(*counter));
	struct trace2_perf *ev;

	attr.sample_period = period;
	attr.inherit = inherit;
	trace2_perf_open(&attr, 0, -1, NULL, &ev);
	memset(&seen, 0, sizeof(seen));
	if (ev)
		ev->on_overflow = see;
	return ev;
}

static void test_overflow(void)
{
	struct trace2_perf *ev, *other;
	unsigned int i, index = pears.index;

	ev = open_sampling(&pears, 10, false);
	ok(pears.index != index && apples.index < TR2_MAX_COUNTERS,
	   "what is sampled is marked, and nothing else");
	for (i = 0; i < 95; i++)
		trace2_counter_add(pears, 1);
	is_u64(seen.nr, 9, "one overflow for each period");
	is_u64(seen.periods, 9, "of one period each");
	trace2_counter_add(pears, 32);
	is_u64(seen.nr, 10, "one overflow for several periods at once");
	is_u64(seen.periods, 12, "which says how many");
	IS(value(ev), 127, "and the value is the count");
	trace2_perf_disable(ev);
	trace2_counter_add(pears, 100);
	is_u64(seen.nr, 10, "none while it is off");
	trace2_perf_enable(ev);
	trace2_counter_add(pears, 2);
	is_u64(seen.nr, 10, "on again, it needs the rest of the period");
	trace2_counter_add(pears, 1);
	is_u64(seen.nr, 11, "and no more");
	IS(trace2_perf_set_period(ev, 3), 0, "another period");
	trace2_counter_add(pears, 2);
	is_u64(seen.nr, 11, "counts from now");
	trace2_counter_add(pears, 1);
	is_u64(seen.nr, 12, "on");
	IS(trace2_perf_set_period(ev, 0), -EINVAL, "a period of 0");
	other = open_sampling(&pears, 100, false);
	trace2_counter_add(pears, 100);
	is_u64(seen.nr, 2, "two events of one counter");
	is_u64(seen.periods, 33 + 1, "each with its period");
	trace2_perf_close(ev);
	ok(pears.index != index, "closing one leaves the other");
	trace2_perf_close(other);
	is_u64(pears.index, index, "closing both leaves no mark");
	ev = open_app(&pears, NULL);
	IS(trace2_perf_set_period(ev, 3), -EINVAL, "nothing to set");
	IS(trace2_perf_refresh(ev, 3), -EINVAL, "nor to refresh");
	IS(trace2_perf_poll_fd(ev), -EINVAL, "nor to poll");
	trace2_perf_close(ev);
}

static void test_refresh(void)
{
	struct trace2_perf *ev = open_sampling(&pears, 10, true);
	int fd;

	IS(trace2_perf_refresh(ev, 1), -EINVAL,
	   "what inherits is not refreshed");
	trace2_perf_close(ev);
	ev = open_sampling(&pears, 10, false);
	trace2_perf_disable(ev);
	fd = trace2_perf_poll_fd(ev);
	ok(fd > 2 && fcntl(fd, F_GETFD) == FD_CLOEXEC, "a descriptor to poll");
	IS(trace2_perf_refresh(ev, 0), -EINVAL, "0 overflows");
	IS(trace2_perf_refresh(ev, 2), 0, "2 overflows");
	IS(polled(ev), 0, "there is nothing yet");
	trace2_counter_add(pears, 10);
	IS(polled(ev), POLLIN, "the first one");
	IS(trace2_perf_read(ev, NULL, 0), -ENOSPC, "without room");
	IS(polled(ev), POLLIN, "it is not read");
	IS(value(ev), 10, "with room it is");
	IS(polled(ev), 0, "and over");
	trace2_counter_add(pears, 10);
	trace2_counter_add(pears, 10);
	IS(polled(ev) & POLLHUP, POLLHUP, "the last one hangs up");
	IS(value(ev), 20, "and nothing more is counted");
	is_u64(seen.nr, 2, "nor reported");
	IS(trace2_perf_refresh(ev, 1), 0, "one more");
	IS(trace2_perf_poll_fd(ev), fd, "with the same descriptor");
	IS(polled(ev), 0, "which does not hang up any more");
	trace2_counter_add(pears, 10);
	IS(polled(ev) & POLLHUP, POLLHUP, "until it did");
	trace2_perf_close(ev);
	IS(fcntl(fd, F_GETFD), -1, "it is closed with the event");
}

static void *count_many(void *unused)
{
	unsigned int i;

	for (i = 0; i < 1000; i++)
		trace2_counter_add(pears, 1);
	return NULL;
}

static void test_overflow_in_threads(void)
{
	struct trace2_perf *ev = open_sampling(&pears, 10, true);

	host_in_threads(4, count_many, NULL);
	is_u64(seen.periods, 400, "each thread overflows for itself");
	ok(seen.tid && seen.tid != (uint32_t)getpid(), "in its own name");
	IS(value(ev), 4000, "and all is counted");
	trace2_perf_close(ev);
}

static void test_overflow_of_timer(void)
{
	struct trace2_perf_attr attr = app(TRACE2_PERF_TIMER(timed));
	unsigned int index = timed.index;
	struct trace2_perf *ev;
	uint64_t total;

	attr.sample_period = 1000;
	memset(&seen, 0, sizeof(seen));
	trace2_perf_open(&attr, 0, -1, NULL, &ev);
	if (ev)
		ev->on_overflow = see;
	while (seen.nr < 3) {
		trace2_timer_start(timed);
		trace2_timer_stop(timed);
	}
	total = value(ev);
	is_u64(seen.periods, total / 1000, "a timer overflows by its time");
	trace2_perf_close(ev);
	is_u64(timed.index, index, "and is left as it was");
}

/* Act like a module that is unloaded. */
static void test_unloaded(void)
{
	static struct trace2_counter gone = { "unit", "pears", 0, 0 };
	unsigned int index = pears.index;
	struct trace2_perf *ev;

	trace2_register_counter_(&gone);
	ev = open_sampling(&pears, 5, false);
	ok(gone.index == pears.index && gone.index != index,
	   "all definitions of a counter are marked");
	trace2_unregister_counter_(&gone);
	trace2_perf_close(ev);
	ok(gone.index != index && pears.index == index,
	   "a closed one is not accessed any more");
	ev = open_sampling(&pears, 5, false);
	trace2_register_counter_(&gone);
	ok(gone.index == pears.index, "one that comes later is marked, too");
	trace2_unregister_counter_(&gone);
	trace2_perf_close(ev);
	trace2_unregister_counter_(NULL);
	trace2_unregister_timer_(NULL);
}

static uint64_t pmc_value;
static volatile struct perf_event_mmap_page page;
static unsigned int writes;

/* The kernel writes during the first reading. */
static uint64_t fake_pmc(uint32_t index)
{
	if (!writes++)
		page.lock += 2;
	return index == 2 ? pmc_value : 0;
}

static uint64_t fake_cycles(void)
{
	return 4000;
}

static void test_page(void)
{
	const struct tr2_page_machine machine = { fake_pmc, fake_cycles };
	struct tr2_page_value v;

	page.index = 3;
	page.offset = 1000;
	page.pmc_width = 48;
	page.time_enabled = 50;
	page.time_running = 40;
	ok(!tr2_kernel_page_read(&page, &machine, &v), "not permitted");
	page.cap_user_rdpmc = 1;
	page.cap_user_time = 1;
	page.time_shift = 2;
	page.time_mult = 8;
	page.time_offset = 10;
	pmc_value = (UINT64_C(1) << 48) - 400; /* -400 in 48 bits */
	ok(tr2_kernel_page_read(&page, &machine, &v), "read in user space");
	IS(writes, 2, "again, since the kernel wrote meanwhile");
	IS(v.count, 600, "offset and counter, with its sign");
	IS(v.enabled_ns, 50 + 10 + 8000, "time since it was written, scaled");
	IS(v.running_ns, 40 + 10 + 8000, "running, too");
	page.index = 0;
	ok(!tr2_kernel_page_read(&page, &machine, &v), "not on a counter now");
	page.index = 3;
	page.lock = 7;
	ok(!tr2_kernel_page_read(&page, &machine, &v), "a writer that hangs");
}

static void test_parse(void)
{
	struct trace2_perf_named events[3];
	char error[128];

	IS(trace2_perf_parse("faults:u,{app/unit/apples/,app/unit/timed:ns/}",
			     events, 3, error, sizeof(error)), 3, "a list");
	ok(events[0].attr.type == 1 && events[0].attr.config == 2 &&
		   events[0].attr.exclude_kernel && !events[0].group,
	   "one of the kernel's");
	ok(events[1].attr.config == apples.index && events[1].group == 1 &&
		   events[2].attr.config == TRACE2_PERF_TIMER(timed) &&
		   !strcmp(events[2].name, "app/unit/timed:ns/"),
	   "the program's own");
	memset(&events[1], 0x5a, sizeof(events[1]));
	IS(trace2_perf_parse("cs,cs,cs,cs", events, 1, NULL, 0), 4,
	   "a list longer than its array");
	IS(events[1].name[0], 0x5a, "behind the array nothing is written");
	IS(trace2_perf_parse("cs,app/unit/none/", events, 3, error,
			     sizeof(error)), -ENOENT, "no such counter");
	is_text(error, strlen(error), "event 'app/unit/none/': the program "
		"has no counter of that name", "and says so");
	IS(trace2_perf_parse("app/unit/apples/:5", events, 3, error, 8), 1,
	   "a period");
	is_u64(events[0].attr.sample_period, 5, "is one");
	IS(trace2_perf_parse("cs:5", events, 3, error, 8), 1,
	   "of one of the kernel's, too");
	is_u64(events[0].attr.sample_period, 5, "the same");
	IS(trace2_perf_parse("process/threads/:5", events, 3, error, 8),
	   -EINVAL, "but not of the values of the process");
	is_text(error, strlen(error), "event '", "cut to its memory");
}

int main(void)
{
	/* Counters count only while tracing is on. */
	setenv("GIT_TRACE2", "/dev/null", 0);
	trace2_initialize();
	test_null();
	test_attr();
	test_one();
	test_timer();
	test_formats();
	test_group();
	test_exclusive();
	test_group_of_thread();
	test_inherit();
	test_mixed();
	test_overflow();
	test_refresh();
	test_overflow_in_threads();
	test_overflow_of_timer();
	test_unloaded();
	test_clocks();
	test_fork();
	test_closed_descriptor();
	test_page();
	test_parse();
	return done_testing();
}
