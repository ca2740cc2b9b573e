/* SPDX-License-Identifier: MIT */
/*
 * time - a time that is not known.
 */
#ifndef TR2_COMMON_TIME_H
#define TR2_COMMON_TIME_H

#include <stdint.h>

#define TR2_NO_TIME INT64_MIN

#endif
