/* SPDX-License-Identifier: MIT */
/*
 * `spawner`: a program that knows for how long it waited for its children to
 * start, and to be reaped. For each child it prints
 *
 *	how pid least_ns most_ns
 *
 * vfork	the child sleeps before its exec
 * waits	likewise, with fork(): the parent waits at once
 * computes	likewise, but the parent computes until the child has ended
 * slow		the parent has no CPU when the child has ended
 */
#include "../system.h"

#define PAUSE_NS 30000000

static int ends[2]; /* of the pipe to which the child writes */
static char end_text[16];

/* Times of a child, in the order in which they are written. */
struct times {
	int64_t exec_ns, began_ns, ended_ns;
};

static int64_t now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void say_time(int fd)
{
	int64_t now = now_ns(CLOCK_MONOTONIC);

	if (write(fd, &now, sizeof(now)) != sizeof(now))
		_exit(2);
}

static void compute(int64_t ns)
{
	int64_t until = now_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (now_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		;
}

/* Only calls that are safe after vfork(). */
static void start(void)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };

	nanosleep(&pause, NULL);
	say_time(ends[1]);
	execl("/proc/self/exe", "child", end_text, (char *)NULL);
	_exit(2);
}

static void reap(pid_t pid, struct times *t)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || status ||
	    read(ends[0], t, sizeof(*t)) != sizeof(*t))
		abort();
}

static void vforks(void)
{
	int64_t from = now_ns(CLOCK_MONOTONIC), started;
	struct times t;
	pid_t pid = vfork();

	if (!pid)
		start();
	started = now_ns(CLOCK_MONOTONIC);
	reap(pid, &t);
	printf("vfork %d %lld %lld\n", pid, PAUSE_NS / 2LL,
	       (long long)(started - from + now_ns(CLOCK_MONOTONIC) -
			   t.ended_ns));
}

static void waits(void)
{
	int64_t from = now_ns(CLOCK_MONOTONIC);
	struct times t;
	pid_t pid = fork();

	if (!pid)
		start();
	reap(pid, &t);
	printf("waits %d %lld %lld\n", pid, PAUSE_NS / 2LL,
	       (long long)(t.began_ns - from + now_ns(CLOCK_MONOTONIC) -
			   t.ended_ns));
}

static void until_ended(pid_t pid)
{
	siginfo_t info;

	do
		memset(&info, 0, sizeof(info));
	while (!waitid(P_PID, (id_t)pid, &info,
		       WEXITED | WNOWAIT | WNOHANG) && !info.si_pid);
}

/* Return a clock that runs while the thread has no CPU. */
static int64_t without_cpu_ns(void)
{
	return now_ns(CLOCK_MONOTONIC) - now_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void computes(void)
{
	int64_t from = without_cpu_ns();
	struct times t;
	pid_t pid = fork();

	if (!pid)
		start();
	until_ended(pid);
	compute(PAUSE_NS);
	reap(pid, &t);
	printf("computes %d 0 %lld\n", pid,
	       (long long)(PAUSE_NS / 10 + without_cpu_ns() - from));
}

static struct {
	volatile pid_t pid;
	int64_t ended_ns, until_ns;
} other;

/* Keep the CPU from the main thread until after the child has ended. */
static void *keep_cpu(void *unused)
{
	while (!other.pid)
		;
	until_ended(other.pid);
	other.ended_ns = now_ns(CLOCK_MONOTONIC);
	compute(PAUSE_NS);
	other.until_ns = now_ns(CLOCK_MONOTONIC);
	return unused;
}

/* The thread and the main thread share a CPU. The main thread gets it only
 * while no other wants it; while the child starts, it waits. */
static void slow(void)
{
	const struct sched_param none = { 0 };
	int64_t from, returned, least;
	cpu_set_t one, all;
	struct times t;
	pthread_t thread;
	pid_t pid;

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	from = now_ns(CLOCK_MONOTONIC);
	pid = fork();
	if (!pid) {
		sched_setaffinity(0, sizeof(all), &all);
		start();
	}
	pthread_create(&thread, NULL, keep_cpu, NULL);
	sched_setscheduler(0, SCHED_IDLE, &none);
	other.pid = pid;
	reap(pid, &t);
	returned = now_ns(CLOCK_MONOTONIC);
	sched_setscheduler(0, SCHED_OTHER, &none);
	pthread_join(thread, NULL);
	least = (returned < other.until_ns ? returned : other.until_ns) -
		other.ended_ns;
	printf("slow %d %lld %lld\n", pid, (long long)(least > 0 ? least : 0),
	       (long long)(t.began_ns - from + returned - t.ended_ns));
}

int main(int argc, char **argv)
{
	if (argc == 2) {
		say_time(atoi(argv[1]));
		say_time(atoi(argv[1]));
		return 0;
	}
	if (pipe(ends))
		return 1;
	snprintf(end_text, sizeof(end_text), "%d", ends[1]);
	vforks();
	waits();
	computes();
	slow();
	return 0;
}
