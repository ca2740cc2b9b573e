/* SPDX-License-Identifier: MIT */
/*
 * control_request - the settings of a running process that others may change,
 * in the lines that config/control_block.h describes. One thread at a time.
 */
#pragma once

#include <stdbool.h>

#include "target/target.h"

#define TR2_CONTROL_VALUE 1024
#define TR2_CONTROL_NR TR2_TARGET_ring /* the number of targets before the
					* ring */
_Static_assert(TR2_CONTROL_NR == TR2_TARGET_NR - 1, "the ring is last");

/* The settings of a request; they count when all are valid. */
struct tr2_control_wish {
	bool has_target[TR2_CONTROL_NR];
	bool has_brief[TR2_CONTROL_NR], brief[TR2_CONTROL_NR];
	char target[TR2_CONTROL_NR][TR2_CONTROL_VALUE];
	int nesting; /* 0: not set */
	bool reopen, flush, has_settings, record;
	char restore[TR2_CONTROL_VALUE]; /* "": nothing */
};

/* Parse a request; it changes the text. false: a line is not valid. */
bool tr2_control_parse(struct tr2_control_wish *r, char *text);

/* Return whether the request changes settings. */
bool tr2_control_is_change(const struct tr2_control_wish *r);

/* Change the settings, while no destination is open. true: there is a target to
 * open. */
bool tr2_control_change(const struct tr2_control_wish *r);

/* Return whether the request switches on a target that is off. */
bool tr2_control_is_missing(const struct tr2_control_wish *r);

/* Release the texts of the settings. */
void tr2_control_release_settings(void);
