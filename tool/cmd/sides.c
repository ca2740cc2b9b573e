/* SPDX-License-Identifier: MIT */
#include "cmd/sides.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "common/options.h"
#include "common/say.h"
#include "out/table.h"

/* ---- as data -------------------------------------------------------------------- */

static const struct tr2_column columns[] = {
	{ "side", "", TR2_COL_DATA },	 { "runs", "", TR2_COL_DATA },
	{ "failed", "", TR2_COL_DATA },	 { "lost", "", TR2_COL_DATA },
	{ "host", "", TR2_COL_DATA },	 { "machine", "", TR2_COL_DATA },
	{ "cpus", "", TR2_COL_DATA },	 { "kernel", "", TR2_COL_DATA },
	{ "trace2", "", TR2_COL_DATA },
};

static void add_side(struct tr2_table *t, const char *name,
		     const struct tr2_measures *ms)
{
	const char *text;
	int key;

	tr2_table_row(t);
	tr2_cell_str(t, name);
	tr2_cell_uint(t, ms->nr_runs);
	tr2_cell_uint(t, ms->nr_failed);
	tr2_cell_uint(t, ms->lost);
	for (key = 0; key < TR2_ORIGIN_NR; key++) {
		text = tr2_origin_text(&ms->origin, (enum tr2_origin_key)key);
		if (text && key == TR2_ORIGIN_CPUS && !ms->origin.mixed[key])
			tr2_cell_int(t, strtoll(text, NULL, 10));
		else
			tr2_cell_str(t, text);
	}
}

static void print_data(const struct tr2_measures *base,
		       const struct tr2_measures *new)
{
	struct tr2_table t;

	tr2_table_init(&t, "sides", columns,
		       sizeof(columns) / sizeof(*columns));
	add_side(&t, "base", base);
	add_side(&t, "new", new);
	tr2_table_print(&t);
	tr2_table_release(&t);
}

/* ---- as lines ------------------------------------------------------------------- */

static void print_text(const struct tr2_origin *o, enum tr2_origin_key key)
{
	bool md = tr2_common.format == TR2_FORMAT_MARKDOWN;
	const char *text = tr2_origin_text(o, key);
	struct tr2_buf b = TR2_BUF_INIT;

	tr2_text_add(&b, text, strlen(text));
	printf(md ? "`%s`" : "%s", tr2_buf_str(&b));
	tr2_buf_release(&b);
}

static void print_origins(const struct tr2_origin *base,
			  const struct tr2_origin *new)
{
	bool text = tr2_common.format == TR2_FORMAT_TEXT, any = false;
	enum tr2_origin_key key;

	for (key = 0; key < TR2_ORIGIN_NR; key++) {
		if (!tr2_origin_differs(base, new, key))
			continue;
		if (!any)
			printf("%s%sThe sides were not made alike, and that "
			       "may be the difference:\n%s",
			       text ? tr2_color_on(TR2_COLOR_WARM) : "",
			       text ? "" : "\n", text ? "" : "\n");
		any = true;
		printf("- %s: ", tr2_origin_keys[key]);
		print_text(base, key);
		printf(" -> ");
		print_text(new, key);
		puts("");
	}
	if (any && text)
		fputs(tr2_color_off(TR2_COLOR_WARM), stdout);
}

void tr2_sides_print(const struct tr2_measures *base,
		     const struct tr2_measures *new)
{
	if (tr2_common.format == TR2_FORMAT_JSON)
		print_data(base, new);
	else if (tr2_common.format != TR2_FORMAT_CSV)
		print_origins(&base->origin, &new->origin);
	fflush(stdout);
	if (base->lost || new->lost)
		tr2_warning("%llu events of the base and %llu of the new runs "
			    "were lost: what they tell is not whole",
			    (unsigned long long)base->lost,
			    (unsigned long long)new->lost);
	if (base->nr_failed || new->nr_failed)
		tr2_warning("%u of %u runs of the base and %u of %u new ones "
			    "failed: what fails may do less",
			    base->nr_failed, base->nr_runs, new->nr_failed,
			    new->nr_runs);
}
