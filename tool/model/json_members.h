/* SPDX-License-Identifier: MIT */
/*
 * json_members - read the members of a JSON object that the library wrote as
 * the value of a data_json event. No full parser is needed: the text comes from
 * a reader that checked it, or from a ring. In an invalid text, some members or
 * none are found.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "event/span.h"
#include "model/view.h"

struct tr2_json_member {
	struct tr2_view key;
	/* The value's text: a string without its quotes, but with its escapes;
	 * any other value unchanged. */
	struct tr2_view value;
	bool is_string;
};

/* Read the next member, and advance *text after it. At first, *text is the
 * whole object. false: there are no more members. */
bool tr2_json_next_member(struct tr2_view *text,
			  struct tr2_json_member *member);

/* Does the member have this key? */
bool tr2_json_member_is(const struct tr2_json_member *member, const char *key);

/* Read the value as a number. Return false if it is not a number, or does not
 * fit. The object's text must not end directly after the value. */
bool tr2_json_member_int(const struct tr2_json_member *member, int64_t *value);

/* Read the member if it is `trace_id`, `span_id` or `parent_id`, else return
 * false. */
bool tr2_json_member_id(const struct tr2_json_member *member,
			struct tr2_context *self, uint64_t *parent);

/* Return the value of a string member without escapes. The buffer b holds the
 * text. */
struct tr2_view tr2_json_member_text(const struct tr2_json_member *member,
				     struct tr2_buf *b);
