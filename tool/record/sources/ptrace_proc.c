/* SPDX-License-Identifier: MIT */
/* Read /proc of processes that ptrace has stopped. */
#include "record/sources/ptrace_proc.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "common/procfs.h"
#include "format/recording/tasklog.h"

static void add_number(struct tr2_buf *b, const char *key, uint64_t value)
{
	tr2_buf_addlit(b, ",\"");
	tr2_buf_addstr(b, key);
	tr2_buf_addlit(b, "\":");
	tr2_buf_add_u64(b, value);
}

static void add_link(struct tr2_buf *b, const char *key, pid_t pid)
{
	char path[40], target[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, key);
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0)
		return;
	target[n] = '\0';
	tr2_buf_addlit(b, ",\"");
	tr2_buf_addstr(b, key);
	tr2_buf_addlit(b, "\":");
	tr2_json_add_string(b, target);
}

bool tr2_ptrace_add_argv(struct tr2_buf *b, pid_t pid)
{
	int32_t own = tr2_procfs_own_pid(pid);
	char text[TR2_ARGV_BYTES + 1];
	ssize_t n = tr2_procfs_read(pid, "cmdline", text, sizeof(text));

	if (n <= 0)
		return false;
	tr2_argv_add(b, text, (size_t)n, own);
	add_link(b, "cwd", pid);
	return true;
}

void tr2_ptrace_add_program(struct tr2_buf *b, pid_t pid)
{
	tr2_ptrace_add_argv(b, pid);
	add_link(b, "exe", pid);
}

static bool find_number(const char *text, const char *key, uint64_t *value)
{
	const char *at = strstr(text, key);

	return at && sscanf(at + strlen(key), "%" SCNu64, value) == 1;
}

void tr2_ptrace_add_end(struct tr2_buf *b, pid_t pid, struct tr2_io *io)
{
	char text[2048];
	uint64_t kb;

	*io = (struct tr2_io){ .known = tr2_procfs_text(pid, 0, "io", text,
							sizeof(text)) };
#define TR2_META_IO(key, field, name, unit) \
	io->known = io->known && find_number(text, field ": ", &io->key);
#include "format/recording/meta.def"
	if (io->known) {
#define TR2_META_IO(key, field, name, unit) add_number(b, #key, io->key);
#include "format/recording/meta.def"
	}
	if (tr2_procfs_text(pid, 0, "status", text, sizeof(text)) &&
	    find_number(text, "\nVmHWM:", &kb))
		add_number(b, "vmhwm_bytes", kb * 1024);
}

void tr2_ptrace_add_times(struct tr2_buf *b, pid_t tid)
{
	unsigned long long cpu_ns, ready_ns;
	char text[128];

	/* A CPU time of 0 is unknown: the kernel does not count. */
	if (!tr2_procfs_text(tid, 0, "schedstat", text, sizeof(text)) ||
	    sscanf(text, "%llu %llu", &cpu_ns, &ready_ns) != 2 || !cpu_ns)
		return;
	add_number(b, "cpu_ns", cpu_ns);
	add_number(b, "ready_ns", ready_ns);
}

bool tr2_ptrace_parents(pid_t tid, pid_t *pid, pid_t *ppid)
{
	char text[2048];
	uint64_t number;

	if (!tr2_procfs_text(tid, 0, "status", text, sizeof(text)) ||
	    !find_number(text, "\nTgid:", &number))
		return false;
	*pid = (pid_t)number;
	if (!find_number(text, "\nPPid:", &number))
		return false;
	*ppid = (pid_t)number;
	return true;
}

bool tr2_ptrace_is_thread_of(pid_t tid, pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)pid, (int)tid);
	return !access(path, F_OK);
}
