/* SPDX-License-Identifier: MIT */
/*
 * html_path - write the critical path for the page, as pieces in the order of
 * time.
 *
 * A page has at most MAX_PIECES pieces. If the path has more, pieces that are
 * shorter than a certain time, the grain, are merged within each stretch of
 * that length: one piece for each reason, with the process of the longest
 * merged piece. Sums by reason stay exact. The page says that it merged pieces.
 */
#include <stdlib.h>
#include <string.h>

#include "export/page/html_private.h"
#include "model/path/critical.h"
#include "model/states.h"

#define MAX_PIECES 30000
#define SEVERAL (-1) /* `by` of a piece with several processes */

/* Return the code of a piece's kind: the same codes as for states, or NR_CODES
 * if the reason is unknown. */
static unsigned int code_of(const struct tr2_path_piece *p)
{
	static const uint8_t codes[] = {
		[TR2_STEP_UNKNOWN] = TR2_HTML_NR_CODES,
		[TR2_STEP_RUN] = TR2_STATE_RUN,
		[TR2_STEP_READY] = TR2_STATE_READY,
		[TR2_STEP_WAIT] = TR2_STATE_WAIT,
	};

	return codes[p->kind] + (p->kind == TR2_STEP_WAIT ? p->cause : 0u);
}

/* Short pieces that are to be merged; nr 0: none. */
struct short_pieces {
	int64_t ns, inferred_ns, longest_ns;
	uint32_t node, nr;
	bool several; /* the pieces belong to several processes */
	size_t first;
};

struct path {
	struct tr2_export *x; /* NULL: only count the pieces */
	const struct tr2_model *m;
	const struct tr2_path_piece *pieces;
	int64_t grain_ns, until_ns, written_ns, at_ns;
	size_t nr;
	struct tr2_buf rows;
	struct short_pieces shorts[TR2_HTML_NR_CODES + 1];
	uint32_t nr_shorts;
};

/* Add a piece that begins at p->at_ns. by: the number of a name, 0, or SEVERAL;
 * object: the number of a text, or 0. */
static void add_piece(struct path *p, int64_t ns, uint32_t node, uint32_t span,
		      unsigned int code, int64_t by, int64_t object)
{
	const struct tr2_html *h;

	p->nr++;
	if (!p->x)
		return;
	h = p->x->state;
#define TR2_PAGE_STEP(name, value) tr2_html_num(&p->rows, value);
#include "export/page/page.def"
	p->at_ns += ns;
	p->written_ns = p->at_ns;
}

static void add_whole(struct path *p, const struct tr2_path_piece *piece)
{
	add_piece(p, piece->end_ns - piece->start_ns, piece->node, piece->span,
		  code_of(piece) | (piece->inferred ? TR2_HTML_INFERRED : 0u),
		  p->x ? tr2_html_by(p->x, piece->by) : 0,
		  p->x ? tr2_html_string(p->x, tr2_s(p->m, piece->object)) : 0);
}

static void flush_path(struct path *p)
{
	unsigned int code;

	for (code = 0; p->nr_shorts && code <= TR2_HTML_NR_CODES; code++) {
		const struct short_pieces *s = &p->shorts[code];

		if (s->nr == 1)
			add_whole(p, &p->pieces[s->first]);
		else if (s->nr)
			add_piece(p, s->ns, s->node, 0,
				  code | (s->inferred_ns > s->ns / 2 ?
						  TR2_HTML_INFERRED : 0u),
				  s->several ? SEVERAL : 0, 0);
	}
	memset(p->shorts, 0, sizeof(p->shorts));
	p->nr_shorts = 0;
}

static void add_short(struct path *p, size_t i)
{
	const struct tr2_path_piece *piece = &p->pieces[i];
	struct short_pieces *s = &p->shorts[code_of(piece)];
	int64_t ns = piece->end_ns - piece->start_ns;

	if (!p->nr_shorts++) {
		p->until_ns = piece->start_ns + p->grain_ns;
		p->at_ns = piece->start_ns;
	}
	if (!s->nr++)
		s->first = i;
	s->several |= piece->node != p->pieces[s->first].node;
	if (ns > s->longest_ns) {
		s->longest_ns = ns;
		s->node = piece->node;
	}
	s->ns += ns;
	s->inferred_ns += piece->inferred ? ns : 0;
}

static void add_pieces(struct path *p, const struct tr2_html *h, size_t nr)
{
	size_t i;

	p->nr = 0;
	for (i = 0; i < nr; i++) {
		const struct tr2_path_piece *piece = &p->pieces[i];
		int64_t ns = piece->end_ns - piece->start_ns;

		if (ns <= 0)
			continue;
		if (!h->of_node[piece->node]) {
			flush_path(p);
			continue;
		}
		if (ns >= p->grain_ns || piece->start_ns >= p->until_ns)
			flush_path(p);
		if (ns < p->grain_ns) {
			add_short(p, i);
			continue;
		}
		p->at_ns = piece->start_ns;
		add_whole(p, piece);
	}
	flush_path(p);
}

void tr2_html_add_path(struct tr2_export *x)
{
	struct tr2_html *h = x->state;
	uint32_t root = tr2_longest_root(x->m);
	struct tr2_path_piece *pieces = NULL;
	struct path p = { .m = x->m, .written_ns = h->origin_ns };
	size_t nr = root ? tr2_critical_pieces(x->m, root, &pieces) : 0;

	p.pieces = pieces;
	for (add_pieces(&p, h, nr); p.nr > MAX_PIECES &&
				    p.grain_ns < INT64_MAX / 4;
	     add_pieces(&p, h, nr))
		p.grain_ns = p.grain_ns ? 2 * p.grain_ns : 1000;
	p.x = x;
	add_pieces(&p, h, nr);
	tr2_html_trim(&p.rows);
	tr2_html_key(&h->json, "pathGrain");
	tr2_buf_add_i64(&h->json, p.grain_ns);
	tr2_html_array(x, "path", &p.rows);
	tr2_buf_release(&p.rows);
	free(pieces);
}
