/* SPDX-License-Identifier: MIT */
/* Read the limit of a control group. */
#include "record/sources/cpu_limit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/procfs.h"
#include "record/sources/cgroup.h"

/* Read a file of the group. Return false if it is missing or empty. */
static bool read_file(const struct tr2_cgroup *g, const char *name, char *out,
		      size_t size)
{
	char path[PATH_MAX + 32];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", g->dir, name);
	f = fopen(path, "re");
	if (!f)
		return false;
	n = fread(out, 1, size - 1, f);
	out[n] = '\0';
	fclose(f);
	return n > 0;
}

/* Return the limit of the group at g->dir in thousandths of a CPU; 0: none. */
static uint64_t limit_of(const struct tr2_cgroup *g)
{
	char text[64], period_text[64];
	int64_t quota = -1, period = 0;

	if (!g->v1) {
		if (read_file(g, "cpu.max", text, sizeof(text)) &&
		    sscanf(text, "%" SCNd64 " %" SCNd64, &quota, &period) != 2)
			quota = -1;
	} else if (read_file(g, "cpu.cfs_quota_us", text, sizeof(text)) &&
		   read_file(g, "cpu.cfs_period_us", period_text,
			     sizeof(period_text))) {
		quota = strtoll(text, NULL, 10);
		period = strtoll(period_text, NULL, 10);
	}
	return quota > 0 && period > 0 && quota < INT64_MAX / 1000 ?
		       (uint64_t)(quota * 1000 / period) : 0;
}

void tr2_cpu_limit_init(struct tr2_cpu_limit *l)
{
	*l = (struct tr2_cpu_limit){ .fd = -1 };
}

void tr2_cpu_limit_release(struct tr2_cpu_limit *l)
{
	if (l->fd >= 0)
		close(l->fd);
	tr2_cpu_limit_init(l);
}

static uint64_t throttled_ns(const struct tr2_cpu_limit *l)
{
	static const char *const keys[] = { "throttled_usec ",
					    "throttled_time " };
	char text[1024];
	ssize_t n = l->fd < 0 ? -1 : pread(l->fd, text, sizeof(text) - 1, 0);
	const char *at;

	if (n <= 0)
		return l->last_ns;
	text[n] = '\0';
	at = strstr(text, keys[l->v1]);
	return at ? strtoull(at + strlen(keys[l->v1]), NULL, 10) *
			    (l->v1 ? 1 : 1000) : l->last_ns;
}

/* Use the limit of the group at g->dir. */
static void read_limit(struct tr2_cpu_limit *l, const struct tr2_cgroup *g,
		       uint64_t limit)
{
	char path[PATH_MAX + 32];

	tr2_cpu_limit_release(l);
	snprintf(path, sizeof(path), "%s/cpu.stat", g->dir);
	l->fd = open(path, O_RDONLY | O_CLOEXEC);
	l->v1 = g->v1;
	l->millicpu = limit;
}

void tr2_cpu_limit_of(struct tr2_cpu_limit *l, const char *cgroup,
		      const char *mountinfo)
{
	int saved_errno = errno;
	struct tr2_cgroup g;
	uint64_t limit;
	bool found;

	tr2_cpu_limit_init(l);
	found = tr2_cgroup_find(&g, "cpu", cgroup, mountinfo);
	for (; found; found = tr2_cgroup_up(&g)) {
		limit = limit_of(&g);
		if (limit && (!l->millicpu || limit < l->millicpu))
			read_limit(l, &g, limit);
	}
	l->looked_ns = tr2_kernel_now_ns();
	l->first_ns = l->last_ns = throttled_ns(l);
	errno = saved_errno;
}

void tr2_cpu_limit_open(struct tr2_cpu_limit *l, pid_t pid)
{
	char cgroup[64] = "/proc/self/cgroup";

	if (pid)
		snprintf(cgroup, sizeof(cgroup), "/proc/%d/cgroup", (int)pid);
	tr2_cpu_limit_of(l, cgroup, "/proc/self/mountinfo");
}

bool tr2_cpu_limit_look(struct tr2_cpu_limit *l, struct tr2_throttled *t)
{
	uint64_t from_ns = l->looked_ns, ns;

	l->looked_ns = tr2_kernel_now_ns();
	ns = throttled_ns(l);
	if (ns <= l->last_ns)
		return false;
	*t = (struct tr2_throttled){ from_ns, tr2_kernel_now_ns(),
				     ns - l->last_ns };
	l->last_ns = ns;
	return true;
}
