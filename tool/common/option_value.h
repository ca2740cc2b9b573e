/* SPDX-License-Identifier: MIT */
/*
 * option_value - the value of an option, from its text.
 */
#ifndef TR2_COMMON_OPTION_VALUE_H
#define TR2_COMMON_OPTION_VALUE_H

#include <stdbool.h>

struct tr2_option;

/* text NULL: the option stands without a value. false: not one of its kind. */
bool tr2_option_set(const struct tr2_option *o, const char *text);

#endif
