/* SPDX-License-Identifier: MIT */
/*
 * files - the files that were mapped, each opened once if it is the one that
 * ran still.
 */
#ifndef TR2_SAMPLES_FILES_H
#define TR2_SAMPLES_FILES_H

#include "common/map.h"
#include "model/model.h"
#include "samples/elf.h"

/* A build of a file; one that has no id is another for each process, but for
 * those between which it was not changed. */
struct tr2_samples_file {
	tr2_str path;
	struct tr2_build_id id;
	struct tr2_elf *elf; /* NULL: it names nothing */
	const char *why; /* NULL: it names all that was asked for */
};

/* Zeroed is initialised. */
struct tr2_samples_files {
	struct tr2_samples_file *file;
	uint32_t nr, alloc;
	struct tr2_map by_key, by_path;
};

/* Its place. UINT32_MAX: no memory. */
uint32_t tr2_samples_file(struct tr2_samples_files *files,
			  const struct tr2_model *m,
			  const struct tr2_mapping *mapping);
void tr2_samples_files_release(struct tr2_samples_files *files);

#endif
