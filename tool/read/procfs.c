/* SPDX-License-Identifier: MIT */
/* procfs - implements read/procfs.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "read/procfs.h"

/* Of the kernel's task flags. */
#define PF_KTHREAD 0x00200000u

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

/* The text of stat behind the name. */
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
	(void)strtoll(text, &end, 10); /* on a CPU */
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
