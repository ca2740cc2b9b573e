/* SPDX-License-Identifier: MIT */
/* Create, replace and remove the directory of a recording. */
#include "record/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/macros.h"
#include "common/memory.h"
#include "common/say.h"

#define META_TMP "meta.json.tmp"
/* Reserve this many bytes for meta.json. It needs more only if hundreds of
 * processes outlive the recording. */
#define META_RESERVED 16384
/* Cut copies of processes' files to this size. */
#define MOST_KEPT_BYTES (64 << 20)
/* This file hides a recording in a working tree from `git status` and `git
 * add`. */
#define IGNORE ".gitignore"
#define IGNORE_ALL "*\n"
#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static bool is_dot(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

static DIR *list_dir(int fd)
{
	int own = openat(fd, ".", DIR_FLAGS);
	DIR *d;

	if (own < 0)
		return NULL;
	d = fdopendir(own);
	if (!d)
		close(own);
	return d;
}

static bool is_empty(int dir_fd)
{
	DIR *d = list_dir(dir_fd);
	struct dirent *e;
	bool empty = true;

	if (!d)
		return false;
	while (empty && (e = readdir(d)))
		empty = is_dot(e->d_name);
	closedir(d);
	return empty;
}

static bool is_recording(int dir_fd)
{
	char start[sizeof(TR2_STORE_MAGIC) - 1];
	struct stat st;
	bool is = false;
	int fd = openat(dir_fd, TR2_STORE_META,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    read(fd, start, sizeof(start)) == (ssize_t)sizeof(start))
		is = !memcmp(start, TR2_STORE_MAGIC, sizeof(start));
	close(fd);
	return is;
}

static bool is_busy(int dir_fd)
{
	return flock(dir_fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
}

static bool is_kind(int dir_fd, const char *name, mode_t kind)
{
	struct stat st;

	return !fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) &&
	       (st.st_mode & S_IFMT) == kind;
}

/* The directories in a recording. */
static const char *const directories[] = { TR2_STORE_EVENTS, TR2_STORE_RINGS,
					   TR2_STORE_MAPS, TR2_STORE_TARGETS };
#define NR_DIRECTORIES (ARRAY_SIZE(directories))

static bool is_rotated(const char *name)
{
	const size_t len = sizeof(TR2_STORE_ROTATED) - 1;

	return !strncmp(name, TR2_STORE_ROTATED, len) &&
	       strlen(name + len) >= 6 &&
	       !name[len + strspn(name + len, "0123456789")];
}

static bool is_directory_of_ours(const char *name)
{
	size_t i;

	for (i = 0; i < NR_DIRECTORIES; i++)
		if (!strcmp(name, directories[i]))
			return true;
	return is_rotated(name);
}

/* The files in a recording. */
static const char *const files[] = { TR2_STORE_META,   META_TMP,
				     TR2_STORE_TASKS,  TR2_STORE_KERNEL,
				     TR2_STORE_SYMBOLS, IGNORE };

static bool is_file_of_ours(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++)
		if (!strcmp(name, files[i]))
			return true;
	return false;
}

static bool belongs_to_recording(int dir_fd, const char *name, bool inside)
{
	if (inside)
		return is_kind(dir_fd, name, S_IFREG);
	if (is_directory_of_ours(name))
		return is_kind(dir_fd, name, S_IFDIR);
	return is_file_of_ours(name) && is_kind(dir_fd, name, S_IFREG);
}

/* Return the first name in the directory that does not belong to a recording;
 * NULL: none. */
static char *find_stranger(int dir_fd, bool inside)
{
	DIR *d = list_dir(dir_fd);
	struct dirent *e;
	char *found = NULL;

	if (!d)
		return strdup(".");
	while (!found && (e = readdir(d)))
		if (!is_dot(e->d_name) &&
		    !belongs_to_recording(dir_fd, e->d_name, inside))
			found = strdup(e->d_name);
	closedir(d);
	return found;
}

static int remove_files(int dir_fd)
{
	DIR *d = list_dir(dir_fd);
	struct dirent *e;
	int ret = 0;

	if (!d)
		return -1;
	while (!ret && (e = readdir(d)))
		if (is_kind(dir_fd, e->d_name, S_IFREG))
			ret = unlinkat(dir_fd, e->d_name, 0);
	closedir(d);
	return ret;
}

static int remove_directory(int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name, DIR_FLAGS);
	int ret;

	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	ret = remove_files(fd);
	close(fd);
	return ret ? ret : unlinkat(dir_fd, name, AT_REMOVEDIR);
}

/* Remove a recording in which find_stranger() found nothing. -1: errno. */
static int remove_recording(const char *path, int dir_fd)
{
	DIR *d = list_dir(dir_fd);
	struct dirent *e;
	int ret = d ? 0 : -1;

	while (!ret && (e = readdir(d)))
		if (is_directory_of_ours(e->d_name))
			ret = remove_directory(dir_fd, e->d_name);
	if (d)
		closedir(d);
	return ret || remove_files(dir_fd) ? -1 : rmdir(path);
}

/* Return `DIR/NAME` of a file in one of the recording's directories that does
 * not belong to the recording; NULL: there is none. */
static char *find_stranger_inside(int dir_fd, const char *directory)
{
	int fd = openat(dir_fd, directory, DIR_FLAGS);
	char *name, *full = NULL;

	if (fd < 0)
		return NULL;
	name = find_stranger(fd, true);
	close(fd);
	if (name && asprintf(&full, "%s/%s", directory, name) < 0)
		full = NULL;
	free(name);
	return full;
}

static char *find_stranger_in_directories(int dir_fd)
{
	DIR *d = list_dir(dir_fd);
	struct dirent *e;
	char *found = NULL;

	while (d && !found && (e = readdir(d)))
		if (is_directory_of_ours(e->d_name))
			found = find_stranger_inside(dir_fd, e->d_name);
	if (d)
		closedir(d);
	return found;
}

static int refuse_stranger(int dir_fd, const char *path)
{
	char *name = find_stranger(dir_fd, false);

	if (!name)
		name = find_stranger_in_directories(dir_fd);
	if (!name)
		return 0;
	tr2_error("will not replace '%s': it holds '%s', which is not part of "
		  "a recording (move it away, or use -o DIR)", path, name);
	free(name);
	return -1;
}

int tr2_store_remove(const char *old)
{
	int fd = open(old, DIR_FLAGS);
	int ret = -1;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || !is_recording(fd))
		tr2_error("will not replace '%s': it is not a recording "
			  "(move it away, or use -o DIR)", old);
	else if (is_busy(fd))
		tr2_error("will not replace '%s': it is being recorded "
			  "(use -o DIR)", old);
	else if (!refuse_stranger(fd, old)) {
		ret = remove_recording(old, fd);
		if (ret)
			tr2_error("cannot remove '%s': %s", old,
				  strerror(errno));
	}
	if (fd >= 0)
		close(fd);
	return ret;
}

int tr2_store_move_away(const char *path, int (*remove)(const char *old))
{
	char *old = tr2_strf("%s.old", path);
	int ret = remove(old);

	if (!ret && rename(path, old)) {
		tr2_error("cannot move '%s' to '%s': %s", path, old,
			  strerror(errno));
		ret = -1;
	}
	free(old);
	return ret;
}

static const char *why_no_dir(const char *path, int err)
{
	struct stat st;

	if (err != ENOTDIR && err != ELOOP)
		return strerror(err);
	return !lstat(path, &st) && S_ISLNK(st.st_mode) ?
		       "it is a symbolic link" : "it is not a directory";
}

/* Make the path available. If it exists, it must be an empty directory, or a
 * recording that is not being written. Move a recording away. */
static int make_way(struct tr2_store *s)
{
	const char *path = s->path;
	int fd = open(path, DIR_FLAGS);
	int ret = -1;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		tr2_error("cannot record to '%s': %s (use -o DIR)", path,
			  why_no_dir(path, errno));
	else if (is_empty(fd))
		ret = 0;
	else if (!is_recording(fd))
		tr2_error("will not replace '%s': it is not a recording "
			  "(use -o DIR)", path);
	else if (is_busy(fd))
		tr2_error("will not replace '%s': it is being recorded "
			  "(use -o DIR)", path);
	else {
		ret = tr2_store_move_away(path, tr2_store_remove);
		s->moved = !ret;
	}
	if (fd >= 0)
		close(fd);
	return ret;
}

/* Write .gitignore. The file is optional: if it cannot be written, the
 * recording continues. */
static void make_ignore(struct tr2_store *s)
{
	int fd = openat(s->dir_fd, IGNORE,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0600);

	if (fd < 0)
		return;
	if (write(fd, IGNORE_ALL, sizeof(IGNORE_ALL) - 1) < 0)
		unlinkat(s->dir_fd, IGNORE, 0);
	close(fd);
}

/* Create a directory in the recording, and set *fd and *path. Return -1 with
 * errno. */
static int make_inside(struct tr2_store *s, const char *real, const char *name,
		       int *fd, char **path)
{
	if (mkdirat(s->dir_fd, name, 0700))
		return -1;
	*fd = openat(s->dir_fd, name, DIR_FLAGS);
	if (*fd < 0)
		return -1;
	if (asprintf(path, "%s/%s", real, name) < 0) {
		*path = NULL;
		return -1;
	}
	return 0;
}

static int make_dirs(struct tr2_store *s, bool with_rings)
{
	char *real;
	int ret;

	s->made_dir = !mkdir(s->path, 0700);
	if (!s->made_dir && errno != EEXIST)
		return -1;
	s->dir_fd = open(s->path, DIR_FLAGS);
	if (s->dir_fd < 0)
		return -1;
	/* On a file system without locks, a second recorder is not noticed. */
	if (is_busy(s->dir_fd))
		return -1;
	real = realpath(s->path, NULL);
	if (!real)
		return -1;
	s->is_ours = true;
	ret = make_inside(s, real, TR2_STORE_EVENTS, &s->events_fd,
			  &s->events_path);
	if (!ret && with_rings)
		ret = make_inside(s, real, TR2_STORE_RINGS, &s->rings_fd,
				  &s->rings_path);
	if (!ret)
		make_ignore(s);
	free(real);
	return ret;
}

int tr2_store_open(struct tr2_store *s, const char *path, bool with_rings)
{
	size_t len = strlen(path);

	memset(s, 0, sizeof(*s));
	s->dir_fd = s->events_fd = s->rings_fd = -1;
	while (len > 1 && path[len - 1] == '/')
		len--;
	if (!len) {
		tr2_error("cannot record to '': the name is empty");
		return -1;
	}
	s->path = tr2_strf("%.*s", (int)len, path);
	if (make_way(s))
		return -1;
	if (make_dirs(s, with_rings)) {
		tr2_error("cannot create '%s': %s (use -o DIR for another "
			  "place)", s->path, strerror(errno));
		tr2_store_undo(s);
		return -1;
	}
	return 0;
}

/* Restore the old recording. If something is at the path, leave the old
 * recording at PATH.old. */
static void put_back(const struct tr2_store *s)
{
	char *old;

	if (!s->moved || asprintf(&old, "%s.old", s->path) < 0)
		return;
	rename(old, s->path);
	free(old);
}

void tr2_store_undo(struct tr2_store *s)
{
	size_t i;

	if (s->is_ours) {
		for (i = 0; i < ARRAY_SIZE(files); i++)
			unlinkat(s->dir_fd, files[i], 0);
		for (i = 0; i < NR_DIRECTORIES; i++)
			unlinkat(s->dir_fd, directories[i], AT_REMOVEDIR);
	}
	if (s->made_dir)
		rmdir(s->path);
	put_back(s);
}

void tr2_store_release(struct tr2_store *s)
{
	if (s->events_fd >= 0)
		close(s->events_fd);
	if (s->rings_fd >= 0)
		close(s->rings_fd);
	if (s->dir_fd >= 0)
		close(s->dir_fd);
	free(s->path);
	free(s->events_path);
	free(s->rings_path);
	memset(s, 0, sizeof(*s));
	s->dir_fd = s->events_fd = s->rings_fd = -1;
}

int tr2_store_write(int fd, const void *data, size_t len)
{
	const char *p = data;
	ssize_t n;

	while (len) {
		n = write(fd, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

bool tr2_store_keep(int dir_fd, const char *directory, pid_t pid,
		    uint64_t start_ns, const char *suffix, int from)
{
	off_t left = MOST_KEPT_BYTES;
	char name[96];
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "%s/%d-%" PRIu64 ".%s", directory,
		 (int)pid, start_ns, suffix);
	mkdirat(dir_fd, directory, 0700);
	fd = openat(dir_fd, name,
		    O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	if (fd < 0)
		return false;
	do
		n = sendfile(fd, from, NULL, (size_t)left);
	while (n > 0 && (left -= n));
	close(fd);
	return !n;
}

void tr2_store_reserve_meta(struct tr2_store *s)
{
	int fd = openat(s->dir_fd, META_TMP,
			O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool ok = fd >= 0 && !fallocate(fd, 0, 0, META_RESERVED);

	if (fd >= 0)
		close(fd);
	if (!ok)
		unlinkat(s->dir_fd, META_TMP, 0);
}

int tr2_store_write_meta(struct tr2_store *s, const char *text, size_t len)
{
	int fd = openat(s->dir_fd, META_TMP,
			O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	int ret, err;

	if (fd < 0)
		return -1;
	ret = tr2_store_write(fd, text, len);
	/* Cut the reserved space, which may make the file longer than its
	 * text. */
	if (!ret)
		ret = ftruncate(fd, (off_t)len);
	/* A network file system may report a full disk only at close(). */
	if (close(fd) && !ret)
		ret = -1;
	if (!ret)
		ret = renameat(s->dir_fd, META_TMP, s->dir_fd, TR2_STORE_META);
	if (ret) {
		err = errno;
		unlinkat(s->dir_fd, META_TMP, 0);
		errno = err;
	}
	return ret;
}
