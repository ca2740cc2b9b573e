/* SPDX-License-Identifier: MIT */
/*
 * symbols - what functions addresses of a recorded process are in, by libdw
 * from the files that were mapped there.
 *
 * Files are looked up where they were. One that was changed after its process
 * began may be another by now: it names nothing, which is said once. So is it of
 * files that are gone, and of those that have no symbols.
 */
#ifndef TR2_SAMPLES_SYMBOLS_H
#define TR2_SAMPLES_SYMBOLS_H

#include "model/model.h"

struct tr2_symbols;

struct tr2_symbols *tr2_symbols_new(struct tr2_model *m); /* NULL: no memory */
void tr2_symbols_free(struct tr2_symbols *s);

struct tr2_symbol {
	tr2_str name; /* the function's; without one MODULE+0xOFFSET */
	tr2_str module; /* the file's path; 0: mapped nowhere */
};

/* The function that this return address is in: that of the call before it. */
struct tr2_symbol tr2_symbols_of_call(struct tr2_symbols *s, uint32_t session,
				      uint64_t address);

/* Says on stderr why functions have no names. */
void tr2_symbols_explain(const struct tr2_symbols *s);

#endif
