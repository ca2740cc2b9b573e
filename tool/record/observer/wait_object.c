/* SPDX-License-Identifier: MIT */
/* Find the object of a wait by the row of its call in wait_calls.def. */
#include "record/observer/holders.h"
#include "record/observer/wait_object.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "common/procfs.h"
#include "record/observer/descriptors.h"
#include "record/observer/file_locks.h"
#include "record/observer/mounts.h"
#include "record/observer/shared_memory.h"
#include "record/observer/sockets.h"
#include "record/observer/wait_paths.h"
#include "record/observer/wait_sets.h"

#define SMALLEST_PAGE 4096u

/* Parse "NR 0xARG ... 0xSP 0xPC". A thread outside of a call has only -1, SP
 * and PC. */
bool tr2_wait_call_parse(const char *text, struct tr2_wait_call *call)
{
	char *end;
	int i;

	if (!strncmp(text, "running", 7))
		return false;
	call->nr = strtol(text, &end, 10);
	for (i = 0; i < 6; i++)
		call->arg[i] = strtoull(end, &end, 16);
	call->sp = strtoull(end, &end, 16);
	if (*end != ' ' || (sizeof(long) > 4) == (call->sp <= UINT32_MAX))
		call->nr = -1;
	return true;
}

bool tr2_wait_may_read(const struct tr2_wait *wait)
{
	return !tr2_holders_self(wait, -1, "anon_inode:[userfaultfd]",
				 TR2_BOTH);
}

/* Is the address in the page of the thread's stack pointer? That page is in
 * memory, so reading it causes no page fault that another process must
 * answer. */
static bool is_on_stack(const struct tr2_wait *wait, uint64_t address,
			size_t size)
{
	uint64_t page = wait->call.sp & ~(uint64_t)(SMALLEST_PAGE - 1);

	return address >= page && address - page <= SMALLEST_PAGE - size;
}

bool tr2_wait_read_memory(const struct tr2_wait *wait, uint64_t address,
			  void *out, size_t size)
{
	struct iovec mine = { out, size };
	struct iovec its = { (void *)(uintptr_t)address, size };

	return ((size <= SMALLEST_PAGE && is_on_stack(wait, address, size)) ||
		tr2_wait_may_read(wait)) &&
	       process_vm_readv(wait->p->pid, &mine, 1, &its, 1, 0) ==
		       (ssize_t)size;
}

/* Set the object to a sleep such as "5 s", "1.5 s" or "100 ms". */
static void set_sleep(struct tr2_wait *wait, uint64_t ns)
{
	struct tr2_wait_object *object = &wait->object;
	bool is_long = ns >= 1000000000;

	object->what = "sleep";
	snprintf(object->name, sizeof(object->name), "%g %s",
		 (double)ns / (is_long ? 1e9 : 1e6), is_long ? "s" : "ms");
}

/* Set the object to the time limit of a call that waits for nothing else.
 * address: a struct timespec; 0: the call has no limit. */
static void set_limit(struct tr2_wait *wait, uint64_t address)
{
	struct timespec limit = { 0 };

	if (address && tr2_wait_read_memory(wait, address, &limit,
					    sizeof(limit)) &&
	    limit.tv_sec >= 0 && limit.tv_sec < INT32_MAX)
		set_sleep(wait, (uint64_t)limit.tv_sec * 1000000000 +
					(uint64_t)limit.tv_nsec);
}

static void find_sleep(struct tr2_wait *wait, int arg)
{
	const struct tr2_wait_call *call = &wait->call;

	/* A sleep until a point in time has no length. */
	if (arg && call->arg[1] & TIMER_ABSTIME)
		wait->object.what = "sleep";
	else
		set_limit(wait, call->arg[arg]);
}

static void find_descriptor(struct tr2_wait *wait, int arg)
{
	tr2_describe_descriptor(wait, (int)wait->call.arg[arg], &wait->object);
}

/* A call waits for one of two descriptors: describe that one. If one descriptor
 * is a file, the call waits for the other. Return whether the call waits for
 * `out`. */
static bool find_one_of(struct tr2_wait *wait, int in, int out)
{
	struct tr2_wait_object *object = &wait->object;
	struct tr2_wait_object other = { 0 };

	tr2_describe_descriptor(wait, in, object);
	tr2_describe_descriptor(wait, out, &other);
	if (object->what && other.what && !strcmp(object->what, "file")) {
		*object = other;
		return true;
	}
	if (!other.what || strcmp(other.what, "file") != 0)
		object->what = NULL;
	return false;
}

static void find_copy(struct tr2_wait *wait, int arg)
{
	/* Drop the peer: readers cannot see that the wait is for the output. */
	if (find_one_of(wait, (int)wait->call.arg[arg],
			(int)wait->call.arg[arg + 2]))
		wait->object.peer = 0;
}

static void find_send_file(struct tr2_wait *wait, int arg)
{
	(void)find_one_of(wait, (int)wait->call.arg[arg],
			  (int)wait->call.arg[arg - 1]);
}

static void find_connection(struct tr2_wait *wait, int arg)
{
	uint64_t size = wait->call.arg[arg + 2];
	struct sockaddr_storage address = { 0 };

	find_descriptor(wait, arg);
	if (size > sizeof(address) || !wait->object.what ||
	    !tr2_wait_read_memory(wait, wait->call.arg[arg + 1], &address,
				  size))
		return;
	tr2_socket_set_remote(wait, &address, size, &wait->object);
}

/* poll() has its time limit in milliseconds, the other calls in a structure. */
static void find_poll(struct tr2_wait *wait, int arg)
{
	const struct tr2_wait_call *call = &wait->call;
	uint64_t nr = call->arg[arg + 1];

	if (nr)
		tr2_wait_find_poll(wait, call->arg[arg], nr);
	else if (!strcmp(wait->call_name, "ppoll"))
		set_limit(wait, call->arg[arg + 2]);
	else if ((int)call->arg[arg + 2] > 0)
		set_sleep(wait, (call->arg[arg + 2] & INT32_MAX) * 1000000);
}

static void find_select(struct tr2_wait *wait, int arg)
{
	if (!tr2_wait_find_select(wait, &wait->call.arg[arg]) &&
	    !strcmp(wait->call_name, "pselect6"))
		set_limit(wait, wait->call.arg[arg + 4]);
}

static void find_epoll(struct tr2_wait *wait, int arg)
{
	tr2_wait_find_epoll(wait, (int)wait->call.arg[arg]);
}

static void find_flock(struct tr2_wait *wait, int arg)
{
	tr2_file_lock_find(wait, (int)wait->call.arg[arg], "FLOCK");
}

static void find_fcntl(struct tr2_wait *wait, int arg)
{
	uint64_t command = wait->call.arg[arg + 1];

	if (command == F_SETLKW)
		tr2_file_lock_find(wait, (int)wait->call.arg[arg], "POSIX");
	else if (command == F_OFD_SETLKW)
		tr2_file_lock_find(wait, (int)wait->call.arg[arg], "OFDLCK");
}

static void find_futex(struct tr2_wait *wait, int arg)
{
	tr2_shared_memory_find(wait, wait->call.arg[arg],
			       (int)wait->call.arg[arg + 1]);
}

static void find_path(struct tr2_wait *wait, int arg)
{
	tr2_wait_find_path(wait, AT_FDCWD, wait->call.arg[arg]);
}

static void find_path_at(struct tr2_wait *wait, int arg)
{
	tr2_wait_find_path(wait, (int)wait->call.arg[arg],
			   wait->call.arg[arg + 1]);
}

/* Do not describe the argument: it may be a registered ring's number instead of
 * a descriptor. */
static void find_ring(struct tr2_wait *wait, int arg)
{
	(void)arg;
	wait->object.what = "io_uring";
}

static void find_child(struct tr2_wait *wait, int arg)
{
	int pid = (int)wait->call.arg[arg];

	wait->object.what = "child";
	/* Set the peer only in the recorder's pid namespace: in another
	 * namespace, the process has another number. */
	if (pid > 0 && !tr2_procfs_own_pid(wait->p->pid))
		wait->object.peer = pid;
}

static void find_id(struct tr2_wait *wait, int arg)
{
	int type = (int)wait->call.arg[arg];

	if (type == P_PIDFD)
		find_descriptor(wait, arg + 1);
	else if (type == P_PID)
		find_child(wait, arg + 1);
	wait->object.what = "child";
}

bool tr2_wait_find(struct tr2_wait *wait)
{
	struct tr2_wait_object *object = &wait->object;

	object->number = 1;
	switch (wait->call.nr) {
#define TR2_WAIT_CALL(name, how, arg)   \
	case SYS_##name:                \
		wait->call_name = #name; \
		find_##how(wait, arg);  \
		break;
#include "record/observer/wait_calls.def"
	default:
		break;
	}
	return object->what != NULL;
}

void tr2_wait_sources_free(struct tr2_wait_sources *sources)
{
	tr2_sockets_free(sources->sockets);
	tr2_mounts_free(sources->mounts);
}
