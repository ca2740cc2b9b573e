/* SPDX-License-Identifier: MIT */
/*
 * option_value - parse the text of an option's value.
 */
#ifndef TR2_COMMON_OPTION_VALUE_H
#define TR2_COMMON_OPTION_VALUE_H

#include <stdbool.h>

struct tr2_option;

/*
 * Set the option's variable. text NULL: the option has no value. false: the
 * value is invalid.
 */
bool tr2_option_set(const struct tr2_option *o, const char *text);

/* Describe values of that kind (enum tr2_opt_kind), with examples. */
const char *tr2_option_form(int kind);

#endif
