/* SPDX-License-Identifier: MIT */
/*
 * origin - the machine on which runs were made, from meta.json.
 */
#ifndef TR2_COMPARE_ORIGIN_H
#define TR2_COMPARE_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

enum tr2_origin_key {
	TR2_ORIGIN_HOST,
	TR2_ORIGIN_MACHINE,
	TR2_ORIGIN_CPUS,
	TR2_ORIGIN_KERNEL,
	TR2_ORIGIN_TRACE2,
	TR2_ORIGIN_NR
};

/* "host" …: the keys of meta.json, and of programs in it. */
extern const char *const tr2_origin_keys[TR2_ORIGIN_NR];

/* Of one run, or of all runs of a side. */
struct tr2_origin {
	char *text[TR2_ORIGIN_NR]; /* NULL: unknown */
	bool mixed[TR2_ORIGIN_NR]; /* the runs differ */
};

void tr2_origin_release(struct tr2_origin *o);

/* Add the value of one more run. */
void tr2_origin_take(struct tr2_origin *o, enum tr2_origin_key key,
		     const char *text, size_t len);

/* Return the value as text; NULL: unknown. */
const char *tr2_origin_text(const struct tr2_origin *o,
			    enum tr2_origin_key key);
/* Are both sides known and different? */
bool tr2_origin_differs(const struct tr2_origin *a, const struct tr2_origin *b,
			enum tr2_origin_key key);

#endif
