/* SPDX-License-Identifier: MIT */
/* Describe descriptors by their links in /proc, never touching the files. */
#include "record/observer/descriptors.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/macros.h"
#include "common/map.h"
#include "common/procfs.h"
#include "record/observer/holders.h"
#include "record/observer/mounts.h"
#include "record/observer/sockets.h"
#include "record/observer/wait_paths.h"

/* The recorder may have inherited descriptors up to this number. */
#define MOST_INHERITED 64
/* Number of descriptors remembered for a process; a new one replaces the
 * oldest. */
#define MOST_KNOWN 128u

struct tr2_known_descriptor {
	int fd;
	uint64_t identity;
	uint64_t since_ns; /* 0: free */
};

bool tr2_descriptor_link(pid_t pid, int fd, char link[TR2_OBJECT_NAME_SIZE])
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, fd);
	n = readlink(path, link, TR2_OBJECT_NAME_SIZE);
	if (n <= 0 || n == TR2_OBJECT_NAME_SIZE)
		return false;
	link[n] = '\0';
	return true;
}

bool tr2_descriptor_info(pid_t pid, int fd, char text[TR2_INFO_SIZE])
{
	char path[32];

	snprintf(path, sizeof(path), "fdinfo/%d", fd);
	return tr2_procfs_text(pid, 0, path, text, TR2_INFO_SIZE);
}

long long tr2_descriptor_number(const char *info, const char *key)
{
	size_t len = strlen(key);
	const char *line = info;

	for (; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, key, len) && line[len] == ':')
			return strtoll(line + len + 1, NULL, 10);
	}
	return -1;
}

static uint64_t first_seen(struct tr2_wait *wait, int fd, uint64_t identity)
{
	struct tr2_observed_waits *w = &wait->p->waits;
	struct tr2_known_descriptor *known, *oldest;
	size_t i;

	if (!w->known && w->nr > 1)
		w->known = calloc(MOST_KNOWN, sizeof(*w->known));
	if (!w->known)
		return tr2_kernel_now_ns();
	oldest = w->known;
	for (i = 0; i < MOST_KNOWN; i++) {
		known = &w->known[i];
		if (known->since_ns && known->fd == fd) {
			if (known->identity == identity)
				return known->since_ns;
			oldest = known;
			break;
		}
		if (known->since_ns < oldest->since_ns)
			oldest = known;
	}
	*oldest = (struct tr2_known_descriptor){ fd, identity,
						 tr2_kernel_now_ns() };
	return oldest->since_ns;
}

void tr2_descriptor_know(struct tr2_wait *wait, int fd, const char *link,
			 const char *info, struct tr2_wait_object *object)
{
	uint64_t identity = tr2_hash(link, strlen(link)), known_ns;

	identity = tr2_mix(identity,
			   (uint64_t)tr2_descriptor_number(info, "ino"));
	known_ns = first_seen(wait, fd, identity);
	if (known_ns > object->known_ns)
		object->known_ns = known_ns;
}

/* ---- Objects without a path ---- */

static void describe_inotify(struct tr2_wait *wait, int fd, const char *info,
			     struct tr2_wait_object *object)
{
	unsigned int nr = 0;
	const char *line = info;

	(void)wait;
	(void)fd;
	while ((line = strstr(line, "inotify wd:"))) {
		line++;
		nr++;
	}
	/* A longer text was cut: it may list more watches. */
	if (strlen(info) < TR2_INFO_SIZE - 1)
		snprintf(object->name, sizeof(object->name), "of %u", nr);
}

static void describe_process(struct tr2_wait *wait, int fd, const char *info,
			     struct tr2_wait_object *object)
{
	long long pid = tr2_descriptor_number(info, "Pid");

	(void)wait;
	(void)fd;
	object->peer = pid > 0 ? (pid_t)pid : 0;
}

static void describe_inner(struct tr2_wait *wait, int fd, const char *info,
			   struct tr2_wait_object *object)
{
	(void)wait;
	(void)fd;
	(void)info;
	object->is_inner = true;
}

/* Did the recorder, like the command, inherit this pipe? Such a pipe has ends
 * outside of the recording, as the pipe of make's job server has. */
static bool came_from_outside(const char *link)
{
	char own[TR2_OBJECT_NAME_SIZE];
	int fd;

	for (fd = 0; fd < MOST_INHERITED; fd++)
		if (tr2_descriptor_link(getpid(), fd, own) &&
		    !strcmp(own, link))
			return true;
	return false;
}

/* Describe one end of a pipe or fifo. */
static void describe_end(struct tr2_wait *wait, int fd, const char *link,
			 struct tr2_wait_object *object)
{
	enum tr2_ends own = tr2_holders_ends(wait->p->pid, fd), other;
	struct tr2_held held;

	if (own != TR2_READING && own != TR2_WRITING)
		return;
	other = own == TR2_READING ? TR2_WRITING : TR2_READING;
	held = tr2_holders_find(wait, fd, link, other, NULL);
	object->peer = held.pid;
	if (held.nr) {
		object->number = held.nr;
	} else if (!came_from_outside(link) &&
		   tr2_holders_self(wait, fd, link, other)) {
		object->what = "own pipe";
		object->is_inner = true;
	} else {
		object->lacks_peer = true;
	}
}

static const struct {
	const char *link; /* beginning of the link */
	const char *what;
	void (*describe)(struct tr2_wait *wait, int fd, const char *info,
			 /* NULL: there is nothing more to find */
			 struct tr2_wait_object *object);
} kinds[] = {
	{ "anon_inode:[eventfd]", "eventfd", describe_inner },
	{ "anon_inode:[timerfd]", "timer", describe_inner },
	{ "anon_inode:[signalfd]", "signals", NULL },
	{ "anon_inode:inotify", "inotify", describe_inotify },
	{ "anon_inode:[fanotify]", "fanotify", NULL },
	{ "anon_inode:[eventpoll]", "epoll", NULL },
	{ "anon_inode:[io_uring]", "io_uring", NULL },
	{ "anon_inode:[perf_event]", "perf_event", NULL },
	{ "anon_inode:[userfaultfd]", "userfaultfd", NULL },
	{ "anon_inode:[pidfd]", "process", describe_process },
	{ "pidfd:[", "process", describe_process },
};

static void describe_anonymous(struct tr2_wait *wait, int fd, const char *link,
			       const char *info, struct tr2_wait_object *object)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strncmp(link, kinds[i].link, strlen(kinds[i].link)) != 0)
			continue;
		object->what = kinds[i].what;
		if (kinds[i].describe)
			kinds[i].describe(wait, fd, info, object);
		return;
	}
	object->what = "other";
	snprintf(object->name, sizeof(object->name), "%s", link);
}

/* ---- Files ---- */

static bool is_terminal(dev_t device)
{
	unsigned int number = major(device);

	/* The kernel's major numbers of terminals, consoles, and both ends of
	 * pseudo terminals. */
	return number == 4 || number == 5 || (number >= 136 && number <= 143);
}

/* Return the kind of a file of this machine. */
static const char *kind_of_file(pid_t pid, int fd)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, fd);
	if (stat(path, &st))
		return "file";
	if (S_ISFIFO(st.st_mode))
		return "fifo";
	if (S_ISCHR(st.st_mode))
		return is_terminal(st.st_rdev) ? "tty" : "device";
	return S_ISBLK(st.st_mode) ? "device" : "file";
}

static void describe_file(struct tr2_wait *wait, int fd, const char *link,
			  const char *info, struct tr2_wait_object *object)
{
	const struct tr2_mount *mount = tr2_mount_by_id(
		wait, (int)tr2_descriptor_number(info, "mnt_id"));

	object->what = "file";
	/* The server of a remote file system may not answer. */
	if (mount && tr2_mount_is_remote(mount))
		snprintf(object->others, sizeof(object->others), "%s",
			 mount->type);
	else if (mount)
		object->what = kind_of_file(wait->p->pid, fd);
	tr2_wait_set_path(wait, link, object);
	if (!strcmp(object->what, "fifo"))
		describe_end(wait, fd, link, object);
}

static bool describe_socket(struct tr2_wait *wait, int fd, const char *link,
			    struct tr2_wait_object *object)
{
	uint64_t inode = strtoull(link + strlen("socket:["), NULL, 10);
	char path[64], protocol[32];
	ssize_t n;

	if (tr2_socket_describe_known(wait, inode, object))
		return true;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)wait->p->pid, fd);
	n = getxattr(path, "system.sockprotoname", protocol,
		     sizeof(protocol) - 1);
	if (n <= 0)
		return false;
	protocol[n] = '\0';
	tr2_socket_describe(wait, inode, protocol, object);
	return object->what != NULL;
}

bool tr2_describe_descriptor(struct tr2_wait *wait, int fd,
			     struct tr2_wait_object *object)
{
	char link[TR2_OBJECT_NAME_SIZE], info[TR2_INFO_SIZE];
	pid_t pid = wait->p->pid;

	object->number = 1;
	if (fd < 0 || !tr2_descriptor_link(pid, fd, link))
		return false;
	/* The link of a pipe contains the pipe's inode number. */
	if (!strncmp(link, "pipe:[", 6)) {
		tr2_descriptor_know(wait, fd, link, "", object);
		object->what = "pipe";
		describe_end(wait, fd, link, object);
		return true;
	}
	if (!strncmp(link, "socket:[", 8)) {
		tr2_descriptor_know(wait, fd, link, "", object);
		return describe_socket(wait, fd, link, object);
	}
	if (!tr2_descriptor_info(pid, fd, info))
		return false;
	tr2_descriptor_know(wait, fd, link, info, object);
	if (link[0] == '/')
		describe_file(wait, fd, link, info, object);
	else
		describe_anonymous(wait, fd, link, info, object);
	return true;
}
