/* SPDX-License-Identifier: MIT */
/* Keep files of /proc open. */
#include "record/observer/proc_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* Keep at most this many files open, and at most a quarter of the descriptors
 * that the recorder may have. */
#define MOST_FILES 8192u

static unsigned int nr_files;

static unsigned int most_files(void)
{
	static unsigned int most;
	struct rlimit files = { 0, 0 };

	if (most)
		return most;
	getrlimit(RLIMIT_NOFILE, &files);
	most = files.rlim_cur / 4 < MOST_FILES ?
		       (unsigned int)files.rlim_cur / 4 :
		       MOST_FILES;
	return most;
}

/* Open the file, and keep it if there is room. */
static ssize_t read_new(int *file, pid_t pid, pid_t tid, const char *name,
			char *text, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	/* For the first thread, the path without task/TID makes fewer entries
	 * in the kernel's cache. */
	if (tid == pid)
		snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	else
		snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)pid,
			 (int)tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = pread(fd, text, size, 0);
	if (n > 0 && nr_files < most_files()) {
		*file = fd;
		nr_files++;
	} else {
		close(fd);
	}
	return n;
}

ssize_t tr2_proc_file_read(int *file, pid_t pid, pid_t tid, const char *name,
			   char *text, size_t size)
{
	ssize_t n = *file < 0 ? read_new(file, pid, tid, name, text, size - 1) :
				pread(*file, text, size - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return n;
}

void tr2_proc_file_close(int *file)
{
	if (*file < 0)
		return;
	close(*file);
	*file = TR2_NOT_KEPT;
	nr_files--;
}
