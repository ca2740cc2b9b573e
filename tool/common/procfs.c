/* SPDX-License-Identifier: MIT */
/* procfs - read /proc of processes, and clocks. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "common/procfs.h"

/* A flag of the kernel's tasks: a thread of the kernel. */
#define PF_KTHREAD 0x00200000u

/* Read the clock offsets of this process's time namespace. /proc shows the
 * offsets of the time namespace in which the process's children begin. Return 0
 * if that is not the process's own namespace. */
static int64_t read_shift_ns(void)
{
	char own[64], children[64], text[256];
	ssize_t n = readlink("/proc/self/ns/time", own, sizeof(own));
	ssize_t n_children = readlink("/proc/self/ns/time_for_children",
				      children, sizeof(children));
	long long s, ns;

	if (n <= 0 || n != n_children || memcmp(own, children, (size_t)n) != 0)
		return 0;
	n = tr2_procfs_read((int32_t)getpid(), "timens_offsets", text,
			    sizeof(text) - 1);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	if (sscanf(text, "monotonic %lld %lld", &s, &ns) != 2)
		return 0;
	return s * 1000000000 + ns;
}

static int64_t shift_ns;

static void keep_shift(void)
{
	shift_ns = read_shift_ns();
}

int64_t tr2_kernel_shift_ns(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, keep_shift);
	return shift_ns;
}

int64_t tr2_suspended_ns(void)
{
	struct timespec boot, monotonic;

	clock_gettime(CLOCK_MONOTONIC, &monotonic);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	return (int64_t)(boot.tv_sec - monotonic.tv_sec) * 1000000000 +
	       (boot.tv_nsec - monotonic.tv_nsec);
}

uint64_t tr2_kernel_now_ns(void)
{
	return tr2_clock_now_ns() - (uint64_t)tr2_kernel_shift_ns();
}

int64_t tr2_procfs_tick_ns(void)
{
	long per_second = sysconf(_SC_CLK_TCK);

	return 1000000000 / (per_second > 0 ? per_second : 100);
}

DIR *tr2_procfs_open(int32_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	return opendir(pid == TR2_PROCFS_ALL ? "/proc" : path);
}

bool tr2_procfs_next(DIR *dir, int32_t *id)
{
	struct dirent *e;

	while ((e = readdir(dir)))
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9') {
			*id = atoi(e->d_name);
			return true;
		}
	return false;
}

ssize_t tr2_procfs_read(int32_t pid, const char *name, char *out, size_t size)
{
	char path[128];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, out, size);
	close(fd);
	return n;
}

bool tr2_procfs_text(int32_t pid, int32_t tid, const char *name, char *out,
		     size_t size)
{
	char path[64];
	ssize_t n;

	if (tid)
		snprintf(path, sizeof(path), "task/%d/%s", (int)tid, name);
	n = tr2_procfs_read(pid, tid ? path : name, out, size - 1);
	out[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* Parse the numbers in /proc/PID/stat that follow the name. */
static bool parse_numbers(const char *text, struct tr2_procfs_stat *s)
{
	unsigned long long user, system, start;
	long long user_waited, system_waited;
	int64_t tick_ns = tr2_procfs_tick_ns();
	unsigned int flags;

	if (sscanf(text,
		   " %c %d %*d %*d %*d %*d %u %*u %*u %*u %*u %llu %llu "
		   "%lld %lld %*d %*d %u %*d %llu",
		   &s->state, &s->ppid, &flags, &user, &system, &user_waited,
		   &system_waited, &s->nr_threads, &start) != 9)
		return false;
	s->is_kernel = flags & PF_KTHREAD;
	s->start_ns = (int64_t)start * tick_ns;
	s->cpu_ns = (int64_t)(user + system) * tick_ns;
	s->waited_ns = (user_waited + system_waited) * tick_ns;
	return true;
}

/* Parse "PID (COMM) STATE PPID …", where COMM may contain any character. */
bool tr2_procfs_stat(int32_t pid, int32_t tid, struct tr2_procfs_stat *out)
{
	char text[1024], *open, *close;
	size_t len;

	memset(out, 0, sizeof(*out));
	out->pid = pid;
	if (!tr2_procfs_text(pid, tid, "stat", text, sizeof(text)))
		return false;
	open = strchr(text, '(');
	close = strrchr(text, ')');
	if (!open || !close || close < open)
		return false;
	len = (size_t)(close - open - 1);
	if (len > sizeof(out->comm) - 1)
		len = sizeof(out->comm) - 1;
	memcpy(out->comm, open + 1, len);
	return parse_numbers(close + 1, out);
}

bool tr2_procfs_ready(int32_t pid, int32_t tid, int64_t *ready_ns)
{
	char text[128], *end;

	if (!tr2_procfs_text(pid, tid, "schedstat", text, sizeof(text)))
		return false;
	(void)strtoll(text, &end, 10); /* skip the first number, the time on a
					* CPU */
	*ready_ns = strtoll(end, NULL, 10);
	return true;
}

bool tr2_procfs_cpu(int32_t pid, int64_t *cpu_ns)
{
	struct timespec ts;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &ts))
		return false;
	*cpu_ns = (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
	return true;
}

/* Read which pid namespace a process is in. */
static ssize_t pid_namespace(const char *pid, char *out, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%s/ns/pid", pid);
	return readlink(path, out, size);
}

int32_t tr2_procfs_own_pid(int32_t pid)
{
	/* Read this process's PID namespace only once: a process never leaves
	 * it. */
	static _Thread_local char mine[64];
	static _Thread_local ssize_t n;
	char its[64], number[16], text[4096], *line, *last;

	snprintf(number, sizeof(number), "%d", (int)pid);
	if (n <= 0)
		n = pid_namespace("self", mine, sizeof(mine));
	if (n <= 0 || pid_namespace(number, its, sizeof(its)) <= 0 ||
	    !memcmp(mine, its, (size_t)n) ||
	    !tr2_procfs_text(pid, 0, "status", text, sizeof(text)))
		return 0;
	/* The line has the pid of the process in each namespace; the pid in the
	 * process's own namespace is last. */
	line = strstr(text, "\nNSpid:");
	if (!line)
		return 0;
	line += strlen("\nNSpid:");
	line[strcspn(line, "\n")] = '\0';
	last = strrchr(line, '\t');
	return last ? atoi(last + 1) : 0;
}

#define NS_PER_S 1000000000u

static uint64_t read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

void tr2_anchor_take(struct tr2_anchor *a)
{
	uint64_t before, after, best = UINT64_MAX, wall;
	int i;

	/* Use the attempt with the least time between its two readings. */
	for (i = 0; i < 5; i++) {
		before = read_clock(CLOCK_MONOTONIC);
		wall = read_clock(CLOCK_REALTIME);
		after = read_clock(CLOCK_MONOTONIC);
		if (after - before >= best)
			continue;
		best = after - before;
		a->monotonic_ns = before + best / 2;
		a->wall_ns = wall;
	}
	a->monotonic_ns -= (uint64_t)tr2_kernel_shift_ns();
}

void tr2_raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}
