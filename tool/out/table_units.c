/* SPDX-License-Identifier: MIT */
/*
 * table_units - choose the unit of the durations in a table. All durations have
 * one unit and one number of decimals, so that a reader can compare them at a
 * glance. Durations of single calls (TR2_COL_SINGLE) have a unit of their own.
 * Headings show the unit, except in a column that also has other numbers.
 */
#include <string.h>

#include "out/table_private.h"

static struct tr2_durations *durations_of(struct tr2_units *u,
					  unsigned int flags)
{
	return &u->of[flags & TR2_COL_SINGLE ? 1 : 0];
}

void tr2_units_see(struct tr2_units *u, unsigned int flags,
		   const struct tr2_cell *cell)
{
	struct tr2_durations *d = durations_of(u, flags);
	uint64_t ns;

	if (cell->kind != TR2_CELL_NS)
		return;
	ns = cell->i < 0 ? -(uint64_t)cell->i : (uint64_t)cell->i;
	if (ns > d->largest)
		d->largest = ns;
	if (ns && (ns < d->smallest || !d->smallest))
		d->smallest = ns;
	d->has_ns |= ns % 1000 != 0;
}

void tr2_units_choose(struct tr2_units *u)
{
	tr2_unit_choose(&u->unit[0], u->of[0].largest, 0, u->of[0].has_ns);
	tr2_unit_choose(&u->unit[1], u->of[1].largest, u->of[1].smallest,
			u->of[1].has_ns);
}

const struct tr2_unit *tr2_units_of(const struct tr2_units *u,
				    unsigned int flags)
{
	return &u->unit[flags & TR2_COL_SINGLE ? 1 : 0];
}

void tr2_column_see(struct tr2_column_use *c, unsigned int flags,
		    const struct tr2_cell *cell)
{
	uint64_t ns;

	switch (cell->kind) {
	case TR2_CELL_NONE:
		return;
	case TR2_CELL_NS:
		c->has_durations = true;
		ns = cell->i < 0 ? -(uint64_t)cell->i : (uint64_t)cell->i;
		c->negative |= cell->i < 0;
		if (ns > c->largest)
			c->largest = ns;
		if (cell->at_least && ns > c->largest_bound)
			c->largest_bound = ns;
		c->has_bounds |= cell->at_least;
		break;
	case TR2_CELL_STR:
		/* In columns with signs, other numbers are text. */
		c->has_others |= (flags & TR2_COL_SIGNED) != 0;
		break;
	case TR2_CELL_JSON:
	case TR2_CELL_WORDS:
		break;
	default:
		c->has_others = true;
	}
	c->filled = true;
}

bool tr2_column_has_unit(const struct tr2_column_use *c)
{
	return c->has_durations && !c->has_others;
}

const char *tr2_column_title(const char *heading)
{
	return strcmp(heading, TR2_PLUS_MINUS) != 0 ?
		       heading : tr2_term_text(TR2_PLUS_MINUS, "+-");
}

void tr2_column_add_heading(const struct tr2_column *column,
			    const struct tr2_column_use *use,
			    const struct tr2_units *u, struct tr2_buf *out)
{
	tr2_buf_addstr(out, tr2_column_title(column->heading));
	if (tr2_column_has_unit(use))
		tr2_buf_addall(out, " ", tr2_units_of(u, column->flags)->name);
}

void tr2_column_add_duration(const struct tr2_column *column,
			     const struct tr2_column_use *use,
			     const struct tr2_units *u, int64_t ns,
			     bool at_least, struct tr2_buf *out)
{
	const struct tr2_unit *unit = tr2_units_of(u, column->flags);

	tr2_buf_addstr(out, at_least ? ">= " : "");
	tr2_buf_addstr(out,
		       column->flags & TR2_COL_SIGNED && ns > 0 ? "+" : "");
	tr2_fmt_in_unit(out, ns, unit);
	if (!tr2_column_has_unit(use))
		tr2_buf_addall(out, " ", unit->name);
}

/* Return the width of the widest duration up to `ns`. */
static size_t width_of(const struct tr2_column *column,
		       const struct tr2_column_use *use,
		       const struct tr2_units *u, uint64_t ns, bool at_least)
{
	struct tr2_buf b = TR2_BUF_INIT;
	size_t width;

	tr2_column_add_duration(column, use, u,
				use->negative ? -(int64_t)ns : (int64_t)ns,
				at_least, &b);
	width = b.len;
	tr2_buf_release(&b);
	return width;
}

size_t tr2_column_width(const struct tr2_column *column,
			const struct tr2_column_use *use,
			const struct tr2_units *u)
{
	size_t width = width_of(column, use, u, use->largest, false);
	size_t bound = use->has_bounds ? width_of(column, use, u,
						  use->largest_bound, true) : 0;

	return bound > width ? bound : width;
}
