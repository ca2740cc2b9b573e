/* SPDX-License-Identifier: MIT */
/* Read /dev/kmsg, and the counts of control groups. */
#include "record/sources/oom_kills.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/procfs.h"
#include "record/refusal.h"
#include "record/sources/cgroup.h"

/* The kernel's own messages have a value below this in the priority field. */
#define PRIORITIES 8u
/* This buffer is larger than the kernel's longest record. */
#define RECORD_SIZE 8192

pid_t tr2_oom_victim_of(const char *record)
{
	static const char words[] = "Killed process ";
	const char *text = strchr(record, ';'), *at;
	long pid;

	if (!text || strtoul(record, NULL, 10) >= PRIORITIES)
		return 0;
	at = strstr(++text, words);
	if (!at || (at != text && !strstr(text, "ut of memory")))
		return 0;
	pid = strtol(at + sizeof(words) - 1, NULL, 10);
	return pid > 0 && pid <= INT_MAX ? (pid_t)pid : 0;
}

static void add_victim(struct tr2_oom_kills *k, pid_t pid)
{
	size_t alloc = k->alloc ? k->alloc * 2 : 16;
	struct tr2_oom_victim *grown;

	if (k->nr == k->alloc) {
		grown = realloc(k->victims, alloc * sizeof(*grown));
		if (!grown)
			return;
		k->victims = grown;
		k->alloc = alloc;
	}
	k->victims[k->nr++] = (struct tr2_oom_victim){ pid,
						       tr2_kernel_now_ns() };
}

/* Read the records since the last time. Go on after EPIPE, which says that
 * records were overwritten before they were read. */
static void read_log(struct tr2_oom_kills *k)
{
	char record[RECORD_SIZE];
	ssize_t n;
	pid_t pid;

	if (k->log_fd < 0)
		return;
	while ((n = read(k->log_fd, record, sizeof(record) - 1)) > 0 ||
	       (n < 0 && errno == EPIPE)) {
		record[n < 0 ? 0 : n] = '\0';
		pid = tr2_oom_victim_of(record);
		if (pid)
			add_victim(k, pid);
	}
}

/* Return the number after the key `oom_kill` in a file of lines `KEY NUMBER`;
 * 0: none. */
static uint64_t count_in(int fd)
{
	static const char key[] = "\noom_kill ";
	char text[8192] = "\n", *at;
	ssize_t n = fd < 0 ? -1 : pread(fd, text + 1, sizeof(text) - 2, 0);

	if (n <= 0)
		return 0;
	text[n + 1] = '\0';
	at = strstr(text, key);
	return at ? strtoull(at + sizeof(key) - 1, NULL, 10) : 0;
}

/* Open the file that counts kills. With cgroup v2, a group's count includes all
 * groups below it; with v1, only the group itself. */
static int open_count(const char *cgroup, const char *mountinfo)
{
	struct tr2_cgroup g;
	char path[PATH_MAX + 32];
	int fd = -1;

	if (tr2_cgroup_find(&g, "memory", cgroup, mountinfo)) {
		snprintf(path, sizeof(path), "%s/memory.%s", g.dir,
			 g.v1 ? "oom_control" : "events");
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	/* Use the machine's count only outside of containers: it includes all
	 * containers. */
	if (fd < 0 && tr2_in_first_namespace("pid"))
		fd = open("/proc/vmstat", O_RDONLY | O_CLOEXEC);
	return fd;
}

void tr2_oom_kills_init(struct tr2_oom_kills *k)
{
	*k = (struct tr2_oom_kills){ .log_fd = -1, .count_fd = -1 };
}

void tr2_oom_kills_release(struct tr2_oom_kills *k)
{
	if (k->log_fd >= 0)
		close(k->log_fd);
	if (k->count_fd >= 0)
		close(k->count_fd);
	free(k->victims);
	tr2_oom_kills_init(k);
}

void tr2_oom_kills_of(struct tr2_oom_kills *k, const char *cgroup,
		      const char *mountinfo)
{
	tr2_oom_kills_init(k);
	k->count_fd = open_count(cgroup, mountinfo);
	k->first = count_in(k->count_fd);
}

void tr2_oom_kills_open(struct tr2_oom_kills *k)
{
	tr2_oom_kills_of(k, "/proc/self/cgroup", "/proc/self/mountinfo");
	/* Read the log only in the first pid namespace: the log has the pids of
	 * that namespace. */
	if (tr2_in_first_namespace("pid"))
		k->log_fd =
			open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (k->log_fd >= 0)
		lseek(k->log_fd, 0, SEEK_END);
}

/* The kernel writes the line of a killed process before its end. If a process
 * began after the line was read, the line names an earlier process with that
 * pid. */
bool tr2_oom_kills_has(struct tr2_oom_kills *k, pid_t pid, uint64_t start_ns)
{
	size_t i;

	read_log(k);
	for (i = 0; i < k->nr; i++)
		if (k->victims[i].pid == pid &&
		    start_ns < k->victims[i].read_ns)
			return true;
	return false;
}

uint64_t tr2_oom_kills_count(const struct tr2_oom_kills *k)
{
	uint64_t now = count_in(k->count_fd);

	return now > k->first ? now - k->first : 0;
}
