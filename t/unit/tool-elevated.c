/* SPDX-License-Identifier: MIT */
/*
 * tool-elevated - what root's helper of `record --elevate` refuses, whatever a
 * recorder asks for: it serves an ordinary user.
 */
#include <linux/perf_event.h>

#include "record/elevate.h"
#include "record/job/elevated.h"
#include "record/kernel/tracepoints.h"
#include "tap.h"

static int helper;

/* Return the descriptor that the helper opened, or minus the error. */
static int ask(const struct tr2_elevate_request *request)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	int err = EPROTO, fd;
	struct iovec part = { &err, sizeof(err) };
	struct msghdr msg = { .msg_iov = &part,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };

	if (send(helper, request, sizeof(*request), 0) < 0 ||
	    recvmsg(helper, &msg, 0) != (ssize_t)sizeof(err))
		return -EPROTO;
	if (!CMSG_FIRSTHDR(&msg))
		return -err;
	memcpy(&fd, CMSG_DATA(&control.header), sizeof(fd));
	return fd;
}

static int ask_event(bool whole_machine, struct perf_event_attr attr)
{
	struct tr2_elevate_request request = { .wish = TR2_WISH_EVENT,
					       .whole_machine = whole_machine,
					       .cpu = 0 };

	attr.size = sizeof(attr);
	request.attr = attr;
	return ask(&request);
}

static int ask_file(enum tr2_elevated_file file, const char *name)
{
	struct tr2_elevate_request request = { .wish = TR2_WISH_FILE,
					       .file = file };

	snprintf(request.name, sizeof(request.name), "%s", name);
	return ask(&request);
}

/* In a container, root may be refused, too. */
static void is_as_for_root(int got, int own, const char *what)
{
	if (!ok((got >= 0) == (own >= 0), what))
		printf("# got:  %d\n# own:  %d\n", got, own);
}

static int open_event(struct perf_event_attr attr)
{
	attr.size = sizeof(attr);
	return (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
}

static void test_events(void)
{
	struct perf_event_attr clock = { .type = PERF_TYPE_SOFTWARE,
					 .config = PERF_COUNT_SW_CPU_CLOCK };
	struct perf_event_attr dummy = { .type = PERF_TYPE_SOFTWARE,
					 .config = PERF_COUNT_SW_DUMMY };
	struct perf_event_attr cycles = { .type = PERF_TYPE_HARDWARE };
	struct perf_event_attr raw = { .type = PERF_TYPE_RAW };
	struct perf_event_attr breakpoint = { .type = PERF_TYPE_BREAKPOINT };

	is_as_for_root(ask_event(true, dummy), open_event(dummy),
		       "records of processes are opened");
	IS(ask_event(true, clock), -EPERM,
	   "samples of other users' processes are refused");
	IS(ask_event(true, cycles), -EPERM, "cycles are refused");
	IS(ask_event(false, cycles), -EPERM,
	   "cycles of the recorder are refused, too");
	IS(ask_event(true, raw), -EPERM, "raw events are refused");
	IS(ask_event(true, breakpoint), -EPERM, "breakpoints are refused");
}

static void test_tracepoints(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					.sample_period = 1,
					.sample_type = PERF_SAMPLE_RAW };
	struct tr2_tracepoints t = { 0 };
	struct perf_event_attr other;

	if (!tr2_tracepoints_read(&t)) {
		printf("# no tracepoints: %s\n", t.why_not);
		return;
	}
	attr.config = t.formats.switch_id;
	is_as_for_root(ask_event(true, attr), open_event(attr),
		       "switches are opened");
	other = attr;
	other.sample_type |= PERF_SAMPLE_STACK_USER;
	other.sample_stack_user = 64;
	IS(ask_event(true, other), -EPERM,
	   "switches with the memory of a process are refused");
	other = attr;
	other.sample_type |= PERF_SAMPLE_REGS_USER;
	other.sample_regs_user = 1;
	IS(ask_event(true, other), -EPERM,
	   "switches with a process's registers are refused");
	other = attr;
	other.mmap = 1;
	IS(ask_event(true, other), -EPERM,
	   "switches with the mappings of a process are refused");
	other = attr;
	for (other.config = 1; other.config == t.formats.switch_id ||
			       other.config == t.formats.waking_id;)
		other.config++;
	IS(ask_event(true, other), -EPERM, "other tracepoints are refused");
	tr2_tracepoints_release(&t);
}

static void test_files(void)
{
	is_as_for_root(ask_file(TR2_ELEVATED_KALLSYMS, ""),
		       open("/proc/kallsyms", O_RDONLY),
		       "the names of the kernel's functions are opened");
	IS(ask_file(TR2_ELEVATED_TRACEFS, "../../../../etc/shadow"), -EPERM,
	   "a file outside tracefs is refused");
	IS(ask_file(TR2_ELEVATED_TRACEFS, "trace_pipe"), -EPERM,
	   "another file of tracefs is refused");
	IS(ask_file((enum tr2_elevated_file)7, "header_page"), -EINVAL,
	   "a file of an unknown kind is refused");
}

int main(void)
{
	int ends[2], code;
	pid_t child;

	if (geteuid()) {
		puts("1..0 # SKIP only root may open what is refused");
		return 0;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
		abort();
	child = fork();
	if (!child) {
		dup2(ends[1], STDIN_FILENO);
		close(ends[0]);
		close(ends[1]);
		_exit(tr2_elevated_serve());
	}
	close(ends[1]);
	helper = ends[0];
	test_events();
	test_tracepoints();
	test_files();
	close(helper);
	waitpid(child, &code, 0);
	IS(code, 0, "the helper ends with its recorder");
	return done_testing();
}
