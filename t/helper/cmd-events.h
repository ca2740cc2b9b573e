/* SPDX-License-Identifier: MIT */
/* The forms of `test-tool events`, and their shared parts. */
#pragma once

#include "base/macros.h"
#include "event/event.h"
#include "test-tool.h"

/* A form in which events are printed; each file cmd-events-FORM.c defines
 * one. */
struct tool_events_form {
	const char *name;
	void (*begin)(void);
	void (*event)(const struct tr2_event_row *row);
	void (*end)(void);
};

extern const struct tool_events_form tool_events_perl, tool_events_adoc,
	tool_events_json;

static inline struct tr2_event_text
tool_event_text(const struct tr2_event_row *row)
{
	return tr2_event_text((enum tr2_event_kind)(row - tr2_event_rows));
}

/* A name in the table, and its description in the manual. */
struct tool_word {
	const char *name, *text;
};

/* The fields that all events have, before those of their row. */
extern const struct tr2_field tool_event_head[];
extern const struct tool_word tool_event_types[TR2_T_NESTING + 1];
/* The flags, at the index of their bit. */
extern const struct tool_word tool_event_flags[4], tool_field_flags[4];

const char *tool_flag_name(const struct tool_word *word);
const char *tool_flag_text(const struct tool_word *word);
/* Print the words of the bits in `flags`, each between `quote`s. */
void tool_print_flags(unsigned int flags, const struct tool_word *words,
		      size_t nr, const char *(*get)(const struct tool_word *),
		      const char *quote, const char *separator);
/* Print `s` with a backslash before each of the characters in `special`. */
void tool_print_escaped(const char *s, const char *special);
