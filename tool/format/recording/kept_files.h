/* SPDX-License-Identifier: MIT */
/* kept_files - read the files of a recording that recorded processes wrote. */
#pragma once

#include "model/model.h"

typedef void tr2_kept_file_fn(struct tr2_model *m, uint32_t task, int fd,
			      const char *path);

/* Read each file DIR/DIRECTORY/PID-START.SUFFIX that belongs to a task from
 * first_task on. */
void tr2_kept_files_load(struct tr2_model *m, const char *dir,
			 const char *directory, uint32_t first_task,
			 tr2_kept_file_fn *read_file);
