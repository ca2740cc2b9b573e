/* SPDX-License-Identifier: MIT */
/* ninja_hash - the hash of a command, as in the log of ninja. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Return the hash of a command in a log of this version: MurmurHash64A in 5 and
 * 6, rapidhash in 7. */
uint64_t tr2_ninja_hash(unsigned int version, const char *command, size_t len);
