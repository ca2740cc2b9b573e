/* SPDX-License-Identifier: MIT */
/* ours - calls of the library, under names that Git does not have. */
#pragma once

#include <stddef.h>

void ours_start(const char **argv);
int ours_exit(void);

/* Each makes n calls. */
void ours_region(size_t n);
void ours_data(size_t n);
void ours_message(size_t n);
