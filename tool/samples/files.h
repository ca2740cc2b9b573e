/* SPDX-License-Identifier: MIT */
/*
 * files - open each mapped file once, if it is still the file that was mapped.
 */
#pragma once

#include "common/map.h"
#include "model/model.h"
#include "samples/elf.h"

/* A build of a file. Without a build id, each process has its own, except
 * processes between which the file was not changed. */
struct tr2_samples_file {
	tr2_str path;
	struct tr2_build_id id;
	struct tr2_elf *elf; /* NULL: no symbols */
	const char *why; /* why functions have no names; NULL: unknown */
	bool is_nameless; /* a function that was looked up has none */
	uint32_t nr_nameless; /* samples in such functions */
};

/* Zeroed means initialised. */
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
