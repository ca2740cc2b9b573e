/* SPDX-License-Identifier: MIT */
/*
 * TR2_CHECK(condition): what the library itself must have got right, never what
 * a caller, the system or a file may get wrong. A developer's build aborts
 * where it does not hold; any other goes on.
 */
#ifndef TR2_BASE_CHECK_H
#define TR2_BASE_CHECK_H

#ifdef TR2_DEVELOPER
#define TR2_CHECK(condition) ((condition) ? (void)0 : __builtin_trap())
#else
#define TR2_CHECK(condition) ((void)sizeof(!(condition)))
#endif

#endif
