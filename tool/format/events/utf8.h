/* SPDX-License-Identifier: MIT */
/*
 * utf8 - check and repair text of an input.
 */
#pragma once

#include "base/buf.h"
#include "model/model.h"

/* Copy s[0..len) to `out`, with U+FFFD in place of every NUL and every byte
 * that is not UTF-8. Add `padding` newlines, which out->len does not
 * include. */
void tr2_utf8_repair(struct tr2_buf *out, const char *s, size_t len,
		     size_t padding);

bool tr2_utf8_valid(const char *s, size_t len);

/* Repair a text and add it to the strings of the model. */
tr2_str tr2_utf8_intern(struct tr2_model *m, const char *s, size_t len);
