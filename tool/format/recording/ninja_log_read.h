/* SPDX-License-Identifier: MIT */
/* ninja_log_read - read ninja's log of the commands of a build. */
#pragma once

#include "model/model.h"

/* Read the logs in DIR/targets that belong to the tasks from first_task on. */
void tr2_ninja_logs_load(struct tr2_model *m, const char *dir,
			 uint32_t first_task);
