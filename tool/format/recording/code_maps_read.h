/* SPDX-License-Identifier: MIT */
/* code_maps_read - read the functions that processes generated. */
#pragma once

#include "model/model.h"

/* Read the files in DIR/maps that belong to the tasks from first_task on. */
void tr2_code_maps_load(struct tr2_model *m, const char *dir,
			uint32_t first_task);
