/* SPDX-License-Identifier: MIT */
/* measures_sides - print where the two sides of a comparison were recorded, and
 * their losses and failures. */
#include "compare/measures.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "common/say.h"
#include "out/table.h"

struct side {
	const char *name;
	const struct tr2_measures *ms;
};

static void cell_origin(struct tr2_table *t, const struct side *side,
			enum tr2_origin_key key)
{
	tr2_cell_str(t, tr2_origin_text(&side->ms->origin, key));
}

static void cell_cpus(struct tr2_table *t, const struct side *r)
{
	const char *text = tr2_origin_text(&r->ms->origin, TR2_ORIGIN_CPUS);

	if (text && !r->ms->origin.mixed[TR2_ORIGIN_CPUS])
		tr2_cell_int(t, strtoll(text, NULL, 10));
	else
		tr2_cell_str(t, text);
}

#define COLUMNS(COLUMN, DATA, TEXT) \
	DATA(side, tr2_cell_str(t, r->name)) \
	DATA(runs, tr2_cell_uint(t, r->ms->nr_runs)) \
	DATA(failed, tr2_cell_uint(t, r->ms->nr_failed)) \
	DATA(lost, tr2_cell_uint(t, r->ms->lost)) \
	DATA(host, cell_origin(t, r, TR2_ORIGIN_HOST)) \
	DATA(machine, cell_origin(t, r, TR2_ORIGIN_MACHINE)) \
	DATA(cpus, cell_cpus(t, r)) \
	DATA(kernel, cell_origin(t, r, TR2_ORIGIN_KERNEL)) \
	DATA(trace2, cell_origin(t, r, TR2_ORIGIN_TRACE2))

TR2_COLUMN_LIST(columns, struct side, COLUMNS)

static void print_data(struct tr2_output *out, const struct tr2_measures *base,
		       const struct tr2_measures *new)
{
	struct tr2_table t = TR2_TABLE_OF(out, "sides", columns);

	tr2_table_add(&t, &(struct side){ "base", base });
	tr2_table_add(&t, &(struct side){ "new", new });
	tr2_table_finish(&t);
}

static void print_text(const struct tr2_origin *o, enum tr2_origin_key key,
		       bool md)
{
	const char *text = tr2_origin_text(o, key);
	struct tr2_buf b = TR2_BUF_INIT;

	tr2_text_add(&b, text, strlen(text));
	printf(md ? "`%s`" : "%s", tr2_buf_str(&b));
	tr2_buf_release(&b);
}

static void print_origins(const struct tr2_origin *base,
			  const struct tr2_origin *new, bool text)
{
	bool any = false;
	enum tr2_origin_key key;

	for (key = 0; key < TR2_ORIGIN_NR; key++) {
		if (!tr2_origin_differs(base, new, key))
			continue;
		if (!any)
			printf("%s%sThe two sides differ in how they were "
			       "made, which may explain the difference:\n%s",
			       text ? tr2_color_on(TR2_COLOR_WARM) : "",
			       text ? "" : "\n", text ? "" : "\n");
		any = true;
		printf("- %s: ", tr2_origin_keys[key]);
		print_text(base, key, !text);
		printf(" -> ");
		print_text(new, key, !text);
		puts("");
	}
	if (any && text)
		fputs(tr2_color_off(TR2_COLOR_WARM), stdout);
}

void tr2_sides_print(struct tr2_output *out, const struct tr2_measures *base,
		     const struct tr2_measures *new)
{
	if (out->format == TR2_FORMAT_JSON)
		print_data(out, base, new);
	else if (out->format != TR2_FORMAT_CSV)
		print_origins(&base->origin, &new->origin,
			      out->format == TR2_FORMAT_TEXT);
	fflush(stdout);
	if (base->lost || new->lost)
		tr2_warning("%llu events of the base and %llu of the new runs "
			    "were lost: results are incomplete",
			    (unsigned long long)base->lost,
			    (unsigned long long)new->lost);
	if (base->nr_failed || new->nr_failed)
		tr2_warning("%u of %u runs of the base and %u of %u new ones "
			    "failed: a run that fails may do less",
			    base->nr_failed, base->nr_runs, new->nr_failed,
			    new->nr_runs);
}
