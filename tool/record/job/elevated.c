/* SPDX-License-Identifier: MIT */
/* Open events and files for a recorder, with root's rights. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/macros.h"
#include "common/options.h"
#include "common/say.h"
#include "record/elevate.h"
#include "record/job/elevated.h"
#include "record/kernel/tracepoints.h"
#include "record/sources/connector.h"

/* Send an errno and a descriptor; fd -1: no descriptor. Return false if the
 * recorder has ended. */
static bool send_answer(int to, int err, int fd)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = { &err, sizeof(err) };
	struct msghdr msg = { .msg_iov = &part, .msg_iovlen = 1 };

	memset(&control, 0, sizeof(control));
	if (fd >= 0) {
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		control.header.cmsg_len = CMSG_LEN(sizeof(fd));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	}
	return sendmsg(to, &msg, MSG_NOSIGNAL) == (ssize_t)sizeof(err);
}

/* The files that the recorder reads in tracefs; no other file is opened. */
static const char *const tracefs_files[] = {
	"events/header_page",
	"events/header_event",
	"events/sched/sched_switch/format",
	"events/sched/sched_waking/format",
};

static int open_tracefs(const char *name)
{
	size_t i;
	int dir, fd = -1, err = EPERM;

	for (i = 0; i < ARRAY_SIZE(tracefs_files); i++) {
		if (strcmp(name, tracefs_files[i]))
			continue;
		dir = tr2_tracefs_open();
		err = errno;
		if (dir < 0)
			break;
		fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
		err = errno;
		close(dir);
	}
	errno = err;
	return fd;
}

/* Is the request permitted? Of other processes, the recorder may learn only
 * when they had a CPU, not what they compute. */
static bool is_permitted(const struct tr2_elevate_request *r)
{
	const struct perf_event_attr *attr = &r->attr;
	struct tr2_tracepoints t = { 0 };
	bool ok;

	if (attr->type == PERF_TYPE_SOFTWARE)
		return !r->whole_machine ||
		       attr->config == PERF_COUNT_SW_DUMMY;
	if (attr->type != PERF_TYPE_TRACEPOINT || !tr2_tracepoints_read(&t))
		return false;
	ok = (attr->config == t.formats.switch_id ||
	      attr->config == t.formats.waking_id) &&
	     !(attr->sample_type &
	       (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
		PERF_SAMPLE_REGS_INTR)) &&
	     !attr->mmap && !attr->mmap2;
	tr2_tracepoints_release(&t);
	return ok;
}

static int open_event(const struct tr2_elevate_request *r, pid_t recorder)
{
	struct perf_event_attr attr = r->attr;

	if (!is_permitted(r)) {
		errno = EPERM;
		return -1;
	}
	return (int)syscall(SYS_perf_event_open, &attr,
			    r->whole_machine ? -1 : recorder, r->cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

static int grant(struct tr2_elevate_request *r, pid_t recorder)
{
	r->name[sizeof(r->name) - 1] = '\0';
	if (r->wish == TR2_WISH_EVENT)
		return open_event(r, recorder);
	if (r->wish == TR2_WISH_CONNECTOR)
		return tr2_connector_listen(r->events);
	if (r->wish == TR2_WISH_FILE && r->file == TR2_ELEVATED_KALLSYMS)
		return open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	if (r->wish == TR2_WISH_FILE && r->file == TR2_ELEVATED_TRACEFS)
		return open_tracefs(r->name);
	errno = r->wish == TR2_WISH_HELLO ? 0 : EINVAL;
	return -1;
}

int tr2_elevated_serve(void)
{
	struct tr2_elevate_request r;
	struct ucred peer = { 0 };
	socklen_t size = sizeof(peer);
	bool ok = true;
	int fd, err;

	if (getsockopt(STDIN_FILENO, SOL_SOCKET, SO_PEERCRED, &peer, &size) ||
	    peer.pid <= 0) {
		tr2_error("'" TR2_ELEVATED "' is for 'trace2 record "
			  "--elevate', with its socket as standard input");
		return TR2_EXIT_USAGE;
	}
	while (ok &&
	       recv(STDIN_FILENO, &r, sizeof(r), 0) == (ssize_t)sizeof(r)) {
		fd = grant(&r, peer.pid);
		err = fd < 0 ? errno : 0;
		ok = send_answer(STDIN_FILENO, err, fd);
		if (fd >= 0)
			close(fd);
	}
	return 0;
}
