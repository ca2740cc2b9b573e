/* SPDX-License-Identifier: MIT */
/* Keep the kernel's functions until the machine is started again. */
#include "record/kernel/kallsyms_cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/store.h"

#define NAME "kallsyms"
#define NEW_NAME "kallsyms.tmp"
#define BOOT_ID_BYTES 37 /* with the newline */

static bool read_boot_id(char id[BOOT_ID_BYTES])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, id, BOOT_ID_BYTES);

	if (fd >= 0)
		close(fd);
	return n == BOOT_ID_BYTES;
}

/* Open, or create, a directory that belongs to this user: not the one of
 * another whose environment sudo has left. -1: there is none. */
static int open_dir(int at, const char *path)
{
	struct stat st;
	int fd;

	(void)mkdirat(at, path, 0700);
	fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || (!fstat(fd, &st) && st.st_uid == geteuid()))
		return fd;
	close(fd);
	return -1;
}

/* -1: there is none. */
static int open_cache(void)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char path[4096];
	int fd, own;

	if (xdg && *xdg == '/')
		snprintf(path, sizeof(path), "%s", xdg);
	else if (home && *home == '/')
		snprintf(path, sizeof(path), "%s/.cache", home);
	else
		return -1;
	fd = open_dir(AT_FDCWD, path);
	if (fd < 0)
		return -1;
	own = open_dir(fd, "trace2");
	close(fd);
	return own;
}

static bool map_file(struct tr2_kallsyms_cache *c, int fd)
{
	struct stat st;
	void *map;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    st.st_size <= BOOT_ID_BYTES)
		return false;
	c->map_bytes = (size_t)st.st_size;
	map = mmap(NULL, c->map_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return false;
	c->map = map;
	c->begin = c->map + BOOT_ID_BYTES;
	c->end = c->map + c->map_bytes - 1;
	return true;
}

bool tr2_kallsyms_cache_open(struct tr2_kallsyms_cache *c)
{
	char id[BOOT_ID_BYTES];
	int dir = open_cache(), fd = -1;
	bool ok;

	memset(c, 0, sizeof(*c));
	if (dir >= 0) {
		fd = openat(dir, NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		close(dir);
	}
	ok = fd >= 0 && map_file(c, fd) && read_boot_id(id) &&
	     !memcmp(c->map, id, sizeof(id)) && c->end > c->begin &&
	     c->end[0] == '\0' && c->end[-1] == '\n';
	if (fd >= 0)
		close(fd);
	if (!ok)
		tr2_kallsyms_cache_close(c);
	return ok;
}

void tr2_kallsyms_cache_close(struct tr2_kallsyms_cache *c)
{
	if (c->map)
		munmap(c->map, c->map_bytes);
	c->map = NULL;
}

void tr2_kallsyms_cache_write(const char *begin, const char *end)
{
	char id[BOOT_ID_BYTES];
	int dir = open_cache(), fd;
	bool ok;

	if (dir < 0)
		return;
	(void)unlinkat(dir, NEW_NAME, 0);
	fd = openat(dir, NEW_NAME,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	ok = fd >= 0 && read_boot_id(id) &&
	     !tr2_store_write(fd, id, sizeof(id)) &&
	     !tr2_store_write(fd, begin, (size_t)(end - begin)) &&
	     !tr2_store_write(fd, "", 1);
	if (fd >= 0)
		close(fd);
	if (!ok || renameat(dir, NEW_NAME, dir, NAME))
		(void)unlinkat(dir, NEW_NAME, 0);
	close(dir);
}
