/* SPDX-License-Identifier: MIT */
/* Prepare the pieces of a site. */
#include "event/pieces.h"

#include "event/render_internal.h"

/* Pieces that fit no event, for sites without memory or with very long
 * strings. */
static const struct tr2_pieces none = { .key = UINT16_MAX };

static bool prepare_pieces(struct tr2_render *r, const struct tr2_event *ev,
			   struct tr2_pieces *pieces)
{
	char *p = tr2_render_begin(r, 0);

	if (!p)
		return false;
	pieces->key = tr2_pieces_key(ev->kind, r->redact);
	p = tr2_render_json_pieces(r, p, ev, pieces);
	p = tr2_render_text_pieces(r, p, ev, pieces);
	if (p)
		tr2_render_end(r, p);
	return p && !r->line.failed && r->line.len <= TR2_PIECES_BYTES;
}

const struct tr2_pieces *tr2_pieces_make(struct tr2_render *r,
					 const struct tr2_event *ev)
{
	/* Cast const away: the pieces are the only member of a site that
	 * changes. */
	const struct tr2_pieces **at = (const struct tr2_pieces **)(uintptr_t)
		&ev->site->pieces[ev->kind == TR2_EV_region_leave];
	const struct tr2_pieces *seen = NULL, *made = &none;
	struct tr2_pieces pieces, *copy;

	if (prepare_pieces(r, ev, &pieces)) {
		copy = tr2_site_memory(sizeof(pieces) + r->line.len +
				       TR2_PUT_BLOCK);
		if (copy) {
			pieces.text_bytes = (uint16_t)r->line.len;
			*copy = pieces;
			memcpy(copy->text, r->line.p, r->line.len);
			made = copy;
		}
	}
	/* If another thread has stored its pieces first, the memory of this
	 * copy is lost. */
	if (__atomic_compare_exchange_n(at, &seen, made, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return made;
	return seen;
}
