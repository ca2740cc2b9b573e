/* SPDX-License-Identifier: MIT */
/*
 * json_members - read the members of a JSON object that the library wrote as the
 * value of a data_json event. It needs no parser of JSON: the text comes from a
 * reader that checked it, or from a ring; of invalid text it finds some members,
 * or none.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "event/span.h"
#include "model/view.h"

struct tr2_json_member {
	struct tr2_view key;
	/* A string without its quotes, and with its escapes; anything else as
	 * it is. */
	struct tr2_view value;
	bool is_string;
};

/* Read the next member, and move the text after it. At first, the text is that
 * of the whole object. false: there is none. */
bool tr2_json_next_member(struct tr2_view *text,
			  struct tr2_json_member *member);

/* Is this its key? */
bool tr2_json_member_is(const struct tr2_json_member *member, const char *key);

/* Take the value; false: it is no number, or does not fit. The text of the object
 * must go on behind the value. */
bool tr2_json_member_int(const struct tr2_json_member *member, int64_t *value);

/* Take `trace_id`, `span_id` and `parent_id`; false: it is another member. */
bool tr2_json_member_id(const struct tr2_json_member *member,
			struct tr2_context *self, uint64_t *parent);

/* Return the value of a string, which lies in the buffer. */
struct tr2_view tr2_json_member_text(const struct tr2_json_member *member,
				     struct tr2_buf *b);
