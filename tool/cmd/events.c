/* SPDX-License-Identifier: MIT */
/* events - print the list of `-e list`. */
#include "cmd/cmd.h"

#include "base/macros.h"
#include "common/options.h"
#include "out/table.h"
#include "perfevent/perfevent.h"
#include "record/kernel/counters.h"

static const char *kind_of(enum tr2_perfevent_pmu pmu)
{
	switch (pmu) {
	case TR2_PMU_HARDWARE:
		return "hardware";
	case TR2_PMU_SOFTWARE:
		return "software";
	case TR2_PMU_POWER:
		return "power";
	default:
		return "process";
	}
}

static const char *counted_here(const struct tr2_perfevent_name *row)
{
	struct tr2_perfevents list;
	struct tr2_perfevent ev;

	if (!tr2_perfevent_is_kernel(row->pmu))
		return "program";
	tr2_perfevents_init(&list, row->name);
	if (tr2_perfevents_next(&list, &ev) != TR2_PERFEVENT_OK)
		return "no";
	return tr2_event_works(&ev) ? "yes" : "no";
}

/* A row of the list: a name, or a pattern of names. */
struct row {
	const struct tr2_perfevent_name *known; /* the named event; NULL: the
						 * row is a pattern */
	const char *pattern, *about;
};

/* Show the name as the user writes it after -e. */
static void cell_name(struct tr2_table *t, const struct row *r)
{
	if (!r->known)
		tr2_cell_str(t, r->pattern);
	else if (tr2_perfevent_is_kernel(r->known->pmu))
		tr2_cell_str(t, r->known->name);
	else
		tr2_cell_strf(t, "%s/%s/", kind_of(r->known->pmu),
			      r->known->name);
}

static void cell_about(struct tr2_table *t, const struct row *r)
{
	bool has_alias = r->known && *r->known->alias;

	tr2_cell_strf(t, "%s%s%s", r->known ? r->known->about : r->about,
		      has_alias ? "; also " : "",
		      has_alias ? r->known->alias : "");
}

#define COLUMNS(COLUMN, DATA, TEXT) \
	COLUMN(event, "EVENT", TR2_COL_LEFT, cell_name(t, r)) \
	COLUMN(kind, "KIND", TR2_COL_LEFT | TR2_COL_SPARE, \
	       tr2_cell_str(t, r->known ? kind_of(r->known->pmu) : "pattern")) \
	COLUMN(unit, "UNIT", TR2_COL_LEFT, \
	       if (r->known && *r->known->unit) \
		       tr2_cell_str(t, r->known->unit)) \
	COLUMN(counted_here, "HERE", TR2_COL_LEFT, \
	       tr2_cell_str(t, r->known ? counted_here(r->known) : NULL)) \
	COLUMN(about, "WHAT IT COUNTS", TR2_COL_FLEX, cell_about(t, r))

TR2_COLUMN_LIST(columns, struct row, COLUMNS)

int tr2_events_list(void)
{
	static const struct row others[] = {
		{ NULL, "app/CATEGORY/NAME/",
		  "a counter that the program defines" },
		{ NULL, "app/CATEGORY/NAME:ns/", "a timer that the program "
						 "defines" },
		{ NULL, "SUBSYSTEM:EVENT", "a tracepoint of the kernel" },
		{ NULL, "DEVICE/TERMS/",
		  "an event of a device in /sys/bus/event_source" },
		{ NULL, "rN", "a raw event of the CPU, in hexadecimal" },
	};
	struct tr2_output out = { .format = tr2_common.format };
	struct row row = { NULL, NULL, NULL };
	struct tr2_table t = TR2_TABLE_OF(&out, "events", columns);
	size_t i;

	for (row.known = tr2_perfevent_names; *row.known->name;
	     row.known++)
		tr2_table_add(&t, &row);
	for (i = 0; i < ARRAY_SIZE(others); i++)
		tr2_table_add(&t, &others[i]);
	tr2_table_show(&t);
	return 0;
}
