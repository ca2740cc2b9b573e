/* SPDX-License-Identifier: MIT */
/*
 * A FUSE file system that is mounted for a command and records every request:
 * the library must not access a file system that may be stopped.
 *
 * It is visible to the command and its children only, in their mount namespace,
 * and ends with them. It has one file, `.gitconfig`. The kernel may cache
 * replies for an hour.
 */
#include "cmd-fault.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_NAME ".gitconfig"
#define MAX_CONTENT 4096
#define VALID_SECONDS 3600

enum { ROOT = FUSE_ROOT_ID, THE_FILE };

struct server {
	int fd, log;
	char content[MAX_CONTENT];
	size_t size;
};

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		tool_die("cannot write '%s' to %s: %s", text, path,
			 strerror(errno));
	close(fd);
}

/* Become root of a new namespace if this process is not root. */
static void become_root(void)
{
	unsigned int uid = geteuid(), gid = getegid();
	char map[64];

	if (!uid)
		return;
	if (unshare(CLONE_NEWUSER))
		tool_die("cannot have a user namespace: %s", strerror(errno));
	snprintf(map, sizeof(map), "%u %u 1", uid, uid);
	write_file("/proc/self/uid_map", map);
	write_file("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "%u %u 1", gid, gid);
	write_file("/proc/self/gid_map", map);
}

static int mount_fuse(const char *type, const char *dir)
{
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	char options[128];

	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=%o,user_id=%u,group_id=%u", fd,
		 (unsigned int)S_IFDIR, geteuid(), getegid());
	if (fd < 0 || unshare(CLONE_NEWNS) ||
	    mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) ||
	    mount("trial", dir, type, MS_NOSUID | MS_NODEV, options))
		tool_die("cannot mount on '%s': %s", dir, strerror(errno));
	return fd;
}

static void reply(const struct server *s, const struct fuse_in_header *in,
		  int error, const void *data, size_t size)
{
	struct {
		struct fuse_out_header header;
		char data[MAX_CONTENT];
	} out = { .header = { .error = -error, .unique = in->unique } };
	size_t len = sizeof(out.header) + size;

	out.header.len = (uint32_t)len;
	if (size)
		memcpy(out.data, data, size);
	/* The process that made the request may have been killed. */
	if (write(s->fd, &out, len) < 0 && errno != ENOENT)
		_exit(1);
}

static struct fuse_attr attributes(const struct server *s, uint64_t node)
{
	bool root = node == ROOT;

	return (struct fuse_attr){
		.ino = node, .nlink = 1, .blksize = 4096,
		.uid = geteuid(), .gid = getegid(),
		.mode = root ? S_IFDIR | 0755 : S_IFREG | 0644,
		.size = root ? 0 : s->size,
	};
}

static void init(const struct server *s, const struct fuse_in_header *in)
{
	const struct fuse_init_out out = {
		.major = FUSE_KERNEL_VERSION,
		.minor = FUSE_KERNEL_MINOR_VERSION,
		.max_write = MAX_CONTENT,
		.time_gran = 1,
	};

	reply(s, in, 0, &out, sizeof(out));
}

static void look_up(const struct server *s, const struct fuse_in_header *in,
		    const char *name)
{
	const struct fuse_entry_out out = {
		.nodeid = THE_FILE, .entry_valid = VALID_SECONDS,
		.attr_valid = VALID_SECONDS, .attr = attributes(s, THE_FILE),
	};

	if (in->nodeid != ROOT || strcmp(name, FILE_NAME))
		reply(s, in, ENOENT, NULL, 0);
	else
		reply(s, in, 0, &out, sizeof(out));
}

static void get_attributes(const struct server *s,
			   const struct fuse_in_header *in)
{
	const struct fuse_attr_out out = {
		.attr_valid = VALID_SECONDS,
		.attr = attributes(s, in->nodeid),
	};

	reply(s, in, 0, &out, sizeof(out));
}

static void read_file(const struct server *s, const struct fuse_in_header *in,
		      const struct fuse_read_in *request)
{
	size_t at = request->offset < s->size ? request->offset : s->size;
	size_t n = s->size - at;

	reply(s, in, 0, s->content + at, n < request->size ? n : request->size);
}

/* Requests for which no process waits are not recorded: they may come at any
 * time. */
static bool is_in_passing(uint32_t opcode)
{
	return opcode == FUSE_INIT || opcode == FUSE_FORGET ||
	       opcode == FUSE_BATCH_FORGET || opcode == FUSE_INTERRUPT ||
	       opcode == FUSE_RELEASE || opcode == FUSE_RELEASEDIR;
}

static void answer(const struct server *s, const struct fuse_in_header *in)
{
	static const struct fuse_open_out opened;
	static const struct fuse_statfs_out statistics;
	const void *body = in + 1;

	if (!is_in_passing(in->opcode))
		dprintf(s->log, "opcode %u\n", in->opcode);
	switch (in->opcode) {
	case FUSE_INIT:
		init(s, in);
		return;
	case FUSE_LOOKUP:
		look_up(s, in, body);
		return;
	case FUSE_GETATTR:
		get_attributes(s, in);
		return;
	case FUSE_OPEN:
	case FUSE_OPENDIR:
		reply(s, in, 0, &opened, sizeof(opened));
		return;
	case FUSE_READ:
		read_file(s, in, body);
		return;
	case FUSE_STATFS:
		reply(s, in, 0, &statistics, sizeof(statistics));
		return;
	case FUSE_READDIR:
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
		reply(s, in, 0, NULL, 0);
		return;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		return;
	default:
		reply(s, in, ENOSYS, NULL, 0);
	}
}

/* Answer requests until the file system is unmounted. */
static void serve(const struct server *s)
{
	_Alignas(struct fuse_in_header) static char request[1 << 20];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		ssize_t n = read(s->fd, request, sizeof(request) - 1);

		if (n >= (ssize_t)sizeof(struct fuse_in_header)) {
			request[n] = '\0';
			answer(s, (const void *)request);
		} else if (n >= 0 || errno == ENODEV) {
			_exit(0);
		}
	}
}

static void read_content(struct server *s, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, s->content, sizeof(s->content));

	if (n < 0)
		tool_die("cannot read '%s': %s", path, strerror(errno));
	s->size = (size_t)n;
	close(fd);
}

static int with_fuse(int argc, const char **argv)
{
	struct server s = { .fd = -1 };
	pid_t server;
	int code;
	long pid;

	(void)argc;
	read_content(&s, argv[2]);
	s.log = open(argv[3], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (s.log < 0)
		tool_die("cannot open '%s': %s", argv[3], strerror(errno));
	become_root();
	s.fd = mount_fuse(argv[0], argv[1]);
	server = fork();
	if (server < 0)
		tool_die("cannot fork: %s", strerror(errno));
	if (!server)
		serve(&s);
	code = tool_spawn(argv + 4, &pid);
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	return pid < 0 ? 127 : code;
}

const struct tool_verb tool_verbs_fuse[] = {
	{ "fuse", "<type> <dir> <content> <log> <command> [<arg>...]", 5, -1,
	  with_fuse },
	{ NULL, NULL, 0, 0, NULL },
};
