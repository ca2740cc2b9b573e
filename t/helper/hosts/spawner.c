/* SPDX-License-Identifier: MIT */
/*
 * `spawner`: a program that knows for how long it waited for its children to
 * start, and to be reaped. For each child it prints
 *
 *	how pid least_ns most_ns
 *
 * vfork	the child sleeps before its exec, when the parent waits for it
 * waits	the child sleeps before its exec, after fork()
 * computes	the child sleeps, and the parent computes until the child ends
 * slow		the parent has no CPU when the child has ended
 */
#include "../system.h"

#define PAUSE_NS 30000000

static int ends[2]; /* ends of the pipe to which the child writes */
static char end_text[16];

/* The times of a child, in the order in which they are recorded. */
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

static void pause_ns(long ns)
{
	const struct timespec ts = { .tv_nsec = ns };

	nanosleep(&ts, NULL);
}

/* Wait until the main thread of a process has the state: S: it waits; D: it
 * waits in vfork(). On a busy machine the process may get a CPU late. */
static void await_state(pid_t pid, char state)
{
	char path[64], text[512];
	const char *after = NULL;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	for (;; pause_ns(1000000)) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
		if (n <= 0)
			_exit(2);
		text[n] = '\0';
		after = strrchr(text, ')');
		if (after && after[1] && after[2] == state)
			return;
	}
}

/* Make only calls that are safe after vfork(). */
static void start(char of_parent)
{
	if (of_parent)
		await_state(getppid(), of_parent);
	pause_ns(PAUSE_NS);
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
		start('D');
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
		start('S');
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

/* Return a clock that also runs while the thread has no CPU. */
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
		start(0);
	until_ended(pid);
	compute(PAUSE_NS);
	reap(pid, &t);
	printf("computes %d 0 %lld\n", pid,
	       (long long)(PAUSE_NS / 10 + without_cpu_ns() - from));
}

static struct {
	pid_t pid;
	int64_t ended_ns, until_ns;
} other;

/* Take the CPU from the main thread, which waits, until the child has ended.
 * Record until when the main thread certainly had no CPU. */
static void *keep_cpu(void *main_thread)
{
	const struct sched_param none = { 0 };
	clockid_t clock;
	int64_t had_ns, until, now;

	pthread_getcpuclockid(*(pthread_t *)main_thread, &clock);
	await_state(getpid(), 'S');
	had_ns = now_ns(clock);
	sched_setscheduler(getpid(), SCHED_IDLE, &none);
	until_ended(other.pid);
	other.ended_ns = other.until_ns = now_ns(CLOCK_MONOTONIC);
	until = now_ns(CLOCK_THREAD_CPUTIME_ID) + PAUSE_NS;
	while (now_ns(CLOCK_THREAD_CPUTIME_ID) < until) {
		now = now_ns(CLOCK_MONOTONIC);
		if (now_ns(clock) == had_ns)
			other.until_ns = now;
	}
	sched_setscheduler(getpid(), SCHED_OTHER, &none);
	return NULL;
}

/* Let a thread share a CPU with the main thread, which gets the CPU only while
 * no other thread wants it. */
static void slow(void)
{
	pthread_t thread, self = pthread_self();
	cpu_set_t one, all;
	int64_t from, returned;
	struct times t;

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	from = now_ns(CLOCK_MONOTONIC);
	other.pid = fork();
	if (!other.pid) {
		sched_setaffinity(0, sizeof(all), &all);
		start('S');
	}
	pthread_create(&thread, NULL, keep_cpu, &self);
	reap(other.pid, &t);
	returned = now_ns(CLOCK_MONOTONIC);
	pthread_join(thread, NULL);
	printf("slow %d %lld %lld\n", other.pid,
	       (long long)(other.until_ns - other.ended_ns),
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
