/* SPDX-License-Identifier: MIT */
/*
 * json_plain - parse a line with one JSON object of plain members, several times
 * faster than a general parser. It accepts a small subset of JSON: no space,
 * strings of printable ASCII, without escapes except \" and \\ in arrays,
 * decimal numbers of at most 18 digits, true and false, arrays of strings.
 */
#ifndef TR2_FORMAT_EVENTS_JSON_PLAIN_H
#define TR2_FORMAT_EVENTS_JSON_PLAIN_H

#include "format/events/json.h"

/* Like tr2_json_object(); words are copied to `scratch`, and TR2_JSON_PADDING
 * bytes after the text are readable, of which the first ends a line. false: the
 * general parser must parse it, and `member` may have been called for a part of
 * it. */
bool tr2_json_plain(const char *text, size_t len, struct tr2_buf *scratch,
		    tr2_json_member_fn *member, void *data);

#endif
