/* SPDX-License-Identifier: MIT */
/*
 * symbols - find the functions of addresses of a recorded process with libdw,
 * in the files that were mapped there.
 *
 * Files are looked up at their path. A warning names those that give no names:
 * another build by now; without a build id, and changed after the process
 * began; removed; without symbols.
 */
#pragma once

#include "model/model.h"

/* Shall libdw ask the servers that DEBUGINFOD_URLS names for files that are
 * missing? Distributions set it for everybody, and a server learns the build ids
 * of all programs: only who asked for it has them asked. Call this first. */
#define TR2_OPTION_DEBUGINFOD(value)                                        \
	{ 0, "debuginfod", NULL, TR2_OPT_FLAG, value,                       \
	  "ask the servers that DEBUGINFOD_URLS names for the functions of " \
	  "programs without debugging information", NULL }
void tr2_symbols_ask_servers(bool ask);

struct tr2_symbols;

/* Find the calls in copies of stacks, if there are any. */
struct tr2_symbols *tr2_symbols_new(struct tr2_model *m);
/* Find the innermost call alone, which takes less time. */
struct tr2_symbols *tr2_symbols_new_innermost(struct tr2_model *m);
void tr2_symbols_free(struct tr2_symbols *s);

struct tr2_symbol {
	tr2_str name; /* the function's, MODULE+0xOFFSET or [unknown] */
	tr2_str module; /* the file's path; 0: not mapped */
	bool is_inlined; /* into its caller */
};

/* Return a symbol by number; its texts live as long as `s`. 0 is no symbol. */
struct tr2_symbol tr2_symbol(const struct tr2_symbols *s, uint32_t symbol);

/* Return the number of a symbol, adding it if needed. */
uint32_t tr2_symbols_number(struct tr2_symbols *s, struct tr2_symbol symbol);

/* Return the symbol of an address that belongs to nothing. */
uint32_t tr2_symbols_unknown(struct tr2_symbols *s);

/* For all samples, from 0 on: set the next one. On a terminal, say how far that
 * is, as finding functions may take seconds. false: there is none. */
bool tr2_symbols_next(struct tr2_symbols *s, uint32_t *sample);

/* Return the function of a call of a sample, the innermost being 0, with all
 * that was inlined into it. A call has the address that it returns to. */
uint32_t tr2_symbols_function(struct tr2_symbols *s,
			      const struct tr2_model_sample *sample,
			      uint32_t call);

#define TR2_SYMBOLS_OF_CALL 32

/* Find the same function, the last, and before it those that were inlined
 * there, the innermost first. Return their number, at least 1. */
unsigned int tr2_symbols_of_call(struct tr2_symbols *s,
				 const struct tr2_model_sample *sample,
				 uint32_t call,
				 uint32_t symbol[TR2_SYMBOLS_OF_CALL]);

/* Print to stderr why functions have no names. */
void tr2_symbols_explain(const struct tr2_symbols *s);
