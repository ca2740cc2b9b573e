/* SPDX-License-Identifier: MIT */
/*
 * view - text and numbers as readers pass them. Texts are in the reader's
 * memory, and valid until the reader goes on.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A text in valid UTF-8, without a NUL at the end. p is NULL if there is no
 * text. */
struct tr2_view {
	const char *p;
	size_t len;
};

struct tr2_words_view {
	const char *p; /* the words, each ended by a NUL */
	size_t len;
	uint32_t nr;
};

/* The value of an absent number. */
#define TR2_ABSENT INT64_MIN
