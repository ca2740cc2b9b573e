/* SPDX-License-Identifier: MIT */
/*
 * The same module, linked with no library: it finds the calls in the program
 * that loads it.
 */
#include "metrics.c"
