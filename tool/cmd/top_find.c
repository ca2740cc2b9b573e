/* SPDX-License-Identifier: MIT */
/* top_find - find rings to watch. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/top.h"
#include "common/memory.h"

static bool is_ring(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is = fd >= 0 && tr2_ring_file_is(fd);

	if (fd >= 0)
		close(fd);
	return is;
}

/* Return the file of a line of /proc/PID/maps, if it is mapped shared and
 * writable. */
static char *file_of_mapping(char *line)
{
	char *path = strchr(line, '/');
	char *modes = strchr(line, ' ');

	if (!path || !modes || strncmp(modes, " rw-s", 5))
		return NULL;
	path[strcspn(path, "\n")] = '\0';
	return path;
}

char *tr2_top_ring_of(int64_t pid, int *error)
{
	char name[64], *line = NULL, *path, *found = NULL;
	size_t alloc = 0;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%lld/maps", (long long)pid);
	maps = fopen(name, "re");
	*error = maps ? 0 : errno;
	while (maps && !found && getline(&line, &alloc, maps) > 0) {
		path = file_of_mapping(line);
		if (path && is_ring(path))
			found = tr2_strdup(path);
	}
	free(line);
	if (maps)
		fclose(maps);
	return found;
}

static bool runs(const char *path)
{
	struct tr2_ring_file f;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool alive;

	if (fd < 0)
		return false;
	alive = tr2_ring_file_is(fd) &&
		tr2_ring_file_open(&f, fd) == TR2_RING_IS_GOOD;
	if (alive) {
		alive = tr2_ring_file_is_alive(&f);
		tr2_ring_file_release(&f);
	}
	close(fd);
	return alive;
}

char **tr2_top_running(const char *dir, size_t *nr_rings)
{
	char **list = NULL, *path;
	struct dirent *entry;
	size_t nr = 0;
	DIR *d = opendir(dir);

	*nr_rings = 0;
	while (d && (entry = readdir(d))) {
		if (entry->d_name[0] == '.' || entry->d_type == DT_DIR)
			continue;
		path = tr2_strf("%s/%s", dir, entry->d_name);
		*nr_rings += is_ring(path);
		if (!runs(path)) {
			free(path);
			continue;
		}
		list = tr2_realloc(list, nr + 2, sizeof(*list));
		list[nr++] = path;
		list[nr] = NULL;
	}
	if (d)
		closedir(d);
	return list;
}

void tr2_top_free_list(char **list)
{
	size_t i;

	for (i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}
