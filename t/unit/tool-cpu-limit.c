/* SPDX-License-Identifier: MIT */
/* tool-cpu-limit - limits of control groups, on hosts and in containers. */
#include <ftw.h>

#include "record/sources/cpu_limit.h"
#include "tap.h"

static char top[] = "/tmp/cpu-limit.XXXXXX";

/* Write a file below the directory of this test. */
static void put(const char *name, const char *text)
{
	char path[256], *slash;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", top, name);
	for (slash = path + strlen(top); (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		mkdir(path, 0777);
		*slash = '/';
	}
	f = fopen(path, "w");
	if (!f)
		abort();
	fputs(text, f);
	fclose(f);
}

/* Does a process with this line of its cgroup, and this mount, have that
 * limit? */
static bool has(const char *group, const char *root, const char *types,
		uint64_t millicpu, uint64_t throttled_ns)
{
	char cgroup[256], mounts[256], line[512];
	struct tr2_cpu_limit limit;
	bool found;

	snprintf(cgroup, sizeof(cgroup), "%s/cgroup", top);
	snprintf(mounts, sizeof(mounts), "%s/mountinfo", top);
	put("cgroup", group);
	snprintf(line, sizeof(line),
		 "22 1 0:5 / / rw - ext4 /dev/sda rw\n"
		 "36 22 0:30 %s %s/fs rw,nosuid shared:9 - %s\n", root, top,
		 types);
	put("mountinfo", line);
	tr2_cpu_limit_of(&limit, cgroup, mounts);
	found = limit.millicpu == millicpu && limit.last_ns == throttled_ns;
	if (!found)
		printf("# %ju of a thousand CPUs, %ju ns\n",
		       (uintmax_t)limit.millicpu, (uintmax_t)limit.last_ns);
	tr2_cpu_limit_release(&limit);
	return found;
}

#define V2 "cgroup2 cgroup2 rw,nsdelegate"
#define V1 "cgroup cgroup rw,cpu,cpuacct"
#define OF_V1 "5:memory:/x\n4:cpuacct,cpu:/job\n"

static void test_v2(void)
{
	put("fs/a/b/cpu.max", "max 100000\n");
	put("fs/a/b/cpu.stat", "usage_usec 5\nthrottled_usec 1\n");
	ok(has("0::/a/b\n", "/", V2, 0, 0), "v2: a group without a limit");
	put("fs/a/cpu.max", "150000 100000\n");
	put("fs/a/cpu.stat",
	    "usage_usec 5\nnr_throttled 2\nthrottled_usec 7\n");
	ok(has("0::/a/b\n", "/", V2, 1500, 7000), "the limit of one above it");
	put("fs/a/b/cpu.max", "50000 100000\n");
	ok(has("0::/a/b\n", "/", V2, 500, 1000), "the tightest of them");
	ok(has("0::/pod/a/b\n", "/pod", V2, 500, 1000),
	   "a group that is mounted, as in a container");
	put("fs/cpu.max", "25000 100000\n");
	ok(has("0::/\n", "/", V2, 250, 0),
	   "a container's own, without numbers");
	ok(has("0::/../other\n", "/", V2, 250, 0), "a group outside of it");
	ok(has("", "/", V2, 0, 0), "a process of no group");
	ok(has("0::/a\n", "/", "ext4 /dev/sdb rw", 0, 0), "nothing is mounted");
}

static void test_v1(void)
{
	put("fs/job/cpu.cfs_quota_us", "200000\n");
	put("fs/job/cpu.cfs_period_us", "100000\n");
	put("fs/job/cpu.stat", "nr_periods 4\nthrottled_time 9\n");
	ok(has(OF_V1, "/", V1, 2000, 9), "v1: by the controller's hierarchy");
	ok(has(OF_V1, "/", "cgroup cgroup rw,memory", 0, 0),
	   "not by another controller's");
	put("fs/job/cpu.cfs_quota_us", "-1\n");
	ok(has(OF_V1, "/", V1, 0, 0), "v1: no limit");
}

/* Compare a group's numbers between one look and the next. */
static void test_looks(void)
{
	struct tr2_cpu_limit limit;
	struct tr2_throttled t;
	char cgroup[256], mounts[256];
	uint64_t before;

	snprintf(cgroup, sizeof(cgroup), "%s/cgroup", top);
	snprintf(mounts, sizeof(mounts), "%s/mountinfo", top);
	put("fs/job/cpu.cfs_quota_us", "200000\n");
	ok(has(OF_V1, "/", V1, 2000, 9), "v1: a limit again");
	tr2_cpu_limit_of(&limit, cgroup, mounts);
	ok(!tr2_cpu_limit_look(&limit, &t), "a look finds nothing new");
	before = limit.looked_ns;
	put("fs/job/cpu.stat", "nr_periods 5\nthrottled_time 30\n");
	ok(tr2_cpu_limit_look(&limit, &t) && t.ns == 21 &&
		   t.from_ns == before && t.to_ns >= limit.looked_ns,
	   "a look finds for how long the group was throttled since the last "
	   "one");
	ok(!tr2_cpu_limit_look(&limit, &t) && limit.first_ns == 9 &&
		   limit.last_ns == 30, "the next look finds nothing new");
	put("fs/job/cpu.stat", "");
	ok(!tr2_cpu_limit_look(&limit, &t),
	   "a file without numbers is nothing new");
	tr2_cpu_limit_release(&limit);
}

static int take_away(const char *path, const struct stat *st, int flag,
		     struct FTW *at)
{
	(void)st, (void)flag, (void)at;
	return remove(path);
}

int main(void)
{
	if (!mkdtemp(top))
		abort();
	test_v2();
	test_v1();
	test_looks();
	nftw(top, take_away, 8, FTW_DEPTH | FTW_PHYS);
	return done_testing();
}
