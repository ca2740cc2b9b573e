/* SPDX-License-Identifier: MIT */
/*
 * match - a text that was rendered from a template of the table of events,
 * back into its fields.
 */
#ifndef TR2_READ_MATCH_H
#define TR2_READ_MATCH_H

#include "base/buf.h"
#include "model/parsed_event.h"

/*
 * Takes text[0..len) apart by the template and fills the fields of `ev`, whose
 * kind is set; argv words go to `scratch`, which must have room for
 * twice len (it must not move while views into it are held). false: the text
 * does not fit the template; what fitted before is filled.
 */
bool tr2_match(struct tr2_parsed_event *ev, const char *template,
	       const char *text, size_t len, struct tr2_buf *scratch);

#endif
