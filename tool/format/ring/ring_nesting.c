/* SPDX-License-Identifier: MIT */
/* Tell events of interrupting handlers from those behind a loss. */
#include "format/ring/ring_nesting.h"

#include "event/event.h"

void tr2_ring_nesting_correct(struct tr2_ring_nesting *n, bool is_behind_loss,
			      struct tr2_parsed_event *ev)
{
	int is_enter = ev->kind == TR2_EV_region_enter;
	int is_leave = ev->kind == TR2_EV_region_leave;
	int64_t off = ev->nesting - (n->open + 1 - is_leave);

	if (!(tr2_event_rows[ev->kind].flags & TR2_E_NESTED))
		return;
	if (off && (is_behind_loss ||
		    off != (n->off ? n->off : n->may_be_off))) {
		n->open += off;
		off = 0;
	}
	n->off = (int)off;
	ev->nesting -= off;
	n->open += is_enter - is_leave;
	n->may_be_off = is_enter ? -1 : is_leave;
}
