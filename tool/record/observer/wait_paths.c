/* SPDX-License-Identifier: MIT */
/* Read paths from the memory of processes, and shorten them. */
#include "record/observer/wait_paths.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "record/observer/descriptors.h"
#include "record/observer/mounts.h"

#define PAGE 4096u

#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED 0x20
#endif

static bool read_cwd(pid_t pid, char cwd[TR2_OBJECT_NAME_SIZE])
{
	char path[32];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/cwd", (int)pid);
	n = readlink(path, cwd, TR2_OBJECT_NAME_SIZE);
	if (n <= 0 || n == TR2_OBJECT_NAME_SIZE)
		return false;
	cwd[n] = '\0';
	return true;
}

void tr2_wait_set_path(const struct tr2_wait *wait, const char *path,
		       struct tr2_wait_object *object)
{
	char cwd[TR2_OBJECT_NAME_SIZE];
	size_t len;

	if (read_cwd(wait->p->pid, cwd)) {
		len = strlen(cwd);
		if (len > 1 && !strncmp(path, cwd, len) && path[len] == '/' &&
		    path[len + 1])
			path += len + 1;
	}
	snprintf(object->name, sizeof(object->name), "%s", path);
}

/* Read a string. Its end is unknown, so read to the end of its page, then the
 * next page. Return false if it is empty, or too long. */
static bool read_string(const struct tr2_wait *wait, uint64_t address,
			char text[TR2_OBJECT_NAME_SIZE])
{
	size_t first = PAGE - address % PAGE, size = TR2_OBJECT_NAME_SIZE;
	struct iovec mine = { text, size };
	struct iovec its[2] = {
		{ (void *)(uintptr_t)address, first < size ? first : size },
		{ (void *)(uintptr_t)(address + first),
		  first < size ? size - first : 0 },
	};
	ssize_t n = tr2_wait_may_read(wait) ?
			    process_vm_readv(wait->p->pid, &mine, 1, its, 2, 0) :
			    -1;

	return n > 0 && text[0] && memchr(text, '\0', (size_t)n);
}

/* Make a path absolute, as the process sees it, in *whole. */
static bool make_whole(const struct tr2_wait *wait, int dir_fd,
		       const char *text, char whole[TR2_OBJECT_NAME_SIZE])
{
	char dir[TR2_OBJECT_NAME_SIZE];
	int n;

	if (text[0] == '/') {
		n = snprintf(whole, TR2_OBJECT_NAME_SIZE, "%s", text);
	} else {
		if (dir_fd == AT_FDCWD ?
			    !read_cwd(wait->p->pid, dir) :
			    !tr2_descriptor_link(wait->p->pid, dir_fd, dir))
			return false;
		n = snprintf(whole, TR2_OBJECT_NAME_SIZE, "%s/%s",
			     strcmp(dir, "/") != 0 ? dir : "", text);
	}
	return n > 0 && n < TR2_OBJECT_NAME_SIZE;
}

/* Is the path a fifo? Opening a fifo waits for its other end. Look only in the
 * kernel's cache: the file may be on a machine that does not answer. */
static bool is_fifo(pid_t pid, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_CACHED | RESOLVE_IN_ROOT,
	};
	char root_path[32];
	struct stat st = { 0 };
	int root, fd;

	snprintf(root_path, sizeof(root_path), "/proc/%d/root", (int)pid);
	root = open(root_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	if (fd >= 0 && fstat(fd, &st))
		st.st_mode = 0;
	if (fd >= 0)
		close(fd);
	if (root >= 0)
		close(root);
	return S_ISFIFO(st.st_mode);
}

void tr2_wait_find_path(struct tr2_wait *wait, int dir_fd, uint64_t address)
{
	char text[TR2_OBJECT_NAME_SIZE], whole[TR2_OBJECT_NAME_SIZE];
	struct tr2_wait_object *object = &wait->object;
	const struct tr2_mount *mount;

	if (!read_string(wait, address, text) ||
	    !make_whole(wait, dir_fd, text, whole))
		return;
	if (text[0] != '/' && dir_fd != AT_FDCWD)
		tr2_descriptor_know(wait, dir_fd, whole, "", object);
	object->what = "file";
	mount = tr2_mount_by_path(wait, whole);
	if (mount && tr2_mount_is_remote(mount))
		snprintf(object->others, sizeof(object->others), "%s",
			 mount->type);
	else if (mount && is_fifo(wait->p->pid, whole))
		object->what = "fifo";
	tr2_wait_set_path(wait, whole, object);
}
