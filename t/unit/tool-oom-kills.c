/* SPDX-License-Identifier: MIT */
/* tool-oom-kills - the kernel's words for killed processes, and its counts. */
#include "record/sources/oom_kills.h"
#include "tap.h"

static void test_log(void)
{
	ok(tr2_oom_victim_of("3,1520,9034,-;Out of memory: Killed process 812 "
			     "(cc1) total-vm:100kB, anon-rss:90kB\n") == 812,
	   "the victim of the machine");
	ok(tr2_oom_victim_of(
		   "3,1521,9034,-;Memory cgroup out of memory: Killed "
		   "process 813 (cc1) total-vm:100kB\n") == 813,
	   "the victim of a control group");
	ok(tr2_oom_victim_of("3,7,8,-;Killed process 814 (cc1), UID 0, "
			     "total-vm:100kB\n") == 814,
	   "in the words of older kernels");
	ok(!tr2_oom_victim_of(
		   "11,7,8,-;Out of memory: Killed process 815 (cc1)\n"),
	   "a program wrote that into the log");
	ok(!tr2_oom_victim_of("4,7,8,-;EXT4-fs (/tmp/Killed process 816): x\n"),
	   "other words of the kernel");
	ok(!tr2_oom_victim_of(
		   "3,7,8,-;Out of memory: Killed process -1 (x)\n") &&
		   !tr2_oom_victim_of("3,7,8,-;Killed process ") &&
		   !tr2_oom_victim_of("3,7,8") && !tr2_oom_victim_of(""),
	   "a record that was cut");
}

static char top[] = "/tmp/oom-kills.XXXXXX";

static const char *put(const char *name, const char *text)
{
	static char paths[2][256];
	static int nr;
	char *path = paths[nr++ % 2];
	FILE *f;

	snprintf(path, sizeof(paths[0]), "%s/%s", top, name);
	f = fopen(path, "w");
	if (!f)
		abort();
	fputs(text, f);
	fclose(f);
	return path;
}

/* Return by how much a count in a file of the group grew by a change. */
static uint64_t counted(const char *group, const char *type, const char *name,
			const char *before, const char *after)
{
	struct tr2_oom_kills kills;
	char line[512];
	uint64_t nr;

	put(name, before);
	snprintf(line, sizeof(line), "36 22 0:30 / %s rw - %s\n", top, type);
	tr2_oom_kills_of(&kills, put("cgroup", group), put("mountinfo", line));
	put(name, after);
	nr = tr2_oom_kills_count(&kills);
	tr2_oom_kills_release(&kills);
	remove(put(name, ""));
	return nr;
}

static void test_counts(void)
{
	ok(counted("0::/\n", "cgroup2 cgroup2 rw", "memory.events",
		   "low 0\noom 9\noom_kill 3\noom_group_kill 0\n",
		   "low 0\noom 9\noom_kill 5\noom_group_kill 0\n") == 2,
	   "v2: what the group counted since");
	ok(counted("4:memory:/\n", "cgroup cgroup rw,memory",
		   "memory.oom_control", "oom_kill_disable 0\noom_kill 0\n",
		   "oom_kill_disable 0\noom_kill 1\n") == 1,
	   "v1: what the group counted since");
	ok(counted("4:memory:/\n", "cgroup cgroup rw,memory",
		   "memory.oom_control", "oom_kill 7\n", "") == 0,
	   "a file without numbers counts nothing");
}

int main(void)
{
	if (!mkdtemp(top))
		abort();
	test_log();
	test_counts();
	remove(put("cgroup", ""));
	remove(put("mountinfo", ""));
	rmdir(top);
	return done_testing();
}
