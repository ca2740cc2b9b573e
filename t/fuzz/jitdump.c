/* SPDX-License-Identifier: MIT */
/* A dump of generated functions, and each dump that ends before it does. */
#include "format/recording/jitdump_read.h"

#include "fuzz.h"
#include "model/build/build.h"

/* Read the first n bytes into an own block, whose end a sanitizer knows. */
static struct tr2_model *read_dump(const unsigned char *data, size_t n)
{
	struct tr2_model *m = tr2_model_new();
	unsigned char *copy = malloc(n + !n);

	if (!copy)
		abort();
	if (n)
		memcpy(copy, data, n);
	tr2_jitdump_read(m, 0, copy, n, "jit-1.dump");
	free(copy);
	return m;
}

static bool is_same(const struct tr2_model *a, const struct tr2_model *b,
		    uint32_t i)
{
	const struct tr2_code_function *f = &a->code_functions[i];
	const struct tr2_code_function *g = &b->code_functions[i];

	return f->addr == g->addr && f->len == g->len &&
	       f->from_ns == g->from_ns &&
	       !strcmp(tr2_s(a, f->name), tr2_s(b, g->name));
}

void fuzz_jitdump(struct fuzz_input *in)
{
	struct tr2_model *whole = read_dump(in->p, in->n), *m;
	uint32_t i;
	size_t n;

	for (n = 0; n < in->n; n++) {
		m = read_dump(in->p, n);
		fuzz_check(m->nr_code_functions <= whole->nr_code_functions,
			   "%zu bytes have more functions than all", n);
		for (i = 1; i < m->nr_code_functions; i++)
			fuzz_check(is_same(m, whole, i),
				   "%zu bytes have another function", n);
		tr2_model_free(m);
	}
	tr2_model_free(whole);
}
