/* SPDX-License-Identifier: MIT */
#include "cmd/events.h"

#include <string.h>

#include "perfevent/perfevent.h"
#include "cmd/node.h"
#include "record/counters.h"

static const char *kind_of(enum tr2_perfevent_pmu pmu)
{
	switch (pmu) {
	case TR2_PMU_HARDWARE:
		return "hardware";
	case TR2_PMU_SOFTWARE:
		return "software";
	case TR2_PMU_POWER:
		return "power";
	case TR2_PMU_PROCESS:
		return "process";
	default:
		return "other";
	}
}

/* As it is written after -e. */
static void add_name(struct tr2_table *t, const struct tr2_perfevent_name *row)
{
	struct tr2_buf b = TR2_BUF_INIT;
	bool kernel = tr2_perfevent_is_kernel(row->pmu);

	if (!kernel) {
		tr2_buf_addstr(&b, kind_of(row->pmu));
		tr2_buf_addch(&b, '/');
	}
	tr2_buf_addstr(&b, row->name);
	if (!kernel)
		tr2_buf_addch(&b, '/');
	tr2_cell_str(t, tr2_buf_str(&b));
	tr2_buf_release(&b);
}

static void add_about(struct tr2_table *t, const struct tr2_perfevent_name *row)
{
	struct tr2_buf b = TR2_BUF_INIT;

	tr2_buf_addstr(&b, row->about);
	if (row->alias) {
		tr2_buf_addlit(&b, "; also ");
		tr2_buf_addstr(&b, row->alias);
	}
	tr2_cell_str(t, tr2_buf_str(&b));
	tr2_buf_release(&b);
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

int tr2_events_list(void)
{
	static const struct tr2_column columns[] = {
		{ "event", "EVENT", TR2_COL_LEFT },
		{ "kind", "KIND", TR2_COL_LEFT | TR2_COL_SPARE },
		{ "unit", "UNIT", TR2_COL_LEFT },
		{ "counted_here", "HERE", TR2_COL_LEFT },
		{ "about", "WHAT IT COUNTS", TR2_COL_FLEX },
	};
	static const char *const others[][2] = {
		{ "app/CATEGORY/NAME/", "a counter that the program defines" },
		{ "app/CATEGORY/NAME:ns/", "a timer that it defines" },
		{ "SUBSYSTEM:EVENT", "a tracepoint of the kernel" },
		{ "DEVICE/TERMS/", "an event of a device in "
		  "/sys/bus/event_source" },
		{ "rN", "a raw event of the CPU, in hexadecimal" },
	};
	const struct tr2_perfevent_name *row;
	struct tr2_table t;
	size_t i;

	tr2_table_init(&t, "events", columns,
		       sizeof(columns) / sizeof(*columns));
	for (row = tr2_perfevent_names; row->name; row++) {
		tr2_table_row(&t);
		add_name(&t, row);
		tr2_cell_str(&t, kind_of(row->pmu));
		tr2_cell_str(&t, *row->unit ? row->unit : NULL);
		tr2_cell_str(&t, counted_here(row));
		add_about(&t, row);
	}
	for (i = 0; i < sizeof(others) / sizeof(*others); i++) {
		tr2_table_row(&t);
		tr2_cell_str(&t, others[i][0]);
		tr2_cell_str(&t, "pattern");
		tr2_cell_none(&t);
		tr2_cell_none(&t);
		tr2_cell_str(&t, others[i][1]);
	}
	tr2_table_show(&t);
	return 0;
}
