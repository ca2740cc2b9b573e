/* SPDX-License-Identifier: MIT */
/* Load the BPF programs that count system calls, and read the counts. */
#include "record/kernel/syscalls.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/macros.h"
#include "common/memory.h"
#include "record/kernel/bpf.h"

/* Names of system calls by number, generated from <sys/syscall.h>. */
extern const char *const tr2_syscall_names[];
extern const unsigned int tr2_nr_syscall_names;

#define MAX_TASKS 16384
#define MAX_CALLS 1024
/* One more slot counts the tasks for which the map had no room. */
#define LOST MAX_CALLS
#define COUNTS_BYTES ((MAX_CALLS + 1) * sizeof(uint64_t))

struct tr2_syscalls {
	/* tasks: map from a task's address to 0; counts: map from a call's
	 * number to its count. */
	int tasks, counts;
	int mark, links[3];
	uint64_t *live; /* memory of the map `counts` */
	uint64_t count[MAX_CALLS + 1];
};

/* Add the task whose address is at the stack's offset -8, with the value 0
 * (nine instructions). */
#define ADD_TASK(fd)                                                          \
	STORE_VALUE(-16, 0), MAP(BPF_REG_1, fd), POINT(BPF_REG_2, -8),        \
		POINT(BPF_REG_3, -16), SET(BPF_REG_4, BPF_ANY),               \
		CALL(map_update_elem)
/* Add one to the number to which R0 points (two instructions). */
#define COUNT                                                                 \
	SET(BPF_REG_1, 1),                                                    \
		INSN(BPF_STX | BPF_XADD | BPF_DW, BPF_REG_0, BPF_REG_1, 0, 0)
static int load_program(const struct bpf_insn *insns, size_t nr)
{
	const struct tr2_bpf_program program = { .insns = insns,
						 .nr = (uint32_t)nr };

	return tr2_bpf_load(&program);
}

static int load_mark(int tasks)
{
	const struct bpf_insn insn[] = {
		CALL(get_current_task),
		STORE(-8, BPF_REG_0),
		ADD_TASK(tasks),
		RETURN,
	};

	return load_program(insn, ARRAY_SIZE(insn));
}

/* sys_enter(registers, call) */
static int load_enter(int tasks, int counts)
{
	const struct bpf_insn insn[] = {
		ARGUMENT(BPF_REG_7, 1),
		CALL(get_current_task),
		STORE(-8, BPF_REG_0),
		LOOK_UP(tasks, -8),
		SKIP_IF_0(9),
		STORE_WORD(-16, BPF_REG_7),
		LOOK_UP(counts, -16),
		SKIP_IF_0(2),
		COUNT,
		RETURN,
	};

	return load_program(insn, ARRAY_SIZE(insn));
}

/* sched_process_fork(parent, child) */
static int load_fork(int tasks, int counts)
{
	const struct bpf_insn insn[] = {
		ARGUMENT(BPF_REG_7, 1),
		ARGUMENT(BPF_REG_6, 0),
		STORE(-8, BPF_REG_6),
		LOOK_UP(tasks, -8),
		SKIP_IF_0(21),
		STORE(-8, BPF_REG_7),
		ADD_TASK(tasks),
		SKIP_IF_0(10),
		SET(BPF_REG_6, LOST),
		STORE_WORD(-16, BPF_REG_6),
		LOOK_UP(counts, -16),
		SKIP_IF_0(2),
		COUNT,
		RETURN,
	};

	return load_program(insn, ARRAY_SIZE(insn));
}

/* sched_process_exit(task) */
static int load_exit(int tasks)
{
	const struct bpf_insn insn[] = {
		ARGUMENT(BPF_REG_6, 0),
		STORE(-8, BPF_REG_6),
		MAP(BPF_REG_1, tasks),
		POINT(BPF_REG_2, -8),
		CALL(map_delete_elem),
		RETURN,
	};

	return load_program(insn, ARRAY_SIZE(insn));
}

/* Return false with errno. */
static bool open_all(struct tr2_syscalls *s)
{
	void *live;

	s->tasks = tr2_bpf_map(BPF_MAP_TYPE_HASH, sizeof(uint64_t),
			       sizeof(uint64_t), MAX_TASKS, 0);
	s->counts = s->tasks < 0 ? -1 :
		tr2_bpf_map(BPF_MAP_TYPE_ARRAY, sizeof(uint32_t),
			    sizeof(uint64_t), MAX_CALLS + 1, BPF_F_MMAPABLE);
	if (s->counts < 0)
		return false;
	live = mmap(NULL, COUNTS_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
		    s->counts, 0);
	if (live == MAP_FAILED)
		return false;
	s->live = live;
	s->mark = load_mark(s->tasks);
	if (s->mark < 0)
		return false;
	/* Attach the exit program first: it then removes every task that the
	 * other programs add. */
	s->links[0] = tr2_bpf_attach("sched_process_exit", load_exit(s->tasks));
	if (s->links[0] < 0)
		return false;
	s->links[1] = tr2_bpf_attach("sched_process_fork",
				     load_fork(s->tasks, s->counts));
	if (s->links[1] < 0)
		return false;
	s->links[2] = tr2_bpf_attach("sys_enter",
				     load_enter(s->tasks, s->counts));
	return s->links[2] >= 0;
}

static const char *why_not(int err)
{
	return err == EPERM ?
		       "not permitted (it needs CAP_BPF and CAP_PERFMON)" :
	       err == ENOSYS || err == EINVAL ?
		       "the kernel's BPF cannot count them (Linux 5.10 can)" :
	       err == ENOENT ? "the kernel has no tracepoints of system calls" :
			       strerror(err);
}

struct tr2_syscalls *tr2_syscalls_open(const char **why)
{
	struct tr2_syscalls *s = tr2_calloc(1, sizeof(*s));

	s->tasks = s->counts = s->mark = -1;
	s->links[0] = s->links[1] = s->links[2] = -1;
	if (open_all(s))
		return s;
	*why = why_not(errno);
	tr2_syscalls_close(s);
	return NULL;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void tr2_syscalls_close(struct tr2_syscalls *s)
{
	size_t i;

	if (!s)
		return;
	for (i = ARRAY_SIZE(s->links); i; i--)
		close_fd(s->links[i - 1]);
	if (s->live)
		munmap(s->live, COUNTS_BYTES);
	close_fd(s->mark);
	close_fd(s->counts);
	close_fd(s->tasks);
	free(s);
}

/* Remove the tasks that outlived the last run: the next run does not count
 * them. */
static void forget_tasks(const struct tr2_syscalls *s)
{
	union bpf_attr attr;
	uint64_t task;
	int left;

	for (left = MAX_TASKS; left; left--) {
		memset(&attr, 0, sizeof(attr));
		attr.map_fd = (uint32_t)s->tasks;
		attr.next_key = (uintptr_t)&task;
		if (tr2_bpf(BPF_MAP_GET_NEXT_KEY, &attr, sizeof(attr)))
			return;
		attr.key = (uintptr_t)&task;
		attr.value = 0;
		tr2_bpf(BPF_MAP_DELETE_ELEM, &attr, sizeof(attr));
	}
}

void tr2_syscalls_begin(struct tr2_syscalls *s)
{
	forget_tasks(s);
	memset(s->live, 0, COUNTS_BYTES);
}

int tr2_syscalls_mark_fd(const struct tr2_syscalls *s)
{
	return s ? s->mark : -1;
}

void tr2_syscalls_mark(int mark_fd)
{
	union bpf_attr attr;

	if (mark_fd < 0)
		return;
	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (uint32_t)mark_fd;
	tr2_bpf(BPF_PROG_TEST_RUN, &attr, sizeof(attr));
}

void tr2_syscalls_end(struct tr2_syscalls *s)
{
	memcpy(s->count, s->live, COUNTS_BYTES);
}

const char *tr2_syscalls_why_not(const struct tr2_syscalls *s)
{
	size_t i;

	if (s->count[LOST])
		return "there were too many tasks at once";
	for (i = 0; i < MAX_CALLS; i++)
		if (s->count[i])
			return NULL;
	/* Without any count, report an error: every command calls execve. */
	return why_not(EINVAL);
}

static void add_name(struct tr2_buf *b, unsigned int call)
{
	if (call < tr2_nr_syscall_names && tr2_syscall_names[call]) {
		tr2_buf_addstr(b, tr2_syscall_names[call]);
		return;
	}
	tr2_buf_addlit(b, "syscall-");
	tr2_buf_add_u64(b, call);
}

void tr2_syscalls_add_meta(const struct tr2_syscalls *s, struct tr2_buf *b)
{
	const char *before = "\"";
	unsigned int i;

	tr2_buf_addch(b, '{');
	for (i = 0; i < MAX_CALLS; i++) {
		if (!s->count[i])
			continue;
		tr2_buf_addstr(b, before);
		add_name(b, i);
		tr2_buf_addlit(b, "\":");
		tr2_buf_add_u64(b, s->count[i]);
		before = ",\"";
	}
	tr2_buf_addch(b, '}');
}
