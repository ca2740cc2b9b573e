/* SPDX-License-Identifier: MIT */
/* sha1 - a hash for the host's part of a session id. */
#ifndef TR2_BASE_SHA1_H
#define TR2_BASE_SHA1_H

#include <stddef.h>
#include <stdint.h>

/*
 * Compute SHA-1 (FIPS 180-4, section 6.1) of a short text, for the host's part
 * of a session id. Not secure against attackers.
 */
void tr2_sha1(const void *data, size_t size_bytes, uint8_t digest[20]);

#endif
