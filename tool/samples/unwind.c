/* SPDX-License-Identifier: MIT */
/*
 * unwind - follow the frames of copied stacks. An ELF file has rules for each
 * instruction (call frame information), which libdw decodes.
 */
#include "samples/unwind.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/private.h"
#include "out/progress.h"

/* The registers that DWARF numbers on x86-64 and arm64; 31 is the largest
 * number used. */
#define TR2_FRAME_REGISTERS 33

struct frame_state {
	uint64_t value[TR2_FRAME_REGISTERS];
	uint64_t known; /* a bit for each register whose value is known */
	uint64_t pc;    /* program counter: a return address, unless is_exact */
	bool is_exact;
	/* Address, size and content of the copied stack. */
	uint64_t stack;
	const unsigned char *copy;
	uint32_t len;
};

#ifdef __x86_64__
/* DWARF's numbers of registers, by the kernel's numbers. RIP is the return
 * address. */
#define PC 16
#define SP 7
#define NONE 63
static const uint8_t dwarf_numbers[] = { 0, 3, 2, 1, 4, 5, 6, SP, PC,
					 NONE, NONE, NONE, NONE, NONE, NONE,
					 NONE, 8, 9, 10, 11, 12, 13, 14, 15 };
#define PC_BITS 64
#else
#define PC 32
#define SP 31
#define NONE 63
static const uint8_t dwarf_numbers[] = {
	0,  1,  2,  3,  4,  5,	6,  7,	8,  9,	10, 11, 12, 13, 14, 15, 16,
	17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, SP, PC
};
/* On arm64, only the lowest PC_BITS bits are surely the address: higher bits
 * may contain the signature of a return address. */
#define PC_BITS 48
#endif

static void set_register(struct frame_state *s, unsigned int number,
			 uint64_t value)
{
	s->value[number] = value;
	s->known |= UINT64_C(1) << number;
}

static bool get_register(const struct frame_state *s, uint64_t number,
			 uint64_t *value)
{
	if (number >= TR2_FRAME_REGISTERS || !(s->known >> number & 1))
		return false;
	*value = s->value[number];
	return true;
}

/* Set the state from the registers of perf_event_open(): `mask` has a bit for
 * each register, and `values` has their values in this order. Return false if
 * the program counter or the stack pointer is missing. */
static bool frame_begin(struct frame_state *s, uint64_t mask,
			const unsigned char *values)
{
	uint64_t value;
	unsigned int i;

	s->known = 0;
	s->is_exact = true;
	for (i = 0; i < sizeof(dwarf_numbers); i++) {
		if (!(mask >> i & 1))
			continue;
		memcpy(&value, values, sizeof(value));
		values += sizeof(value);
		if (dwarf_numbers[i] != NONE)
			set_register(s, dwarf_numbers[i], value);
	}
	return get_register(s, PC, &s->pc) && get_register(s, SP, &s->stack);
}

#ifdef HAVE_LIBDW

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

/* Limit the stack of an expression: expressions of call frames are short. */
#define MAX_DEPTH 16
#define MAX_OPERATIONS 64

/* Read a word of the copied stack. */
static bool load_word(const struct frame_state *s, uint64_t address,
		      uint64_t *value)
{
	uint64_t at = address - s->stack;

	if (at > s->len || s->len - at < sizeof(*value))
		return false;
	memcpy(value, s->copy + at, sizeof(*value));
	return true;
}

struct stack {
	uint64_t value[MAX_DEPTH];
	unsigned int nr;
};

static bool push_frame(struct stack *stack, uint64_t value)
{
	if (stack->nr == MAX_DEPTH)
		return false;
	stack->value[stack->nr++] = value;
	return true;
}

/* Replace the two topmost values by the result of an operation. */
static bool combine(struct stack *stack, unsigned int operation)
{
	uint64_t a, b, *to;

	if (stack->nr < 2)
		return false;
	b = stack->value[--stack->nr];
	to = &stack->value[stack->nr - 1];
	a = *to;
	switch (operation) {
	case DW_OP_plus:
		*to = a + b;
		return true;
	case DW_OP_minus:
		*to = a - b;
		return true;
	case DW_OP_mul:
		*to = a * b;
		return true;
	case DW_OP_and:
		*to = a & b;
		return true;
	case DW_OP_or:
		*to = a | b;
		return true;
	case DW_OP_shl:
		*to = b < 64 ? a << b : 0;
		return true;
	case DW_OP_shr:
		*to = b < 64 ? a >> b : 0;
		return true;
	case DW_OP_ge:
		*to = (int64_t)a >= (int64_t)b;
		return true;
	case DW_OP_gt:
		*to = (int64_t)a > (int64_t)b;
		return true;
	case DW_OP_le:
		*to = (int64_t)a <= (int64_t)b;
		return true;
	case DW_OP_lt:
		*to = (int64_t)a < (int64_t)b;
		return true;
	case DW_OP_eq:
		*to = a == b;
		return true;
	case DW_OP_ne:
		*to = a != b;
		return true;
	default:
		return false;
	}
}

/* Push a constant, or the value of a register. */
static bool push_operand(const struct frame_state *s, struct stack *stack,
			 const Dwarf_Op *op)
{
	uint64_t value;

	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push_frame(stack, op->atom - DW_OP_lit0);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return get_register(s, op->atom - DW_OP_breg0, &value) &&
		       push_frame(stack, value + op->number);
	switch (op->atom) {
	case DW_OP_bregx:
		return get_register(s, op->number, &value) &&
		       push_frame(stack, value + op->number2);
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		return push_frame(stack, op->number);
	default:
		return combine(stack, op->atom);
	}
}

/* Change the topmost value, which must exist. */
static bool change_top(const struct frame_state *s, struct stack *stack,
		       const Dwarf_Op *op)
{
	uint64_t *top = &stack->value[stack->nr - 1];

	switch (op->atom) {
	case DW_OP_plus_uconst:
		*top += op->number;
		return true;
	case DW_OP_deref:
		return load_word(s, *top, top);
	case DW_OP_dup:
		return push_frame(stack, *top);
	default:
		return push_operand(s, stack, op);
	}
}

/* Evaluate an expression. Set *is_value if the result is a value instead of an
 * address. */
static bool evaluate(const struct frame_state *s, const Dwarf_Op *ops,
		     size_t nr, uint64_t cfa, uint64_t *result, bool *is_value)
{
	struct stack stack = { .nr = 0 };
	size_t i;

	*is_value = false;
	for (i = 0; i < nr && i < MAX_OPERATIONS; i++) {
		const Dwarf_Op *op = &ops[i];
		bool ok;

		if (op->atom == DW_OP_stack_value)
			*is_value = true;
		if (op->atom == DW_OP_stack_value || op->atom == DW_OP_nop)
			continue;
		ok = op->atom == DW_OP_call_frame_cfa ? push_frame(&stack, cfa)
		     : stack.nr ? change_top(s, &stack, op)
				: push_operand(s, &stack, op);
		if (!ok)
			return false;
	}
	if (!stack.nr || i < nr)
		return false;
	*result = stack.value[stack.nr - 1];
	return true;
}

/* Find the caller's value of a register. false: the value is unknown. */
static bool find_register(const struct frame_state *s, Dwarf_Frame *frame,
			  unsigned int number, uint64_t cfa, uint64_t *value)
{
	Dwarf_Op memory[3], *ops = NULL;
	bool is_value;
	size_t nr = 0;

	if (dwarf_frame_register(frame, (int)number, memory, &ops, &nr))
		return false;
	if (!nr) /* no rule: the register is unchanged, or its value is lost */
		return !ops && get_register(s, number, value);
	if (nr == 1 && ops->atom == DW_OP_regx)
		return get_register(s, ops->number, value);
	if (nr == 1 && ops->atom >= DW_OP_reg0 && ops->atom <= DW_OP_reg31)
		return get_register(s, ops->atom - DW_OP_reg0, value);
	return evaluate(s, ops, nr, cfa, value, &is_value) &&
	       (is_value || load_word(s, *value, value));
}

/* Change the state to the caller's state. The caller's frame must not be
 * further down in memory. Its stack pointer may be the same, if the function
 * has no frame. */
static bool apply_frame(struct frame_state *s, Dwarf_Frame *frame)
{
	struct frame_state up = { .stack = s->stack, .copy = s->copy,
				      .len = s->len };
	uint64_t cfa, value, sp;
	bool is_value, in_signal = false;
	int pc_number = dwarf_frame_info(frame, NULL, NULL, &in_signal);
	unsigned int i;
	Dwarf_Op *ops;
	size_t nr;

	if (pc_number < 0 || dwarf_frame_cfa(frame, &ops, &nr) ||
	    !evaluate(s, ops, nr, 0, &cfa, &is_value) ||
	    !get_register(s, SP, &sp) || cfa < sp ||
	    !find_register(s, frame, (unsigned int)pc_number, cfa, &up.pc))
		return false;
	for (i = 0; i < TR2_FRAME_REGISTERS; i++)
		if (find_register(s, frame, i, cfa, &value))
			set_register(&up, i, value);
	if (!in_signal)
		set_register(&up, SP, cfa);
	up.pc &= UINT64_MAX >> (64 - PC_BITS);
	up.is_exact = in_signal;
	if (!up.pc || (up.pc == s->pc && cfa == sp))
		return false;
	*s = up;
	return true;
}

/* Change the state to the caller's state. place: the place of state->pc or, if
 * this is a return address, of the instruction before it. Return false if the
 * caller is unknown, or does not exist. */
static bool frame_up(struct frame_state *s, struct tr2_elf *e,
		     struct tr2_elf_place place)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_CFI *cfi;
	uint64_t address;
	bool ok = false;
	int debug;

	for (debug = 0; !frame && debug < 2; debug++) {
		cfi = tr2_elf_cfi(e, place, debug, &address);
		if (cfi && dwarf_cfi_addrframe(cfi, address, &frame))
			frame = NULL;
	}
	if (frame)
		ok = apply_frame(s, frame);
	free(frame);
	return ok;
}

#else

static bool frame_up(struct frame_state *s, struct tr2_elf *e,
		     struct tr2_elf_place place)
{
	(void)s;
	(void)e;
	(void)place;
	return false;
}

#endif

/* Find at most this many frames. perf has the same limit. */
#define MAX_FRAMES 127
#define MAX_STACK 65536u

struct unwind {
	struct tr2_model *m;
	const struct tr2_mappings *maps;
	struct tr2_samples_files *files;
	unsigned char *copy; /* buffer for a stack; NULL: find only the
			      * innermost call */
};

static bool read_at(int fd, uint64_t at, void *out, size_t len)
{
	return at <= INT64_MAX &&
	       pread(fd, out, len, (off_t)at) == (ssize_t)len;
}

/* Read registers and stack from the file. */
static bool begin_stack(const struct unwind *u,
			const struct tr2_sample_stack *stack,
			struct frame_state *state)
{
	const struct tr2_stack_file *file = &u->m->stack_files[stack->file];
	unsigned char values[64 * sizeof(uint64_t)];
	size_t nr = (size_t)__builtin_popcountll(file->registers);

	state->len = !u->copy ? 0 :
		     stack->len < MAX_STACK ? stack->len : MAX_STACK;
	state->copy = u->copy;
	return read_at(file->fd, stack->registers_at, values,
		       nr * sizeof(uint64_t)) &&
	       read_at(file->fd, stack->stack_at, u->copy, state->len) &&
	       frame_begin(state, file->registers, values);
}

static bool up(const struct unwind *u, const struct tr2_model_sample *sample,
	       struct frame_state *state)
{
	uint64_t at = state->pc - !state->is_exact;
	struct tr2_elf_place place;
	const struct tr2_mapping *map;
	uint32_t i, file;
	bool always;

	i = tr2_mappings_find(u->maps, sample->space, at,
			      tr2_sample_time_in_space(u->m, sample), &always);
	if (!i)
		return false;
	map = &u->m->mappings[i];
	file = tr2_samples_file(u->files, u->m, map);
	place.in_segment = at - map->addr;
	place.in_file = place.in_segment + map->pgoff;
	return u->files->file[file].elf &&
	       frame_up(state, u->files->file[file].elf, place);
}

static void add_call(struct tr2_model *m, struct tr2_model_sample *sample,
		     uint64_t address)
{
	uint32_t i = tr2_add(m, calls);

	m->calls[i] = address;
	sample->nr_calls++;
}

static bool is_of_kernel(uint64_t address)
{
	return address >> 63;
}

/* Replace the program's calls of a sample by the calls on its stack; calls in
 * the kernel stay before them. The program's innermost call may have been found
 * before. */
static void unwind(const struct unwind *u, struct tr2_model_sample *sample)
{
	struct frame_state state;
	struct tr2_model *m = u->m;
	uint32_t first = sample->first_call, nr = sample->nr_calls, i;

	if (!begin_stack(u, &m->stacks[sample->stack], &state))
		return;
	sample->first_call = m->nr_calls;
	sample->nr_calls = 0;
	for (i = 0; i < nr && is_of_kernel(m->calls[first + i]); i++)
		add_call(m, sample, m->calls[first + i]);
	for (i = 0; i < MAX_FRAMES; i++) {
		add_call(m, sample, state.pc + state.is_exact);
		if (!u->copy || !up(u, sample, &state))
			break;
	}
}

void tr2_unwind_innermost(struct tr2_model *m)
{
	const struct unwind u = { .m = m };
	uint32_t i;

	for (i = 1; i < m->nr_samples; i++)
		if (m->samples[i].stack && !m->samples[i].nr_calls)
			unwind(&u, &m->samples[i]);
}

void tr2_unwind_samples(struct tr2_model *m, const struct tr2_mappings *maps,
			struct tr2_samples_files *files)
{
	struct unwind u = { .m = m, .maps = maps, .files = files };
	struct tr2_progress progress = { .total = m->nr_samples - 1 };
	uint32_t i;

	if (m->nr_stacks == 1)
		return;
	u.copy = tr2_calloc(1, MAX_STACK);
	tr2_progress_start(&progress, "finding the calls of sample");
	for (i = 1; i < m->nr_samples; i++) {
		tr2_progress_step(&progress, i - 1);
		if (m->samples[i].stack)
			unwind(&u, &m->samples[i]);
		m->samples[i].stack = 0;
	}
	tr2_progress_end(&progress);
	free(u.copy);
}
