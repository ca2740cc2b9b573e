/* SPDX-License-Identifier: MIT */
/* Rotate the directory of event streams. */
#include "record/streams/rotate.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/store.h"

size_t tr2_rotate_room(const struct tr2_rotate *r, const char *text, size_t len)
{
	uint64_t left = r->bytes < r->max_bytes ? r->max_bytes - r->bytes : 0;
	const char *end;

	if (!r->max_bytes || len <= left)
		return len;
	end = left ? memrchr(text, '\n', (size_t)left) : NULL;
	if (!end && !r->bytes)
		end = memchr(text, '\n', len);
	return end ? (size_t)(end + 1 - text) : 0;
}

/* Create a new directory, and open it with the old one's descriptor number. -1:
 * errno. */
static int make_next(struct tr2_rotate *r)
{
	int fd, err;

	if (mkdirat(r->dir_fd, TR2_STORE_EVENTS, 0700))
		return -1;
	fd = openat(r->dir_fd, TR2_STORE_EVENTS,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	err = dup3(fd, r->events_fd, O_CLOEXEC) < 0 ? errno : 0;
	close(fd);
	errno = err;
	return err ? -1 : 0;
}

static void name_of(char name[sizeof(TR2_STORE_ROTATED) + 10], unsigned int nr)
{
	snprintf(name, sizeof(TR2_STORE_ROTATED) + 10, TR2_STORE_ROTATED "%06u",
		 nr);
}

static int put_aside(struct tr2_rotate *r)
{
	char name[sizeof(TR2_STORE_ROTATED) + 10];
	int err;

	name_of(name, r->nr + 1);
	if (renameat(r->dir_fd, TR2_STORE_EVENTS, r->dir_fd, name))
		return -1;
	if (!make_next(r)) {
		r->nr++;
		return 0;
	}
	/* The new directory could not be created: restore the old one's
	 * name. */
	err = errno;
	unlinkat(r->dir_fd, TR2_STORE_EVENTS, AT_REMOVEDIR);
	if (renameat(r->dir_fd, name, r->dir_fd, TR2_STORE_EVENTS))
		err = errno;
	errno = err;
	return -1;
}

static bool remove_stream(struct tr2_rotate *r, int fd, const char *name)
{
	struct stat st;

	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    unlinkat(fd, name, 0))
		return errno == ENOENT;
	r->removed_files++;
	r->removed_bytes += (uint64_t)st.st_size;
	return true;
}

/* Remove every file in a directory of streams, but no directories: the recorder
 * creates none there. Return -1 with errno. */
static int remove_streams(struct tr2_rotate *r, int fd)
{
	DIR *dir = fdopendir(fd);
	struct dirent *entry;
	int err = 0;

	if (!dir) {
		err = errno;
		close(fd);
		errno = err;
		return -1;
	}
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
		    !remove_stream(r, fd, entry->d_name))
			err = errno;
	closedir(dir);
	errno = err;
	return err ? -1 : 0;
}

/* Remove a rotated directory. It is no error if another program has removed it.
 * Return -1 with errno. */
static int remove_aside(struct tr2_rotate *r, unsigned int nr)
{
	char name[sizeof(TR2_STORE_ROTATED) + 10];
	int fd;

	name_of(name, nr);
	fd = openat(r->dir_fd, name,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	if (remove_streams(r, fd) ||
	    unlinkat(r->dir_fd, name, AT_REMOVEDIR))
		return -1;
	r->removed++;
	return 0;
}

/* Remove the oldest directories, so that `keep` remain. A directory that cannot
 * be removed stays. */
static void remove_oldest(struct tr2_rotate *r)
{
	while (r->keep && r->nr - r->oldest > r->keep)
		if (remove_aside(r, ++r->oldest) && !r->error)
			r->error = errno;
}

void tr2_rotate_now(struct tr2_rotate *r)
{
	struct tr2_stream_totals totals;
	bool counted = !tr2_stream_totals_read(&totals, r->events_fd);

	r->bytes = 0;
	if (put_aside(r)) {
		if (!r->error)
			r->error = errno;
		return;
	}
	if (counted) {
		r->done.files += totals.files;
		r->done.events += totals.events;
		r->done.bytes += totals.bytes;
		r->done.lost += totals.lost;
		/* Count from the second directory on: files of the first
		 * directory continue no other file. */
		if (r->nr > 1)
			r->done.continued += totals.continued;
	}
	remove_oldest(r);
}
