/* SPDX-License-Identifier: MIT */
/* test-tool events tsv: a line per field, for cut and awk. */
#include <stdio.h>

#include "cmd-events.h"

static void begin(void)
{
	printf("event\tfield\ttype\tflags\n");
}

/* One line per field; an event without fields has one line with empty
 * columns. */
static void event(const struct tr2_event_row *row)
{
	const struct tr2_field *f = row->field;

	if (!*f->name)
		printf("%s\t\t\t\n", row->name);
	for (; *f->name; f++) {
		printf("%s\t%s\t%s\t", row->name, f->name,
		       tool_event_types[f->type].name);
		tool_print_flags(f->flags, tool_field_flags,
				 ARRAY_SIZE(tool_field_flags), tool_flag_name,
				 "", ",");
		putchar('\n');
	}
}

static void end(void)
{
}

const struct tool_events_form tool_events_tsv = { "tsv", begin, event, end };
