/* SPDX-License-Identifier: MIT */
/* bpf - load and attach BPF programs, and make their maps. */
#pragma once

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

/* Instructions. R0 holds results, R1 to R5 arguments; R10 is the end of the
 * stack. A comment gives the number of instructions if it is not one. */
#define INSN(c, dst, src, o, i)                                               \
	{ .code = (c), .dst_reg = (dst), .src_reg = (src), .off = (o), .imm = (i) }
#define MOVE(dst, src) INSN(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0)
#define SET(dst, value) INSN(BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, value)
#define ADD(dst, value) INSN(BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, value)
#define ADD_REG(dst, src) INSN(BPF_ALU64 | BPF_ADD | BPF_X, dst, src, 0, 0)
#define SUB_REG(dst, src) INSN(BPF_ALU64 | BPF_SUB | BPF_X, dst, src, 0, 0)
/* Point to a place on the stack: two. */
#define POINT(dst, at) MOVE(dst, BPF_REG_10), ADD(dst, at)
#define LOAD_FROM(size, dst, from, at)                                        \
	INSN(BPF_LDX | BPF_MEM | (size), dst, from, at, 0)
/* Load from the stack. */
#define LOAD(dst, at) LOAD_FROM(BPF_DW, dst, BPF_REG_10, at)
#define LOAD_WORD(dst, at) LOAD_FROM(BPF_W, dst, BPF_REG_10, at)
/* Load argument n of a tracepoint, of which R1 is the list. */
#define ARGUMENT(dst, n) LOAD_FROM(BPF_DW, dst, BPF_REG_1, (n) * 8)
/* Store on the stack, or at a pointer. */
#define STORE_AT(to, at, src)                                                 \
	INSN(BPF_STX | BPF_MEM | BPF_DW, to, src, at, 0)
#define STORE(at, src) STORE_AT(BPF_REG_10, at, src)
#define STORE_WORD_AT(to, at, src)                                            \
	INSN(BPF_STX | BPF_MEM | BPF_W, to, src, at, 0)
#define STORE_WORD(at, src) STORE_WORD_AT(BPF_REG_10, at, src)
#define STORE_VALUE(at, value)                                                \
	INSN(BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, at, value)
#define CALL(function)                                                        \
	INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_##function)
/* Skip instructions if R0 is 0. */
#define SKIP_IF_0(nr) INSN(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, nr, 0)
/* Load the map's descriptor into dst: two. */
#define MAP(dst, fd)                                                          \
	INSN(BPF_LD | BPF_DW | BPF_IMM, dst, BPF_PSEUDO_MAP_FD, 0, fd),       \
		INSN(0, 0, 0, 0, 0)
/* R0 = address of the value of the key at this place on the stack, or 0:
 * five. */
#define LOOK_UP(fd, at)                                                       \
	MAP(BPF_REG_1, fd), POINT(BPF_REG_2, at), CALL(map_lookup_elem)
/* Return 0 or 1: two each. */
#define RETURN SET(BPF_REG_0, 0), INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define RETURN_1 SET(BPF_REG_0, 1), INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

/* Each of these returns -1 with errno on failure, otherwise a descriptor or
 * what the command returns. */
int tr2_bpf(int command, void *attr, size_t size);
int tr2_bpf_map(enum bpf_map_type type, uint32_t key_bytes,
		uint32_t value_bytes, uint32_t nr, uint32_t flags);

/* A field of one of the kernel's structures. The kernel finds it by its name,
 * and puts its offset into the instruction as the immediate value. */
struct tr2_bpf_field {
	uint32_t insn_at;   /* bytes */
	uint32_t type;      /* in `types` */
	uint32_t access_at; /* in its strings */
	uint32_t kind;      /* 0: the offset */
};

/* A function of a program; the first one is called with the arguments of a
 * tracepoint. */
struct tr2_bpf_function {
	uint32_t insn_at; /* its number */
	uint32_t type;    /* in `types` */
};

/* types_fd: BTF; it and functions only if there are fields. */
struct tr2_bpf_program {
	const struct bpf_insn *insns;
	uint32_t nr;
	int types_fd;
	const struct tr2_bpf_function *functions;
	uint32_t nr_functions;
	const struct tr2_bpf_field *fields;
	uint32_t nr_fields;
};
int tr2_bpf_load(const struct tr2_bpf_program *program);
/* Attach a program to a tracepoint, for as long as the returned descriptor is
 * open. Close the program; -1 is accepted. */
int tr2_bpf_attach(const char *tracepoint, int program);
