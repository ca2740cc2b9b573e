/* SPDX-License-Identifier: MIT */
/* test-tool events json: one object, for jq. */
#include "cmd-events.h"

static const char *before;

static void string(const char *key, const char *s)
{
	printf(",\"%s\":", key);
	if (!s) {
		fputs("null", stdout);
		return;
	}
	putchar('"');
	tool_print_escaped(s, "\"\\");
	putchar('"');
}

static void fields(const struct tr2_field *f)
{
	const char *separator = "";

	for (; *f->name; f++) {
		printf("%s{\"name\":\"%s\",\"type\":\"%s\",\"flags\":[",
		       separator, f->name, tool_event_types[f->type].name);
		tool_print_flags(f->flags, tool_field_flags,
				 ARRAY_SIZE(tool_field_flags), tool_flag_name,
				 "\"", ",");
		printf("]}");
		separator = ",";
	}
}

static void begin(void)
{
	printf("{\"head\":[");
	fields(tool_event_head);
	printf("],\"events\":[");
	before = "\n";
}

static void event(const struct tr2_event_row *row)
{
	const struct tr2_event_text text = tool_event_text(row);

	printf("%s{\"name\":\"%s\",\"flags\":[", before, row->name);
	tool_print_flags(row->flags, tool_event_flags,
			 ARRAY_SIZE(tool_event_flags), tool_flag_name, "\"",
			 ",");
	printf("],\"fields\":[");
	fields(row->field);
	putchar(']');
	string("normal", text.normal);
	string("perf_category", text.perf_category);
	string("perf_message", text.perf_message);
	putchar('}');
	before = ",\n";
}

static void end(void)
{
	printf("\n]}\n");
}

const struct tool_events_form tool_events_json = { "json", begin, event, end };
