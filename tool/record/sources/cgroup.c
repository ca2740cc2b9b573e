/* SPDX-License-Identifier: MIT */
/* Read /proc/PID/cgroup and mountinfo. */
#include "record/sources/cgroup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Is the word in a list like `rw,cpu,cpuacct`? */
static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word), n;

	for (;; list += n + 1) {
		n = strcspn(list, ",\n");
		if (n == len && !memcmp(list, word, len))
			return true;
		if (list[n] != ',')
			return false;
	}
}

/* Call take(group, line) for each line of a file until it returns true. */
static bool each_line(const char *path, struct tr2_cgroup *g,
		      bool (*take)(struct tr2_cgroup *g, char *line))
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	bool found = false;

	while (f && !found && getline(&line, &size, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		found = take(g, line);
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

/* Parse a line of /proc/PID/cgroup: `4:cpu,cpuacct:/GROUP` of cgroup v1, or
 * `0::/GROUP` of cgroup v2, which comes last. */
static bool take_group(struct tr2_cgroup *g, char *line)
{
	char *list = strchr(line, ':'),
	     *path = list ? strchr(list + 1, ':') : NULL;

	if (!path)
		return false;
	*path++ = '\0';
	g->v1 = has_word(list + 1, g->controller);
	if (!g->v1 && (list[1] || strncmp(line, "0:", 2)))
		return false;
	snprintf(g->path, sizeof(g->path), "%s", path);
	return true;
}

/* Parse a line of mountinfo: `36 35 0:30 ROOT MOUNT OPTIONS - cgroup2 SOURCE
 * OPTIONS`. The group ROOT is mounted at MOUNT. */
static bool take_mount(struct tr2_cgroup *g, char *line)
{
	char *type = strstr(line, " - "), *options, *save;
	const char *root, *mount, *below = g->path;
	size_t len;
	int i;

	if (!type)
		return false;
	*type = '\0';
	type += 3;
	options = strrchr(type, ' ');
	if (!options || (g->v1 ? strncmp(type, "cgroup ", 7) ||
				 !has_word(options + 1, g->controller) :
				 strncmp(type, "cgroup2 ", 8)))
		return false;
	root = strtok_r(line, " ", &save);
	for (i = 0; root && i < 3; i++)
		root = strtok_r(NULL, " ", &save);
	mount = root ? strtok_r(NULL, " ", &save) : NULL;
	if (!mount)
		return false;
	len = strcmp(root, "/") ? strlen(root) : 0;
	if (!strncmp(below, root, len) && (!below[len] || below[len] == '/'))
		below += len;
	/* Use the mount itself if the group is outside of the mounted part. */
	if (!strncmp(below, "/..", 3) || !strcmp(below, "/"))
		below = "";
	g->mount_len = strlen(mount);
	return (size_t)snprintf(g->dir, sizeof(g->dir), "%s%s", mount, below) <
	       sizeof(g->dir);
}

bool tr2_cgroup_find(struct tr2_cgroup *g, const char *controller,
		     const char *cgroup, const char *mountinfo)
{
	g->controller = controller;
	return each_line(cgroup, g, take_group) &&
	       each_line(mountinfo, g, take_mount);
}

bool tr2_cgroup_up(struct tr2_cgroup *g)
{
	if (strlen(g->dir) <= g->mount_len)
		return false;
	*strrchr(g->dir, '/') = '\0';
	return true;
}
