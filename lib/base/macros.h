/* SPDX-License-Identifier: MIT */
/* macros - the number of an array's elements; which way a branch goes. */
#ifndef TR2_BASE_MACROS_H
#define TR2_BASE_MACROS_H

#define ARRAY_SIZE(array) (sizeof(array) / sizeof(*(array)))

#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

#endif
