/* SPDX-License-Identifier: MIT */
/*
 * view - text and numbers as readers pass them. They are in the reader's
 * memory, valid until the reader goes on.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Valid UTF-8, without a NUL at the end. p is NULL if there is no text. */
struct tr2_view {
	const char *p;
	size_t len;
};

struct tr2_words_view {
	const char *p; /* each ended by a NUL */
	size_t len;
	uint32_t nr;
};

/* The value of an absent number. */
#define TR2_ABSENT INT64_MIN
