/* SPDX-License-Identifier: MIT */
/* Ask a helper with root's rights for descriptors. */
#include "record/elevate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/options.h"
#include "common/say.h"

static struct {
	int fd; /* socket to the helper; -1: no helper; 0: not started */
	pid_t pid;
	bool was_used;
} helper;

/* Receive an answer. Return the descriptor, or -1 with *err set to an errno;
 * EPIPE: there is no answer. */
static int receive_answer(int from, int *err)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = { err, sizeof(*err) };
	struct msghdr msg = { .msg_iov = &part, .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *header;
	ssize_t n;
	int fd = -1;

	memset(&control, 0, sizeof(control));
	do
		n = recvmsg(from, &msg, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(*err)) {
		*err = EPIPE;
		return -1;
	}
	header = CMSG_FIRSTHDR(&msg);
	if (header && header->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	return fd;
}

static int ask_helper(const struct tr2_elevate_request *r)
{
	int err = EPIPE, fd = -1;

	if (send(helper.fd, r, sizeof(*r), MSG_NOSIGNAL) == (ssize_t)sizeof(*r))
		fd = receive_answer(helper.fd, &err);
	errno = err;
	return fd;
}

static void become_helper(int fd)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n < 0 ? 0 : n] = '\0';
	if (n > 0 && dup2(fd, STDIN_FILENO) == STDIN_FILENO) {
		execlp("sudo", "sudo", "--", self, TR2_ELEVATED, (char *)NULL);
		execlp("pkexec", "pkexec", self, TR2_ELEVATED, (char *)NULL);
	}
	/* Print EACCES as "not found": execlp() sets this errno when the user
	 * cannot search a directory of PATH. */
	tr2_error("--elevate: cannot run sudo or pkexec: %s",
		  errno == EACCES ? "not found" : strerror(errno));
	_exit(TR2_EXIT_FATAL);
}

bool tr2_elevate_start(void)
{
	struct tr2_elevate_request hello = { .wish = TR2_WISH_HELLO };
	int pair[2];

	if (!geteuid())
		return true;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		tr2_error("--elevate: %s", strerror(errno));
		return false;
	}
	helper.pid = fork();
	if (!helper.pid)
		become_helper(pair[1]);
	close(pair[1]);
	helper.fd = pair[0];
	(void)ask_helper(&hello);
	if (helper.pid > 0 && !errno) {
		helper.was_used = true;
		return true;
	}
	tr2_elevate_stop();
	tr2_error("--elevate: no rights were given: CMD was not run");
	return false;
}

bool tr2_elevate_runs(void)
{
	return helper.pid > 0;
}

bool tr2_elevate_was_used(void)
{
	return helper.was_used;
}

void tr2_elevate_stop(void)
{
	if (helper.fd > 0)
		close(helper.fd);
	while (helper.pid > 0 && waitpid(helper.pid, NULL, 0) < 0 &&
	       errno == EINTR)
		;
	helper.fd = -1;
	helper.pid = 0;
}

int tr2_elevate_event(const struct perf_event_attr *attr, int cpu,
		      bool whole_machine)
{
	struct tr2_elevate_request r = { .wish = TR2_WISH_EVENT, .cpu = cpu,
			     .whole_machine = whole_machine, .attr = *attr };

	return ask_helper(&r);
}

int tr2_elevate_file(enum tr2_elevated_file file, const char *name)
{
	struct tr2_elevate_request r = { .wish = TR2_WISH_FILE, .file = file };

	snprintf(r.name, sizeof(r.name), "%s", name);
	return ask_helper(&r);
}

int tr2_elevate_connector(int events)
{
	struct tr2_elevate_request r = { .wish = TR2_WISH_CONNECTOR,
					 .events = events };

	return ask_helper(&r);
}
