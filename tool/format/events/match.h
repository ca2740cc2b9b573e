/* SPDX-License-Identifier: MIT */
/*
 * match - parse text that was rendered from a template of the table of events,
 * and set the event's fields.
 */
#pragma once

#include "base/buf.h"
#include "model/parsed_event.h"

/*
 * Parse text[0..len) by the template into the fields of `ev`, whose kind must
 * be set. The words of argv are put into `scratch`. This buffer must have room
 * for 2 * len bytes, as it must not move while views point into it. Return
 * false if the text does not match the template; the fields before the mismatch
 * are set.
 */
bool tr2_match(struct tr2_parsed_event *ev, const char *template,
	       const char *text, size_t len, struct tr2_buf *scratch);
