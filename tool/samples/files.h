/* SPDX-License-Identifier: MIT */
/*
 * files - open each mapped file once, if it is still the file that was mapped.
 */
#pragma once

#include "common/map.h"
#include "model/model.h"
#include "samples/elf.h"

/* One build of a file. A file without a build id counts as a new build for each
 * process, unless it did not change between the processes. */
struct tr2_samples_file {
	tr2_str path;
	struct tr2_build_id id;
	struct tr2_elf *elf; /* symbols of the file; NULL: no symbols */
	const char *why; /* reason why functions of the file have no names;
			  * NULL: unknown */
	bool is_generated; /* code that the program generated, instead of a
			    * file */
	bool is_nameless; /* a function that was looked up has no name */
	uint32_t nr_nameless; /* number of samples in functions without a
			       * name */
};

/* Initialize the struct with zeros. */
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
