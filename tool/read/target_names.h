/* SPDX-License-Identifier: MIT */
/* target_names - read which command made which target of a build. */
#pragma once

#include "model/model.h"

/*
 * Add the commands in a file: the output of `make --trace`, or the JSON of
 * `ninja -t compdb`. "-" is standard input. Return false, after an error
 * message, if the file cannot be read or names no target.
 */
bool tr2_target_names_load(struct tr2_model *m, const char *path);
