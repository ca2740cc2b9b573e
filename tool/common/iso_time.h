/* SPDX-License-Identifier: MIT */
/* iso_time - parse ISO 8601 times. */
#ifndef TR2_COMMON_ISO_TIME_H
#define TR2_COMMON_ISO_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Parse an ISO 8601 time of any usual form into microseconds since 1970:
 * `2026-11-21T10:15:02.123456Z` as Git writes it, any number of digits, an
 * offset such as +01:00 or none (UTC), and the basic form of session ids,
 * `20261121T101502.123456Z`. false: no such time, or before 1970 or after 2115.
 */
bool tr2_parse_time(const char *s, size_t len, int64_t *wall_us);

#endif
