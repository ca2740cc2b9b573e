/* SPDX-License-Identifier: MIT */
/* frame - evaluate call frame information, which libdw decodes. */
#include "samples/frame.h"

#include <string.h>

#ifdef __x86_64__
/* The numbers of DWARF, by those of the kernel; RIP is the return address. */
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
/* Return addresses may be signed above. */
#define PC_BITS 48
#endif

static void set(struct tr2_frame_state *s, unsigned int number, uint64_t value)
{
	s->value[number] = value;
	s->known |= UINT64_C(1) << number;
}

static bool get(const struct tr2_frame_state *s, uint64_t number,
		uint64_t *value)
{
	if (number >= TR2_FRAME_REGISTERS || !(s->known >> number & 1))
		return false;
	*value = s->value[number];
	return true;
}

bool tr2_frame_begin(struct tr2_frame_state *s, uint64_t mask,
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
			set(s, dwarf_numbers[i], value);
	}
	return get(s, PC, &s->pc) && get(s, SP, &s->stack);
}

#ifdef HAVE_LIBDW

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

/* Expressions of call frames are short. */
#define MAX_DEPTH 16
#define MAX_OPERATIONS 64

/* Read a word of the stack. */
static bool load(const struct tr2_frame_state *s, uint64_t address,
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

static bool push(struct stack *stack, uint64_t value)
{
	if (stack->nr == MAX_DEPTH)
		return false;
	stack->value[stack->nr++] = value;
	return true;
}

/* Operations on the two topmost values. */
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

/* Operations that push a constant, or the value of a register. */
static bool push_operand(const struct tr2_frame_state *s, struct stack *stack,
			 const Dwarf_Op *op)
{
	uint64_t value;

	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push(stack, op->atom - DW_OP_lit0);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return get(s, op->atom - DW_OP_breg0, &value) &&
		       push(stack, value + op->number);
	switch (op->atom) {
	case DW_OP_bregx:
		return get(s, op->number, &value) &&
		       push(stack, value + op->number2);
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
		return push(stack, op->number);
	default:
		return combine(stack, op->atom);
	}
}

/* Operations on the topmost value, which must be there. */
static bool change_top(const struct tr2_frame_state *s, struct stack *stack,
		       const Dwarf_Op *op)
{
	uint64_t *top = &stack->value[stack->nr - 1];

	switch (op->atom) {
	case DW_OP_plus_uconst:
		*top += op->number;
		return true;
	case DW_OP_deref:
		return load(s, *top, top);
	case DW_OP_dup:
		return push(stack, *top);
	default:
		return push_operand(s, stack, op);
	}
}

/* Evaluate an expression. *is_value: its result is no address. */
static bool evaluate(const struct tr2_frame_state *s, const Dwarf_Op *ops,
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
		ok = op->atom == DW_OP_call_frame_cfa ? push(&stack, cfa) :
		     stack.nr ? change_top(s, &stack, op) :
				push_operand(s, &stack, op);
		if (!ok)
			return false;
	}
	if (!stack.nr || i < nr)
		return false;
	*result = stack.value[stack.nr - 1];
	return true;
}

/* Find the caller's value of a register. false: it is not known. */
static bool find_register(const struct tr2_frame_state *s, Dwarf_Frame *frame,
			  unsigned int number, uint64_t cfa, uint64_t *value)
{
	Dwarf_Op memory[3], *ops = NULL;
	bool is_value;
	size_t nr = 0;

	if (dwarf_frame_register(frame, (int)number, memory, &ops, &nr))
		return false;
	if (!nr) /* unchanged, or lost */
		return !ops && get(s, number, value);
	if (nr == 1 && ops->atom == DW_OP_regx)
		return get(s, ops->number, value);
	if (nr == 1 && ops->atom >= DW_OP_reg0 && ops->atom <= DW_OP_reg31)
		return get(s, ops->atom - DW_OP_reg0, value);
	return evaluate(s, ops, nr, cfa, value, &is_value) &&
	       (is_value || load(s, *value, value));
}

/* The caller's frame is further up; it may be the same size in a function that
 * has none. */
static bool apply(struct tr2_frame_state *s, Dwarf_Frame *frame)
{
	struct tr2_frame_state up = { .stack = s->stack, .copy = s->copy,
				      .len = s->len };
	uint64_t cfa, value, sp;
	bool is_value, in_signal = false;
	int pc_number = dwarf_frame_info(frame, NULL, NULL, &in_signal);
	unsigned int i;
	Dwarf_Op *ops;
	size_t nr;

	if (pc_number < 0 || dwarf_frame_cfa(frame, &ops, &nr) ||
	    !evaluate(s, ops, nr, 0, &cfa, &is_value) || !get(s, SP, &sp) ||
	    cfa < sp ||
	    !find_register(s, frame, (unsigned int)pc_number, cfa, &up.pc))
		return false;
	for (i = 0; i < TR2_FRAME_REGISTERS; i++)
		if (find_register(s, frame, i, cfa, &value))
			set(&up, i, value);
	if (!in_signal)
		set(&up, SP, cfa);
	up.pc &= UINT64_MAX >> (64 - PC_BITS);
	up.is_exact = in_signal;
	if (!up.pc || (up.pc == s->pc && cfa == sp))
		return false;
	*s = up;
	return true;
}

bool tr2_frame_up(struct tr2_frame_state *s, struct tr2_elf *e,
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
		ok = apply(s, frame);
	free(frame);
	return ok;
}

#else

bool tr2_frame_up(struct tr2_frame_state *s, struct tr2_elf *e,
		  struct tr2_elf_place place)
{
	(void)s;
	(void)e;
	(void)place;
	return false;
}

#endif
