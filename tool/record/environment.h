/* SPDX-License-Identifier: MIT */
/*
 * environment - the recorded command's environment: ours, but for the
 * variables that say where its events go.
 */
#ifndef TR2_RECORD_ENVIRONMENT_H
#define TR2_RECORD_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

/* heed_discard: programs shall look for the file that stops them. NULL: no
 * memory. */
char **tr2_environment_new(const char *target, int64_t nest,
			   bool heed_discard);
void tr2_environment_free(char **env);

#endif
