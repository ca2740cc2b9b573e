/* SPDX-License-Identifier: MIT */
/* kinds - the kinds of metrics, by their numbers in rings and in the model. */
#pragma once

enum tr2_definition_kind {
	TR2_DEFINITION_NONE,
	TR2_DEFINITION_EVENT = 3, /* the event of samples; it has no cell, and
				   * its id is `flags`:`index` */
#define TR2_METRIC_KIND(KIND, kind, number, ...) \
	TR2_DEFINITION_##KIND = number,
#include "arena/kinds.def"
	TR2_DEFINITION_KINDS
};
