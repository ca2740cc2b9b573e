/* SPDX-License-Identifier: MIT */
/* test-tool events adoc: tables for the manual. */
#include "cmd-events.h"

static void fields(const char *event, const struct tr2_field *f)
{
	if (!*f->name)
		printf("|%s\n|\n|\n|\n", event);
	for (; *f->name; f++) {
		printf("|%s\n|%s\n|%s\n|", event, f->name,
		       tool_event_types[f->type].text);
		tool_print_flags(f->flags, tool_field_flags,
				 ARRAY_SIZE(tool_field_flags), tool_flag_text,
				 "", ", ");
		putchar('\n');
		event = "";
	}
}

/* Print a template as a literal, so that asciidoc takes no braces for
 * attributes. */
static void template(const char *target, const char *template)
{
	if (template)
		printf("%s: `+%s+`", target, template);
}

static void text(const struct tr2_event_row *row)
{
	const struct tr2_event_text t = tool_event_text(row);
	unsigned int times = row->flags & (TR2_E_T_ABS | TR2_E_T_REL);

	if (!t.normal && !t.perf_message)
		return;
	printf("`%s`::\n", row->name);
	template("normal", t.normal);
	if (t.normal && t.perf_message)
		printf(" +\n");
	template("perf", t.perf_message);
	template("; category", t.perf_category);
	if (t.perf_message && times) {
		printf("; times: ");
		tool_print_flags(times, tool_event_flags,
				 ARRAY_SIZE(tool_event_flags), tool_flag_text,
				 "", " ");
	}
	putchar('\n');
}

static void begin(void)
{
	printf(".Fields of the event target, in their order\n"
	       "[cols=\"3m,3m,4,4\",options=\"header\"]\n"
	       "|===\n"
	       "|Event |Field |Type |Notes\n\n");
	fields("(every event)", tool_event_head);
}

static void event(const struct tr2_event_row *row)
{
	fields(row->name, row->field);
}

static void end(void)
{
	printf("|===\n\n"
	       ".What the text targets show\n");
	for (size_t i = 0; i < TR2_EVENT_NR; i++)
		text(&tr2_event_rows[i]);
}

const struct tool_events_form tool_events_adoc = { "adoc", begin, event, end };
