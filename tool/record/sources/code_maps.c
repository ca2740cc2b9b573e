/* SPDX-License-Identifier: MIT */
/* Copy /tmp/perf-PID.map. */
#include "record/sources/code_maps.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/procfs.h"
#include "record/store.h"

/* Times of files are coarse. */
#define SLACK_NS 1000000000

/* May the file be trusted? Anybody can make files in /tmp. Accept those of root
 * and of the recorder's user; root accepts all. No file may be older than the
 * process. */
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

void tr2_code_map_keep(int dir_fd, pid_t pid, uint64_t start_ns)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	if (is_of(fd, start_ns))
		tr2_store_keep(dir_fd, TR2_STORE_MAPS, pid, start_ns, "map",
			       fd);
	close(fd);
}
