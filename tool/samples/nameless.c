/* SPDX-License-Identifier: MIT */
/* nameless - list files whose functions have no names, by the number of
 * samples. */
#include "samples/nameless.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/order.h"
#include "common/say.h"
#include "common/words.h"
#include "out/units.h"

/* The number of files that a warning names. */
#define MOST_NAMES 3

/* A path of files without names. All builds at the path are counted
 * together. */
struct nameless {
	const char *path, *why;
	uint32_t nr_samples;
};

struct list {
	struct nameless *file;
	uint32_t nr, alloc, nr_samples;
};

TR2_ORDER(compare, struct nameless,
	  strcmp(a->why, b->why) ?: TR2_DOWN(nr_samples) ?:
	  strcmp(a->path, b->path))

static void add_file(struct list *list, const char *path,
		     const struct tr2_samples_file *file)
{
	uint32_t i;

	for (i = 0; i < list->nr; i++)
		if (!strcmp(list->file[i].path, path) &&
		    !strcmp(list->file[i].why, file->why))
			break;
	if (i == list->nr) {
		tr2_grow(list->file, list->nr, list->alloc);
		list->file[list->nr++] = (struct nameless){ path, file->why,
							    0 };
	}
	list->file[i].nr_samples += file->nr_nameless;
}

static const char *share_of(const struct list *list, uint32_t nr_samples)
{
	return tr2_share_text(list->nr_samples ? (double)nr_samples /
						 list->nr_samples : 0);
}

/* Append the names of the files with one reason. */
static void add_names(struct tr2_buf *b, const struct list *list,
		      const struct nameless *file, uint32_t nr)
{
	uint32_t i;

	if (nr == 1)
		tr2_addf(b, "'%s'", file->path);
	for (i = 0; nr > 1 && i < nr && i < MOST_NAMES; i++)
		tr2_addf(b, "%s%s (%s)", !i ? "" : i + 1 == nr ? " and " : ", ",
			 tr2_base_name(file[i].path),
			 share_of(list, file[i].nr_samples));
	if (nr > MOST_NAMES)
		tr2_addf(b, " and %u more", nr - MOST_NAMES);
}

/* Print the warning for one reason. If only callers have no names, the number
 * of samples is 0. */
static void explain_file(const struct list *list, const struct nameless *file,
			 uint32_t nr)
{
	struct tr2_buf *names = tr2_next_text();
	uint32_t i, nr_samples = 0;

	for (i = 0; i < nr; i++)
		nr_samples += file[i].nr_samples;
	add_names(names, list, file, nr);
	if (nr_samples)
		tr2_warning("%s of the samples are in functions without names, "
			    "of %s: %s", share_of(list, nr_samples),
			    tr2_buf_str(names), file->why);
	else
		tr2_warning("no samples, but callers are in functions without "
			    "names, of %s: %s", tr2_buf_str(names), file->why);
}

void tr2_nameless_explain(const struct tr2_samples_files *files,
			  const struct tr2_model *m, uint32_t nr_samples)
{
	struct list list = { .nr_samples = nr_samples };
	uint32_t i, first;

	for (i = 0; i < files->nr; i++)
		if (files->file[i].is_nameless && files->file[i].why)
			add_file(&list, tr2_s(m, files->file[i].path),
				 &files->file[i]);
	if (list.nr)
		qsort(list.file, list.nr, sizeof(*list.file), compare);
	for (first = 0; first < list.nr; first = i) {
		for (i = first; i < list.nr; i++)
			if (strcmp(list.file[i].why, list.file[first].why))
				break;
		explain_file(&list, &list.file[first], i - first);
	}
	free(list.file);
}
