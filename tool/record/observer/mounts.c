/* SPDX-License-Identifier: MIT */
/* Read /proc/PID/mountinfo; keep the types of mounts that were asked for. */
#include "record/observer/mounts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/macros.h"
#include "record/observer/descriptors.h"
#include "record/observer/proc_lines.h"

#define MOST 32u
/* Remember a mount for this many looks: later, its id may belong to another
 * mount. */
#define KEPT_LOOKS 100u

struct tr2_mounts {
	struct tr2_mount kept[MOST], other;
	unsigned int nr;
	uint64_t until_look;
};

static struct tr2_mounts *mounts_of(const struct tr2_wait *wait)
{
	struct tr2_observer *o = wait->o;
	struct tr2_mounts *m = o->sources.mounts;

	if (!m)
		m = o->sources.mounts = calloc(1, sizeof(*m));
	if (m && o->looks >= m->until_look) {
		m->nr = 0;
		m->until_look = o->looks + KEPT_LOOKS;
	}
	return m;
}

struct line {
	struct tr2_mount mount;
	char point[TR2_OBJECT_NAME_SIZE]; /* mount point; "": it is too long */
};

/* Copy a mount point. Spaces and some other characters are in octal: \040. */
static void copy_point(char point[TR2_OBJECT_NAME_SIZE], const char *text)
{
	size_t len = 0;

	while (*text && *text != ' ' && len < TR2_OBJECT_NAME_SIZE - 1) {
		if (*text == '\\' && strspn(text + 1, "01234567") >= 3) {
			point[len++] = (char)((text[1] - '0') << 6 |
					      (text[2] - '0') << 3 |
					      (text[3] - '0'));
			text += 4;
		} else {
			point[len++] = *text++;
		}
	}
	point[*text == ' ' ? len : 0] = '\0';
}

/* "36 35 98:0 /root /point options ... - type source options" */
static bool parse_mount(char *text, struct line *line)
{
	char *type = strstr(text, " - ");
	int at = 0;

	*line = (struct line){ 0 };
	if (!type || sscanf(type, " - %31s", line->mount.type) != 1 ||
	    sscanf(text, "%d %*d %*s %*s %n", &line->mount.id, &at) != 1 || !at)
		return false;
	copy_point(line->point, text + at);
	return true;
}

/* In a chroot, mountinfo lacks the mount of "/". The recorder's own root always
 * answers. */
static const struct tr2_mount own_root = { .type = "unknown" };

static int own_root_id(void)
{
	static int id;
	char info[TR2_INFO_SIZE];
	int fd = id ? -1 : open("/", O_PATH | O_CLOEXEC);

	if (fd < 0)
		return id;
	id = tr2_descriptor_info(getpid(), fd, info) ?
		     (int)tr2_descriptor_number(info, "mnt_id") : -1;
	close(fd);
	return id;
}

static bool has_own_root(pid_t pid)
{
	char path[32];
	struct stat its, ours;

	snprintf(path, sizeof(path), "/proc/%d/root", (int)pid);
	return !stat(path, &its) && !stat("/", &ours) &&
	       its.st_dev == ours.st_dev && its.st_ino == ours.st_ino;
}

const struct tr2_mount *tr2_mount_by_id(const struct tr2_wait *wait, int id)
{
	struct tr2_mounts *m = mounts_of(wait);
	struct tr2_proc_lines lines;
	struct line line;
	unsigned int i;

	for (i = 0; m && i < m->nr; i++)
		if (m->kept[i].id == id)
			return &m->kept[i];
	if (!m || !tr2_proc_lines_open(&lines, wait->p->pid, "mountinfo"))
		return NULL;
	while (tr2_proc_lines_next(&lines)) {
		if (!parse_mount(lines.line, &line) || line.mount.id != id)
			continue;
		tr2_proc_lines_close(&lines);
		m->other = line.mount;
		if (m->nr < MOST)
			m->kept[m->nr++] = m->other;
		return &m->other;
	}
	return id == own_root_id() ? &own_root : NULL;
}

static bool is_below(const char *path, const char *point, size_t len)
{
	return len && !strncmp(path, point, len) &&
	       (point[len - 1] == '/' || path[len] == '/' || !path[len]);
}

const struct tr2_mount *tr2_mount_by_path(const struct tr2_wait *wait,
					  const char *path)
{
	struct tr2_mounts *m = mounts_of(wait);
	struct tr2_proc_lines lines;
	struct line line;
	size_t len, best = 0;

	if (!m || !tr2_proc_lines_open(&lines, wait->p->pid, "mountinfo"))
		return NULL;
	/* Take the last of the longest matches: a later mount covers earlier
	 * mounts. */
	while (tr2_proc_lines_next(&lines)) {
		if (!parse_mount(lines.line, &line))
			continue;
		len = strlen(line.point);
		if (len >= best && is_below(path, line.point, len)) {
			best = len;
			m->other = line.mount;
		}
	}
	if (!best && has_own_root(wait->p->pid))
		return &own_root;
	return best ? &m->other : NULL;
}

bool tr2_mount_is_remote(const struct tr2_mount *mount)
{
	static const char *const types[] = {
		"nfs", "nfs4", "cifs", "smb3", "smbfs", "ceph", "9p", "afs",
		"lustre", "virtiofs", "gfs2", "ocfs2", "orangefs", "autofs",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(mount->type, types[i]))
			return true;
	return !strncmp(mount->type, "fuse", 4) &&
	       strcmp(mount->type, "fusectl") != 0;
}

void tr2_mounts_free(struct tr2_mounts *mounts)
{
	free(mounts);
}
