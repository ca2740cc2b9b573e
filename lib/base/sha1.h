/* SPDX-License-Identifier: MIT */
#ifndef TR2_BASE_SHA1_H
#define TR2_BASE_SHA1_H

#include <stddef.h>
#include <stdint.h>

/*
 * SHA-1 (FIPS 180-4, section 6.1) of a short text, for the host's part of a
 * session id. Not for anything that must resist an attacker.
 */
void tr2_sha1(const void *data, size_t size_bytes, uint8_t digest[20]);

#endif
