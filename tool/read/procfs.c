/* SPDX-License-Identifier: MIT */
/* procfs - implements read/procfs.h. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "read/procfs.h"

DIR *tr2_procfs_open(void)
{
	return opendir("/proc");
}

bool tr2_procfs_next(DIR *dir, int32_t *pid)
{
	struct dirent *e;

	while ((e = readdir(dir)))
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9') {
			*pid = atoi(e->d_name);
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

/* Parse "PID (COMM) STATE PPID …", where COMM may contain any character. */
bool tr2_procfs_stat(int32_t pid, struct tr2_procfs_stat *out)
{
	char text[512], *open, *close;
	ssize_t n = tr2_procfs_read(pid, "stat", text, sizeof(text) - 1);
	size_t len;

	if (n <= 0)
		return false;
	text[n] = '\0';
	open = strchr(text, '(');
	close = strrchr(text, ')');
	if (!open || !close || close < open)
		return false;
	memset(out, 0, sizeof(*out));
	out->pid = pid;
	len = (size_t)(close - open - 1);
	if (len > sizeof(out->comm) - 1)
		len = sizeof(out->comm) - 1;
	memcpy(out->comm, open + 1, len);
	return sscanf(close + 1, " %c %d", &out->state, &out->ppid) == 2;
}
