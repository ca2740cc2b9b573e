/* SPDX-License-Identifier: MIT */
/*
 * kernel_file - DIR/kernel.data: the kernel's records, as the kernel wrote
 * them, in a perf.data file. Until the file is finished, it has no features,
 * and its header says that the size of its data is unknown. Such a file can be
 * read up to its end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "common/perf_file.h"

struct tr2_kernel_file {
	int fd;              /* -1: not open, or no more records are written */
	uint64_t bytes;      /* size of the whole records, and of everything
			      * before them */
	uint64_t begin;      /* size of everything before the records */
	uint64_t max_bytes;  /* 0: no limit */
	bool is_full;        /* no more records are written */
	uint64_t lost;       /* records that were not written */
	int error;           /* errno of the first failure */
	struct tr2_perf_file perf;
};

void tr2_kernel_file_init(struct tr2_kernel_file *file);
void tr2_kernel_file_release(struct tr2_kernel_file *file);

/* Begin the file on fd, which must be open for reading, too;
 * tr2_kernel_file_release() closes fd. Set file->perf before, and leave its
 * attributes unchanged until the file is finished. */
void tr2_kernel_file_begin(struct tr2_kernel_file *file, int fd);
/* Append nr_records whole records. */
void tr2_kernel_file_append(struct tr2_kernel_file *file, struct iovec *part,
			    int nr_parts, uint64_t nr_records);
/* Append the features, and set the size of the data. */
void tr2_kernel_file_finish(struct tr2_kernel_file *file);
