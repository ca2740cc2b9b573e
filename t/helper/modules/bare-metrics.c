/* SPDX-License-Identifier: MIT */
/*
 * The module of metrics.c, linked without the library: it uses the calls of the
 * program that loads it.
 */
#include "metrics.c"
