/* SPDX-License-Identifier: MIT */
/*
 * filter_options - the options that select processes and regions; model/filter.h
 * implements them.
 */
#ifndef TR2_COMMON_FILTER_OPTIONS_H
#define TR2_COMMON_FILTER_OPTIONS_H

#include <stdint.h>

struct tr2_filter {
	const char *cmd, *sid, *region; /* NULL: any */
	int64_t pid;                    /* -1: any */
	int64_t min_ns;                 /* 0: any */
	int64_t since_ns, until_ns; /* wall; INT64_MIN and INT64_MAX: any */
	int64_t depth;              /* -1: any */
};

#define TR2_FILTER_ANY                                                      \
	{                                                                   \
		.pid = -1, .depth = -1, .since_ns = INT64_MIN,              \
		.until_ns = INT64_MAX,                                      \
	}

#endif
