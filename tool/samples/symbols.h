/* SPDX-License-Identifier: MIT */
/*
 * symbols - what functions addresses of a recorded process are in, by libdw
 * from the files that were mapped there.
 *
 * Files are looked up where they were. One that is another build by now, or,
 * where builds have no id, that was changed after its process began, names
 * nothing, which is said once. So is it of files that are gone, and of those
 * that have no symbols.
 */
#ifndef TR2_SAMPLES_SYMBOLS_H
#define TR2_SAMPLES_SYMBOLS_H

#include "model/model.h"

struct tr2_symbols;

struct tr2_symbols *tr2_symbols_new(struct tr2_model *m); /* NULL: no memory */
void tr2_symbols_free(struct tr2_symbols *s);

struct tr2_symbol {
	tr2_str name; /* the function's; without one MODULE+0xOFFSET, [unknown] */
	tr2_str module; /* the file's path; 0: mapped nowhere */
	bool is_inlined; /* into its caller */
};

/* Of one number, and of others that last as long as `s`; 0 is none. */
struct tr2_symbol tr2_symbol(const struct tr2_symbols *s, uint32_t symbol);

/* The number of a symbol. 0: no memory. */
uint32_t tr2_symbols_number(struct tr2_symbols *s, struct tr2_symbol symbol);

#define TR2_SYMBOLS_OF_CALL 32

/* The functions that a sample's return address is in, the innermost first: that
 * of the call before it, and those into which this one was inlined. Returns how
 * many; 0: no memory. */
unsigned int tr2_symbols_of_call(struct tr2_symbols *s,
				 const struct tr2_model_sample *sample,
				 uint64_t address,
				 uint32_t symbol[TR2_SYMBOLS_OF_CALL]);

/* Says on stderr why functions have no names. */
void tr2_symbols_explain(const struct tr2_symbols *s);

#endif
