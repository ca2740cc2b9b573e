/* SPDX-License-Identifier: MIT */
/* The machine on which runs were made. */
#include "compare/origin.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

const char *const tr2_origin_keys[TR2_ORIGIN_NR] = {
	[TR2_ORIGIN_HOST] = "host",	[TR2_ORIGIN_MACHINE] = "machine",
	[TR2_ORIGIN_CPUS] = "cpus",	[TR2_ORIGIN_KERNEL] = "kernel",
	[TR2_ORIGIN_TRACE2] = "trace2",
};

void tr2_origin_release(struct tr2_origin *o)
{
	int key;

	for (key = 0; key < TR2_ORIGIN_NR; key++)
		free(o->text[key]);
	memset(o, 0, sizeof(*o));
}

void tr2_origin_take(struct tr2_origin *o, enum tr2_origin_key key,
		     const char *text, size_t len)
{
	if (!o->text[key])
		o->text[key] = tr2_strf("%.*s", (int)len, text);
	else if (strlen(o->text[key]) != len ||
		 memcmp(o->text[key], text, len) != 0)
		o->mixed[key] = true;
}

const char *tr2_origin_text(const struct tr2_origin *o,
			    enum tr2_origin_key key)
{
	return o->mixed[key] ? "several" : o->text[key];
}

bool tr2_origin_differs(const struct tr2_origin *a, const struct tr2_origin *b,
			enum tr2_origin_key key)
{
	if (!a->text[key] || !b->text[key])
		return false;
	return a->mixed[key] || b->mixed[key] ||
	       strcmp(a->text[key], b->text[key]) != 0;
}
