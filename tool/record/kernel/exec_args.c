/* SPDX-License-Identifier: MIT */
/* Load a BPF program that reads arguments, and decode its samples. */
#include "record/kernel/exec_args.h"

#include <errno.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/macros.h"
#include "base/text.h"
#include "record/elevate.h"
#include "record/kernel/bpf.h"

/* The longest path of a directory: /proc/PID/cwd gives no longer path. */
#define MOST_CWD 4095
#define MOST_NAME 256
#define MOST_STEPS (MOST_CWD + 1)
#define MOST_INSNS 256
/* Read one byte more than is recorded: this byte shows that the arguments were
 * cut. */
#define MOST_ARGS (TR2_ARGV_BYTES + 1)

/* A sample that the BPF program writes. */
struct found {
	uint32_t own_pid, level; /* the process's pid in its own pid namespace,
				  * and this namespace's depth */
	uint32_t cwd_bytes, args_bytes;
	uint32_t cwd_known, cwd_deleted; /* 0 or 1 */
	/* The names in the directory's path, the last one first, each with a
	 * NUL; then the arguments. */
	char text[MOST_CWD + MOST_ARGS];
};
#define AT(member) offsetof(struct found, member)

/*
 * The kernel's structures that the program uses, as BTF. By these names, the
 * kernel finds its own structures, and the places of the members in them. Types
 * are numbered from 1, in the order of the enum.
 */
#define STRINGS                                                               \
	X(none, "") X(word, "word") X(number, "number")                       \
	X(task, "task_struct") X(mm, "mm") X(thread_pid, "thread_pid")        \
	X(fs, "fs")                                                           \
	X(memory, "mm_struct") X(arg_start, "arg_start") X(arg_end, "arg_end") \
	X(pid, "pid") X(level, "level") X(numbers, "numbers")                 \
	X(upid, "upid") X(nr, "nr")                                           \
	X(fs_struct, "fs_struct") X(root, "root") X(pwd, "pwd")               \
	X(path, "path") X(mnt, "mnt") X(dentry, "dentry")                     \
	X(d_parent, "d_parent") X(d_hash, "d_hash") X(d_name, "d_name")       \
	X(hash_node, "hlist_bl_node") X(pprev, "pprev")                       \
	X(qstr, "qstr") X(name, "name")                                       \
	X(mount, "mount") X(mnt_parent, "mnt_parent")                         \
	X(mnt_mountpoint, "mnt_mountpoint")                                   \
	X(vfsmount, "vfsmount") X(mnt_root, "mnt_root")                       \
	X(run, "run")                                                         \
	X(a_0, "0:0") X(a_1, "0:1") X(a_2, "0:2")                             \
	X(a_0_0, "0:0:0") X(a_0_1, "0:0:1") X(a_1_0, "0:1:0")                 \
	X(a_1_1, "0:1:1") X(a_2_0, "0:2:0")

static const struct strings {
#define X(name, text) char name[sizeof(text)];
	STRINGS
#undef X
} strings = {
#define X(name, text) text,
	STRINGS
#undef X
};

#define STRING(name) (uint32_t)offsetof(struct strings, name)
#define TYPE(name, kind, nr, size) \
	STRING(name), BTF_KIND_##kind << 24 | (nr), size
#define MEMBER(name, type, at) STRING(name), type, (at) * 8

enum {
	WORD = 1, NUMBER, POINTER, TASK, MEMORY, UPID, UPIDS, PID, PATH, FS,
	HASH_NODE, QSTR, DENTRY, VFSMOUNT, MOUNT, CALLED, RUN
};

static const uint32_t types[] = {
	TYPE(word, INT, 0, 8), 64,
	TYPE(number, INT, 0, 4), 32,
	TYPE(none, PTR, 0, 0),
	TYPE(task, STRUCT, 3, 24), MEMBER(mm, POINTER, 0),
	MEMBER(thread_pid, POINTER, 8), MEMBER(fs, POINTER, 16),
	TYPE(memory, STRUCT, 2, 16),
	MEMBER(arg_start, WORD, 0), MEMBER(arg_end, WORD, 8),
	TYPE(upid, STRUCT, 1, 16), MEMBER(nr, NUMBER, 0),
	TYPE(none, ARRAY, 0, 0), UPID, NUMBER, 1,
	TYPE(pid, STRUCT, 2, 24),
	MEMBER(level, NUMBER, 0), MEMBER(numbers, UPIDS, 8),
	TYPE(path, STRUCT, 2, 16),
	MEMBER(mnt, POINTER, 0), MEMBER(dentry, POINTER, 8),
	TYPE(fs_struct, STRUCT, 2, 32),
	MEMBER(root, PATH, 0), MEMBER(pwd, PATH, 16),
	TYPE(hash_node, STRUCT, 1, 8), MEMBER(pprev, POINTER, 0),
	TYPE(qstr, STRUCT, 1, 8), MEMBER(name, POINTER, 0),
	TYPE(dentry, STRUCT, 3, 24), MEMBER(d_parent, POINTER, 0),
	MEMBER(d_hash, HASH_NODE, 8), MEMBER(d_name, QSTR, 16),
	TYPE(vfsmount, STRUCT, 1, 8), MEMBER(mnt_root, POINTER, 0),
	TYPE(mount, STRUCT, 3, 24), MEMBER(mnt_parent, POINTER, 0),
	MEMBER(mnt_mountpoint, POINTER, 8), MEMBER(mnt, VFSMOUNT, 16),
	TYPE(none, FUNC_PROTO, 0, NUMBER),
	TYPE(run, FUNC, 0, CALLED),
};

static int load_types(void)
{
	struct {
		struct btf_header header;
		uint32_t types[ARRAY_SIZE(types)];
		struct strings strings;
	} btf = {
		.header = {
			.magic = BTF_MAGIC,
			.version = BTF_VERSION,
			.hdr_len = sizeof(btf.header),
			.type_len = sizeof(types),
			.str_off = sizeof(types),
			.str_len = sizeof(strings),
		},
		.strings = strings,
	};
	union bpf_attr attr;

	memcpy(btf.types, types, sizeof(types));
	memset(&attr, 0, sizeof(attr));
	attr.btf = (uintptr_t)&btf;
	attr.btf_size = sizeof(btf.header) + sizeof(types) + sizeof(strings);
	return tr2_bpf(BPF_BTF_LOAD, &attr, sizeof(attr));
}

/* The fields F(name, structure, indexes of the members that lead to the field,
 * offset in `types`). */
#define FIELDS(F)                                                             \
	F(TASK_MM, TASK, a_0, 0)                                              \
	F(TASK_PID, TASK, a_1, 8)                                             \
	F(TASK_FS, TASK, a_2, 16)                                             \
	F(ARG_START, MEMORY, a_0, 0)                                          \
	F(ARG_END, MEMORY, a_1, 8)                                            \
	F(PID_LEVEL, PID, a_0, 0)                                             \
	F(PID_NUMBERS, PID, a_1, 8)                                           \
	F(TOP_MOUNT, FS, a_0_0, 0)                                            \
	F(TOP_DENTRY, FS, a_0_1, 8)                                           \
	F(PWD_MOUNT, FS, a_1_0, 16)                                           \
	F(PWD_DENTRY, FS, a_1_1, 24)                                          \
	F(D_PARENT, DENTRY, a_0, 0)                                           \
	F(D_PPREV, DENTRY, a_1_0, 8)                                          \
	F(D_NAME, DENTRY, a_2_0, 16)                                          \
	F(MOUNT_PARENT, MOUNT, a_0, 0)                                        \
	F(MOUNT_POINT, MOUNT, a_1, 8)                                         \
	F(MOUNT_INSIDE, MOUNT, a_2, 16)                                       \
	F(MOUNT_ROOT, MOUNT, a_2_0, 16)

enum field {
	NO_FIELD,
#define F(name, type, access, at) name,
	FIELDS(F)
#undef F
};

enum offset {
#define F(name, type, access, at) name##_AT = (at),
	FIELDS(F)
#undef F
};

static const struct tr2_bpf_field known_fields[] = {
	[NO_FIELD] = { 0, 0, 0, 0 },
#define F(name, type, access, at) [name] = { 0, type, STRING(access), 0 },
	FIELDS(F)
#undef F
};

/*
 * The instructions FIELD and JUMP have the number of a field or a label in
 * `off`, until mark_fields() and place_jumps() replace it. A LABEL becomes a
 * jump to the next instruction, and the kernel removes that jump.
 */
#define FIELD(op, dst, field)                                                 \
	INSN(BPF_ALU64 | (op) | BPF_K, dst, 0, field, field##_AT)
#define LABEL(label) INSN(BPF_JMP | BPF_JA, 0, 0, 0, label)
#define JUMP(label) INSN(BPF_JMP | BPF_JA, 0, 0, label, 0)
#define JUMP_IF(op, a, value, label)                                          \
	INSN(BPF_JMP | (op) | BPF_K, a, 0, label, value)
#define JUMP_IF_EQUAL(a, b, label)                                            \
	INSN(BPF_JMP | BPF_JEQ | BPF_X, a, b, label, 0)
#define JUMP_UNLESS_EQUAL(a, b, label)                                        \
	INSN(BPF_JMP | BPF_JNE | BPF_X, a, b, label, 0)
/* Load a pointer to the function at a label into dst (two instructions). */
#define FUNCTION(dst, label)                                                  \
	INSN(BPF_LD | BPF_DW | BPF_IMM, dst, PSEUDO_FUNC, 0, label),          \
		INSN(0, 0, 0, 0, 0)
#define CALL_LOOP INSN(BPF_JMP | BPF_CALL, 0, 0, 0, FUNC_LOOP)

/* Read `size` bytes of a field; the register `of` points to the field's
 * structure. READ_FIELD stores them where R1 points, READ at the stack's offset
 * `at`. A field that cannot be read is 0. */
#define READ_FIELD(size, of, field)                                           \
	SET(BPF_REG_2, size), MOVE(BPF_REG_3, of),                            \
		FIELD(BPF_ADD, BPF_REG_3, field), CALL(probe_read_kernel)
#define READ(at, size, of, field)                                             \
	POINT(BPF_REG_1, at), READ_FIELD(size, of, field)
#define READ_TO(dst, at, of, field)                                           \
	READ(at, 8, of, field), LOAD(dst, at)

enum label {
	NO_LABEL, HASHED, CWD_FITS, ARGS_FIT, ARGS_READ, END, STEP, BELOW_TOP,
	AT_ROOT, AT_TOP, LEAVE, NR_LABELS
};

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* <linux/bpf.h> defines these values since Linux 5.13 and 5.17. */
#define PSEUDO_FUNC 4
#define FUNC_LOOP 181

static bool is_jump(const struct bpf_insn *insn)
{
	return BPF_CLASS(insn->code) == BPF_JMP &&
	       BPF_OP(insn->code) != BPF_CALL && BPF_OP(insn->code) != BPF_EXIT;
}

static bool is_address(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_DW | BPF_IMM);
}

/* Return where the function STEP begins; 0: there is none. */
static uint32_t place_jumps(struct bpf_insn *insns, uint32_t nr)
{
	uint32_t place[NR_LABELS] = { 0 }, i;

	for (i = 0; i < nr; i++) {
		if (!is_jump(&insns[i]) || insns[i].off)
			continue;
		place[insns[i].imm] = i;
		insns[i].imm = 0;
	}
	for (i = 0; i < nr; i++) {
		if (is_jump(&insns[i]) && insns[i].off)
			insns[i].off =
				(int16_t)(place[insns[i].off] - i - 1);
		if (insns[i].src_reg == PSEUDO_FUNC && is_address(&insns[i]))
			insns[i].imm = (int32_t)(place[insns[i].imm] - i - 1);
	}
	return place[STEP];
}

/* Set fields[] to the fields that the instructions use, with one entry for each
 * use. Return the number of entries. */
static uint32_t mark_fields(struct bpf_insn *insns, uint32_t nr,
			    struct tr2_bpf_field *fields)
{
	uint32_t i, found = 0;

	for (i = 0; i < nr; i++) {
		if (BPF_CLASS(insns[i].code) != BPF_ALU64 || !insns[i].off)
			continue;
		fields[found] = known_fields[insns[i].off];
		fields[found++].insn_at = i * (uint32_t)sizeof(*insns);
		insns[i].off = 0;
	}
	return found;
}

/* Offsets on the stack. */
enum {
	CONTEXT = -8, FIRST = -16, KEY = -24, START = -32, STOP = -40
};

/* The recorder's root directory. */
struct top {
	uint64_t dentry, mount;
};
#define TOP(member) offsetof(struct top, member)

static int load_program(struct bpf_insn *insns, uint32_t nr, int types_fd)
{
	struct tr2_bpf_field fields[MOST_INSNS];
	struct tr2_bpf_function functions[2] = { { 0, RUN }, { 0, RUN } };
	struct tr2_bpf_program program = {
		.insns = insns,
		.nr = nr,
		.types_fd = types_fd,
		.functions = functions,
		.fields = fields,
	};

	functions[1].insn_at = place_jumps(insns, nr);
	program.nr_functions = functions[1].insn_at ? 2 : 1;
	program.nr_fields = mark_fields(insns, nr, fields);
	return tr2_bpf_load(&program);
}

/* Load a program that sets the one element of `tops` to the root directory of
 * the process that runs the program. */
static int load_top(int types_fd, int tops)
{
	struct bpf_insn insns[] = {
		CALL(get_current_task),
		MOVE(BPF_REG_7, BPF_REG_0),
		STORE_VALUE(KEY, 0),
		LOOK_UP(tops, KEY),
		JUMP_IF(BPF_JEQ, BPF_REG_0, 0, END),
		MOVE(BPF_REG_8, BPF_REG_0),
		READ_TO(BPF_REG_9, FIRST, BPF_REG_7, TASK_FS),
		READ_TO(BPF_REG_7, FIRST, BPF_REG_9, TOP_DENTRY),
		STORE_AT(BPF_REG_8, TOP(dentry), BPF_REG_7),
		READ_TO(BPF_REG_7, FIRST, BPF_REG_9, TOP_MOUNT),
		FIELD(BPF_SUB, BPF_REG_7, MOUNT_INSIDE),
		STORE_AT(BPF_REG_8, TOP(mount), BPF_REG_7),
	LABEL(END),
		RETURN,
	};

	return load_program(insns, ARRAY_SIZE(insns), types_fd);
}

/* Return a map with the recorder's root directory; -1: errno. */
static int find_top(int types_fd)
{
	int tops = tr2_bpf_map(BPF_MAP_TYPE_ARRAY, sizeof(uint32_t),
			       sizeof(struct top), 1, 0);
	int program = tops < 0 ? -1 : load_top(types_fd, tops), err;
	union bpf_attr attr;
	bool ok;

	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (uint32_t)program;
	ok = program >= 0 && !tr2_bpf(BPF_PROG_TEST_RUN, &attr, sizeof(attr));
	err = errno;
	close_fd(program);
	if (!ok)
		close_fd(tops);
	errno = err;
	return ok ? tops : -1;
}

/* The state of following a directory. */
struct walk {
	uint64_t dentry, mount;
	struct top top;
	struct found *found;
};
#define OF(member) (int)offsetof(struct walk, member)
/* Offset of the struct walk on the stack. */
#define WALK (-64 - (int)sizeof(struct walk))

/* Store or load a member of the struct found, to which R8 points. POINT_TO_TEXT
 * sets R1 to the place in the text whose offset is in the register `bytes`. */
#define SAVE(member, src) STORE_WORD_AT(BPF_REG_8, AT(member), src)
#define RESTORE(dst, member) LOAD_FROM(BPF_W, dst, BPF_REG_8, AT(member))
#define POINT_TO_TEXT(bytes)                                                  \
	MOVE(BPF_REG_1, BPF_REG_8), ADD(BPF_REG_1, AT(text)),                 \
		ADD_REG(BPF_REG_1, bytes)

/*
 * The pieces of the program for sched_process_exec. R7: the task, then its
 * directory, then the length of the directory's path; R8: the struct found; R9:
 * a structure that is read, then the length of the arguments.
 */

#define BEGIN(tops, places)						\
	STORE(CONTEXT, BPF_REG_1), CALL(get_current_task),		\
	MOVE(BPF_REG_7, BPF_REG_0), STORE_VALUE(KEY, 0),		\
	LOOK_UP(tops, KEY), JUMP_IF(BPF_JEQ, BPF_REG_0, 0, END),	\
	LOAD_FROM(BPF_DW, BPF_REG_1, BPF_REG_0, TOP(dentry)),		\
	STORE(WALK + OF(top.dentry), BPF_REG_1),			\
	LOAD_FROM(BPF_DW, BPF_REG_1, BPF_REG_0, TOP(mount)),		\
	STORE(WALK + OF(top.mount), BPF_REG_1),				\
	LOOK_UP(places, KEY), JUMP_IF(BPF_JEQ, BPF_REG_0, 0, END),	\
	MOVE(BPF_REG_8, BPF_REG_0), STORE(WALK + OF(found), BPF_REG_8),	\
	READ_TO(BPF_REG_9, FIRST, BPF_REG_7, TASK_MM),			\
	READ(START, 8, BPF_REG_9, ARG_START),				\
	READ(STOP, 8, BPF_REG_9, ARG_END)
/* The shift by 4 multiplies by 16, the size of a struct upid. */
#define READ_OWN_PID							\
	READ_TO(BPF_REG_9, FIRST, BPF_REG_7, TASK_PID),			\
	STORE_VALUE(FIRST, 0), READ(FIRST, 4, BPF_REG_9, PID_LEVEL),	\
	LOAD_WORD(BPF_REG_1, FIRST), SAVE(level, BPF_REG_1),		\
	INSN(BPF_ALU64 | BPF_LSH | BPF_K, BPF_REG_1, 0, 0, 4),		\
	ADD_REG(BPF_REG_9, BPF_REG_1), MOVE(BPF_REG_1, BPF_REG_8),	\
	READ_FIELD(4, BPF_REG_9, PID_NUMBERS)
/* Is the directory removed? A removed directory is in no hash table. A root
 * directory is in none, either, but is its own parent. */
#define READ_CWD							\
	READ_TO(BPF_REG_9, FIRST, BPF_REG_7, TASK_FS),			\
	READ_TO(BPF_REG_7, WALK + OF(dentry), BPF_REG_9, PWD_DENTRY),	\
	READ_TO(BPF_REG_9, FIRST, BPF_REG_9, PWD_MOUNT),		\
	FIELD(BPF_SUB, BPF_REG_9, MOUNT_INSIDE),			\
	STORE(WALK + OF(mount), BPF_REG_9), SET(BPF_REG_9, 0),		\
	SAVE(cwd_bytes, BPF_REG_9), SAVE(cwd_known, BPF_REG_9),		\
	READ_TO(BPF_REG_1, FIRST, BPF_REG_7, D_PARENT),			\
	JUMP_IF_EQUAL(BPF_REG_1, BPF_REG_7, HASHED),			\
	READ_TO(BPF_REG_1, FIRST, BPF_REG_7, D_PPREV),			\
	JUMP_IF(BPF_JNE, BPF_REG_1, 0, HASHED), SET(BPF_REG_9, 1),	\
	LABEL(HASHED), SAVE(cwd_deleted, BPF_REG_9),			\
	SET(BPF_REG_1, MOST_STEPS), FUNCTION(BPF_REG_2, STEP),		\
	POINT(BPF_REG_3, WALK), SET(BPF_REG_4, 0), CALL_LOOP,		\
	RESTORE(BPF_REG_7, cwd_bytes),					\
	JUMP_IF(BPF_JLE, BPF_REG_7, MOST_CWD, CWD_FITS),		\
	SET(BPF_REG_7, 0), SAVE(cwd_bytes, BPF_REG_7),			\
	SAVE(cwd_known, BPF_REG_7), LABEL(CWD_FITS)
#define READ_ARGS							\
	LOAD(BPF_REG_9, STOP), LOAD(BPF_REG_3, START),			\
	SUB_REG(BPF_REG_9, BPF_REG_3),					\
	JUMP_IF(BPF_JLE, BPF_REG_9, MOST_ARGS, ARGS_FIT),		\
	SET(BPF_REG_9, MOST_ARGS), LABEL(ARGS_FIT),			\
	POINT_TO_TEXT(BPF_REG_7), MOVE(BPF_REG_2, BPF_REG_9),		\
	CALL(probe_read_user), JUMP_IF(BPF_JEQ, BPF_REG_0, 0, ARGS_READ), \
	SET(BPF_REG_9, 0), LABEL(ARGS_READ), SAVE(args_bytes, BPF_REG_9)
#define OUTPUT(outputs)							\
	LOAD(BPF_REG_1, CONTEXT), MAP(BPF_REG_2, outputs),		\
	INSN(BPF_ALU | BPF_MOV | BPF_K, BPF_REG_3, 0, 0, -1),		\
	MOVE(BPF_REG_4, BPF_REG_8), MOVE(BPF_REG_5, BPF_REG_9),		\
	ADD_REG(BPF_REG_5, BPF_REG_7), ADD(BPF_REG_5, AT(text)),	\
	CALL(perf_event_output)
/*
 * The function STEP adds a name of the path, or goes from the root of a mount
 * to its mount point. STEP returns 1 at the end. R6: the struct walk; R7: the
 * directory; R9: its mount, then the length of the names.
 */
#define WALK_STEP							\
	LABEL(STEP), MOVE(BPF_REG_6, BPF_REG_2),			\
	LOAD_FROM(BPF_DW, BPF_REG_7, BPF_REG_6, OF(dentry)),		\
	LOAD_FROM(BPF_DW, BPF_REG_8, BPF_REG_6, OF(found)),		\
	LOAD_FROM(BPF_DW, BPF_REG_9, BPF_REG_6, OF(mount)),		\
	LOAD_FROM(BPF_DW, BPF_REG_1, BPF_REG_6, OF(top.dentry)),	\
	JUMP_UNLESS_EQUAL(BPF_REG_7, BPF_REG_1, BELOW_TOP),		\
	LOAD_FROM(BPF_DW, BPF_REG_1, BPF_REG_6, OF(top.mount)),		\
	JUMP_IF_EQUAL(BPF_REG_9, BPF_REG_1, AT_TOP), LABEL(BELOW_TOP),	\
	READ_TO(BPF_REG_1, FIRST, BPF_REG_9, MOUNT_ROOT),		\
	JUMP_IF_EQUAL(BPF_REG_7, BPF_REG_1, AT_ROOT),			\
	READ(FIRST, 8, BPF_REG_7, D_NAME),				\
	MOVE(BPF_REG_1, BPF_REG_6), READ_FIELD(8, BPF_REG_7, D_PARENT),	\
	RESTORE(BPF_REG_9, cwd_bytes),					\
	JUMP_IF(BPF_JGT, BPF_REG_9, MOST_CWD, LEAVE),			\
	POINT_TO_TEXT(BPF_REG_9), SET(BPF_REG_2, MOST_NAME),		\
	LOAD(BPF_REG_3, FIRST), CALL(probe_read_kernel_str),		\
	JUMP_IF(BPF_JSLE, BPF_REG_0, 0, LEAVE),				\
	ADD_REG(BPF_REG_9, BPF_REG_0), SAVE(cwd_bytes, BPF_REG_9), RETURN
#define WALK_STEP_AT_ROOT						\
	LABEL(AT_ROOT), READ_TO(BPF_REG_7, FIRST, BPF_REG_9, MOUNT_PARENT), \
	JUMP_IF_EQUAL(BPF_REG_7, BPF_REG_9, AT_TOP),			\
	MOVE(BPF_REG_1, BPF_REG_6), READ_FIELD(8, BPF_REG_9, MOUNT_POINT), \
	STORE_AT(BPF_REG_6, OF(mount), BPF_REG_7), RETURN,		\
	LABEL(AT_TOP), SET(BPF_REG_1, 1), SAVE(cwd_known, BPF_REG_1),	\
	LABEL(LEAVE), RETURN_1

/*
 * Load the program for sched_process_exec. It fills the one element of
 * `places`, a struct found, and writes it to the event of this CPU in
 * `outputs`.
 *
 * It follows the directory as the kernel does for /proc/PID/cwd: from a name to
 * its parent; at the root of a mount, to where that is mounted; until it is at
 * the recorder's root. No lock is taken: while another program renames one of
 * these directories, in the same microsecond, the path may have names from
 * before and after.
 */
static int load_args(int types_fd, int tops, int places, int outputs)
{
	struct bpf_insn insns[] = {
		BEGIN(tops, places),
		READ_OWN_PID,
		READ_CWD,
		READ_ARGS,
		OUTPUT(outputs),
	LABEL(END),
		RETURN,
		WALK_STEP,
		WALK_STEP_AT_ROOT,
	};

	_Static_assert(ARRAY_SIZE(insns) <= MOST_INSNS, "there is room");
	_Static_assert(OF(dentry) == 0, "WALK_STEP reads into it");
	_Static_assert(AT(own_pid) == 0, "READ_OWN_PID reads into it");
	return load_program(insns, ARRAY_SIZE(insns), types_fd);
}

/* Put the event of each CPU into the map. Return false with errno. */
static bool set_outputs(int outputs, const struct tr2_kernel_event *event,
			const struct tr2_kernel_rings *rings)
{
	union bpf_attr attr;
	uint32_t cpu, i;

	for (i = 0; i < rings->nr; i++) {
		cpu = (uint32_t)rings->ring[i].cpu;
		memset(&attr, 0, sizeof(attr));
		attr.map_fd = (uint32_t)outputs;
		attr.key = (uintptr_t)&cpu;
		attr.value = (uintptr_t)&event->fds[i];
		if (tr2_bpf(BPF_MAP_UPDATE_ELEM, &attr, sizeof(attr)))
			return false;
	}
	return true;
}

/* Return false with errno. The program keeps the types and the first maps
 * open. */
static bool attach_program(struct tr2_exec_args *args,
			   const struct tr2_kernel_rings *rings)
{
	long nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	int types_fd = load_types(), places = -1, err;
	int tops = types_fd < 0 ? -1 : find_top(types_fd);

	if (tops >= 0)
		places = tr2_bpf_map(BPF_MAP_TYPE_PERCPU_ARRAY,
				     sizeof(uint32_t), sizeof(struct found), 1,
				     0);
	if (places >= 0)
		args->outputs = tr2_bpf_map(
			BPF_MAP_TYPE_PERF_EVENT_ARRAY, sizeof(uint32_t),
			sizeof(uint32_t), nr_cpus < 1 ? 1 : (uint32_t)nr_cpus,
			0);
	if (args->outputs >= 0 &&
	    set_outputs(args->outputs, &args->event, rings))
		args->link = tr2_bpf_attach(
			"sched_process_exec",
			load_args(types_fd, tops, places, args->outputs));
	err = errno;
	close_fd(types_fd);
	close_fd(tops);
	close_fd(places);
	errno = err;
	return args->link >= 0;
}

void tr2_exec_args_init(struct tr2_exec_args *args)
{
	memset(args, 0, sizeof(*args));
	args->link = args->outputs = -1;
}

static bool refuse_program(struct tr2_exec_args *args, const char *why)
{
	tr2_exec_args_release(args);
	snprintf(args->why_not, sizeof(args->why_not), "%s", why);
	return false;
}

bool tr2_exec_args_open(struct tr2_exec_args *args,
			const struct tr2_kernel_rings *rings)
{
	if (sizeof(void *) != sizeof(uint64_t))
		return refuse_program(args, "not on 32-bit machines");
	if (tr2_elevate_runs())
		return refuse_program(args, "not with --elevate");
	tr2_kernel_event_output(&args->event);
	if (!tr2_kernel_event_open(&args->event, rings) &&
	    attach_program(args, rings))
		return true;
	return refuse_program(args, errno == EPERM ?
			      "not permitted (it needs CAP_BPF and "
			      "CAP_PERFMON)" :
			      errno == EINVAL || errno == ENOSYS ||
					      errno == E2BIG ?
			      "the kernel's BPF cannot read them (Linux 5.17 "
			      "can, with BTF)" : strerror(errno));
}

void tr2_exec_args_start(const struct tr2_exec_args *args)
{
	tr2_kernel_event_start(&args->event);
}

void tr2_exec_args_release(struct tr2_exec_args *args)
{
	close_fd(args->link);
	close_fd(args->outputs);
	tr2_kernel_event_close(&args->event);
	args->link = args->outputs = -1;
}

/* Add the member `cwd`. names: the last one first, each with a NUL. */
static void add_cwd(struct tr2_buf *b, const char *names, size_t size,
		    bool deleted)
{
	struct tr2_buf path = TR2_BUF_INIT;
	const char *p = names + size;

	if (size && p[-1])
		return;
	while (p > names) {
		for (p--; p > names && p[-1]; p--)
			;
		tr2_buf_addch(&path, '/');
		tr2_buf_addstr(&path, p);
	}
	tr2_buf_addstr(&path, size ? "" : "/");
	tr2_buf_addstr(&path, deleted ? " (deleted)" : "");
	tr2_buf_addlit(b, ",\"cwd\":");
	tr2_json_add_string(b, tr2_buf_str(&path));
	b->failed |= path.failed;
	tr2_buf_release(&path);
}

bool tr2_exec_args_decode(const unsigned char *record, size_t size,
			  struct tr2_task_event *event)
{
	/* The data come after a header, the six numbers that all samples have,
	 * and the size of the data. */
	const size_t at = sizeof(struct perf_event_header) +
			  6 * sizeof(uint64_t) + sizeof(uint32_t);
	struct tr2_buf b = TR2_BUF_INIT;
	struct found found;
	uint32_t ids[2];

	if (size < at + AT(text))
		return false;
	memcpy(&found, record + at, AT(text));
	size -= at + AT(text);
	if (found.cwd_bytes > MOST_CWD || found.args_bytes > MOST_ARGS ||
	    found.cwd_bytes + found.args_bytes > size)
		return false;
	size = found.cwd_bytes + found.args_bytes;
	memcpy(found.text, record + at + AT(text), size);
	memcpy(ids, record + TR2_SAMPLE_TIME_AT - sizeof(ids), sizeof(ids));
	*event = (struct tr2_task_event){ .kind = TR2_TASK_ARGV,
					  .pid = (pid_t)ids[0],
					  .tid = (pid_t)ids[0] };
	memcpy(&event->time_ns, record + TR2_SAMPLE_TIME_AT,
	       sizeof(event->time_ns));
	if (!found.args_bytes)
		return true;
	tr2_argv_add(&b, found.text + found.cwd_bytes, found.args_bytes,
		     found.level ? (int32_t)found.own_pid : 0);
	if (found.cwd_known)
		add_cwd(&b, found.text, found.cwd_bytes, found.cwd_deleted);
	event->more = b.failed ? NULL : strdup(tr2_buf_str(&b));
	tr2_buf_release(&b);
	return true;
}
