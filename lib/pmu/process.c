/* SPDX-License-Identifier: MIT */
/*
 * The PMU of values of the whole process, such as its memory and descriptors.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pmu/pmu.h"

#define NR_PROCESS (TRACE2_PERF_THREADS + 1)

static struct tr2_pmu_use use;

/* Read the number after "\nNAME" in a file of lines "NAME NUMBER …". */
static int read_proc(const char *path, const char *name, uint64_t *value)
{
	char text[4096], *at;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	text[0] = '\n';
	n = read(fd, text + 1, sizeof(text) - 2);
	if (n < 0) {
		n = -errno;
		close(fd);
		return (int)n;
	}
	close(fd);
	text[n + 1] = '\0';
	at = strstr(text, name);
	if (!at)
		return -ENOENT;
	*value = strtoull(at + strlen(name), NULL, 10);
	return 0;
}

/* A directory entry as the kernel returns it: readdir() would call malloc. */
struct entry {
	uint64_t inode;
	int64_t offset;
	uint16_t len;
	uint8_t type;
	char name[];
};

static uint64_t count_entries(const char *block, long size)
{
	const struct entry *entry;
	uint64_t nr = 0;
	long at;

	for (at = 0; at < size; at += entry->len) {
		entry = (const struct entry *)(const void *)(block + at);
		nr += *entry->name != '.';
	}
	return nr;
}

/* Count open descriptors, except the descriptor that this function opens. */
static int count_fds(uint64_t *value)
{
	alignas(uint64_t) char block[4096];
	int fd = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long n;

	if (fd < 0)
		return -errno;
	*value = 0;
	while ((n = syscall(SYS_getdents64, fd, block, sizeof(block))) > 0)
		*value += count_entries(block, n);
	close(fd);
	(*value)--;
	return 0;
}

static int read_value(uint64_t config, uint64_t *value)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage))
		return -errno;
	switch (config) {
	case TRACE2_PERF_MAXRSS:
		*value = (uint64_t)usage.ru_maxrss * 1024;
		return 0;
	case TRACE2_PERF_IO_READ:
		return read_proc("/proc/self/io", "\nrchar:", value);
	case TRACE2_PERF_IO_WRITE:
		return read_proc("/proc/self/io", "\nwchar:", value);
	case TRACE2_PERF_CTX_SWITCHES:
		*value = (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
		return 0;
	case TRACE2_PERF_OPEN_FDS:
		return count_fds(value);
	case TRACE2_PERF_THREADS:
		return read_proc("/proc/self/status", "\nThreads:", value);
	default:
		return -ENOENT;
	}
}

static bool process_is_gauge(const struct trace2_perf *ev)
{
	return ev->attr.config == TRACE2_PERF_MAXRSS ||
	       ev->attr.config == TRACE2_PERF_OPEN_FDS ||
	       ev->attr.config == TRACE2_PERF_THREADS;
}

static int process_init(struct trace2_perf *ev)
{
	const struct trace2_perf_attr *attr = &ev->attr;
	uint64_t value;

	if (attr->config1 || attr->config2 || attr->exclude_user ||
	    attr->exclude_kernel || attr->exclude_hv || attr->exclude_idle ||
	    attr->exclude_host || attr->exclude_guest || attr->enable_on_exec ||
	    attr->precise_ip || ev->cpu != -1 || ev->pid < 0)
		return -EINVAL;
	if (!tr2_perf_is_of_us(ev))
		return -ESRCH;
	return attr->config < NR_PROCESS ? read_value(attr->config, &value)
					 : -ENOENT;
}

static int process_add(struct trace2_perf *ev)
{
	return read_value(ev->attr.config, &ev->base);
}

static int process_read(struct trace2_perf *ev)
{
	uint64_t now;
	int error;

	if (!ev->counting)
		return 0;
	error = read_value(ev->attr.config, &now);
	if (error)
		return error;
	if (process_is_gauge(ev)) {
		ev->count = now;
	} else {
		ev->count += now - ev->base;
		ev->base = now;
	}
	return 0;
}

static void process_del(struct trace2_perf *ev)
{
	process_read(ev);
}

static uint64_t process_count(const struct trace2_perf *ev)
{
	return ev->count;
}

const struct tr2_pmu tr2_pmu_process = {
	.name = "process",
	.use = &use,
	.event_init = process_init,
	.add = process_add,
	.del = process_del,
	.read = process_read,
	.count = process_count,
	.is_gauge = process_is_gauge,
};
