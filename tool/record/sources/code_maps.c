/* SPDX-License-Identifier: MIT */
/* Copy /tmp/perf-PID.map. */
#include "record/sources/code_maps.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/procfs.h"
#include "record/store.h"

/* Larger maps are cut. */
#define MOST_BYTES (64 << 20)
/* Clocks of files are coarse. */
#define SLACK_NS 1000000000

/* Anybody may make files in /tmp. Believe those of root and of the recorder's
 * user; root believes all. No file may be older than the process. */
static bool is_of(int fd, uint64_t start_ns)
{
	struct tr2_anchor now;
	int64_t age_ns, changed_ns;
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    (geteuid() && st.st_uid && st.st_uid != geteuid()))
		return false;
	tr2_anchor_take(&now);
	age_ns = (int64_t)(now.monotonic_ns - start_ns);
	changed_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 +
		     st.st_mtim.tv_nsec;
	return changed_ns >= (int64_t)now.wall_ns - age_ns - SLACK_NS;
}

static void copy(int dir_fd, pid_t pid, uint64_t start_ns, int from)
{
	char name[64];
	ssize_t n;
	off_t left = MOST_BYTES;
	int fd;

	snprintf(name, sizeof(name), TR2_STORE_MAPS "/%d-%" PRIu64 ".map",
		 (int)pid, start_ns);
	mkdirat(dir_fd, TR2_STORE_MAPS, 0700);
	fd = openat(dir_fd, name,
		    O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	do
		n = sendfile(fd, from, NULL, (size_t)left);
	while (n > 0 && (left -= n));
	close(fd);
}

void tr2_code_map_keep(int dir_fd, pid_t pid, uint64_t start_ns)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	if (is_of(fd, start_ns))
		copy(dir_fd, pid, start_ns, fd);
	close(fd);
}
