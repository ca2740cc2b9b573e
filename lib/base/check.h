/* SPDX-License-Identifier: MIT */
/*
 * TR2_CHECK(condition): an invariant of the library itself, never of input from
 * a caller, the system or a file. If the condition is false, a developer's
 * build aborts; other builds continue.
 */
#pragma once

#ifdef TR2_DEVELOPER
#define TR2_CHECK(condition) ((condition) ? (void)0 : __builtin_trap())
#else
#define TR2_CHECK(condition) ((void)sizeof(!(condition)))
#endif
