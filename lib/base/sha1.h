/* SPDX-License-Identifier: MIT */
/* sha1 - a hash for the host's part of a session id. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Compute SHA-1 (FIPS 180-4, section 6.1) of a short text, for the host's part
 * of a session id. Not secure against attackers.
 */
void tr2_sha1(const void *data, size_t size_bytes, uint8_t digest[20]);
