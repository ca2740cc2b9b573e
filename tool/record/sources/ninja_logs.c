/* SPDX-License-Identifier: MIT */
/* Copy .ninja_log. */
#include "record/sources/ninja_logs.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/macros.h"
#include "record/store.h"

static struct tr2_ninja *find_ninja(struct tr2_ninja_logs *logs, pid_t pid)
{
	size_t i;

	for (i = 0; i < logs->nr; i++)
		if (logs->running[i].pid == pid)
			return &logs->running[i];
	return NULL;
}

static bool is_ninja(const char *comm)
{
	static const char *const names[] = { "ninja", "ninja-build", "samu" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(comm, names[i]))
			return true;
	return false;
}

void tr2_ninja_logs_see(struct tr2_ninja_logs *logs, const char *comm,
			pid_t pid, uint64_t start_ns)
{
	char path[40];
	int fd;

	if (!is_ninja(comm) || find_ninja(logs, pid) ||
	    logs->nr == TR2_NINJA_MOST)
		return;
	snprintf(path, sizeof(path), "/proc/%d/cwd", (int)pid);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		logs->running[logs->nr++] =
			(struct tr2_ninja){ pid, start_ns, fd };
}

static void keep_log(const struct tr2_ninja *of, int dir_fd)
{
	struct stat st;
	int fd = openat(of->cwd_fd, ".ninja_log",
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		tr2_store_keep(dir_fd, TR2_STORE_TARGETS, of->pid, of->start_ns,
			       "ninja_log", fd);
	close(fd);
}

void tr2_ninja_logs_keep(struct tr2_ninja_logs *logs, int dir_fd, pid_t pid)
{
	struct tr2_ninja *of = find_ninja(logs, pid);

	if (!of)
		return;
	keep_log(of, dir_fd);
	close(of->cwd_fd);
	*of = logs->running[--logs->nr];
}

void tr2_ninja_logs_end(struct tr2_ninja_logs *logs, int dir_fd)
{
	while (logs->nr)
		tr2_ninja_logs_keep(logs, dir_fd, logs->running[0].pid);
}
