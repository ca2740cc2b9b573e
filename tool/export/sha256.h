/* SPDX-License-Identifier: MIT */
/* sha256 - a hash for the ids of OpenTelemetry traces. */
/* sha256 - a hash for the ids of OpenTelemetry traces. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Compute SHA-256 (FIPS 180-4, section 6.2) of a text in memory, for the ids of
 * traces. Do not use this where it must resist an attacker.
 */
void tr2_sha256(const void *data, size_t size_bytes, uint8_t digest[32]);
