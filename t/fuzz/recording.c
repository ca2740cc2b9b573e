/* SPDX-License-Identifier: MIT */
/* The files that `trace2 record` writes beside the events: meta.json up to a
 * line `---`, then tasks.jsonl. */
#include "format/recording/meta_read.h"
#include "fuzz.h"
#include "model/path/critical.h"

static char dir[256], meta[300], tasks[300];

static void clean_up(void)
{
	unlink(meta);
	unlink(tasks);
	rmdir(dir);
}

static void make_directory(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(dir, sizeof(dir), "%s/fuzz-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(dir)) {
		perror("fuzz: cannot make a directory");
		exit(1);
	}
	snprintf(meta, sizeof(meta), "%s/meta.json", dir);
	snprintf(tasks, sizeof(tasks), "%s/tasks.jsonl", dir);
	atexit(clean_up);
}

static void write_file(const char *path, const void *data, size_t n)
{
	FILE *f = fopen(path, "w");

	if (!f || (n && fwrite(data, 1, n, f) != n) || fclose(f)) {
		perror("fuzz: cannot write a file");
		exit(1);
	}
}

void fuzz_recording(struct fuzz_input *in)
{
	const unsigned char *cut = in->n ? memmem(in->p, in->n, "---\n", 4) :
					   NULL;
	size_t n = cut ? (size_t)(cut - in->p) : in->n;
	struct tr2_model *m = tr2_model_new();
	struct tr2_step *steps = NULL;

	if (!*dir)
		make_directory();

	write_file(meta, in->p, n);
	write_file(tasks, cut ? cut + 4 : in->p, cut ? in->n - n - 4 : 0);
	tr2_meta_load(m, dir);
	tr2_model_finish(m);
	if (m->nr_nodes > 1) {
		tr2_critical_path(m, 1, &steps);
		free(steps);
	}
	tr2_model_free(m);
}
