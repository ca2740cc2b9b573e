/* SPDX-License-Identifier: MIT */
/* ring_mapped - implements read/ring_mapped.h. */
#include "format/ring/ring_mapped.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/ring/ring_file.h"

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

static bool is_ring(const char *path)
{
	struct tr2_ring_file file;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is;

	if (fd < 0)
		return false;
	is = tr2_ring_file_is(fd);
	if (is) {
		is = tr2_ring_file_open(&file, fd) == TR2_RING_IS_GOOD;
		tr2_ring_file_release(&file);
	}
	close(fd);
	return is;
}

char *tr2_ring_mapped(int32_t pid)
{
	char name[64], *line = NULL, *path, *found = NULL;
	size_t alloc = 0;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	maps = fopen(name, "re");
	while (maps && !found && getline(&line, &alloc, maps) > 0) {
		path = file_of_mapping(line);
		if (path && is_ring(path))
			found = strdup(path);
	}
	free(line);
	if (maps)
		fclose(maps);
	return found;
}
