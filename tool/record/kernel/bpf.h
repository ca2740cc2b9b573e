/* SPDX-License-Identifier: MIT */
/* bpf - load and attach BPF programs, and make their maps. */
#pragma once

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

/* Instructions. R0 holds results, R1 to R5 arguments; R10 is the end of the
 * stack. A macro expands to one instruction, unless its comment gives another
 * number. */
#define INSN(c, dst, src, o, i)                                               \
	{ .code = (c), .dst_reg = (dst), .src_reg = (src), .off = (o), .imm = (i) }
#define MOVE(dst, src) INSN(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0)
#define SET(dst, value) INSN(BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, value)
#define ADD(dst, value) INSN(BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, value)
#define ADD_REG(dst, src) INSN(BPF_ALU64 | BPF_ADD | BPF_X, dst, src, 0, 0)
#define SUB_REG(dst, src) INSN(BPF_ALU64 | BPF_SUB | BPF_X, dst, src, 0, 0)
/* Set dst to the address of the stack's offset `at` (two instructions). */
#define POINT(dst, at) MOVE(dst, BPF_REG_10), ADD(dst, at)
#define LOAD_FROM(size, dst, from, at)                                        \
	INSN(BPF_LDX | BPF_MEM | (size), dst, from, at, 0)
/* Load the value at the stack's offset `at` into dst. */
#define LOAD(dst, at) LOAD_FROM(BPF_DW, dst, BPF_REG_10, at)
#define LOAD_WORD(dst, at) LOAD_FROM(BPF_W, dst, BPF_REG_10, at)
/* Load argument n of a tracepoint; R1 points to its arguments. */
#define ARGUMENT(dst, n) LOAD_FROM(BPF_DW, dst, BPF_REG_1, (n) * 8)
/* Store the register `src` at the offset `at` from the register `to`. */
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
/* Skip the next `nr` instructions if R0 is 0. */
#define SKIP_IF_0(nr) INSN(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, nr, 0)
/* Load the map with the descriptor fd into dst (two instructions). */
#define MAP(dst, fd)                                                          \
	INSN(BPF_LD | BPF_DW | BPF_IMM, dst, BPF_PSEUDO_MAP_FD, 0, fd),       \
		INSN(0, 0, 0, 0, 0)
/* Set R0 to the address of a value in the map fd; 0: the key is missing. The
 * key is at the stack's offset `at` (five instructions). */
#define LOOK_UP(fd, at)                                                       \
	MAP(BPF_REG_1, fd), POINT(BPF_REG_2, at), CALL(map_lookup_elem)
/* End the program or function with the result 0 or 1 (two instructions
 * each). */
#define RETURN SET(BPF_REG_0, 0), INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define RETURN_1 SET(BPF_REG_0, 1), INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

/* Each function below returns a descriptor, or the result of the command; -1
 * with errno on failure. */
int tr2_bpf(int command, void *attr, size_t size);
int tr2_bpf_map(enum bpf_map_type type, uint32_t key_bytes,
		uint32_t value_bytes, uint32_t nr, uint32_t flags);

/* A field of one of the kernel's structures. The kernel finds the field by its
 * name, and puts the field's offset into the instruction as the immediate
 * value. */
struct tr2_bpf_field {
	uint32_t insn_at;   /* bytes */
	uint32_t type;      /* in `types` */
	uint32_t access_at; /* access string: offset in the strings of
			     * `types` */
	uint32_t kind;      /* 0: the field's offset is wanted */
};

/* A function of a program; the first one is called with the arguments of a
 * tracepoint. */
struct tr2_bpf_function {
	uint32_t insn_at; /* its number */
	uint32_t type;    /* in `types` */
};

/* types_fd: descriptor of the BTF types. types_fd and functions are used only
 * if nr_fields is not 0. */
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
 * open. Close the descriptor `program`; -1 is accepted. */
int tr2_bpf_attach(const char *tracepoint, int program);
