/* SPDX-License-Identifier: MIT */
/*
 * symbols - find the functions at addresses of a recorded process with libdw,
 * in the files that were mapped there.
 *
 * Files are looked up at their paths. A warning lists the files that give no
 * names: a file that is another build now; a file without a build id that
 * changed after the process began; a removed file; a file without symbols.
 */
#pragma once

#include "model/model.h"

/* Whether libdw asks the servers of DEBUGINFOD_URLS for missing files.
 * Distributions set that variable for everybody, and a server learns the build
 * ids of all programs. So it is asked only on request. Call this first. */
#define TR2_OPTION_DEBUGINFOD(value)                                        \
	{ 0, "debuginfod", NULL, TR2_OPT_FLAG, value,                       \
	  "ask the servers that DEBUGINFOD_URLS names for the functions of " \
	  "programs without debugging information", NULL }
void tr2_symbols_ask_servers(bool ask);

struct tr2_symbols;

/* Look up functions; find the calls in copies of stacks, if there are any. */
struct tr2_symbols *tr2_symbols_new(struct tr2_model *m);
/* Look up only the innermost call of each sample, which takes less time. */
struct tr2_symbols *tr2_symbols_new_innermost(struct tr2_model *m);
void tr2_symbols_free(struct tr2_symbols *s);

struct tr2_symbol {
	tr2_str name; /* the function's name, MODULE+0xOFFSET, or [unknown] */
	tr2_str module; /* path of the file; 0: the address is not mapped */
	bool is_inlined; /* into its caller */
};

/* Return a symbol by number; its texts live as long as `s`. 0 is no symbol. */
struct tr2_symbol tr2_symbol(const struct tr2_symbols *s, uint32_t symbol);

/* Return the number of a symbol, adding it if needed. */
uint32_t tr2_symbols_number(struct tr2_symbols *s, struct tr2_symbol symbol);

/* Return the symbol of addresses that belong to no mapping. */
uint32_t tr2_symbols_unknown(struct tr2_symbols *s);

/* Set *sample to the next sample (begin with *sample = 0), and show the
 * progress on a terminal: finding functions may take seconds. false: there are
 * no more samples. */
bool tr2_symbols_next(struct tr2_symbols *s, uint32_t *sample);

/* Return the function of a call of a sample, together with all functions
 * inlined into it. Call 0 is the innermost. A call has the address to which it
 * returns. */
uint32_t tr2_symbols_function(struct tr2_symbols *s,
			      const struct tr2_model_sample *sample,
			      uint32_t call);

#define TR2_SYMBOLS_OF_CALL 32

/* Set the function of a call as the last one, and before it the functions
 * inlined there, the innermost first. Return their number, at least 1. */
unsigned int tr2_symbols_of_call(struct tr2_symbols *s,
				 const struct tr2_model_sample *sample,
				 uint32_t call,
				 uint32_t symbol[TR2_SYMBOLS_OF_CALL]);

/* Print to stderr why functions have no names. */
void tr2_symbols_explain(const struct tr2_symbols *s);
