/* SPDX-License-Identifier: MIT */
/*
 * meta_keys - the values of meta.json by key. The rows of meta.def make this
 * reader and the writer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/events/json.h"
#include "model/view.h"

#define TR2_META_VERSION 1

/*
 * The types of the members. A number is -1 if it is absent or does not fit. An
 * absent text, JSON or list of words has length 0. TEXT is decoded; JSON is as
 * in the file.
 */
#define TR2_META_IS_NUMBER(key) int64_t key;
#define TR2_META_IS_TEXT(key) struct tr2_view key;
#define TR2_META_IS_JSON(key) struct tr2_view key;
#define TR2_META_IS_WORDS(key) struct tr2_words_view key;
#define TR2_META_IS_OBJECT(key)

struct tr2_meta_keys {
	struct {
#define TR2_META_OPTION(key, value, meaning) int64_t key;
#include "format/recording/meta.def"
	} options;
	struct {
#define TR2_META_LOSS(key, value, meaning) int64_t key;
#include "format/recording/meta.def"
	} losses;
	struct {
#define TR2_META_USAGE(key, value, name, unit) int64_t key;
#include "format/recording/meta.def"
	} rusage;
	struct {
#define TR2_META_IO(key, field, name, unit) int64_t key;
#include "format/recording/meta.def"
	} io;
#define TR2_META(key, type, when, value, meaning) TR2_META_IS_##type(key)
#include "format/recording/meta.def"
};

#undef TR2_META_IS_NUMBER
#undef TR2_META_IS_TEXT
#undef TR2_META_IS_JSON
#undef TR2_META_IS_WORDS
#undef TR2_META_IS_OBJECT

/* Read meta.json. The views are valid until the next use of `json`. Return
 * false, with empty `keys`, if the text is not a JSON object. */
bool tr2_meta_keys_read(struct tr2_meta_keys *keys, struct tr2_json *json,
			const char *text, size_t len);

/* Is the text equal to `want`? */
bool tr2_meta_text_is(const struct tr2_view *text, const char *want);
