/* SPDX-License-Identifier: MIT */
/* The system call bpf(). */
#include "record/kernel/bpf.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As in <linux/bpf.h> since Linux 5.17; older headers lack the last members. */
struct load {
	uint32_t type, nr_insns;
	uint64_t insns, license;
	uint32_t log_level, log_size;
	uint64_t log;
	uint32_t kernel_version, flags;
	char name[16];
	uint32_t ifindex, attach_type, types_fd, function_bytes;
	uint64_t functions;
	uint32_t nr_functions, line_bytes;
	uint64_t lines;
	uint32_t nr_lines, attach_to, attach_program, nr_fields;
	uint64_t fds, fields;
	uint32_t field_bytes, reserved;
};
_Static_assert(offsetof(struct load, fields) == 128, "the kernel's layout");

int tr2_bpf(int command, void *attr, size_t size)
{
	return (int)syscall(SYS_bpf, command, attr, size);
}

int tr2_bpf_map(enum bpf_map_type type, uint32_t key_bytes,
		uint32_t value_bytes, uint32_t nr, uint32_t flags)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = type;
	attr.key_size = key_bytes;
	attr.value_size = value_bytes;
	attr.max_entries = nr;
	attr.map_flags = flags;
	return tr2_bpf(BPF_MAP_CREATE, &attr, sizeof(attr));
}

int tr2_bpf_load(const struct tr2_bpf_program *program)
{
	struct load load = {
		.type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.insns = (uintptr_t)program->insns,
		.nr_insns = program->nr,
		/* The kernel permits many functions only to programs with this
		 * licence. */
		.license = (uintptr_t)"Dual MIT/GPL",
	};

	if (program->nr_fields) {
		load.types_fd = (uint32_t)program->types_fd;
		load.functions = (uintptr_t)program->functions;
		load.function_bytes = sizeof(*program->functions);
		load.nr_functions = program->nr_functions;
		load.fields = (uintptr_t)program->fields;
		load.field_bytes = sizeof(*program->fields);
		load.nr_fields = program->nr_fields;
	}
	/* An old kernel accepts members that it does not know if they are
	 * 0. */
	return tr2_bpf(BPF_PROG_LOAD, &load, sizeof(load));
}

int tr2_bpf_attach(const char *tracepoint, int program)
{
	union bpf_attr attr;
	int link, err;

	if (program < 0)
		return -1;
	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.name = (uintptr_t)tracepoint;
	attr.raw_tracepoint.prog_fd = (uint32_t)program;
	link = tr2_bpf(BPF_RAW_TRACEPOINT_OPEN, &attr, sizeof(attr));
	err = errno;
	close(program);
	errno = err;
	return link;
}
