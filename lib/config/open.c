/* SPDX-License-Identifier: MIT */
/*
 * open - open a config file, unless its file system may never answer.
 *
 * A FUSE file system is a program. While that is stopped, or waits for a
 * network, every process that asks it waits, too. So no request may reach it:
 * walk the path step by step, and check each directory before its entries; the
 * kernel itself knows where a mount begins. The root's file system is exempt,
 * since the program needs it anyway.
 *
 * If the path stays on the root's file system, one system call is enough.
 */
#include "config/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/stat.h> /* not <sys/stat.h>: musl's has its own struct statx */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* O_NONBLOCK: do not wait for a FIFO's writer, or for the end of a lease. */
#define OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
#define MAX_LINKS 40

/* Missing in some of the supported headers. */
#ifndef AT_STATX_DONT_SYNC
#define AT_STATX_DONT_SYNC 0x4000
#endif
#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x2000
#endif
#ifndef RESOLVE_NO_XDEV
#define RESOLVE_NO_XDEV 1
#endif

struct walk {
	char *path;
	size_t at;       /* position of the walk: no links before it */
	size_t dir_len;  /* end of the last directory on the way */
	struct tr2_config_device on; /* the present file system, which can be
				      * asked */
	unsigned int nr_links;       /* followed so far */
};

/*
 * Get the kernel's data of the path, which may be a link; "" is the current
 * directory. AT_STATX_DONT_SYNC: the kernel asks no server. Return 0 or -errno.
 */
static int look_at(const char *path, struct statx *st)
{
	int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC;

	if (!*path)
		flags |= AT_EMPTY_PATH;
	return syscall(SYS_statx, AT_FDCWD, path, flags, STATX_TYPE, st) ?
		       -errno : 0;
}

static struct tr2_config_device device_of(const struct statx *st)
{
	return (struct tr2_config_device){ st->stx_dev_major,
					   st->stx_dev_minor };
}

/* If the file system manages the inode's flags itself, it is not FUSE; for most
 * files this saves the search for the type. */
static bool may_hang(const struct statx *st)
{
	return !(st->stx_attributes_mask & STATX_ATTR_IMMUTABLE) &&
	       tr2_config_is_fuse(device_of(st));
}

static bool is_same(struct tr2_config_device a, struct tr2_config_device b)
{
	return a.major == b.major && a.minor == b.minor;
}

static int begin_walk(struct walk *w)
{
	bool absolute = *w->path == '/';
	struct statx st;
	int err = look_at(absolute ? "/" : "", &st);

	if (err)
		return err;
	w->at = w->dir_len = 0;
	w->on = device_of(&st);
	return !absolute && may_hang(&st) ? -EREMOTE : 0;
}

/* Return the target of a link, to be freed; NULL: it cannot be read. */
static char *read_link(const char *path)
{
	char *target = malloc(PATH_MAX);
	ssize_t n = target ? readlink(path, target, PATH_MAX - 1) : -1;

	if (n < 0) {
		free(target);
		return NULL;
	}
	target[n] = '\0';
	return target;
}

/* Replace the link at the walk's position by its target. */
static int follow(struct walk *w)
{
	char *link = strndup(w->path, w->at);
	char *target = link ? read_link(link) : NULL;
	char *slash = link ? strrchr(link, '/') : NULL;
	size_t dir = slash ? (size_t)(slash - link) + 1 : 0;
	char *head = NULL, *path = NULL;

	if (target)
		head = tr2_config_join(link, *target == '/' ? 0 : dir, target);
	if (head)
		path = tr2_config_join(head, strlen(head), w->path + w->at);
	free(head);
	free(target);
	free(link);
	if (!path)
		return -EIO;
	free(w->path);
	w->path = path;
	return ++w->nr_links > MAX_LINKS ? -ELOOP : begin_walk(w);
}

/* Go on to the next name of the path. */
static int step(struct walk *w)
{
	char behind = w->path[w->at];
	struct statx st;
	int err;

	w->path[w->at] = '\0';
	err = look_at(w->path, &st);
	w->path[w->at] = behind;
	if (err)
		return err;
	if (!is_same(device_of(&st), w->on) && may_hang(&st))
		return -EREMOTE;
	w->on = device_of(&st);
	if ((st.stx_mode & S_IFMT) == S_IFLNK)
		return follow(w);
	if ((st.stx_mode & S_IFMT) == S_IFDIR)
		w->dir_len = w->at;
	return 0;
}

static int walk_path(struct walk *w)
{
	int err = 0;

	while (!err) {
		w->at += strspn(w->path + w->at, "/");
		if (!w->path[w->at])
			break;
		w->at += strcspn(w->path + w->at, "/");
		err = step(w);
	}
	return err;
}

/* Return the length of the path's prefix that is that directory or one above
 * it; 0: none. */
static size_t known_part(const struct tr2_config_known *known, const char *path)
{
	size_t at = 0, i;

	for (i = 0; i < known->len && path[i] == known->dir[i]; i++)
		if (path[i] == '/')
			at = i;
	return i && i == known->len && path[i] == '/' ? i : at;
}

static void remember(struct tr2_config_known *known, const struct walk *w)
{
	if (w->nr_links || w->dir_len <= known->len)
		return;
	free(known->dir);
	known->dir = strndup(w->path, w->dir_len);
	known->len = known->dir ? w->dir_len : 0;
	known->on = w->on;
}

/* Return -EREMOTE; -ENOENT; 0: the file can be opened. */
static int check_path(struct tr2_config_known *known, const char *path)
{
	struct walk w = { .path = strdup(path) };
	int err = 0;

	if (!w.path)
		return -ENOMEM;
	w.at = w.dir_len = known_part(known, path);
	w.on = known->on;
	if (!w.at)
		err = begin_walk(&w);
	if (!err)
		err = walk_path(&w);
	remember(known, &w);
	free(w.path);
	/* Links in /proc may resolve although their path does not. */
	return err == -EREMOTE || (err == -ENOENT && !w.nr_links) ? err : 0;
}

/* Whether it is a directory on the same file system as its parent. */
static bool is_plain_dir(const struct statx *st)
{
	return (st->stx_mode & S_IFMT) == S_IFDIR &&
	       (st->stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) &&
	       !(st->stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

bool tr2_config_is_missing(char *path, size_t len)
{
	char *end = path + len, behind;
	struct statx st;
	int err;

	do {
		end = strchrnul(end + 1, '/');
		behind = *end;
		*end = '\0';
		err = look_at(path, &st);
		*end = behind;
	} while (!err && behind && is_plain_dir(&st));
	return err == -ENOENT;
}

/* Return a descriptor; -ENOENT; or -EXDEV, if the kernel cannot decide. */
static int open_at_root(const char *path)
{
#ifdef SYS_openat2
	const struct {
		uint64_t flags, mode, resolve;
	} how = { .flags = OPEN_FLAGS, .resolve = RESOLVE_NO_XDEV };
	long fd = *path == '/' ? syscall(SYS_openat2, AT_FDCWD, path, &how,
					 sizeof(how)) : -1;

	if (fd >= 0)
		return (int)fd;
	if (*path == '/' && errno == ENOENT)
		return -ENOENT;
#endif
	(void)path;
	return -EXDEV;
}

int tr2_config_open(struct tr2_config_known *known, const char *path)
{
	int fd = known_part(known, path) ? -EXDEV : open_at_root(path);

	if (fd != -EXDEV)
		return fd;
	fd = check_path(known, path);
	if (fd)
		return fd;
	do {
		fd = open(path, OPEN_FLAGS);
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}
