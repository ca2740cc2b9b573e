/* SPDX-License-Identifier: MIT */
/*
 * files - open each mapped file once, if it is still the file that was mapped.
 */
#pragma once

#include "common/map.h"
#include "model/model.h"
#include "samples/elf.h"

/* A build of a file. A file without a build id is a different one for each
 * process, except for processes between which the file did not change. */
struct tr2_samples_file {
	tr2_str path;
	struct tr2_build_id id;
	struct tr2_elf *elf; /* NULL: no symbols */
	const char *why; /* why its functions have no names; NULL: unknown */
	bool is_generated; /* not a file, but code that the program generated */
	bool is_nameless; /* some function that was looked up has no name */
	uint32_t nr_nameless; /* samples in such functions */
};

/* Initialize it with zeros. */
struct tr2_samples_files {
	struct tr2_samples_file *file;
	uint32_t nr, alloc;
	struct tr2_map by_key, by_path;
};

/* Return the index of the mapping's file. */
uint32_t tr2_samples_file(struct tr2_samples_files *files,
			  const struct tr2_model *m,
			  const struct tr2_mapping *mapping);
void tr2_samples_files_release(struct tr2_samples_files *files);
