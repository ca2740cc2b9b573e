/* SPDX-License-Identifier: MIT */
/* Copy /tmp/perf-PID.map and jit-PID.dump. */
#include "record/sources/code_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/procfs.h"
#include "common/words.h"
#include "record/store.h"

#define FLAGS (O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
/* Accept a file that seems older than its process by up to SLACK_NS: times of
 * files are coarse. */
#define SLACK_NS 1000000000

/* May the file be trusted? Anybody can make files in /tmp. Accept files of root
 * and of the recorder's user; root accepts all. Reject a file that is older
 * than the process. */
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

static void keep_file(struct tr2_code_maps *maps, int dir_fd, pid_t pid,
		      uint64_t start_ns, const char *suffix, int fd)
{
	if (is_of(fd, start_ns) &&
	    !tr2_store_keep(dir_fd, TR2_STORE_MAPS, pid, start_ns, suffix, fd))
		maps->nr_left_out++;
	close(fd);
}

static struct tr2_code_dump *find_dump(struct tr2_code_maps *maps, pid_t pid)
{
	size_t i;

	for (i = 0; i < maps->nr; i++)
		if (maps->dump[i].pid == pid)
			return &maps->dump[i];
	return NULL;
}

/* Is the path's last part jit-PID.dump? Set *pid to the PID in the name, which
 * belongs to the process's namespace. */
static bool is_dump(const char *path, int *pid)
{
	int end = 0;

	return sscanf(tr2_base_name(path), "jit-%d.dump%n", pid, &end) == 1 &&
	       end && !tr2_base_name(path)[end];
}

/* Open a file of a process. If the process has ended, look for the file in the
 * recorder's own tree, but only if `named`, the pid in the file's name, is the
 * process's pid. */
static int open_dump(pid_t pid, const char *path, int named)
{
	char *inside = tr2_strf("/proc/%d/root%s", (int)pid, path);
	int fd = open(inside, FLAGS);

	free(inside);
	return fd < 0 && errno == ENOENT && named == pid ? open(path, FLAGS) :
							   fd;
}

void tr2_code_maps_see(struct tr2_code_maps *maps, pid_t pid, const char *path)
{
	struct tr2_code_dump *dump = find_dump(maps, pid);
	int named, fd;

	if (*path != '/' || !is_dump(path, &named))
		return;
	fd = open_dump(pid, path, named);
	if (fd < 0 || (!dump && maps->nr == TR2_CODE_DUMPS_MOST)) {
		maps->nr_left_out++;
		if (fd >= 0)
			close(fd);
		return;
	}
	if (dump)
		close(dump->fd);
	else
		dump = &maps->dump[maps->nr++];
	*dump = (struct tr2_code_dump){ pid, fd };
}

void tr2_code_maps_look(struct tr2_code_maps *maps, pid_t pid)
{
	char *line = NULL, *path;
	char name[40];
	size_t size = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	f = fopen(name, "re");
	while (f && getline(&line, &size, f) > 0) {
		path = strchr(line, '/');
		if (path) {
			path[strcspn(path, "\n")] = '\0';
			tr2_code_maps_see(maps, pid, path);
		}
	}
	free(line);
	if (f)
		fclose(f);
}

void tr2_code_maps_keep(struct tr2_code_maps *maps, int dir_fd, pid_t pid,
			uint64_t start_ns)
{
	struct tr2_code_dump *dump = find_dump(maps, pid);
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
	fd = open(path, FLAGS);
	if (fd >= 0)
		keep_file(maps, dir_fd, pid, start_ns, "map", fd);
	if (!dump)
		return;
	keep_file(maps, dir_fd, pid, start_ns, "dump", dump->fd);
	*dump = maps->dump[--maps->nr];
}

void tr2_code_maps_release(struct tr2_code_maps *maps)
{
	while (maps->nr)
		close(maps->dump[--maps->nr].fd);
}
