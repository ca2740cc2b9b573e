/* SPDX-License-Identifier: MIT */
/*
 * The same module linked without the library: it uses the calls of the program
 * that loads it.
 */
#include "metrics.c"
