/* SPDX-License-Identifier: MIT */
/* local_time - local times of the coming year. */
#pragma once

#include <stdint.h>

/*
 * Return the seconds to add to UTC for local time. tr2_zone_load() reads the
 * rules once, from a file (so not in a signal handler). From then on,
 * tr2_zone_offset() is signal-safe and correct for a year.
 */
void tr2_zone_load(void);
long tr2_zone_offset(uint64_t wall_seconds);
