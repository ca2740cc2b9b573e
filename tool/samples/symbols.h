/* SPDX-License-Identifier: MIT */
/*
 * symbols - find the functions at addresses of a recorded process with libdw,
 * in the files that were mapped there.
 *
 * Files are looked up at their paths. A warning lists the files whose functions
 * have no names, by reason: the file is another build now; it has no build id
 * and changed after the process began; it was removed; it has no symbols.
 */
#pragma once

#include "model/model.h"

/* The option whether libdw asks the servers of DEBUGINFOD_URLS for missing
 * files. Distributions set that variable for everybody, and a server learns the
 * build ids of all programs: so ask only on request. Call
 * tr2_symbols_ask_servers() before all other functions. */
#define TR2_OPTION_DEBUGINFOD(value)                                        \
	{ 0, "debuginfod", NULL, TR2_OPT_FLAG, value,                       \
	  "ask the servers that DEBUGINFOD_URLS names for the functions of " \
	  "programs without debugging information", NULL }
void tr2_symbols_ask_servers(bool ask);

struct tr2_symbols;

/* Create a cache for looking up functions. If the model has copies of stacks,
 * find the calls on them. */
struct tr2_symbols *tr2_symbols_new(struct tr2_model *m);
/* Create a cache for looking up only the innermost call of each sample, which
 * takes less time. */
struct tr2_symbols *tr2_symbols_new_innermost(struct tr2_model *m);
void tr2_symbols_free(struct tr2_symbols *s);

struct tr2_symbol {
	tr2_str name; /* the function's name, MODULE+0xOFFSET, or [unknown] */
	tr2_str module; /* path of the file; 0: the address is not mapped */
	bool is_inlined; /* the function was inlined into its caller */
};

/* Return a symbol by number; its texts live as long as `s`. 0 is no symbol. */
struct tr2_symbol tr2_symbol(const struct tr2_symbols *s, uint32_t symbol);

/* Return the number of a symbol; add the symbol if it is new. */
uint32_t tr2_symbols_number(struct tr2_symbols *s, struct tr2_symbol symbol);

/* Return the symbol of addresses that belong to no mapping. */
uint32_t tr2_symbols_unknown(struct tr2_symbols *s);

/* Set *sample to the next sample (begin with *sample = 0), and show the
 * progress on a terminal: finding functions may take seconds. false: there are
 * no more samples. */
bool tr2_symbols_next(struct tr2_symbols *s, uint32_t *sample);

/* Return the function in which a call of a sample lies. A function that was
 * inlined into another one counts as a part of the other one. Call 0 is the
 * innermost. The address of a call is its return address. */
uint32_t tr2_symbols_function(struct tr2_symbols *s,
			      const struct tr2_model_sample *sample,
			      uint32_t call);

#define TR2_SYMBOLS_OF_CALL 32

/* Set symbol[] to the functions that were inlined at a call, the innermost
 * first, and then the call's own function. Return their number, at least 1. */
unsigned int tr2_symbols_of_call(struct tr2_symbols *s,
				 const struct tr2_model_sample *sample,
				 uint32_t call,
				 uint32_t symbol[TR2_SYMBOLS_OF_CALL]);

/* Print the reasons why functions have no names to stderr. */
void tr2_symbols_explain(const struct tr2_symbols *s);
