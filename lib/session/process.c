/* SPDX-License-Identifier: MIT */
/*
 * Read the ancestors of the process from /proc, and its usage from getrusage().
 */
#include "session/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mask.h"

#define MAX_ANCESTORS 32
#define NAME_BYTES 64 /* the kernel's are shorter */

/* Read a process's name and parent from "pid (name) state ppid …", where the
 * name itself may have parentheses. */
static bool read_stat(long pid, char *name, long *parent)
{
	char path[32], text[512], *start, *end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	start = strchr(text, '(');
	end = strrchr(text, ')');
	if (!start || !end || end < start || end - start > NAME_BYTES ||
	    strlen(end) < 4)
		return false;
	*end = '\0';
	memcpy(name, start + 1, (size_t)(end - start));
	*parent = strtol(end + 4, NULL, 10);
	return true;
}

void tr2_process_emit_ancestry(struct tr2_call *call)
{
	char memory[MAX_ANCESTORS][NAME_BYTES];
	const char *names[MAX_ANCESTORS + 1];
	long pid = getppid();
	unsigned int nr = 0;
	struct tr2_mask before;

	tr2_mask_begin(&before);
	while (nr < MAX_ANCESTORS && pid > 0 &&
	       read_stat(pid, memory[nr], &pid)) {
		names[nr] = memory[nr];
		nr++;
	}
	tr2_mask_end(&before);
	names[nr] = NULL;
	if (nr)
		TR2_EMIT(call, cmd_ancestry, .ancestry.argv = names);
}

static void emit_number(struct tr2_call *call, const char *key, intmax_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%jd", value);
	TR2_EMIT(call, data, .category.s = "process", .key.s = key,
		 .value.s = text);
}

static intmax_t microseconds(const struct timeval *tv)
{
	return (intmax_t)tv->tv_sec * 1000000 + tv->tv_usec;
}

void tr2_process_emit_usage(struct tr2_call *call)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage))
		return;
	call->t_rel_ns = tr2_clock_since(tr2_region_start(call->thread),
					 call->now_ns);
	emit_number(call, "maxrss_kib", usage.ru_maxrss);
	emit_number(call, "utime_us", microseconds(&usage.ru_utime));
	emit_number(call, "stime_us", microseconds(&usage.ru_stime));
}
