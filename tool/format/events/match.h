/* SPDX-License-Identifier: MIT */
/*
 * match - parse text that was rendered from a template of the table of events
 * back into its fields.
 */
#pragma once

#include "base/buf.h"
#include "model/parsed_event.h"

/*
 * Parse text[0..len) by the template into the fields of `ev`, whose kind is
 * set. The words of argv go to `scratch`, which must have room for twice len,
 * since it must not move while views point into it. false: the text does not
 * match the template; the fields before the mismatch are filled.
 */
bool tr2_match(struct tr2_parsed_event *ev, const char *template,
	       const char *text, size_t len, struct tr2_buf *scratch);
