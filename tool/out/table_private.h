/* SPDX-License-Identifier: MIT */
/*
 * table_private - what a cell is.
 */
#ifndef TR2_OUT_TABLE_PRIVATE_H
#define TR2_OUT_TABLE_PRIVATE_H

#include "out/table.h"

struct tr2_cell {
	enum tr2_cell_kind kind;
	enum tr2_color color;
	union {
		char *s;
		int64_t i;
		uint64_t u;
		double d;
	};
	uint32_t nr_words;
	size_t len;
};

#endif
