/* SPDX-License-Identifier: MIT */
/* The files that `trace2 record` writes beside the events: meta.json up to a
 * line `---`, then tasks.jsonl. */
#include "format/read.h"
#include "format/recording/meta_read.h"
#include "fuzz.h"
#include "model/path/critical.h"

void fuzz_recording(struct fuzz_input *in)
{
	const unsigned char *cut = in->n ? memmem(in->p, in->n, "---\n", 4) :
					   NULL;
	size_t n = cut ? (size_t)(cut - in->p) : in->n;
	struct tr2_model *m = tr2_model_new();
	struct tr2_step *steps = NULL;

	fuzz_write("meta.json", in->p, n);
	fuzz_write("tasks.jsonl", cut ? cut + 4 : in->p,
		   cut ? in->n - n - 4 : 0);
	tr2_meta_load(m, fuzz_directory());
	tr2_model_finish(m);
	if (m->nr_nodes > 1) {
		tr2_critical_path(m, 1, &steps);
		free(steps);
	}
	tr2_model_free(m);
}
